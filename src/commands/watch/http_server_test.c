#include "commands/watch/http_server.h"

#include <fcntl.h>
#include <string.h>
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
