/* fetch - the least that fetching a file through an encrypted stream can cost: what `dolly map
 * --pull` is compared with.
 *
 *     fetch FILE COPY
 *
 * One process maps FILE, encrypts it by AES-128-GCM in pieces of 16 KiB, as TLS does, and sends it,
 * four pieces with each call, through a TCP connection on this machine; another receives, decrypts
 * and writes COPY. There are no packets, checksums or other conversations. Prints MiB/s: as it took,
 * and what the sender's and the receiver's processor time would allow each of them alone.
 *
 * ADR 22 has what else was tried: each of these choices is the one that has cost least. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 16384, TAG = 16, PIECES = 4 };

struct sealed { /* as it travels; the last piece may be shorter, which its length tells */
    uint32_t length;
    unsigned char tag[TAG], bytes[PIECE];
};

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

static EVP_CIPHER_CTX *cipher_open(int encrypt)
{
    static const unsigned char key[16] = "sixteen letters";
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

    if (!c || !EVP_CipherInit_ex(c, EVP_aes_128_gcm(), NULL, key, NULL, encrypt))
        die("AES-128-GCM");
    return c;
}

/* Each piece has a number, which is never used twice. */
static void cipher_number(EVP_CIPHER_CTX *c, uint64_t number)
{
    unsigned char iv[12] = {0};

    memcpy(iv, &number, sizeof number);
    if (!EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, -1))
        die("EVP_CipherInit_ex");
}

static void send_all(int fd, const char *at, size_t left)
{
    while (left) {
        ssize_t n = send(fd, at, left, MSG_NOSIGNAL);
        if (n < 0)
            die("send");
        at += n;
        left -= (size_t)n;
    }
}

static void seal(EVP_CIPHER_CTX *c, uint64_t number, const unsigned char *plain, struct sealed *to)
{
    int length;

    cipher_number(c, number);
    if (!EVP_EncryptUpdate(c, to->bytes, &length, plain, (int)to->length) ||
        !EVP_EncryptFinal_ex(c, to->bytes, &length) ||
        !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG, to->tag))
        die("encrypt");
}

static void sender(const char *path, int to)
{
    static struct sealed sealed[PIECES]; /* only the last of a file is shorter, so they are joined */
    EVP_CIPHER_CTX *c = cipher_open(1);
    int fd = open(path, O_RDONLY);
    struct stat st;
    uint64_t number = 0;

    if (fd < 0 || fstat(fd, &st) < 0)
        die(path);
    size_t size = (size_t)st.st_size, filled = 0, bytes = 0;
    unsigned char *plain = mmap(NULL, size ? size : 1, PROT_READ, MAP_SHARED, fd, 0);
    if (plain == MAP_FAILED)
        die("mmap");
    for (size_t from = 0; from < size; from += PIECE) {
        struct sealed *s = &sealed[filled++];
        s->length = size - from < PIECE ? (uint32_t)(size - from) : PIECE;
        seal(c, number++, plain + from, s);
        bytes += offsetof(struct sealed, bytes) + s->length;
        if (filled == PIECES || from + PIECE >= size) {
            send_all(to, (const char *)sealed, bytes);
            filled = bytes = 0;
        }
    }
}

/* Decrypts what there is of whole pieces; how many bytes these were. */
static size_t unseal(EVP_CIPHER_CTX *c, uint64_t *number, unsigned char *at, size_t count, int to)
{
    static unsigned char plain[PIECES * PIECE];
    const size_t head = offsetof(struct sealed, bytes);
    size_t from = 0, made = 0;

    while (count - from >= head) {
        struct sealed *s = (struct sealed *)(void *)(at + from);
        int length;
        if (s->length > PIECE || count - from < head + s->length ||
            made + s->length > sizeof plain)
            break;
        cipher_number(c, (*number)++);
        if (!EVP_DecryptUpdate(c, plain + made, &length, s->bytes, (int)s->length) ||
            !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG, s->tag) ||
            !EVP_DecryptFinal_ex(c, plain, &length))
            die("decrypt");
        made += s->length;
        from += head + s->length;
    }
    if (write(to, plain, made) != (ssize_t)made)
        die("write");
    return from;
}

static void receiver(int from, const char *path)
{
    static unsigned char in[PIECES * sizeof(struct sealed)];
    EVP_CIPHER_CTX *c = cipher_open(0);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    uint64_t number = 0;
    size_t count = 0;
    ssize_t n;

    if (to < 0)
        die(path);
    while ((n = recv(from, in + count, sizeof in - count, 0)) > 0) {
        count += (size_t)n;
        size_t taken = unseal(c, &number, in, count, to);
        memmove(in, in + taken, count - taken);
        count -= taken;
    }
    if (n < 0 || count)
        die("recv");
}

/* Two ends of a TCP connection. */
static void connect_ends(int fds[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, unsent = 2 * PIECES * PIECE;

    fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&at, size) < 0 || listen(listener, 1) < 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) < 0 ||
        connect(fds[0], (struct sockaddr *)&at, size) < 0 ||
        (fds[1] = accept(listener, NULL, NULL)) < 0)
        die("connect");
    setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fds[0], IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent); /* stays in caches */
    close(listener);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double used(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return seconds(u.ru_utime) + seconds(u.ru_stime);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int fds[2], status;

    if (argc != 3) {
        fputs("usage: fetch FILE COPY\n", stderr);
        return 2;
    }
    connect_ends(fds);
    double begun = now();
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[1]);
        sender(argv[1], fds[0]);
        _exit(0);
    }
    close(fds[0]);
    receiver(fds[1], argv[2]);
    double took = now() - begun, own = used(RUSAGE_SELF);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        die("the sender");
    int fd = open(argv[2], O_RDONLY);
    double mib = (double)lseek(fd, 0, SEEK_END) / 1048576;
    printf("%.0f %.0f %.0f\n", mib / took, mib / used(RUSAGE_CHILDREN), mib / own);
    return 0;
}
