/* link_stage_test.h - a test in the role of a runner's owner, in a folder of its own. Include
 * tests/unit/test.h before it. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/vec.h"
#include "exec/process/runner_link.h"
#include "exec/process/sys.h"

/* Commands that must not be waited for sleep an hour. A test on a busy machine has five minutes, so
 * that one that waits in vain fails before the whole file is given up. */
enum { SOURCE = 1000 };
#define HOUR_US INT64_C(3600000000)
#define PATIENCE_US (HOUR_US / 12)

struct link_stage {
    char dir[64];
    int lock_fd, epoll_fd;
    sigset_t old_mask;
    struct runner_link *link;
    char lost[256];              /* why the runner cannot go on */
    VEC(struct packet) received; /* numbers only; their strings are gone */
    uint32_t next;
    struct packet last;
};

static inline void stage_on_packet(void *ctx, const struct packet *p)
{
    struct link_stage *s = ctx;
    vec_push(&s->received, *p);
}

static inline void stage_on_lost(void *ctx, const char *why)
{
    struct link_stage *s = ctx;
    snprintf(s->lost, sizeof s->lost, "%s", why);
}

static inline struct runner_options stage_options(struct link_stage *s, const char *shell)
{
    char lock[96];

    *s = (struct link_stage){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    sigprocmask(SIG_BLOCK, NULL, &s->old_mask);
    test_folder(s->dir);
    snprintf(lock, sizeof lock, "%s/lock", s->dir);
    s->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    flock(s->lock_fd, LOCK_EX);
    return (struct runner_options){.epoll_fd = s->epoll_fd,
                                   .epoll_tag = SOURCE,
                                   .ctx = s,
                                   .on_packet = stage_on_packet,
                                   .on_lost = stage_on_lost,
                                   .lock_fd = s->lock_fd,
                                   .shell = shell};
}

static inline bool stage_open(struct link_stage *s, bool here, const char *shell)
{
    struct runner_options options = stage_options(s, shell);
    struct err err;
    s->link = runner_link_open(&options, here, &err);
    return s->link != NULL;
}

/* One turn of the owner's loop, which sleeps until `until_us` at most. */
static inline void stage_turn(struct link_stage *s, int64_t until_us)
{
    struct epoll_event events[8];
    uint32_t before = s->received.count;
    int64_t next_us = s->link->turn(s->link);

    next_us = s->received.count > before ? 0 : next_us < until_us ? next_us : until_us;
    int n = epoll_wait(s->epoll_fd, events, 8, clock_timeout_ms(clock_now_us(), next_us));
    for (int i = 0; i < n && !s->lost[0]; i++)
        s->link->event(s->link, (uint32_t)(events[i].data.u64 - SOURCE));
    if (!s->lost[0])
        s->link->turn(s->link);
}

/* Returns true if all holders of the run's lock are gone: the guardian and every process it
 * started. */
static inline bool stage_lock_free(struct link_stage *s, int64_t within_us)
{
    int64_t until = clock_now_us() + within_us;
    char lock[96];

    snprintf(lock, sizeof lock, "%s/lock", s->dir);
    sys_close(&s->lock_fd);
    do {
        int fd = open(lock, O_RDWR | O_CLOEXEC);
        bool free = flock(fd, LOCK_EX | LOCK_NB) == 0;
        close(fd);
        if (free)
            return true;
        usleep(5000);
    } while (clock_now_us() < until);
    return false;
}

static inline void stage_close(struct link_stage *s)
{
    char command[128];

    s->link->close(s->link);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
    close(s->epoll_fd);
    vec_free(&s->received);
    expect(stage_lock_free(s, 0));
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

static inline int stage_order(struct link_stage *s, uint32_t handle, const char *command,
                              const char *in, const char *dir)
{
    static const char env[] = "DOLLY_SAMPLE=a b\0DOLLY_PROGRESS_FD=3";
    struct packet m = {.type = PACKET_LAUNCH, .handle = handle};

    m.u.launch.command = command;
    m.u.launch.stdin_path = in;
    m.u.launch.dir = dir;
    m.u.launch.reuse = "";
    m.u.launch.env = env;
    m.u.launch.env_bytes = sizeof env;
    return s->link->order(s->link, &m);
}

static inline void stage_launch(struct link_stage *s, uint32_t handle, const char *command,
                                const char *in)
{
    char dir[96];

    snprintf(dir, sizeof dir, "%s/%u", s->dir, handle);
    expect(stage_order(s, handle, command, in, dir) == 0);
}

static inline void stage_kill(struct link_stage *s, uint32_t handle, int64_t grace_us)
{
    struct packet m = {.type = PACKET_KILL, .handle = handle, .u.grace_us = grace_us};
    expect(s->link->order(s->link, &m) == 0);
}

/* The next packet, or false at `until_us` or when the runner is lost. */
static inline bool stage_next(struct link_stage *s, int64_t until_us)
{
    while (s->next == s->received.count && !s->lost[0] && clock_now_us() < until_us)
        stage_turn(s, until_us);
    if (s->next == s->received.count)
        return false;
    s->last = s->received.at[s->next++];
    return true;
}

/* The next packet of a type, after any others; false when the runner is lost. */
static inline bool stage_wait(struct link_stage *s, enum packet_type type)
{
    int64_t until_us = clock_now_us() + PATIENCE_US;

    while (stage_next(s, until_us))
        if (s->last.type == type)
            return true;
    return false;
}

/* The contents of a file of an attempt, without the last newline. */
static inline const char *stage_file(struct link_stage *s, const char *name)
{
    static char text[8192];
    char path[160];

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (n && text[n - 1] == '\n')
        text[n - 1] = 0;
    if (f)
        fclose(f);
    return f ? text : "(no such file)";
}

/* A process that wrote its number to a file of an attempt. */
static inline bool stage_alive(struct link_stage *s, const char *name)
{
    pid_t pid = (pid_t)strtol(stage_file(s, name), NULL, 10);
    expect(pid > 1);
    return pid > 1 && kill(pid, 0) == 0;
}

static inline bool stage_await(struct link_stage *s, const char *name)
{
    for (int64_t until_us = clock_now_us() + PATIENCE_US; clock_now_us() < until_us;) {
        if (stage_file(s, name)[0] >= '0' && stage_file(s, name)[0] <= '9')
            return true;
        stage_turn(s, clock_now_us() + 5000);
    }
    return false;
}
