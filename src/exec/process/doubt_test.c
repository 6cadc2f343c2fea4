#include "exec/process/doubt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

TEST(doubt_list_gives_back_what_is_old_enough)
{
    struct doubt_list l = {0};
    struct packet p = {.type = PACKET_EXITED}, got;

    expect(doubt_list_next(&l) == INT64_MAX && !doubt_list_take(&l, INT64_MAX, &got));
    for (uint32_t i = 1; i <= 4; i++) {
        p.handle = i;
        doubt_list_add(&l, &p, 10 * i);
    }
    expect(doubt_list_next(&l) == 10 && !doubt_list_take(&l, 9, &got));
    expect(doubt_list_kill(&l, 2, &got) && got.type == PACKET_KILLED && got.handle == 2);
    expect(!doubt_list_kill(&l, 2, &got));
    expect(doubt_list_take(&l, 30, &got) && got.handle == 1 && got.type == PACKET_EXITED);
    expect(doubt_list_take(&l, 30, &got) && got.handle == 3);
    expect(!doubt_list_take(&l, 30, &got) && doubt_list_next(&l) == 40);
    vec_free(&l.at);
}

TEST(doubt_is_due_in_jobs_of_slurm)
{
    const char *was = getenv("SLURM_JOB_ID");
    char *kept = was ? strdup(was) : NULL;

    unsetenv("SLURM_JOB_ID");
    expect(!doubt_is_due());
    setenv("SLURM_JOB_ID", "", 1);
    expect(!doubt_is_due());
    setenv("SLURM_JOB_ID", "17", 1);
    expect(doubt_is_due());
    if (kept)
        setenv("SLURM_JOB_ID", kept, 1);
    else
        unsetenv("SLURM_JOB_ID");
    free(kept);
}

struct doubt_stage {
    char dir[64];
    int epoll_fd, lock_fd;
    sigset_t old_mask; /* a runner in this process blocks signals */
    struct runner_link *link;
    uint32_t ended, exited, killed;
    int64_t ended_us, exited_us;
};

static void stage_on_packet(void *ctx, const struct packet *p)
{
    struct doubt_stage *s = ctx;

    s->exited += p->type == PACKET_EXITED;
    s->killed += p->type == PACKET_KILLED;
    s->exited_us = clock_now_us();
}

static void stage_on_ended(void *ctx, const struct packet *exited)
{
    struct doubt_stage *s = ctx;

    expect(exited->type == PACKET_EXITED && exited->handle == 1);
    s->ended++;
    s->ended_us = clock_now_us();
}

static void stage_on_lost(void *ctx, const char *why)
{
    (void)ctx;
    expect(!why);
}

/* Runs a command to its end, which is in doubt. */
static void stage_init(struct doubt_stage *s, bool here)
{
    char path[128];
    struct err err;

    *s = (struct doubt_stage){.dir = "/tmp/dolly-doubt-XXXXXX", .epoll_fd = sys_epoll_create()};
    sigprocmask(SIG_BLOCK, NULL, &s->old_mask);
    expect(mkdtemp(s->dir) != NULL);
    snprintf(path, sizeof path, "%s/lock", s->dir);
    s->lock_fd = sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct runner_options options = {.epoll_fd = s->epoll_fd,
                                     .ctx = s,
                                     .on_packet = stage_on_packet,
                                     .on_ended = stage_on_ended,
                                     .on_lost = stage_on_lost,
                                     .lock_fd = s->lock_fd};
    s->link = doubt_link_open(&options, here, &err);
    expect(s->link != NULL);
    snprintf(path, sizeof path, "%s/1", s->dir);
    struct packet m = {.type = PACKET_LAUNCH, .handle = 1};
    m.u.launch.command = "true";
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    m.u.launch.dir = path;
    expect(s->link->order(s->link, &m) == 0);
}

static void stage_until(struct doubt_stage *s, const uint32_t *count)
{
    struct epoll_event events[8];

    for (int64_t until_us = clock_now_us() + 60 * 1000000; !*count && clock_now_us() < until_us;) {
        int64_t next_us = s->link->turn(s->link);
        int n = *count
                    ? 0
                    : epoll_wait(s->epoll_fd, events, 8, clock_timeout_ms(clock_now_us(), next_us));
        for (int i = 0; i < n; i++)
            s->link->event(s->link, (uint32_t)events[i].data.u64);
    }
}

static void stage_fini(struct doubt_stage *s)
{
    s->link->close(s->link);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
    sys_close(&s->epoll_fd);
    sys_close(&s->lock_fd);
    tree_remove(s->dir);
}

TEST(doubt_link_reports_an_end_when_it_has_lived_on)
{
    for (int here = 0; here < 2; here++) {
        struct doubt_stage s;

        stage_init(&s, here);
        stage_until(&s, &s.ended);
        expect(s.ended == 1 && s.exited == 0);
        stage_until(&s, &s.exited);
        expect(s.ended == 1 && s.exited == 1 && s.exited_us - s.ended_us >= DOUBT_US);
        stage_fini(&s);
    }
}

TEST(doubt_link_kills_what_has_ended_at_once)
{
    struct doubt_stage s;
    struct packet kill = {.type = PACKET_KILL, .handle = 1};

    stage_init(&s, true);
    stage_until(&s, &s.ended);
    expect(s.link->order(s.link, &kill) == 0);
    expect(s.killed == 1 && s.exited == 0);
    stage_fini(&s);
}
