#include "commands/watch/http_server.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* The library needs descriptors of its own. */
TEST(http_server_without_descriptors_leaves_the_socket_to_its_caller)
{
    static const struct http_secrets secrets = {.local = true};
    static const struct http_handler handler = {0};
    struct command_folder f;
    struct listen_socket socket;
    struct err err = {0};

    command_begin(&f);
    expect(listen_socket_open(&socket, "unix:socket", &err) == 0);
    struct http_server *s = http_server_start(&socket, &secrets, &handler, &err);
    if (s) {
        expect(socket.fd < 0);
        http_server_stop(s);
        listen_socket_close(&socket);
        expect(access("socket", F_OK) < 0);
        expect(listen_socket_open(&socket, "unix:socket", &err) == 0);
        struct rlimit before = limits_descriptors(0);
        s = http_server_start(&socket, &secrets, &handler, &err);
        setrlimit(RLIMIT_NOFILE, &before);
        expect(!s && err.kind == ERR_SYSTEM);
        expect(strcmp(err.text, "libmicrohttpd cannot serve at socket") == 0);
        expect(fcntl(socket.fd, F_GETFD) >= 0);
    } else {
        test_skip(err.text);
    }
    listen_socket_close(&socket);
    expect(access("socket", F_OK) < 0);
    command_end(&f);
}

/* What is not known at once. */
struct slow_answer {
    int asked, known_after;
};

static void answer_later(void *ctx, const struct http_asked *asked, struct http_answer *a)
{
    struct slow_answer *s = ctx;

    expect(asked->target.route == ROUTE_PAGE);
    a->later = ++s->asked <= s->known_after;
    if (!a->later)
        str_add(&a->body, "known");
}

static int ask(const struct http_secrets *secrets)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    char text[200];

    int length = snprintf(text, sizeof text,
                          "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
                          secrets->token.text);
    expect(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    expect(write(fd, text, (size_t)length) == length);
    return fd;
}

static bool has_come(int fd, const char *what)
{
    char text[4096] = {0};
    ssize_t n = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);

    return n > 0 && strstr(text, what);
}

/* A request that cannot be answered yet waits for a wake, is put again then, and costs nothing
 * meanwhile; one that nobody has answered when the server stops is closed. */
TEST(http_server_answers_later)
{
    struct slow_answer slow = {.known_after = 2};
    struct http_secrets secrets = {.local = true, .cookie_name = "c"};
    struct http_handler handler = {.ctx = &slow, .answer = answer_later};
    struct command_folder f;
    struct listen_socket socket;
    struct err err = {0};

    command_begin(&f);
    expect(http_token_init(&secrets.token, &err) == 0);
    expect(http_token_init(&secrets.cookie, &err) == 0);
    expect(listen_socket_open(&socket, "unix:socket", &err) == 0);
    struct http_server *s = http_server_start(&socket, &secrets, &handler, &err);
    if (s) {
        int first = ask(&secrets), second = ask(&secrets);
        while (slow.asked < 2)
            http_server_run(s, 10);
        for (int i = 0; i < 5; i++)
            http_server_run(s, 1);
        expect(slow.asked == 2 && !has_come(first, "HTTP") && !has_come(second, "HTTP"));
        slow.known_after = 3;
        http_server_wake(s);
        while (slow.asked < 4)
            http_server_run(s, 10);
        for (int i = 0; i < 5; i++)
            http_server_run(s, 1);
        expect(has_come(first, "known") + has_come(second, "known") == 1);
        http_server_stop(s);
        close(first);
        close(second);
    } else {
        test_skip(err.text);
    }
    listen_socket_close(&socket);
    command_end(&f);
}
