#include "exec/exec_full.h"

#include <errno.h>
#include <string.h>

#include "core/brain/disk_full.h"
#include "exec/exec_state.h"
#include "tests/unit/test.h"

enum { SECOND = 1000000 };

/* Two nodes, each of a runner of its own, a thousand seconds into the run; attempt 0 of task 0 has
 * run on the first for a hundred. */
struct disks {
    struct exec exec;
    struct exec_runner runners[2];
    uint32_t of[2], newest, warned;
    struct exec_groups groups;
    struct exec_hooks hooks;
};

static void count_warning(void *ctx, const char *text)
{
    ++*(uint32_t *)ctx;
    expect(!strcmp(text, "node n0 cannot run tasks (No space left on device): dolly sends it none "
                         "for a minute, then one to try"));
}

static struct attempt_row *add(struct disks *d, uint32_t task, uint16_t attempt, uint32_t node)
{
    uint32_t i = attempt_table_add(&d->exec.attempts, (struct attempt_ref){{0}, task, 0, attempt},
                                   (struct node_id){node}, &d->newest);

    exec_row(&d->exec, i)->state = ROW_RUNNING;
    exec_row(&d->exec, i)->launched_us = 900ll * SECOND;
    return exec_row(&d->exec, i);
}

static void disks_open(struct disks *d)
{
    static char dir[] = "/";

    *d = (struct disks){.of = {0, 1}, .newest = ATTEMPT_TABLE_NONE};
    d->exec = (struct exec){.dir = dir,
                            .start_us = clock_now_us() - 1000ll * SECOND,
                            .full = {.seen_us = -1, .extra_us = -1},
                            .runners = {.at = d->runners, .count = 2, .of = d->of}};
    d->exec.options.cluster = cluster_plain(2, 1);
    d->exec.options.failures_max = 1;
    d->hooks = (struct exec_hooks){.ctx = &d->warned, .warn = count_warning};
    for (int i = 0; i < 2; i++)
        d->runners[i] = (struct exec_runner){.exec = &d->exec,
                                             .presence = RUNNER_HERE,
                                             .full_us = -1,
                                             .full_until_us = -1,
                                             .extra_us = -1};
    add(d, 0, 0, 0);
}

static void disks_close(struct disks *d)
{
    attempt_table_fini(&d->exec.attempts);
    vec_free(&d->exec.pending);
    cluster_destroy((struct cluster *)(uintptr_t)d->exec.options.cluster);
}

TEST(exec_full_counts_from_the_launch_on)
{
    struct disks d;

    disks_open(&d);
    struct attempt_row *e = exec_row(&d.exec, 0);
    expect(!exec_full_during(&d.exec, e) || d.exec.full.seen_us > 0); /* the disk is really full */
    d.exec.full.seen_us = e->launched_us - 1;
    d.runners[0].full_us = e->launched_us - 1;
    d.runners[1].full_us = e->launched_us + 1; /* of another disk */
    if (d.exec.full.look_us > exec_now_us(&d.exec) + 20000) {
        expect(!exec_full_during(&d.exec, e));
        d.runners[0].full_us = e->launched_us;
        expect(exec_full_during(&d.exec, e));
        d.runners[0].full_us = -1;
        d.exec.full.seen_us = e->launched_us;
        expect(exec_full_during(&d.exec, e));
    }
    disks_close(&d);
}

TEST(exec_full_notes_free_bytes_and_ends_of_extras)
{
    struct disks d;

    disks_open(&d);
    struct attempt_row *e = exec_row(&d.exec, 0);
    exec_full_on_free_bytes(&d.runners[1], INT64_C(1) << 40);
    expect(d.runners[1].full_us == -1);
    exec_full_on_free_bytes(&d.runners[1], 0);
    expect(d.runners[1].full_us >= 1000ll * SECOND && d.runners[0].full_us == -1);
    exec_full_note_end(&d.exec, e);
    expect(d.exec.full.extra_us == -1 && d.runners[0].extra_us == -1);
    e->extra = true;
    exec_full_note_end(&d.exec, e);
    expect(d.exec.full.extra_us >= 1000ll * SECOND && d.runners[1].extra_us == -1);
    expect(d.runners[0].extra_us == d.exec.full.extra_us);
    disks_close(&d);
}

/* The disk of the run, which all attempts share. */
TEST(exec_full_withholds_the_last_failure_of_a_task)
{
    struct disks d;

    disks_open(&d);
    struct attempt_row *e = exec_row(&d.exec, 0);
    expect(exec_full_withholds(&d.exec, e) && d.exec.full.withheld == 1);
    expect(d.runners[0].full_until_us == -1);
    d.exec.options.failures_max = 0; /* nothing is */
    expect(!exec_full_withholds(&d.exec, e));
    d.exec.options.failures_max = 2;
    expect(!exec_full_withholds(&d.exec, e));
    add(&d, 0, 1, 0)->failed = true;
    exec_row(&d.exec, 1)->state = ROW_GONE;
    e = exec_row(&d.exec, 0);
    expect(exec_full_withholds(&d.exec, e) && d.exec.full.withheld == 2);
    d.exec.full.extra_us = e->launched_us; /* an extra one ran beside it */
    expect(!exec_full_withholds(&d.exec, e));
    d.exec.full.extra_us--;
    expect(exec_full_withholds(&d.exec, e));
    e->extra = true;
    expect(!exec_full_withholds(&d.exec, e));
    disks_close(&d);
}

/* An extra attempt that runs is an excuse, unless it is all that its task has. */
TEST(exec_full_looks_for_extras_that_run)
{
    struct disks d;

    disks_open(&d);
    add(&d, 1, 0, 1)->extra = true;
    expect(exec_full_withholds(&d.exec, exec_row(&d.exec, 0)));
    add(&d, 1, 1, 1);
    expect(!exec_full_withholds(&d.exec, exec_row(&d.exec, 0)));
    d.exec.options.groups = &d.groups; /* then it has another disk */
    d.runners[1].presence = RUNNER_LEAVING;
    expect(exec_full_withholds(&d.exec, exec_row(&d.exec, 0)));
    exec_row(&d.exec, 1)->state = ROW_GONE;
    d.exec.options.groups = NULL;
    expect(exec_full_withholds(&d.exec, exec_row(&d.exec, 0)));
    disks_close(&d);
}

/* With disks of their own, what fails on one runner may go well on another. */
TEST(exec_full_withholds_nothing_that_may_run_elsewhere)
{
    static const struct {
        uint8_t presence;
        bool lost;
        int64_t away_s, until_s; /* ago, and from now on */
        bool elsewhere;
    } rows[] = {
        {RUNNER_HERE, false, 0, 0, true},     {RUNNER_SILENT, false, 0, 0, true},
        {RUNNER_LEAVING, false, 0, 0, false}, {RUNNER_AWAY, false, 1, 0, true},
        {RUNNER_AWAY, true, 1, 0, false},     {RUNNER_AWAY, false, 900, 0, false},
        {RUNNER_HERE, false, 0, 100, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct disks d;
        disks_open(&d);
        d.exec.options.groups = &d.groups;
        d.runners[1].presence = rows[i].presence;
        d.runners[1].lost = rows[i].lost;
        d.runners[1].away_us = (1000 - rows[i].away_s) * SECOND;
        d.runners[1].full_until_us = (1000 + rows[i].until_s) * SECOND - SECOND;
        expect(exec_full_withholds(&d.exec, exec_row(&d.exec, 0)) == !rows[i].elsewhere);
        expect(d.runners[0].full_until_us >= 1000ll * SECOND + DISK_FULL_US);
        /* A commit goes to the disk of the run. */
        exec_row(&d.exec, 0)->state = ROW_FINISHED;
        d.runners[0].full_until_us = -1;
        expect(exec_full_withholds(&d.exec, exec_row(&d.exec, 0)));
        expect(d.runners[0].full_until_us == -1);
        disks_close(&d);
    }
}

TEST(exec_full_rest_warns_once_a_minute)
{
    struct disks d;

    disks_open(&d);
    exec_full_rest(&d.exec, exec_row(&d.exec, 0), ENOSPC); /* without anyone to tell */
    expect(d.runners[0].full_until_us >= 1000ll * SECOND + DISK_FULL_US);
    d.exec.options.hooks = &d.hooks;
    exec_full_rest(&d.exec, exec_row(&d.exec, 0), ENOSPC);
    expect(d.warned == 0);
    d.runners[0].full_until_us = 1000ll * SECOND;
    exec_full_rest(&d.exec, exec_row(&d.exec, 0), ENOSPC);
    exec_full_rest(&d.exec, exec_row(&d.exec, 0), ENOSPC);
    expect(d.warned == 1);
    disks_close(&d);
}

TEST(exec_full_stops_when_all_has_ended)
{
    struct disks d;
    struct err err;

    disks_open(&d);
    d.exec.attempts.live = 0;
    expect(exec_full_stop(&d.exec, &err) == 0);
    d.exec.full.withheld = 1;
    d.exec.attempts.live = 1;
    expect(exec_full_stop(&d.exec, &err) == 0);
    d.exec.queue.count = 1; /* it only waits */
    expect(exec_full_stop(&d.exec, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(!strcmp(err.text, "the disk of / was full; 1 task that met it is discarded, and no more "
                             "tasks were started; free some space"));
    d.exec.full.withheld = 2;
    d.exec.options.groups = &d.groups;
    expect(exec_full_stop(&d.exec, &err) == -1);
    expect(!strcmp(err.text, "the disk of every node was full; 2 tasks that met it are discarded, "
                             "and no more tasks were started; free some space"));
    d.exec.full.seen_us = 0;
    expect(exec_full_stop(&d.exec, &err) == -1 && strstr(err.text, "the disk of / was full"));
    exec_emit(&d.exec, EV_TIMER, (struct attempt_ref){0}, NODE_NONE);
    expect(exec_full_stop(&d.exec, &err) == 0); /* the brain has to be told first */
    expect(exec_full_due(&d.exec, 0) == INT64_MAX);
    d.exec.queue.count = 0;
    d.exec.full.look_us = 500;
    expect(exec_full_due(&d.exec, 499) == 500);
    expect(exec_full_due(&d.exec, 500) > 1000ll * SECOND);
    disks_close(&d);
}
