/* Runs as `dolly map --pure` makes them (clones, places that are used again, folders that go with
 * the run), with the n-th system call failing for every n, in the coordinator and in the guardian.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/os/tree.h"
#include "core/brain/brain.h"
#include "core/engine/engine.h"
#include "core/policy/policy.h"
#include "exec/exec.h"
#include "exec/process/sys.h"
#include "exec/scene_test.h"
#include "record/journal/journal.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { TASKS = 3, CALLS_MAX = 2000 };

struct fault_stage {
    struct scene_job one;
    char dir[64];
    struct exec *exec;
    struct exec_hooks hooks;
    const struct exec_groups *groups;
    uint32_t launches, clones, committed[TASKS], uncommitted;
    bool over;
    int result; /* of engine_run; -2: there was nothing to run */
    struct err err;
};

/* Task 0 is slow in its first attempt, so that there are losers to kill; task 2 fails once. */
static void stage_dress(void *ctx, struct attempt_ref at, struct node_id node,
                        struct exec_dress *dress)
{
    (void)ctx;
    (void)node;
    if (at.task == 0 && at.attempt == 0)
        dress->command = "echo slow >&2; sleep 1000 & sleep 0.4";
    else if (at.task == 2 && at.attempt == 0)
        dress->command = "echo 1 2 >&$DOLLY_PROGRESS_FD; exit 1";
    else
        dress->command = at.task == 1 ? "/bin/true" : "echo $DOLLY_TASK_ID; touch $DOLLY_TMPDIR/x";
}

static int stage_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct fault_stage *s = ctx;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        s->committed[turn->events[i].at.task % TASKS] += turn->events[i].type == EV_COMMITTED;
        s->uncommitted += turn->events[i].type == EV_COMMIT_FAILED;
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        s->launches += d->type == DO_LAUNCH;
        s->clones += d->type == DO_LAUNCH && d->kind == LAUNCH_CLONE;
        s->over |= d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED;
    }
    return 0;
}

static void stage_run(struct fault_stage *s, bool scratch, bool supervised)
{
    struct cluster *cluster = cluster_plain(8, 1);
    struct policy *policy = policy_create("dolly;budget=idle;failures_max=3", &s->err);
    struct journal_options none = {0};
    struct journal *journal = journal_create(&none, 1, "none", "exec", &s->err);
    struct brain *brain = brain_create(policy, 1);
    struct exec_options options = {.cluster = cluster,
                                   .workload = &s->one.workload,
                                   .dir = s->dir,
                                   .journal = journal,
                                   .groups = s->groups,
                                   .hooks = &s->hooks,
                                   .scratch = scratch,
                                   .supervised = supervised,
                                   .keep_failed = true};

    s->hooks.ctx = s;
    s->hooks.dress = stage_dress;
    scene_job_init(&s->one, TASKS);
    s->exec = exec_create(&options, &s->err);
    s->result = -2;
    if (s->exec) {
        struct tap taps[] = {{.ctx = s, .turn = stage_turn}};
        s->result = engine_run(brain, &exec_body, s->exec, taps, 1, &s->err);
    }
    exec_destroy(s->exec);
    struct err ignored;
    journal_close(journal, false, &ignored);
    brain_destroy(brain);
    policy_destroy(policy);
    cluster_destroy(cluster);
}

/* Whatever call fails: a clean end, with an explanation unless all went well; no task committed
 * twice; no process left; no storm of launches. */
static void fail_calls(enum sys_role role, int error, bool scratch, bool supervised, int step)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;

    for (int64_t at = 1; !complete && at < CALLS_MAX; at += step) {
        struct sys_plan plan = {SYS_PLAN_FAIL, role, at, error, count, NULL};
        struct fault_stage s = {0};

        test_folder(s.dir);
        *count = 0;
        sys_plan_set(&plan);
        stage_run(&s, scratch, supervised); /* which waits for no child that sleeps */
        sys_plan_set(NULL);
        complete = *count < at;
        expect(s.result == 0 ? s.over : s.err.text[0] != 0);
        expect(s.launches <= 40 && (s.clones > 0 || s.result != 0 || error == ENOSPC));
        for (int i = 0; i < TASKS; i++)
            expect(s.committed[i] <= 1 && (!complete || s.committed[i] == 1));
        expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        expect(scene_lock_free(s.dir));
        if (complete && scratch && !supervised)
            expect(access(s.dir, F_OK) < 0);
        tree_remove(s.dir);
    }
    expect(complete);
    munmap(count, 4096);
}

TEST(exec_fault_any_call_of_the_coordinator)
{
    fail_calls(SYS_COORDINATOR, EIO, true, false, 1);
}

TEST(exec_fault_a_full_disk_at_any_call_of_the_guardian)
{
    fail_calls(SYS_GUARDIAN, ENOSPC, false, false, 1);
}

/* Attempts are its own children; most of these calls were made to fail above. */
TEST(exec_fault_calls_of_a_supervised_coordinator)
{
    fail_calls(SYS_COORDINATOR, EIO, true, true, 2);
}

/* Whatever folder cannot be synced: what was to be durable in it is not committed, and runs again.
 */
TEST(exec_fault_a_folder_that_cannot_be_synced)
{
    int64_t count = 0, at = 1;

    for (bool complete = false; !complete; at++) {
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, at, EIO, &count, "fsync"};
        struct fault_stage s = {0};

        test_folder(s.dir);
        count = 0;
        sys_plan_set(&plan);
        stage_run(&s, false, false);
        sys_plan_set(NULL);
        complete = count < at;
        expect(s.result == 0 && s.over);
        for (int i = 0; i < TASKS; i++)
            expect(s.committed[i] == 1);
        expect((s.uncommitted > 0) == !complete);
        tree_remove(s.dir);
    }
    expect(at > 4); /* two folders are made, and one at least is synced after a move */
}

static int never_fed(void *ctx, struct err *err)
{
    (void)ctx;
    return err_set(err, "not fed");
}

/* A run that cannot be opened says what it cannot do, and leaves nothing behind but its folder. */
TEST(exec_fault_of_a_run_that_cannot_be_opened)
{
    static const uint32_t first[8] = {0};
    static const struct exec_groups groups = {.count = 1, .of = first, .fd = 0};
    static const struct {
        const char *call;
        int64_t at;
        bool feeds, groups;
        const char *why;
    } rows[] = {
        {"signalfd", 1, false, false, "cannot prepare for signals: Input/output error"},
        {"epoll_create", 1, false, false, "cannot wait for events: Input/output error"},
        {"epoll_ctl", 1, true, false, "cannot wait for events: Input/output error"},
        {"epoll_ctl", 2, true, false, "cannot wait for input: Input/output error"},
        {"epoll_ctl", 2, false, true, "cannot wait for runners: Input/output error"},
        {"epoll_ctl", 2, false, false, "cannot wait for events: Input/output error"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, rows[i].at,
                                EIO,           &count,          rows[i].call};
        struct fault_stage s = {.groups = rows[i].groups ? &groups : NULL};
        sigset_t before = {0}, after = {0};
        int open = limits_open();

        s.hooks.feed = rows[i].feeds ? never_fed : NULL;
        test_folder(s.dir);
        sigprocmask(SIG_SETMASK, NULL, &before);
        sys_plan_set(&plan);
        stage_run(&s, false, false);
        sys_plan_set(NULL);
        sigprocmask(SIG_SETMASK, NULL, &after);
        expect(s.result == -2 && s.err.kind == ERR_SYSTEM && strcmp(s.err.text, rows[i].why) == 0);
        expect(memcmp(&before, &after, sizeof before) == 0 && limits_open() == open);
        expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        expect(scene_lock_free(s.dir));
        tree_remove(s.dir);
    }
}

/* It changes what becomes of SIGPIPE while it runs. */
TEST(exec_supervised_coordinator_leaves_signals_as_they_were)
{
    for (int ignored = 0; ignored < 2; ignored++) {
        struct sigaction before = {.sa_handler = ignored ? SIG_IGN : SIG_DFL}, now, old;
        struct fault_stage s = {0};

        sigaction(SIGPIPE, &before, &old);
        test_folder(s.dir);
        stage_run(&s, true, true);
        expect(s.result == 0 && s.over);
        sigaction(SIGPIPE, &old, &now);
        expect(now.sa_handler == before.sa_handler);
        tree_remove(s.dir);
    }
}
