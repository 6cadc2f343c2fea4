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
        expect(rc < 0 && err.kind == ERR_INPUT && strstr(err.text, "--http") && s.fd < 0);
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

/* Where each is served, and whether others than users of this machine can reach it. */
TEST(listen_socket_describes_what_it_has_got)
{
    static const struct {
        const char *where, *shown; /* before the port */
        bool loopback;
    } rows[] = {
        {"127.0.0.1:0", "127.0.0.1:", true},
        {"127.255.0.2:0", "127.255.0.2:", true},
        {"0.0.0.0:0", "0.0.0.0:", false},
        {"[::1]:0", "[::1]:", true},
        {"[::1]", "[::1]:", true},
        {"[0:0::1]:0", "[::1]:", true},
        {"[::]:0", "[::]:", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct listen_socket s, again;
        struct err err = {.text = ""};
        char shown[80], want[160];
        if (listen_socket_open(&s, rows[i].where, &err) < 0) {
            expect(rows[i].where[0] == '[' && err.kind == ERR_SYSTEM); /* of IPv6 there is none */
            continue;
        }
        snprintf(shown, sizeof shown, "%s%u", rows[i].shown, s.port);
        expect(s.port > 0 && strcmp(s.shown, shown) == 0);
        expect(s.loopback == rows[i].loopback && !s.local);
        expect(listen_socket_open(&again, shown, &err) < 0 && again.fd < 0);
        snprintf(want, sizeof want, "cannot serve at %s: Address already in use", shown);
        expect(err.kind == ERR_SYSTEM && strcmp(err.text, want) == 0);
        listen_socket_close(&s);
        expect(listen_socket_open(&again, shown, &err) == 0 && strcmp(again.shown, shown) == 0);
        listen_socket_close(&again);
    }
}

TEST(listen_socket_leaves_the_mask_of_modes_as_it_was)
{
    struct command_folder f;
    struct listen_socket s;
    struct err err;
    mode_t before = umask(027);

    command_begin(&f);
    expect(listen_socket_open(&s, "unix:socket", &err) == 0);
    expect(umask(027) == 027 && s.loopback && strcmp(s.shown, "socket") == 0);
    listen_socket_close(&s);
    expect(s.fd == -1 && !s.path);
    expect(listen_socket_open(&s, "unix:no/socket", &err) < 0 && umask(before) == 027);
    expect(err.kind == ERR_SYSTEM &&
           strcmp(err.text, "cannot serve at no/socket: No such file or directory") == 0);
    command_end(&f);
}
