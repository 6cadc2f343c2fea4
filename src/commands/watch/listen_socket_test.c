#include "commands/watch/listen_socket.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/command.h"

TEST(listen_socket_takes_a_free_port_of_this_machine)
{
    static const char *const wheres[] = {"127.0.0.1:0", "127.0.0.1", ":0", "0"};
    struct err err;

    for (size_t i = 0; i < sizeof wheres / sizeof wheres[0]; i++) {
        struct listen_socket s;
        char shown[80];
        expect(listen_socket_open(&s, wheres[i], &err) == 0);
        snprintf(shown, sizeof shown, "127.0.0.1:%u", s.port);
        expect(s.port > 0 && s.loopback && !s.local && strcmp(s.shown, shown) == 0);
        struct listen_socket other;
        expect(listen_socket_open(&other, shown, &err) < 0 && strstr(err.text, "cannot serve at"));
        listen_socket_close(&s);
    }
}

TEST(listen_socket_refuses_what_is_not_an_address)
{
    static const char *const wrong[] = {"localhost:1",
                                        "127.0.0.1:65536",
                                        "127.0.0.1:x",
                                        "[::1",
                                        "127.0.0.1:1:2",
                                        "[::g]:1",
                                        "x",
                                        "",
                                        "127.0.0.1:-1",
                                        "65536",
                                        "1.2.3:80",
                                        "[]:1",
                                        "http://1.2.3.4",
                                        "unix:"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct listen_socket s;
        struct err err = {0};
        int rc = listen_socket_open(&s, wrong[i], &err);
        if (strcmp(wrong[i], "") == 0) { /* 127.0.0.1, a free port */
            listen_socket_close(&s);
            continue;
        }
        expect(rc < 0 && strstr(err.text, "--http") && s.fd < 0);
    }
}

TEST(listen_socket_of_a_file_is_for_its_user)
{
    struct command_folder f;
    struct listen_socket s, other;
    struct stat st;
    struct err err;

    command_begin(&f);
    expect(listen_socket_open(&s, "unix:socket", &err) == 0 && s.local && s.port == 0);
    expect(stat("socket", &st) == 0 && S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600);
    expect(listen_socket_open(&other, "unix:socket", &err) < 0 && stat("socket", &st) == 0);
    listen_socket_close(&s);
    expect(stat("socket", &st) < 0);
    command_end(&f);
}

/* The path at its bound, and with nothing, or with one byte more. */
TEST(listen_socket_path_has_a_bound)
{
    static const struct {
        int bytes;
        bool fits;
    } rows[] = {{0, false}, {1, true}, {107, true}, {108, false}};
    struct command_folder f;
    struct listen_socket s;
    struct stat st;
    struct err err;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char where[128];
        snprintf(where, sizeof where, "unix:%.*s", rows[i].bytes,
                 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        expect((listen_socket_open(&s, where, &err) == 0) == rows[i].fits);
        expect((stat(where + 5, &st) == 0) == rows[i].fits);
        if (!rows[i].fits)
            expect(s.fd < 0 && err.kind == ERR_INPUT &&
                   strcmp(err.text, "--http unix:PATH: the path must have 1 to 107 bytes") == 0);
        listen_socket_close(&s);
    }
    command_end(&f);
}
