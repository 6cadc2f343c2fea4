#include "remote/wire/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/os/tree.h"
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
    expect(dial_open(&d, "host", NULL, &err) < 0 && strstr(err.text, "expected HOST:PORT"));
    expect(dial_find(&d, "a b:7", &err) < 0 && !d.all && strncmp(err.text, "a b: ", 5) == 0);
    expect(dial_find(&d, "[127.0.0.1:7", &err) < 0 && strncmp(err.text, "[127.0.0.1: ", 12) == 0);
    expect(dial_open(&d, "255.255.255.255:7", NULL, &err) < 0 && err.text[0]); /* at once */
    expect(dial_find(&d, "[127.0.0.1]:7", &err) == 0);
    expect(dial_find(&d, "127.0.0.1:1234567", &err) < 0 || d.all); /* libc says what a port is */
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
    struct dial d = {.all = all, .next = all};

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
    tree_remove(dir);
}
