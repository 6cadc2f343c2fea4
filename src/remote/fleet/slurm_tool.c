/* slurm_tool.c - runs a command of Slurm and tells an answer from silence.
 *
 * The status of these commands is 1 for a partition that does not exist as well as for a controller
 * that was restarted a moment ago, so the text decides. What is not known to be silence is an
 * answer: a command that says no for a reason we have never seen would be repeated for ever. */
#include "remote/fleet/slurm_tool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_errors.h"

bool slurm_tool_runs(const struct slurm_tool *t)
{
    return t->process.pid != 0 || t->over;
}

static int tool_watch(struct slurm_tool *t, int fd, uint32_t tag)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = t->epoll_tag + tag};

    return t->epoll_fd < 0 ? 0 : sys_epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

int slurm_tool_start(struct slurm_tool *t, int epoll_fd, uint64_t tag, char *const *argv,
                     bool stays, int64_t now_us)
{
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    int result = -1;

    *t = (struct slurm_tool){.epoll_fd = epoll_fd,
                             .epoll_tag = tag,
                             .limit_us = now_us + SLURM_TOOL_LIMIT_US,
                             .streams = {{.fd = -1}, {.fd = -1}}};
    if (sys_pipe(pipes[0], O_CLOEXEC) == 0 && sys_pipe(pipes[1], O_CLOEXEC) == 0 &&
        fleet_process_start(&t->process, argv, "", 0, pipes[0][1], pipes[1][1], stays) == 0) {
        for (int i = 0; i < 2; i++) {
            t->streams[i].fd = pipes[i][0];
            pipes[i][0] = -1;
            fcntl(t->streams[i].fd, F_SETFL, O_NONBLOCK);
        }
        result = tool_watch(t, t->process.pid_fd, 2) < 0 ||
                         tool_watch(t, t->streams[0].fd, 0) < 0 ||
                         tool_watch(t, t->streams[1].fd, 1) < 0
                     ? -1
                     : 0;
    }
    int saved = errno;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            sys_close(&pipes[i][j]);
    if (result < 0)
        slurm_tool_clear(t);
    errno = saved;
    return result;
}

static void tool_read(struct slurm_tool *t, int which)
{
    char chunk[16 * 1024];

    while (t->streams[which].fd >= 0) {
        ssize_t n = sys_read(t->streams[which].fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            sys_close(&t->streams[which].fd);
            return;
        }
        if (t->streams[which].text.count + (size_t)n > SLURM_TOOL_BYTES_MAX)
            t->streams[which].cut = true;
        else
            vec_append(&t->streams[which].text, chunk, (size_t)n);
    }
}

bool slurm_tool_turn(struct slurm_tool *t, int64_t now_us, int64_t *next_us)
{
    if (!slurm_tool_runs(t))
        return false;
    t->over = t->over || fleet_process_ended(&t->process, &t->status);
    for (int i = 0; i < 2; i++)
        tool_read(t, i);
    /* What it has written is in the pipes when it is dead. Somebody else may hold them open. */
    if (t->over)
        return true;
    if (now_us >= t->limit_us) {
        kill(t->process.pid, t->late ? SIGKILL : SIGTERM);
        t->late = true;
        t->limit_us = now_us + 1000000;
    }
    *next_us = t->limit_us < *next_us ? t->limit_us : *next_us;
    return false;
}

bool slurm_tool_wait(struct slurm_tool *t, int64_t until_us)
{
    for (;;) {
        int64_t now_us = clock_now_us(), next_us = until_us;
        if (slurm_tool_turn(t, now_us, &next_us))
            return true;
        if (!slurm_tool_runs(t) || now_us >= until_us)
            return false;
        /* A stream at its end has the descriptor -1, which poll passes over. */
        struct pollfd at[] = {{.fd = t->process.pid_fd, .events = POLLIN},
                              {.fd = t->streams[0].fd, .events = POLLIN},
                              {.fd = t->streams[1].fd, .events = POLLIN}};
        poll(at, 3, clock_timeout_ms(now_us, next_us));
    }
}

/* Errors that say nothing about the request: the controller did not get it, or we did not get its
 * answer. Words of slurm_strerror and strerror. */
static bool tool_says_nothing(const char *text)
{
    static const char *const words[] = {
        "Unable to contact slurm controller",
        "Unable to establish",
        "Socket timed out",
        "Connection refused",
        "Connection reset",
        "Connection timed out",
        "Broken pipe",
        "Zero Bytes were transmitted or received",
        "Transport endpoint is not connected",
        "Unexpected message received",
        "Communication connection failure",
        "Message receive failure",
        "Message send failure",
        "standby mode",
        "Resource temporarily unavailable",
        "Unable to contact",
        "No route to host",
        "Network is unreachable",
        "Slurm temporarily unable to accept job",
        "Protocol authentication error",
        "Munge",
        "MUNGE",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

enum slurm_tool_end slurm_tool_end(const struct slurm_tool *t, char *why, size_t size)
{
    char text[4096];
    uint32_t n = t->streams[1].text.count < sizeof text - 1 ? t->streams[1].text.count
                                                            : (uint32_t)sizeof text - 1;

    if (n > 0)
        memcpy(text, t->streams[1].text.at, n);
    text[n] = '\0';
    fleet_errors_last(text, n, why, size);
    if (t->late) {
        snprintf(why, size, "no answer in %d s", SLURM_TOOL_LIMIT_US / 1000000);
        return SLURM_TOOL_NOTHING;
    }
    if (!WIFEXITED(t->status) || t->streams[0].cut) {
        snprintf(why, size, "%s", t->streams[0].cut ? "too much output" : "killed");
        return SLURM_TOOL_NOTHING;
    }
    if (WEXITSTATUS(t->status) == 0)
        return SLURM_TOOL_WELL;
    if (!why[0])
        fleet_process_tell(t->status, why, size);
    return tool_says_nothing(text) ? SLURM_TOOL_NOTHING : SLURM_TOOL_SAID_NO;
}

void slurm_tool_clear(struct slurm_tool *t)
{
    if (t->limit_us == 0) /* zeroed memory */
        return;
    fleet_process_end(&t->process, 0);
    for (int i = 0; i < 2; i++) {
        sys_close(&t->streams[i].fd);
        vec_free(&t->streams[i].text);
    }
    *t = (struct slurm_tool){0};
}
