#include "remote/wire/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* Listens on a port of this machine. */
static int listen_here(char text[32])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    expect(bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 4) == 0);
    expect(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
    snprintf(text, 32, "127.0.0.1:%u", ntohs(at.sin_port));
    return fd;
}

/* What became of it. */
static int result_of(int fd)
{
    struct pollfd at = {.fd = fd, .events = POLLOUT};

    while (poll(&at, 1, 60000) < 0 && errno == EINTR)
        ;
    return dial_result(fd);
}

TEST(dial_connects_to_a_port)
{
    struct dial d = {0};
    struct err err;
    char text[32], address[DIAL_ADDRESS];

    dial_address(&d, address);
    expect(address[0] == 0);
    int door = listen_here(text), fd = dial_open(&d, text, NULL, &err);
    expect(fd >= 0 && result_of(fd) == 0 && !d.through && strcmp(d.text, text) == 0);
    expect(fcntl(fd, F_GETFL) & O_NONBLOCK && fcntl(fd, F_GETFD) & FD_CLOEXEC);
    int soon = 0;
    socklen_t size = sizeof soon;
    expect(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &soon, &size) == 0 && soon);
    dial_address(&d, address);
    expect(strcmp(address, "127.0.0.1") == 0);
    close(fd);
    fd = dial_try(&d); /* the only one is the next one, too */
    expect(fd >= 0 && result_of(fd) == 0);
    close(fd);
    close(door);
    fd = dial_open(&d, text, NULL, &err);
    expect(fd < 0 || result_of(fd) == ECONNREFUSED);
    if (fd >= 0)
        close(fd);
    dial_fini(&d);
    dial_address(&d, address);
    expect(!d.all && address[0] == 0);
}

TEST(dial_refuses_what_is_no_address)
{
    static const char *const bad[] = {"", "host", ":7", "host:", "host:x7", "host:12345678"};
    char text[DIAL_TEXT];
    struct dial d = {0};
    struct err err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(dial_find(&d, bad[i], &err) < 0 && strstr(err.text, "expected HOST:PORT"));
    memset(text, 'h', 256);
    strcpy(text + 256, ":7");
    expect(dial_find(&d, text, &err) < 0 && strstr(err.text, "expected HOST:PORT"));
    strcpy(text + 255, ":7"); /* the longest name that is looked up */
    expect(dial_find(&d, text, &err) < 0 && strncmp(err.text, "hhhh", 4) == 0);
    expect(dial_open(&d, "host", NULL, &err) < 0 && strstr(err.text, "expected HOST:PORT"));
    expect(dial_find(&d, "a b:7", &err) < 0 && !d.all && strncmp(err.text, "a b: ", 5) == 0);
    expect(dial_find(&d, "[127.0.0.1:7", &err) < 0 && strncmp(err.text, "[127.0.0.1: ", 12) == 0);
    int before = limits_open();
    expect(dial_open(&d, "255.255.255.255:7", NULL, &err) < 0 && err.text[0]); /* at once */
    expect(limits_open() == before && dial_result(-1) == EBADF);
    expect(dial_find(&d, "[127.0.0.1]:7", &err) == 0);
    err.text[0] = 0; /* libc says what a port is */
    expect((dial_find(&d, "127.0.0.1:1234567", &err) < 0) == !d.all);
    expect(!strstr(err.text, "expected HOST:PORT"));
    dial_fini(&d);
}

/* A tunnel comes first, and then by turns. */
TEST(dial_tries_a_tunnel_and_the_host_by_turns)
{
    char dir[TEST_FOLDER], text[32], far[200];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct dial d = {0};
    struct err err;

    test_folder(dir);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/t", dir);
    int door = listen_here(text), fd = dial_open(&d, text, at.sun_path, &err);
    expect(fd < 0 && d.through && strstr(err.text, "No such file"));
    for (int i = 0; i < 2; i++) {
        fd = dial_open(&d, text, at.sun_path, &err);
        expect(fd >= 0 && !d.through && result_of(fd) == 0);
        close(fd);
        if (i == 0) {
            int tunnel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            expect(bind(tunnel, (struct sockaddr *)&at, sizeof at) == 0 && listen(tunnel, 4) == 0);
            fd = dial_open(&d, text, at.sun_path, &err);
            expect(fd >= 0 && d.through && result_of(fd) == 0);
            close(fd);
            close(tunnel);
        }
    }
    for (size_t more = 0; more < 2; more++) { /* as long as a name can be, and longer */
        memset(far, 'x', sizeof far);
        far[0] = '/';
        far[sizeof at.sun_path - 1 + more] = 0;
        expect(dial_open(&d, text, far, &err) < 0 && d.through);
        expect(strcmp(err.text, strerror(more ? ENAMETOOLONG : ENOENT)) == 0);
        d.through = false;
    }
    memset(far, 'x', sizeof far - 1);
    far[0] = '/';
    far[sizeof far - 1] = 0;
    expect(dial_open(&d, text, far, &err) < 0 && strstr(err.text, strerror(ENAMETOOLONG)));
    dial_fini(&d);
    close(door);
    tree_remove(dir);
}

/* Each try takes the next address, and the first again after the last. */
TEST(dial_tries_one_address_after_the_other)
{
    struct sockaddr_in to[2] = {{.sin_family = AF_INET}, {.sin_family = AF_INET}};
    struct addrinfo all[2] = {0};
    struct dial d = {.all = all, .next = all, .text = "a:1"};
    struct err err;

    for (int i = 0; i < 2; i++) {
        to[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)i);
        all[i] = (struct addrinfo){.ai_family = AF_INET,
                                   .ai_addr = (struct sockaddr *)&to[i],
                                   .ai_addrlen = sizeof to[i],
                                   .ai_next = i == 0 ? &all[1] : NULL};
    }
    for (int i = 0; i < 4; i++) {
        char address[DIAL_ADDRESS];
        int fd = dial_try(&d);
        dial_address(&d, address);
        expect(strcmp(address, i % 2 ? "127.0.0.2" : "127.0.0.1") == 0);
        if (fd >= 0)
            close(fd);
        /* The addresses of a name are looked up once, and it goes on where it was. */
        expect(dial_find(&d, "a:1", &err) == 0 && d.next == &all[i % 2 == 0]);
    }
}

TEST(dial_reads_where_the_coordinator_is)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], text[DIAL_TEXT] = "old";

    test_folder(dir);
    snprintf(path, sizeof path, "%s/at", dir);
    expect(dial_read(path, text) == -1 && strcmp(text, "old") == 0);
    FILE *f = fopen(path, "we");
    expect(f && fputs("host:7\nmore\n", f) >= 0 && fclose(f) == 0);
    expect(dial_read(path, text) == 1 && strcmp(text, "host:7") == 0);
    f = fopen(path, "we");
    expect(f && fclose(f) == 0);
    expect(dial_read(path, text) == 0 && text[0] == 0);
    expect(dial_read(dir, text) == 0); /* no file */
    strcat(path, "/x");                /* which does not mean that the run is over */
    expect(dial_read(path, text) == 0);
    path[strlen(path) - 2] = 0;
    f = fopen(path, "we");
    for (int i = 0; f && i < DIAL_TEXT + 10; i++)
        putc('h', f);
    expect(f && fclose(f) == 0);
    expect(dial_read(path, text) == 1 && strlen(text) == DIAL_TEXT - 1);
    tree_remove(dir);
}
