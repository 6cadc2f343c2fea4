/* Jobs of the executor without any attempt: why one failed, in words, and what goes with a node. */
#include "exec/exec_job.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "exec/chaos.h"
#include "exec/exec_fail.h"
#include "exec/exec_output.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "tests/unit/test.h"

/* A job "j" of three phases: "map", one without a name that reads it, and "last", which reads
 * nothing; and an attempt of each, of task 1. */
struct job_desk {
    struct exec exec;
    struct edge_spec edge;
    struct phase_spec phases[3];
    struct workload_job work;
    struct exec_job job;
    char dir[TEST_FOLDER];
};

static struct attempt_ref desk_at(uint16_t phase)
{
    return (struct attempt_ref){{0}, 1, phase, 2};
}

static void desk_open(struct job_desk *d)
{
    *d = (struct job_desk){.phases = {{.name = "map", .tasks = 2}, {.tasks = 2}, {.name = "last"}}};
    test_folder(d->dir);
    d->phases[1].edges = &d->edge;
    d->phases[1].edge_count = 1;
    d->work.spec = (struct job_spec){.name = "j", .phases = d->phases, .phase_count = 3};
    /* Something of it still runs, so that nothing is freed. */
    d->job = (struct exec_job){.work = &d->work, .newest = ATTEMPT_TABLE_NONE, .live = 1};
    d->exec.jobs = (struct exec_jobs){.at = &d->job, .count = 1, .open = 1};
    d->exec.dir = d->dir;
    for (uint16_t k = 0; k < 3; k++)
        attempt_table_add(&d->exec.attempts, desk_at(k), (struct node_id){0}, &d->job.newest);
    for (uint32_t i = 0; i < 3; i++)
        exec_row(&d->exec, i)->dir = ATTEMPT_TABLE_NONE;
    d->exec.dirs.run = d->dir;
}

static void desk_close(struct job_desk *d)
{
    mem_free(d->exec.jobs.failure);
    vec_free(&d->exec.pending);
    attempt_table_fini(&d->exec.attempts);
    tree_remove(d->dir);
}

static void desk_end(struct job_desk *d, uint8_t type, uint16_t phase)
{
    struct decision end = {
        .type = type, .at = {.task = TASK_ALL, .phase = phase}, .why = REASON_PLAIN(WHY_CANCELLED)};
    exec_job_end(&d->exec, &end);
}

TEST(exec_job_says_what_it_failed_of)
{
    static const struct {
        uint8_t cause;
        int32_t detail;
        bool full;
        const char *words;
    } rows[] = {
        {CAUSE_EXIT, 1, false, "the command exited with status 1"},
        {CAUSE_EXIT, 0, false, "the command exited with status 0 before it was done"},
        {CAUSE_EXIT, 125, false, "the command exited with status 125"},
        {CAUSE_EXIT, 126, false,
         "the command exited with status 126 (a command could not be executed)"},
        {CAUSE_EXIT, 127, false, "the command exited with status 127 (a command was not found)"},
        {CAUSE_EXIT, 128, true, "the command exited with status 128, and the disk was full"},
        {CAUSE_SIGNAL, 9, false, "the command was killed by signal 9 (Killed)"},
        {CAUSE_SIGNAL, 11, true,
         "the command was killed by signal 11 (Segmentation fault), and the disk was full"},
        {CAUSE_NO_SUCH_FILE, ENOENT, false, "it could not be started: No such file or directory"},
        {CAUSE_DISK_FULL, ENOSPC, false, "the disk is full"},
        {CAUSE_DISK_FULL, ENOSPC, true, "the disk is full"},
        {CAUSE_NODE_FAULT, EIO, false, "its node failed: Input/output error"},
        {CAUSE_SYSTEM, EMFILE, false, "the system refused: Too many open files"},
        {CAUSE_TIMEOUT, 5, false, "timeout"},
        {CAUSE_OUTPUT_GONE, 0, true, "output_gone, and the disk was full"},
    };
    static const char *const names[] = {"map", "?", "last"};

    for (uint32_t i = 0; i < 3 * sizeof rows / sizeof *rows; i++) {
        uint32_t row = i / 3;
        uint16_t phase = (uint16_t)(i % 3);
        struct job_desk d;
        char want[PATH_MAX + 200];
        desk_open(&d);
        exec_job_note(&d.exec, desk_at(2), CAUSE_EXIT, 99); /* the last one counts */
        exec_job_note(&d.exec, desk_at(phase), rows[row].cause, rows[row].detail);
        expect(!d.job.failed_full);
        d.job.failed_full = rows[row].full;
        snprintf(want, sizeof want, "job 0 (j) failed: phase %s, task 1, attempt 2: %s",
                 names[phase], rows[row].words);
        if (phase == 1) { /* it has said something */
            struct path dir = path_of("%s/attempts", d.dir);
            struct path own = run_dir_attempt(d.dir, desk_at(phase));
            expect(mkdir(dir.text, 0700) == 0 && mkdir(own.text, 0700) == 0);
            struct path said = path_of("%s/stderr", own.text);
            expect(mknod(said.text, S_IFREG | 0600, 0) == 0);
            snprintf(want + strlen(want), sizeof want - strlen(want), "; see %s", said.text);
        }
        desk_end(&d, DO_JOB_FAILED, 0);
        expect(d.exec.jobs.failure && strcmp(d.exec.jobs.failure, want) == 0);
        expect(d.job.over && d.exec.jobs.open == 0 && d.exec.pending.count == 0);
        desk_close(&d);
    }
}

/* Of a job none of whose attempts failed, the reason of the decision; and of several jobs the
 * first. */
TEST(exec_job_says_why_it_was_given_up)
{
    static const char *const names[] = {"map", "?", "last", "?"};

    for (uint16_t phase = 0; phase < 4; phase++)
        for (int changed = 0; changed < 2; changed++) {
            struct job_desk d;
            char want[160];
            desk_open(&d);
            d.job.changed = changed ? "map" : NULL;
            snprintf(want, sizeof want, "job 0 (j) failed: phase %s: cancelled%s", names[phase],
                     changed ? "; attempts of phase map print different outputs" : "");
            desk_end(&d, DO_JOB_FAILED, phase);
            expect(d.exec.jobs.failure && strcmp(d.exec.jobs.failure, want) == 0);
            d.job.over = false;
            d.exec.jobs.open = 1;
            d.work.spec.name = NULL;
            desk_end(&d, DO_JOB_FAILED, 3 - phase);
            expect(strcmp(d.exec.jobs.failure, want) == 0 && d.exec.jobs.open == 0);
            desk_close(&d);
        }
}

/* One that is done has no failure, and ends once. */
TEST(exec_job_ends_once)
{
    struct job_desk d;

    desk_open(&d);
    exec_job_note(&d.exec, desk_at(0), CAUSE_EXIT, 1);
    desk_end(&d, DO_JOB_DONE, 0);
    expect(!d.exec.jobs.failure && d.job.over && d.exec.pending.count == 0);
    desk_end(&d, DO_JOB_DONE, 0);
    expect(d.exec.pending.count == 1 && d.exec.pending.at[0].type == EV_REFUSED);
    expect(d.exec.pending.at[0].cause == CAUSE_JOB_OVER && d.exec.jobs.open == 0);
    expect(d.exec.pending.at[0].u.refused.decision_type == DO_JOB_DONE);
    desk_close(&d);
}

/* Outputs of attempts that have ended go with their node as long as the job needs them: that of a
 * task before its commit, and afterwards only if a phase reads it. */
TEST(exec_output_goes_with_its_node_while_it_is_of_use)
{
    static const bool of_use[ROW_GONE + 1] = {[ROW_FINISHED] = true, [ROW_COMMITTED] = true};
    struct chaos all = {.lose_p = 1}, none = {0};
    struct job_desk d;

    desk_open(&d);
    for (uint32_t i = 0; i < 3; i++)
        for (uint8_t state = ROW_WAITING; state <= ROW_GONE; state++)
            for (int over = 0; over < 2; over++) {
                struct attempt_row *e = exec_row(&d.exec, i);
                e->state = state;
                d.job.over = over;
                d.exec.options.chaos = &all;
                bool read = i == 0 || state == ROW_FINISHED; /* by phase 1 */
                expect(exec_output_goes_with_node(&d.exec, e) == (of_use[state] && !over && read));
                d.exec.options.apart = true;
                expect(exec_output_is_away(&d.exec, e) == (of_use[state] && !over && i == 0));
                d.exec.options.apart = false;
                expect(!exec_output_is_away(&d.exec, e));
                d.exec.options.chaos = &none;
                expect(!exec_output_goes_with_node(&d.exec, e));
            }
    expect(!exec_output_is_result(&d.exec, desk_at(0)));
    expect(exec_output_is_result(&d.exec, desk_at(1)));
    expect(exec_output_is_result(&d.exec, desk_at(2)));
    d.job.work = NULL; /* nothing is known of it any more */
    d.exec.options.chaos = &all;
    exec_row(&d.exec, 0)->state = ROW_FINISHED;
    d.job.over = false;
    expect(!exec_output_goes_with_node(&d.exec, exec_row(&d.exec, 0)));
    expect(!exec_output_is_away(&d.exec, exec_row(&d.exec, 0)));
    desk_close(&d);
}

/* What the system refuses is one thing, and a disk without room another. */
TEST(exec_fail_cause_is_a_full_disk_or_the_system)
{
    static const int others[] = {0, EIO, ENOENT, EACCES, EMFILE, ENOMEM, EFBIG, EROFS};

    expect(exec_fail_cause(ENOSPC) == CAUSE_DISK_FULL);
    expect(exec_fail_cause(EDQUOT) == CAUSE_DISK_FULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(exec_fail_cause(others[i]) == CAUSE_SYSTEM);
}
