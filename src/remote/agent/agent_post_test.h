/* agent_post_test.h - a test in the role of the coordinator, for an agent in processes of its own.
 * Include tests/unit/test.h before it. */
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "remote/agent/agent.h"
#include "remote/wire/frames.h"
#include "remote/wire/lease.h"

enum { POST_PATIENCE_MS = 60000 }; /* for events that come within moments, or never */

struct post {
    char dir[TEST_FOLDER], scratch[TEST_FOLDER]; /* of the run, and of the agent */
    char at[32];                                 /* where it listens */
    int listen_fd;
    struct tls_side *side;
    struct frames frames;
    struct agent_options agent;
    struct packet_welcome welcome;
    int64_t lease_us;   /* how beats are answered; 0: they are not */
    struct packet beat; /* the last */
    pid_t pid;
    int said_fd; /* the agent's last message arrives here */
    char said[512];
};

static inline void post_open(struct post *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char path[128];
    struct err err;

    *p = (struct post){.frames.fd = -1, .lease_us = LEASE_US};
    test_folder(p->dir);
    test_folder(p->scratch);
    snprintf(path, sizeof path, "%s/attempts", p->dir);
    expect(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/probe", p->dir);
    FILE *f = fopen(path, "we");
    expect(f && fputs("token", f) >= 0 && fclose(f) == 0);
    p->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect(bind(p->listen_fd, (struct sockaddr *)&at, size) == 0 && listen(p->listen_fd, 8) == 0);
    expect(getsockname(p->listen_fd, (struct sockaddr *)&at, &size) == 0);
    snprintf(p->at, sizeof p->at, "127.0.0.1:%u", ntohs(at.sin_port));
    p->agent = (struct agent_options){
        .connect = p->at, .name = "n", .scratch = p->scratch, .linger_us = 60 * 1000000};
    memset(&p->agent.secret, 'k', sizeof p->agent.secret);
    p->side = tls_side_create(&p->agent.secret, true, &err);
    p->welcome = (struct packet_welcome){.dir = p->dir,
                                         .probe = "probe",
                                         .token = "token",
                                         .shell = "",
                                         .workdir = "/",
                                         .credential = "",
                                         .store = "",
                                         .lease_us = LEASE_US};
}

static inline void post_start(struct post *p)
{
    int fds[2];

    expect(pipe(fds) == 0);
    p->pid = fork();
    if (p->pid == 0) {
        struct err err = {0};
        int status = agent_run(&p->agent, &err);
        ssize_t n = write(fds[1], err.text, strlen(err.text));
        _exit(n < 0 ? 99 : status);
    }
    close(fds[1]);
    p->said_fd = fds[0];
}

/* Waits until the agent exits by itself. Returns its status, and keeps its message in `said`. */
static inline int post_ends(struct post *p)
{
    struct pollfd end = {.fd = p->said_fd, .events = POLLIN};
    size_t n = 0;
    int status = 0;

    frames_fini(&p->frames);
    if (poll(&end, 1, POST_PATIENCE_MS) != 1) /* its sessions have the pipe as well */
        kill(p->pid, SIGTERM);
    for (ssize_t got; (got = read(p->said_fd, p->said + n, sizeof p->said - 1 - n)) > 0;)
        n += (size_t)got;
    p->said[n] = '\0';
    close(p->said_fd);
    expect(waitpid(p->pid, &status, 0) == p->pid && WIFEXITED(status));
    p->pid = 0;
    return WEXITSTATUS(status);
}

static inline uint32_t entries(const char *dir)
{
    DIR *d = opendir(dir);
    uint32_t n = 0;

    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static inline void post_close(struct post *p)
{
    expect(p->pid == 0 && entries(p->scratch) == 0); /* an agent leaves nothing */
    frames_fini(&p->frames);
    tls_side_destroy(p->side);
    close(p->listen_fd);
    tree_remove(p->dir);
    tree_remove(p->scratch);
}

/* Receives the next packet, and answers beats; 0: the connection is closed. */
static inline uint8_t post_next(struct post *p, struct packet *m)
{
    int64_t until_us = clock_now_us() + POST_PATIENCE_MS * INT64_C(1000);

    while (clock_now_us() < until_us) {
        struct pollfd fd = {.fd = p->frames.fd, .events = POLLIN};
        int got = frames_greet(&p->frames);
        if (got > 0 && frames_flush(&p->frames) == 0)
            got = frames_receive(&p->frames, m);
        if (got > 0 && m->type == PACKET_BEAT) {
            struct packet answer = p->beat = *m;
            answer.u.beat.lease_us = p->lease_us;
            if (p->lease_us)
                frames_send(&p->frames, &answer);
        }
        if (got)
            return got > 0 ? m->type : 0;
        poll(&fd, 1, 100);
    }
    return 0;
}

/* Receives the next packet that is not a beat. */
static inline uint8_t post_hears(struct post *p, struct packet *m)
{
    struct packet ignored;
    uint8_t type;

    m = m ? m : &ignored;
    while ((type = post_next(p, m)) == PACKET_BEAT)
        ;
    return type;
}

/* Waits for another beat. */
static inline bool post_beats(struct post *p)
{
    struct packet m;
    uint8_t type;

    while ((type = post_next(p, &m)) != PACKET_BEAT && type != 0)
        ;
    return type == PACKET_BEAT;
}

static inline void post_says(struct post *p, struct packet m)
{
    expect(frames_send(&p->frames, &m) == 0 && frames_flush(&p->frames) == 0);
}

/* Accepts the agent's connection and receives its hello. */
static inline bool post_meets(struct post *p, struct packet *hello)
{
    struct pollfd fd = {.fd = p->listen_fd, .events = POLLIN};

    frames_fini(&p->frames);
    if (poll(&fd, 1, POST_PATIENCE_MS) != 1)
        return false;
    frames_init(&p->frames, p->side,
                accept4(p->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
    return post_hears(p, hello) == PACKET_HELLO;
}

/* Receives the agent's hello, sends the welcome, and receives that it is ready. */
static inline bool post_welcomes(struct post *p, struct packet *ready)
{
    if (!post_meets(p, NULL))
        return false;
    post_says(p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p->welcome});
    return post_hears(p, ready) == PACKET_READY;
}

/* Sends the agent PACKET_LEAVE, and waits until it exits. */
static inline void post_dismisses(struct post *p)
{
    post_says(p, (struct packet){.type = PACKET_LEAVE});
    expect(post_hears(p, NULL) == 0 && post_ends(p) == 0 && !p->said[0]);
}

static inline void post_launches(struct post *p, uint32_t handle, const char *command,
                                 const char *dir)
{
    post_says(p,
              (struct packet){
                  .type = PACKET_LAUNCH,
                  .handle = handle,
                  .u.launch = {
                      .command = command, .stdin_path = "", .dir = dir, .reuse = "", .env = ""}});
}

/* Receives the next packet about this attempt. */
static inline uint8_t post_hears_of(struct post *p, uint32_t handle, struct packet *m)
{
    struct packet ignored;
    uint8_t type;

    m = m ? m : &ignored;
    do
        type = post_hears(p, m);
    while (type == PACKET_CORES || type == PACKET_PRESSURE);
    expect(m->handle == handle);
    return type;
}
