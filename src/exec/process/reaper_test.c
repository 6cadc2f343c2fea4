#include "exec/process/reaper.h"

#include "exec/process/sys.h"
#include "tests/unit/test.h"

/* Children that wait for a signal other than TERM. They are in the group of this process, so a
 * signal to a group of their own does not reach them. */
enum { CHILDREN = 2 };

struct reaper_stage {
    struct process_table table;
    struct descendants descendants;
    struct lineage lineage;
    struct reaper reaper;
    uint32_t ended;
};

static void stage_init(struct reaper_stage *s)
{
    *s = (struct reaper_stage){0};
    s->reaper = (struct reaper){&s->table, &s->descendants, &s->lineage, false};
    expect(descendants_init(&s->descendants) == 0 && lineage_init(&s->lineage) == 0);
    descendants_spare(&s->descendants);
    void (*before)(int) = signal(SIGTERM, SIG_IGN);
    for (uint32_t i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        while (pid == 0)
            pause();
        process_enter(&s->table, process_add(&s->table, i), pid);
    }
    signal(SIGTERM, before);
}

static void stage_fini(struct reaper_stage *s)
{
    descendants_end_all(&s->descendants);
    descendants_fini(&s->descendants);
    process_table_fini(&s->table);
}

static void note_end(void *ctx, struct process *p)
{
    struct reaper_stage *s = ctx;

    s->ended++;
    process_remove(&s->table, p);
}

/* Waits until the child is dead, and leaves it to the reaper. */
static bool dies(const struct process *p)
{
    siginfo_t info = {0};

    for (int i = 0; i < 20000 && info.si_pid == 0; i++, usleep(1000))
        waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT | WNOHANG);
    return info.si_pid == p->pid && info.si_status == SIGKILL;
}

TEST(reaper_tells_when_the_next_grace_is_over)
{
    struct reaper_stage s;

    stage_init(&s);
    struct process *first = process_by_handle(&s.table, 0);
    struct process *second = process_by_handle(&s.table, 1);
    expect(reaper_overdue(&s.reaper, 0) == INT64_MAX);
    reaper_kill(&s.reaper, first, 10, 90);
    reaper_kill(&s.reaper, second, 10, 40);
    expect(first->killed && second->killed);
    expect(reaper_overdue(&s.reaper, 49) == 50 && !second->doomed);
    reaper_kill(&s.reaper, second, 20, 60); /* no later than it was to be */
    expect(reaper_overdue(&s.reaper, 50) == 100 && second->doomed && !first->doomed);
    expect(reaper_overdue(&s.reaper, 100) == INT64_MAX && first->doomed);
    expect(dies(first) && dies(second));
    reaper_dead(&s.reaper);
    reaper_sweep(&s.reaper, note_end, &s);
    expect(s.ended == CHILDREN && reaper_overdue(&s.reaper, 200) == INT64_MAX);
    stage_fini(&s);
}

TEST(reaper_kills_again_where_a_signal_failed)
{
    int64_t count = 0;
    struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1, EAGAIN, &count, "kill"};
    struct reaper_stage s;

    stage_init(&s);
    struct process *p = process_by_handle(&s.table, 0);
    sys_plan_set(&plan);
    reaper_kill(&s.reaper, p, 0, 0);
    sys_plan_set(NULL);
    expect(p->doomed && p->state == PROCESS_RUNNING && s.reaper.again);
    reaper_sweep(&s.reaper, note_end, &s);
    expect(dies(p) && s.ended == 0);
    reaper_dead(&s.reaper);
    reaper_sweep(&s.reaper, note_end, &s);
    expect(s.ended == 1 && process_by_handle(&s.table, 1)->state == PROCESS_RUNNING);
    stage_fini(&s);
}

/* What it did before the kill arrived is its own. */
TEST(reaper_counts_an_attempt_that_is_dead_already_as_ended_by_itself)
{
    siginfo_t info = {0};
    struct reaper_stage s;

    stage_init(&s);
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    process_enter(&s.table, process_add(&s.table, CHILDREN), pid);
    struct process *p = process_by_handle(&s.table, CHILDREN);
    expect(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    reaper_kill(&s.reaper, p, 0, 0);
    expect(!p->killed && !p->doomed);
    reaper_dead(&s.reaper);
    expect(p->state == PROCESS_ENDING && WEXITSTATUS(p->end.status) == 3 && !p->killed);
    stage_fini(&s);
}
