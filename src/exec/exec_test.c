/* Body 2 with a real brain, a real journal and real processes, and with everything going wrong. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exec/folder/ends.h"
#include "exec/process/descendants.h"
#include "exec/process/sys.h"
#include "exec/scene_test.h"
#include "record/journal/journal_reader.h"
#include "tests/unit/test.h"

/* How many events of this type are in the journal of the run. */
static uint32_t events_of(struct scene *s, uint8_t type)
{
    char path[PATH_MAX];
    struct record record;
    uint32_t count = 0;

    snprintf(path, sizeof path, "%s/run/journal", s->dir);
    struct journal_reader *r = journal_reader_open(path, NULL, &s->err);
    while (r && journal_reader_next(r, &record, &s->err) > 0)
        count += record.type == RECORD_EVENT && record.u.event.type == type;
    journal_reader_close(r);
    return count;
}

TEST(exec_runs_phases_and_hands_outputs_down)
{
    struct scene s;

    expect(scene_open(&s,
                      "job j\n"
                      "  phase map tasks=3 command=\"echo $DOLLY_TASK_ID of $DOLLY_TASK_COUNT "
                      "in $DOLLY_JOB_NAME/$DOLLY_PHASE\"\n"
                      "  phase up tasks=3 after=map pattern=one-to-one command=\"sed s/^/got:/\"\n"
                      "  phase red.uce after=map,up command=\"cat $DOLLY_INPUT_DIR_map/2; cd "
                      "$DOLLY_INPUT_DIR_up; cat $(seq $DOLLY_INPUT_RANGE)\"\n"
                      "  phase last after=red.uce command=\"cat $DOLLY_INPUT_DIR_red_uce/0; pwd "
                      ">$DOLLY_TMPDIR/x; ls $DOLLY_TMPDIR\"\n"));
    scene_run(&s, NULL);
    expect(s.result == 0 && !s.failure[0]);
    expect(scene_is(&s, "0/map/1", "1 of 3 in j/map\n"));
    expect(scene_is(&s, "0/up/0", "got:0 of 3 in j/map\n"));
    expect(scene_is(&s, "0/red.uce/0",
                    "2 of 3 in j/map\ngot:0 of 3 in j/map\ngot:1 of 3 in "
                    "j/map\ngot:2 of 3 in j/map\n"));
    expect(scene_output(&s, "0/last/0") && strstr(scene_output(&s, "0/last/0"), "x\n"));
    expect(scene_output(&s, "../attempts") == NULL); /* all private places are gone */
    expect(scene_deserted(&s));
    scene_close(&s);
}

/* The first and the last task above that a task reads, by the pattern of the edge. */
TEST(exec_tells_a_task_which_outputs_it_reads)
{
    struct scene s;

    expect(scene_open(&s, "job j\n"
                          "  phase a tasks=5 command=\"echo a\"\n"
                          "  phase some tasks=2 after=a pattern=many-to-one command=\"echo "
                          "$DOLLY_INPUT_RANGE\"\n"
                          "  phase own tasks=2 after=some pattern=one-to-one command=\"echo "
                          "$DOLLY_INPUT_RANGE\"\n"
                          "  phase all tasks=2 after=a,own command=\"echo $DOLLY_INPUT_RANGE "
                          "$DOLLY_INPUT_RANGE_own\"\n"));
    scene_run(&s, NULL);
    expect(s.result == 0 && !s.failure[0]);
    expect(scene_is(&s, "0/some/0", "0 1\n") && scene_is(&s, "0/some/1", "2 4\n"));
    expect(scene_is(&s, "0/own/0", "0 0\n") && scene_is(&s, "0/own/1", "1 1\n"));
    expect(scene_is(&s, "0/all/0", "0 4 0 1\n") && scene_is(&s, "0/all/1", "0 4 0 1\n"));
    /* And the brain learns that each has read what stands above it: two phases, for the last. */
    expect(events_of(&s, EV_FETCH_DONE) == 2 + 2 + 4 && events_of(&s, EV_REFUSED) == 0);
    scene_close(&s);
}

/* Numbers and names in the environment, also of more than one digit. */
TEST(exec_tells_an_attempt_which_it_is)
{
    enum { TASKS = 12 };
    struct scene s;

    expect(scene_open(&s, "job j\n"
                          "  phase a.b-c tasks=12 command=\"echo $DOLLY_JOB_ID $DOLLY_JOB_NAME "
                          "$DOLLY_PHASE $DOLLY_TASK_ID $DOLLY_TASK_COUNT $DOLLY_ATTEMPT "
                          "$DOLLY_PROGRESS_FD $DOLLY_CONTROL_FD\"\n"
                          "  phase 2nd after=a.b-c command=\"cd $DOLLY_INPUT_DIR_a_b_c; pwd; "
                          "echo $DOLLY_INPUT_DIR; echo $DOLLY_INPUT_RANGE_a_b_c\"\n"));
    scene_run(&s, NULL);
    expect(s.result == 0 && !s.failure[0]);
    for (int i = 0; i < TASKS; i++) {
        char name[32], want[64];
        snprintf(name, sizeof name, "0/a.b-c/%d", i);
        snprintf(want, sizeof want, "0 j a.b-c %d %d 0 3\n", i, TASKS);
        expect(scene_is(&s, name, want));
    }
    char want[2 * PATH_MAX + 16];
    snprintf(want, sizeof want, "%s/run/out/0/a.b-c\n%s/run/out/0/a.b-c\n0 11\n", s.dir, s.dir);
    expect(scene_is(&s, "0/2nd/0", want));
    scene_close(&s);
}

/* Reads are of all that stands above, in equal parts: 12 bytes for two tasks, and 4 for one. */
TEST(exec_reports_what_a_task_reads)
{
    struct scene s;
    char path[PATH_MAX];
    struct record record;
    uint32_t began = 0, done = 0;

    expect(scene_open(&s, "job j\n"
                          "  phase a tasks=3 command=\"echo abc\"\n"
                          "  phase b tasks=2 after=a command=\"printf xy\"\n"
                          "  phase c tasks=1 after=b command=\"true\"\n"));
    scene_run(&s, NULL);
    expect(s.result == 0 && !s.failure[0]);
    snprintf(path, sizeof path, "%s/run/journal", s.dir);
    struct journal_reader *r = journal_reader_open(path, NULL, &s.err);
    while (r && journal_reader_next(r, &record, &s.err) > 0) {
        const struct event *e = &record.u.event;
        if (record.type != RECORD_EVENT ||
            (e->type != EV_FETCH_STARTED && e->type != EV_FETCH_DONE))
            continue;
        const struct attempt_ref *source = &e->u.fetch.source;
        expect(e->at.phase > 0 && source->phase == e->at.phase - 1 && source->task == TASK_ALL);
        expect(source->job.v == 0);
        if (e->type == EV_FETCH_DONE)
            expect(e->u.fetch.bytes == (e->at.phase == 1 ? 12 / 2 : 4));
        began += e->type == EV_FETCH_STARTED;
        done += e->type == EV_FETCH_DONE;
    }
    journal_reader_close(r);
    expect(began == 3 && done == 3);
    scene_close(&s);
}

/* Which tasks have an end on the disk, as bits. */
static void note_end(void *ctx, struct attempt_ref at, const struct packet_end *end)
{
    uint32_t *noted = ctx;

    expect(at.job.v == 0 && at.phase == 0 && at.attempt == 0 && !(*noted >> at.task & 1));
    expect(WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0 && end->wall_us > 0);
    *noted |= UINT32_C(1) << at.task;
}

/* Every end is noted, also where it is in doubt for a while (exec/process/doubt.h). */
TEST(exec_notes_all_ends)
{
    const char *was = getenv("SLURM_JOB_ID");
    char *kept = was ? strdup(was) : NULL;

    for (int doubts = 0; doubts < 2; doubts++) {
        struct scene s;
        char run[80];
        uint32_t noted = 0;
        if (doubts)
            setenv("SLURM_JOB_ID", "17", 1);
        else
            unsetenv("SLURM_JOB_ID");
        expect(scene_open(&s, "job j\n  phase a tasks=5 command=\"true\"\n"));
        scene_run(&s, NULL);
        expect(s.result == 0 && !s.failure[0]);
        snprintf(run, sizeof run, "%s/run", s.dir);
        ends_read(run, note_end, &noted);
        expect(noted == 31);
        scene_close(&s);
    }
    if (kept)
        setenv("SLURM_JOB_ID", kept, 1);
    else
        unsetenv("SLURM_JOB_ID");
    free(kept);
}

/* The mode of a file of the run; 0: it is not there. */
static mode_t mode_of(const struct scene *s, const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/run/%s", s->dir, name);
    return lstat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

/* Whatever the mask of the user: others may read neither results nor what is on the way there. */
TEST(exec_makes_private_files_and_folders)
{
    static const char *const folders[] = {".", "out", "out/0", "out/0/a", "out/0/b"};
    static const char *const files[] = {"lock", "ends", "out/0/a/0", "out/0/b/1"};
    static const mode_t masks[] = {0, 022, 077};

    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        struct scene s;
        expect(scene_open(&s, "job j\n"
                              "  phase a tasks=2 command=\"cd $DOLLY_TMPDIR/..; stat -c %a . tmp "
                              "stdout stderr ..\"\n"
                              "  phase b tasks=2 after=a command=\"echo b\"\n"));
        mode_t before = umask(masks[m]);
        scene_run(&s, NULL);
        umask(before);
        expect(s.result == 0 && !s.failure[0]);
        expect(scene_is(&s, "0/a/0", "700\n700\n600\n600\n700\n"));
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
            expect(mode_of(&s, folders[i]) == 0700);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            expect(mode_of(&s, files[i]) == 0600);
        scene_close(&s);
    }
}

/* An interrupt ends what runs, and then the run; it does not wait for the attempt. */
TEST(exec_interrupted_ends_its_attempts)
{
    struct scene s;
    int status = -1;

    expect(scene_open(&s, "job j\n  phase a command=\"sleep 1000\"\n"));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        scene_run(&s, NULL);
        _exit(s.result < 0 && strstr(s.err.text, "interrupted") ? 0 : 1);
    }
    for (int i = 0; i < 2000 && events_of(&s, EV_ATTEMPT_STARTED) == 0; i++)
        usleep(5000);
    expect(kill(pid, SIGTERM) == 0);
    for (int i = 0; i < 4000 && waitpid(pid, &status, WNOHANG) == 0; i++)
        usleep(5000);
    expect(status == 0);
    if (status < 0) { /* it still runs */
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    expect(scene_deserted(&s));
    scene_close(&s);
}

/* A tap that interrupts the run when the first commits are decided on. */
struct stopper {
    bool stopped;
    uint32_t committed, launched_late;
};

static int stopper_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct stopper *t = ctx;
    bool stop = false;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++)
        t->committed += turn->events[i].type == EV_COMMITTED;
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        t->launched_late += t->stopped && turn->decisions[i].type == DO_LAUNCH;
        stop |= turn->decisions[i].type == DO_COMMIT;
    }
    if (stop && !t->stopped) {
        usleep(1000); /* so long ago was the last look that the next wait begins with one */
        raise(SIGTERM);
    }
    t->stopped |= stop;
    return 0;
}

/* All outputs that are there when a run was interrupted are known to those who watch it. */
TEST(exec_interrupted_reports_what_it_has_committed)
{
    struct scene s;
    struct stopper t = {0};
    uint32_t there = 0;
    char name[16];

    expect(scene_open(&s, "job j\n  phase a tasks=9 command=\"echo $DOLLY_TASK_ID\"\n"));
    s.tap = (struct tap){.ctx = &t, .turn = stopper_turn};
    scene_run(&s, NULL);
    expect(s.result < 0 && strcmp(s.err.text, "interrupted") == 0);
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "0/a/%d", i);
        there += scene_output(&s, name) != NULL;
    }
    expect(there > 0 && there < 9 && t.committed == there);
    expect(events_of(&s, EV_COMMITTED) == there && t.launched_late == 0);
    scene_resume(&s);
    expect(s.result == 0 && events_of(&s, EV_COMMITTED) == 9 && scene_is(&s, "0/a/8", "8\n"));
    scene_close(&s);
}

/* The signal came when all was done. */
TEST(exec_interrupted_after_the_last_commit_is_complete)
{
    struct scene s;
    struct stopper t = {0};

    expect(scene_open(&s, "job j\n  phase a command=\"echo x\"\n"));
    s.tap = (struct tap){.ctx = &t, .turn = stopper_turn};
    scene_run(&s, NULL);
    expect(s.result == 0 && t.stopped && t.committed == 1 && scene_is(&s, "0/a/0", "x\n"));
    scene_close(&s);
}

TEST(exec_explains_a_failed_job)
{
    struct scene s;

    expect(scene_open(&s, "job j\n  phase p tasks=2 command=\"echo oh >&2; exit 7\"\n"));
    scene_run(&s, NULL);
    expect(s.result == 0);
    expect(strstr(s.failure, "job 0 (j) failed: phase p, task ") != NULL);
    expect(strstr(s.failure, "exited with status 7; see /") != NULL);
    FILE *f = fopen(strchr(s.failure, '/'), "r");
    char line[16] = "";
    expect(f && fgets(line, sizeof line, f) && strcmp(line, "oh\n") == 0);
    if (f)
        fclose(f);
    scene_close(&s);
}

static int count_launches(void *ctx, const struct turn *turn, struct err *err)
{
    (void)err;
    for (uint32_t i = 0; i < turn->decision_count; i++)
        *(int *)ctx += turn->decisions[i].type == DO_LAUNCH;
    return 0;
}

/* The folder of results is gone: the output is not, and to make it anew does not help. A command
 * without clones must not run again and again for that. */
TEST(exec_fails_a_task_whose_output_has_no_place)
{
    struct scene s;
    int launches = 0;

    expect(scene_open(&s, "job j\n  phase p command=\"rm -rf $SCENE_DIR/run/out; echo x\"\n"));
    setenv("SCENE_DIR", s.dir, 1);
    s.tap = (struct tap){.ctx = &launches, .turn = count_launches};
    scene_run(&s, NULL);
    expect(s.result == 0 && launches == 4); /* as often as a task may fail */
    expect(strcmp(s.failure, "job 0 (j) failed: phase p, task 0, attempt 3: the system refused: No "
                             "such file or directory") == 0);
    unsetenv("SCENE_DIR");
    scene_close(&s);
}

TEST(exec_explains_a_missing_shell)
{
    struct scene s;

    expect(scene_open(&s, "job j\n  phase p command=\"true\"\n"));
    scene_run(&s, "/no/such/shell");
    expect(s.result == 0 && strstr(s.failure, "could not be started: No such file") != NULL);
    scene_close(&s);
}

TEST(exec_refuses_tasks_without_commands)
{
    struct scene s;

    expect(scene_open(&s, "job j\n  phase p tasks=3\n    task 0 command=\"true\"\n"));
    scene_run(&s, NULL);
    expect(s.result == -2 && s.err.kind == ERR_INPUT);
    expect(strstr(s.err.text, "workload:1: job j, phase p, task 1 has no command") != NULL);
    scene_close(&s);
}

static const char small[] =
    "job j\n"
    "  phase a tasks=2 command=\"echo a$DOLLY_TASK_ID\"\n"
    "  phase b after=a command=\"cat $DOLLY_INPUT_DIR/0 $DOLLY_INPUT_DIR/1\"\n";

/* Every output that is there is whole, and is the right one. */
static void scene_outputs_whole(struct scene *s)
{
    static const char *const outputs[][2] = {
        {"0/a/0", "a0\n"}, {"0/a/1", "a1\n"}, {"0/b/0", "a0\na1\n"}};

    for (int i = 0; i < 3; i++)
        expect(!scene_output(s, outputs[i][0]) || scene_is(s, outputs[i][0], outputs[i][1]));
}

/* Whatever call of the coordinator fails: a clean end, with an explanation unless all went well,
 * no wrong output and no process left. */
static void fail_every_call(int error)
{
    int64_t count = 0;
    bool complete = false;

    for (int64_t at = 1; !complete && at < 1000; at++) {
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, at, error, &count, NULL};
        struct scene s;

        expect(scene_open(&s, small));
        count = 0;
        sys_plan_set(&plan);
        scene_run(&s, NULL);
        sys_plan_set(NULL);
        complete = count < at;
        expect(!complete || (s.result == 0 && !s.failure[0]));
        expect(s.result == 0 || s.err.text[0]);
        if (s.result == 0 && !s.failure[0])
            expect(scene_is(&s, "0/b/0", "a0\na1\n"));
        scene_outputs_whole(&s);
        expect(scene_deserted(&s));
        expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        scene_close(&s);
    }
    expect(complete);
}

TEST(exec_bears_any_failing_call)
{
    fail_every_call(EIO);
}

TEST(exec_bears_a_full_disk_at_any_call)
{
    fail_every_call(ENOSPC);
}

/* An output that is there although the journal has no intent for it would be a second truth. */
static void scene_intents_cover_outputs(struct scene *s)
{
    char path[PATH_MAX];
    struct err err;
    struct record record;
    bool meant[2][2] = {{false}};

    snprintf(path, sizeof path, "%s/run/journal", s->dir);
    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    while (r && journal_reader_next(r, &record, &err) > 0)
        if (record.type == RECORD_INTENT)
            meant[record.u.intent.at.phase][record.u.intent.at.task] = true;
    journal_reader_close(r);
    expect(!scene_output(s, "0/a/0") || meant[0][0]);
    expect(!scene_output(s, "0/a/1") || meant[0][1]);
    expect(!scene_output(s, "0/b/0") || meant[1][0]);
}

TEST(exec_killed_at_any_call_leaves_nothing_behind)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;
    struct descendants tree;

    expect(descendants_init(&tree) == 0);
    for (int64_t at = 1; !complete && at < 1000; at++) {
        struct sys_plan plan = {SYS_PLAN_CRASH, SYS_COORDINATOR, at, 0, count, NULL};
        struct scene s;
        int status = 0;

        expect(scene_open(&s, small));
        *count = 0;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            sys_plan_set(&plan);
            scene_run(&s, NULL);
            _exit(0);
        }
        expect(waitpid(pid, &status, 0) == pid);
        complete = WIFEXITED(status);
        expect(complete || WTERMSIG(status) == SIGKILL);
        expect(scene_deserted(&s));
        scene_outputs_whole(&s);
        scene_intents_cover_outputs(&s);
        while (waitpid(-1, NULL, WNOHANG) > 0) /* the guardian came to us */
            ;
        scene_close(&s);
    }
    expect(complete);
    descendants_end_all(&tree);
    descendants_fini(&tree);
    munmap(count, 4096);
}

TEST(exec_fails_clearly_when_the_guardian_is_killed)
{
    struct scene s;

    /* The guardian is the parent of the attempt's shell. */
    expect(scene_open(
        &s, "job j\n  phase p command=\"setsid sleep 1000 & kill -9 $PPID; sleep 1000\"\n"));
    scene_run(&s, NULL);
    expect(s.result == -1 && strstr(s.err.text, "guardian process was killed by signal 9"));
    expect(scene_deserted(&s));
    scene_close(&s);
}
