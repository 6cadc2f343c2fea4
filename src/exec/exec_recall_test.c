/* Runs that are killed at every system call, and again while they are resumed, come to their end.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "exec/folder/run_lock.h"
#include "exec/process/descendants.h"
#include "exec/process/sys.h"
#include "exec/scene_test.h"
#include "record/journal/journal_play.h"
#include "tests/unit/test.h"

static const char small[] =
    "job j\n"
    "  phase a tasks=2 command=\"echo a$DOLLY_TASK_ID\"\n"
    "  phase b after=a command=\"cat $DOLLY_INPUT_DIR/0 $DOLLY_INPUT_DIR/1\"\n";

/* The same, and tasks that print nothing. */
static const char empties[] =
    "job j\n"
    "  phase a tasks=2 command=\"echo a$DOLLY_TASK_ID\"\n"
    "  phase b after=a command=\"cat $DOLLY_INPUT_DIR/0 $DOLLY_INPUT_DIR/1\"\n"
    "  phase c tasks=10 command=true\n"
    "  phase d after=c command=\"ls $DOLLY_INPUT_DIR | wc -l\"\n";

/* A life of the run in a process of its own, which is killed at its call number `at`; 0: it is not.
 * Whether it was not. */
static bool live(struct scene *s, bool first, int64_t at, int64_t *count)
{
    struct sys_plan plan = {SYS_PLAN_CRASH, SYS_COORDINATOR, at, 0, count, NULL};
    int status = 0;

    *count = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (at)
            sys_plan_set(&plan);
        if (first)
            scene_run(s, NULL);
        else
            scene_resume(s);
        _exit(s->result < 0 ? 1 : 0);
    }
    expect(waitpid(pid, &status, 0) == pid);
    while (waitpid(-1, NULL, WNOHANG) > 0) /* the guardian came to us */
        ;
    expect(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
    return WIFEXITED(status);
}

struct commits {
    int asked, done, failed;
};

static struct commits count_commits(struct scene *s)
{
    char path[PATH_MAX];
    struct record record;
    struct commits c = {0};

    snprintf(path, sizeof path, "%s/run/journal", s->dir);
    struct journal_reader *r = journal_reader_open(path, NULL, &s->err);
    while (r && journal_reader_next(r, &record, &s->err) > 0) {
        c.asked += record.type == RECORD_DECISION && record.u.decision.type == DO_COMMIT;
        c.done += record.type == RECORD_EVENT && record.u.event.type == EV_COMMITTED;
        c.failed += record.type == RECORD_EVENT && record.u.event.type == EV_COMMIT_FAILED;
    }
    journal_reader_close(r);
    return c;
}

/* Each task was committed once, over all lives, and no commit failed: outputs are whole, also those
 * that were about to be moved or made. */
static void expect_committed_once(struct scene *s)
{
    struct commits c = count_commits(s);

    expect(c.done == 14 && c.failed == 0);
}

static bool has_begun(struct scene *s)
{
    char path[PATH_MAX];
    struct journal_played played;

    snprintf(path, sizeof path, "%s/run/journal", s->dir);
    return access(path, F_OK) == 0 &&
           journal_play(path, &(struct journal_play){0}, &played, &s->err) == 0;
}

TEST(exec_killed_at_any_call_is_resumed)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;
    struct descendants tree;

    expect(descendants_init(&tree) == 0);
    for (int64_t at = 1; !complete && at < 1000; at++) {
        struct scene s;

        expect(scene_open(&s, empties));
        complete = live(&s, true, at, count);
        if (has_begun(&s)) {
            if (!complete && !live(&s, false, 1 + at * 7 % 41, count))
                live(&s, false, 1 + at * 5 % 23, count);
            expect(live(&s, false, 0, count));
            expect(scene_is(&s, "0/a/0", "a0\n") && scene_is(&s, "0/a/1", "a1\n"));
            expect(scene_is(&s, "0/b/0", "a0\na1\n"));
            expect(scene_is(&s, "0/c/0", "") && scene_is(&s, "0/c/9", ""));
            expect(scene_is(&s, "0/d/0", "10\n"));
            expect_committed_once(&s);
            expect(scene_output(&s, "../attempts") == NULL);
        }
        expect(scene_deserted(&s));
        scene_close(&s);
    }
    expect(complete);
    descendants_end_all(&tree);
    descendants_fini(&tree);
    munmap(count, 4096);
}

/* Writes other bytes of the same length over the output of each attempt that the journal has seen
 * finish, wherever it is by now. How many there were. */
static int spoil(struct scene *s)
{
    char path[2][PATH_MAX];
    struct record record;
    int spoilt = 0;

    snprintf(path[0], sizeof path[0], "%s/run/journal", s->dir);
    struct journal_reader *r = journal_reader_open(path[0], NULL, &s->err);
    while (r && journal_reader_next(r, &record, &s->err) > 0) {
        struct attempt_ref at = record.u.event.at;
        if (record.type != RECORD_EVENT || record.u.event.type != EV_OUTPUT_READY)
            continue;
        snprintf(path[0], sizeof path[0], "%s/run/attempts/0.%u.%u.%u/stdout", s->dir, at.phase,
                 at.task, at.attempt);
        snprintf(path[1], sizeof path[1], "%s/run/out/0/%c/%u", s->dir, "ab"[at.phase], at.task);
        for (int i = 0; i < 2; i++) {
            FILE *f = fopen(path[i], "r+");
            if (!f)
                continue;
            fputs("xx", f);
            fclose(f);
            spoilt++;
        }
    }
    journal_reader_close(r);
    return spoilt;
}

/* Goes on with the run, in a process of its own. False: it is refused, with these words. */
static bool resume_apart(struct scene *s, const char *words)
{
    int status;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        scene_resume(s);
        _exit(s->result == 0 || s->result == 1                        ? 0
              : s->result == -1 && strstr(s->err.text, words) != NULL ? 1
                                                                      : 2);
    }
    expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 0;
}

/* Whether committed, about to be, or just finished: what is not what it was is made again, unless
 * the job is over. */
TEST(exec_resumed_makes_spoilt_outputs_again)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;
    int mended = 0;
    struct descendants tree;

    expect(descendants_init(&tree) == 0);
    for (int64_t at = 1; !complete && at < 1000; at++) {
        struct scene s;

        expect(scene_open(&s, small));
        complete = live(&s, true, at, count);
        if (!complete && has_begun(&s)) {
            expect(scene_deserted(&s)); /* a task that still ran would read what is spoilt */
            bool now = spoil(&s) > 0;
            struct commits before = count_commits(&s);
            bool refused = !resume_apart(&s, "run the job again");
            expect(refused ? now : scene_is(&s, "0/b/0", "a0\na1\n"));
            mended += !refused && now;
            /* What was about to be moved has not become a result even for a moment. */
            expect(refused || count_commits(&s).failed == before.asked - before.done);
        }
        expect(scene_deserted(&s));
        scene_close(&s);
    }
    expect(complete && mended > 10);
    descendants_end_all(&tree);
    descendants_fini(&tree);
    munmap(count, 4096);
}

/* Other phases, or other numbers of tasks, are another job. */
TEST(exec_another_job_is_not_resumed)
{
    static const char *const others[] = {"job j\n  phase a tasks=3 command=true\n"
                                         "  phase b after=a command=true\n",
                                         "job j\n  phase a tasks=2 command=true\n"};
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct descendants tree;
    char path[PATH_MAX];

    expect(descendants_init(&tree) == 0);
    for (int i = 0; i < 2; i++) {
        struct scene s;
        expect(scene_open(&s, small));
        for (int64_t at = 20; !has_begun(&s) && at < 1000; at += 10)
            live(&s, true, at, count);
        expect(scene_deserted(&s));
        snprintf(path, sizeof path, "%s/workload", s.dir);
        FILE *f = fopen(path, "w");
        fputs(others[i], f);
        expect(fclose(f) == 0);
        expect(!resume_apart(&s, "the job differs"));
        scene_close(&s);
    }
    descendants_end_all(&tree);
    descendants_fini(&tree);
    munmap(count, 4096);
}

TEST(run_lock_refuses_while_the_coordinator_lives)
{
    struct scene s;
    struct err err;

    expect(scene_open(&s, small));
    int fd = run_lock_new(s.dir, &err);
    expect(fd >= 0);
    pid_t pid = fork();
    if (pid == 0) { /* somebody else wants it */
        close(fd);
        _exit(run_lock_left(s.dir, &err) < 0 && strstr(err.text, "is still active") ? 0 : 1);
    }
    int status;
    expect(waitpid(pid, &status, 0) == pid && status == 0);
    close(fd);
    expect((fd = run_lock_left(s.dir, &err)) >= 0);
    close(fd);
    scene_close(&s);
}
