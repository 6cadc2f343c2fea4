/* A read that is revoked, with real processes: the test is the brain, the attempts are copies of
 * the guardian that gather what they are told to read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"
#include "tests/unit/test.h"

static const struct attempt_ref first = {.attempt = 0}, second = {.attempt = 1};
static const struct attempt_ref reader = {.phase = 1};

/* Prints where it has read what it got. */
static int64_t print_path(void *ctx, uint32_t at, int folder, const char *path, struct err *err)
{
    (void)folder;
    (void)ctx;
    (void)at;
    (void)err;
    return printf("%s\n", path);
}

/* In the process of an attempt: one of the phase above prints a line, the other reads. */
static int attempt(void *ctx, char *const *argv)
{
    struct plan_phase phase = {0};
    struct task_attempt task = {.phase = &phase};
    struct task_reader to = {.fetch = print_path};
    struct err err;

    (void)ctx;
    (void)argv;
    int output = task_result_open(&err);
    task.control = task_control_open(atoi(getenv("DOLLY_CONTROL_FD")));
    bool done = strcmp(getenv("DOLLY_PHASE"), "above") == 0
                    ? dprintf(STDOUT_FILENO, "line\n") == 5
                    : task_reads_gather(&task, &to, &err) == 0;
    fflush(stdout);
    done = done && task_result_tell(&task, output, &(struct task_sum){0}, &err) == 0;
    task_control_close(task.control);
    return done ? 0 : 1;
}

struct revoke_stage {
    struct workload workload; /* first */
    struct workload_job job;
    struct phase_spec phases[2];
    struct phase_truth truth[2];
    struct edge_spec edge;
    struct chaos chaos;
    struct exec *exec;
    bool given;
    struct batch batch; /* what was told, */
    uint32_t next;      /* how much of it was looked at, */
    struct event last;  /* and what was looked for */
};

static struct workload_job *give(struct workload *w)
{
    struct revoke_stage *s = (struct revoke_stage *)(void *)w;

    if (s->given)
        return NULL;
    s->given = true;
    return &s->job;
}

static void decide(struct revoke_stage *s, struct decision d)
{
    exec_body.perform(s->exec, &d, 1);
}

/* Waits until this is told of the attempt. False: it has failed, or the run is over. */
static bool told(struct revoke_stage *s, uint8_t type, struct attempt_ref at)
{
    struct err err;

    do
        while (s->next < s->batch.count) {
            s->last = s->batch.at[s->next++];
            if (!attempt_equal(s->last.at, at))
                continue;
            if (s->last.type == type)
                return true;
            if (s->last.type == EV_ATTEMPT_FAILED)
                return false;
        }
    while ((s->next = 0, exec_body.wait(s->exec, &s->batch, &err) == 1));
    return false;
}

static void read_from(struct revoke_stage *s, uint8_t type, struct attempt_ref source)
{
    decide(s, (struct decision){.type = type, .at = reader, .u.read.source = source});
}

static void fill(struct revoke_stage *s)
{
    *s = (struct revoke_stage){.workload = {.name = "stage", .next = give},
                               .edge = {.pattern = EDGE_ONE_TO_ONE}};
    for (int i = 0; i < 2; i++) {
        s->phases[i] = (struct phase_spec){
            .name = i ? "below" : "above", .tasks = 1, .demand = {{RES_SLOT, 0, 0, 0}}};
        s->truth[i].command = "/bin/true";
    }
    s->phases[1].edges = &s->edge;
    s->phases[1].edge_count = 1;
    s->job = (struct workload_job){
        .spec = {.name = "j", .weight = JOB_WEIGHT_ONE, .phases = s->phases, .phase_count = 2},
        .truth = s->truth};
}

/* The fetch from the first would take an hour. */
static void reads_the_second(struct revoke_stage *s, const char *dir)
{
    char path[PATH_MAX], text[PATH_MAX] = "";

    decide(s, (struct decision){.type = DO_LAUNCH, .at = first});
    bool finished = told(s, EV_ATTEMPT_FINISHED, first);
    if (!finished && s->last.type == EV_ATTEMPT_FAILED)
        return; /* we have so much memory that the guardian is not copied: /bin/true ran instead,
                   and has not said that its output is whole */
    expect(finished);
    decide(s, (struct decision){.type = DO_LAUNCH, .at = second, .kind = LAUNCH_CLONE});
    expect(told(s, EV_ATTEMPT_FINISHED, second));
    decide(s, (struct decision){.type = DO_COMMIT, .at = first});
    expect(told(s, EV_COMMITTED, first));
    s->chaos = (struct chaos){.fetch_p = 1, .fetch_us = INT64_C(3600) * 1000000};
    decide(s, (struct decision){.type = DO_LAUNCH, .at = reader});
    read_from(s, DO_ASSIGN_READ, first);
    expect(told(s, EV_FETCH_STARTED, reader) && s->last.u.fetch.source.attempt == 0);
    read_from(s, DO_REVOKE_READ, first);
    s->chaos.fetch_p = 0;
    read_from(s, DO_ASSIGN_READ, second);
    expect(told(s, EV_FETCH_STARTED, reader) && s->last.u.fetch.source.attempt == 1);
    expect(told(s, EV_FETCH_DONE, reader) && s->last.u.fetch.source.attempt == 1);
    expect(told(s, EV_ATTEMPT_FINISHED, reader));
    snprintf(path, sizeof path, "%s/attempts/0.1.0.0/stdout", dir);
    FILE *f = fopen(path, "r");
    expect(f && fgets(text, sizeof text, f) && strstr(text, "/attempts/0.0.0.1/stdout\n"));
    expect(f && !fgets(text, sizeof text, f));
    if (f)
        fclose(f);
}

TEST(revoke_ends_a_fetch_under_way_and_another_source_is_read)
{
    struct revoke_stage s;
    struct cluster *cluster = cluster_plain(1, 2);
    struct journal_options none = {0};
    char dir[] = "/tmp/dolly-revoke-XXXXXX";
    struct err err;

    fill(&s);
    expect(mkdtemp(dir) != NULL);
    struct journal *journal = journal_create(&none, 1, "none", "exec", &err);
    struct exec_hooks hooks = {.own = attempt};
    s.exec = exec_create(&(struct exec_options){.cluster = cluster,
                                                .workload = &s.workload,
                                                .dir = dir,
                                                .journal = journal,
                                                .hooks = &hooks,
                                                .chaos = &s.chaos,
                                                .data = true},
                         &err);
    expect(s.exec != NULL);
    expect(told(&s, EV_JOB_SUBMITTED, (struct attempt_ref){0}));
    reads_the_second(&s, dir);
    exec_destroy(s.exec);
    journal_close(journal, true, &err);
    cluster_destroy(cluster);
    tree_remove(dir);
}
