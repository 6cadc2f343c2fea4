/* Outputs that are kept twice, and reads of them, decision by decision: the test is the brain, and
 * the runner starts no processes but writes what they would. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/chaos.h"
#include "exec/exec_copy.h"
#include "exec/exec_node.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "tests/unit/test.h"

enum { NODES = 3, TOLD_MAX = 64 };

/* Two tasks `a`, and two of `b`, each of which reads one of them. */
struct copy_stage {
    struct runner_link link; /* first */
    struct runner_options options;
    struct workload workload;
    struct workload_job job;
    struct phase_spec phases[2];
    struct phase_truth truth[2];
    struct edge_spec edge;
    struct chaos chaos;
    struct exec_groups groups;
    struct exec *exec;
    struct cluster *cluster;
    struct journal *journal;
    char dir[64];
    bool given;
    /* The last orders, by type; and what was told since the last look. */
    struct packet last[PACKET_TYPE_END];
    char path[PATH_MAX], folder[PATH_MAX], command[256]; /* of the last read and launch */
    struct event told[TOLD_MAX];
    uint32_t told_count;
};

/* ---- the runner ---- */

static struct copy_stage *stage_of(void *any)
{
    return any;
}

static int stage_order(struct runner_link *r, const struct packet *p)
{
    struct copy_stage *s = stage_of(r);

    s->last[p->type] = *p;
    if (p->type == PACKET_READ)
        snprintf(s->path, sizeof s->path, "%s", p->u.read.path);
    if (p->type == PACKET_LAUNCH) {
        snprintf(s->folder, sizeof s->folder, "%s", p->u.launch.dir);
        snprintf(s->command, sizeof s->command, "%s", p->u.launch.command);
        snprintf(s->path, sizeof s->path, "%s", p->u.launch.stdin_path);
    }
    return 0;
}

static void stage_event(struct runner_link *r, uint32_t source)
{
    (void)r;
    (void)source;
}

static int64_t stage_turn(struct runner_link *r)
{
    (void)r;
    return INT64_MAX;
}

static void stage_close_link(struct runner_link *r)
{
    (void)r;
}

static struct runner_link *stage_link(void *ctx, uint32_t group,
                                      const struct runner_options *options, struct err *err)
{
    struct copy_stage *s = ctx;

    (void)group;
    (void)err;
    s->link = (struct runner_link){stage_order, stage_event, stage_turn, stage_close_link, NULL};
    s->options = *options;
    return &s->link;
}

static void says(struct copy_stage *s, struct packet p)
{
    s->options.on_packet(s->options.ctx, &p);
}

static struct workload_job *stage_job(struct workload *w)
{
    struct copy_stage *s =
        (struct copy_stage *)(void *)((char *)w - offsetof(struct copy_stage, workload));

    if (s->given)
        return NULL;
    s->given = true;
    return &s->job;
}

/* ---- the brain ---- */

static void look(struct copy_stage *s)
{
    struct batch batch;
    struct err err;

    s->told_count = 0;
    while (s->exec->pending.count > 0 || s->exec->commits.count > 0) {
        expect(exec_body.wait(s->exec, &batch, &err) == 1);
        for (uint32_t i = 0; i < batch.count && s->told_count < TOLD_MAX; i++)
            s->told[s->told_count++] = batch.at[i];
    }
}

static void decide(struct copy_stage *s, struct decision d)
{
    exec_body.perform(s->exec, &d, 1);
}

/* The only thing that was told is this one. */
static bool told_only(struct copy_stage *s, uint8_t type, uint32_t node, uint8_t cause)
{
    look(s);
    return s->told_count == 1 && s->told[0].type == type && s->told[0].node.v == node &&
           s->told[0].cause == cause;
}

static struct attempt_ref a_task(uint32_t task)
{
    return (struct attempt_ref){.task = task};
}

static struct attempt_ref reader(uint32_t task)
{
    return (struct attempt_ref){.task = task, .phase = 1};
}

static void write_text(const char *folder, const char *text)
{
    char path[PATH_MAX + 16];

    expect(mkdir(folder, 0700) == 0);
    snprintf(path, sizeof path, "%s/stdout", folder);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    expect(fclose(f) == 0);
}

static bool holds(const struct copy_stage *s, const char *name, const char *want)
{
    char path[PATH_MAX], text[64] = "";

    snprintf(path, sizeof path, "%s/out/0/a/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return want == NULL;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    return want && strcmp(text, want) == 0;
}

/* ---- the stage ---- */

static void start(struct copy_stage *s, struct attempt_ref at, uint32_t node)
{
    decide(s, (struct decision){.type = DO_LAUNCH, .at = at, .node = {node}});
    says(s, (struct packet){.type = PACKET_STARTED, .handle = s->last[PACKET_LAUNCH].handle});
}

/* The attempt that was launched last says what it leaves. */
static void tell_result(struct copy_stage *s)
{
    struct packet result = {.type = PACKET_RESULT, .handle = s->last[PACKET_LAUNCH].handle};
    char path[PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/stdout", s->folder);
    expect(run_dir_checksum(path, &result.u.result.bytes, &result.u.result.checksum) == 0);
    says(s, result);
}

static void make(struct copy_stage *s, struct attempt_ref at, uint32_t node)
{
    start(s, at, node);
    write_text(s->folder, "one\n");
    tell_result(s);
    says(s, (struct packet){.type = PACKET_EXITED, .handle = s->last[PACKET_LAUNCH].handle});
    decide(s, (struct decision){.type = DO_COMMIT, .at = at});
    look(s);
    expect(holds(s, "0", "one\n"));
}

static void open_stage(struct copy_stage *s)
{
    static const uint32_t of[NODES] = {0};
    struct journal_options none = {0};
    struct err err;

    *s = (struct copy_stage){
        .workload = {.name = "stage", .next = stage_job},
        .edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE},
        .chaos = {.lose_p = 1},
        .groups = {.ctx = s, .count = 1, .of = of, .open = stage_link, .fd = -1}};
    for (int i = 0; i < 2; i++)
        s->phases[i] =
            (struct phase_spec){.name = i ? "b" : "a", .tasks = 2, .demand = {{RES_SLOT, 0, 0, 0}}};
    s->phases[1].edges = &s->edge;
    s->phases[1].edge_count = 1;
    s->truth[0].command = s->truth[1].command = "true";
    s->job = (struct workload_job){
        .spec = {.name = "j", .weight = JOB_WEIGHT_ONE, .phases = s->phases, .phase_count = 2},
        .truth = s->truth};
    strcpy(s->dir, "/tmp/dolly-copy-XXXXXX");
    expect(mkdtemp(s->dir) != NULL);
    s->cluster = cluster_plain(NODES, 2);
    s->journal = journal_create(&none, 1, "none", "exec", &err);
    s->exec = exec_create(&(struct exec_options){.cluster = s->cluster,
                                                 .workload = &s->workload,
                                                 .dir = s->dir,
                                                 .journal = s->journal,
                                                 .groups = &s->groups,
                                                 .chaos = &s->chaos,
                                                 .data = true,
                                                 .copier = "copies"},
                          &err);
    expect(s->exec != NULL);
    s->options.on_presence(s->options.ctx, RUNNER_HERE, 0, "");
    look(s);
    make(s, a_task(0), 0);
}

static void close_stage(struct copy_stage *s)
{
    struct err ignored;

    exec_destroy(s->exec);
    journal_close(s->journal, true, &ignored);
    cluster_destroy(s->cluster);
    tree_remove(s->dir);
}

static void replicate(struct copy_stage *s, uint32_t node)
{
    decide(s, (struct decision){.type = DO_REPLICATE, .at = a_task(0), .node = {node}});
}

/* The process that was ordered last prints this and ends well. */
static void copies(struct copy_stage *s, const char *text, uint64_t checksum)
{
    uint32_t handle = s->last[PACKET_LAUNCH].handle;

    write_text(s->folder, text);
    says(s, (struct packet){.type = PACKET_STARTED, .handle = handle});
    says(s, (struct packet){.type = PACKET_RESULT,
                            .handle = handle,
                            .u.result = {(int64_t)strlen(text), checksum}});
    says(s, (struct packet){.type = PACKET_EXITED, .handle = handle});
}

static uint64_t own_checksum(const struct copy_stage *s)
{
    return exec_row(s->exec, attempt_table_find(&s->exec->attempts, a_task(0)))->checksum;
}

static void have_copy(struct copy_stage *s, uint32_t node)
{
    replicate(s, node);
    copies(s, "one\n", own_checksum(s));
    expect(told_only(s, EV_REPLICA_DONE, node, CAUSE_NONE));
}

/* A decision that cannot be carried out is refused by its number and type, and nothing happens.
 * Task 0 of the first phase is committed, and has no second attempt. */
TEST(exec_refuses_decisions_about_what_is_over_or_was_never_there)
{
    static const struct {
        uint8_t type;
        uint16_t attempt;
        uint8_t cause;
    } cases[] = {
        {DO_KILL, 0, CAUSE_ALREADY_ENDED},        {DO_WITHDRAW, 0, CAUSE_ALREADY_ENDED},
        {DO_COMMIT, 0, CAUSE_ALREADY_ENDED},      {DO_KILL, 1, CAUSE_UNKNOWN_ATTEMPT},
        {DO_WITHDRAW, 1, CAUSE_UNKNOWN_ATTEMPT},  {DO_COMMIT, 1, CAUSE_UNKNOWN_ATTEMPT},
        {DO_REPLICATE, 1, CAUSE_UNKNOWN_ATTEMPT}, {DO_DISCARD_OUTPUT, 1, CAUSE_UNKNOWN_ATTEMPT},
    };
    struct copy_stage s;

    open_stage(&s);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct attempt_ref at = {.attempt = cases[i].attempt};
        decide(&s, (struct decision){.id = 70 + i, .type = cases[i].type, .at = at, .node = {2}});
        expect(told_only(&s, EV_REFUSED, 2, cases[i].cause));
        expect(s.told[0].u.refused.decision == 70 + i && attempt_equal(s.told[0].at, at));
        expect(s.told[0].u.refused.decision_type == cases[i].type);
    }
    have_copy(&s, 1); /* its output is as it was */
    close_stage(&s);
}

TEST(exec_reports_the_resources_that_the_cluster_names)
{
    struct copy_stage s;

    open_stage(&s);
    s.cluster->resources[RES_COUNT - 1] = (struct cluster_resource){mem_strdup("gpu"), RES_SLOTS};
    exec_node_emit_resources(s.exec);
    expect(told_only(&s, EV_RESOURCE, NODE_NONE.v, CAUSE_NONE));
    expect(s.told[0].u.resource.which == RES_COUNT - 1 && s.told[0].u.resource.kind == RES_SLOTS);
    expect(strcmp(s.told[0].u.resource.name, "gpu") == 0);
    close_stage(&s);
}

/* ---- copies ---- */

TEST(copy_is_made_by_a_process_and_lies_beside_the_output)
{
    struct copy_stage s;

    open_stage(&s);
    replicate(&s, 1);
    expect(s.last[PACKET_LAUNCH].handle >= EXEC_COPY_FIRST &&
           s.last[PACKET_LAUNCH].u.launch.control);
    expect(strcmp(s.command, "copies lines") == 0 && strstr(s.path, "/out/0/a/0") != NULL);
    replicate(&s, 1);
    expect(told_only(&s, EV_REFUSED, 1, CAUSE_ALREADY_STARTED));
    copies(&s, "one\n", own_checksum(&s));
    expect(told_only(&s, EV_REPLICA_DONE, 1, CAUSE_NONE) && holds(&s, "0.1", "one\n"));
    expect(access(s.folder, F_OK) < 0);
    replicate(&s, 1);
    expect(told_only(&s, EV_REFUSED, 1, CAUSE_ALREADY_ENDED));
    replicate(&s, 0);
    expect(told_only(&s, EV_REFUSED, 0, CAUSE_ALREADY_ENDED));
    decide(&s, (struct decision){.type = DO_REPLICATE, .at = a_task(1), .node = {2}});
    expect(told_only(&s, EV_REFUSED, 2, CAUSE_UNKNOWN_ATTEMPT));
    close_stage(&s);
}

TEST(copy_takes_the_place_of_what_went_with_its_node)
{
    struct copy_stage s;

    open_stage(&s);
    have_copy(&s, 1);
    exec_copy_lose_all(s.exec, 0);
    expect(told_only(&s, EV_REPLICA_FAILED, 0, CAUSE_NODE_DOWN));
    expect(holds(&s, "0", "one\n") && holds(&s, "0.1", NULL));
    have_copy(&s, 2);
    exec_copy_lose_all(s.exec, 2); /* the copy, not the output, which is on node 1 now */
    expect(told_only(&s, EV_REPLICA_FAILED, 2, CAUSE_NODE_DOWN) && holds(&s, "0.2", NULL));
    exec_copy_lose_all(s.exec, 1);
    expect(told_only(&s, EV_OUTPUT_LOST, 1, CAUSE_NODE_DOWN) && holds(&s, "0", NULL));
    replicate(&s, 2);
    expect(told_only(&s, EV_REPLICA_FAILED, 2, CAUSE_OUTPUT_GONE));
    close_stage(&s);
}

TEST(copy_that_is_not_what_was_committed_brings_a_loss_to_light)
{
    struct copy_stage s;

    open_stage(&s);
    replicate(&s, 1);
    copies(&s, "two\n", own_checksum(&s) + 1);
    look(&s);
    expect(s.told_count == 2 && s.told[0].type == EV_REPLICA_FAILED && s.told[0].node.v == 1);
    expect(s.told[1].type == EV_OUTPUT_LOST && s.told[1].node.v == 0);
    expect(holds(&s, "0", NULL) && holds(&s, "0.1", NULL));
    close_stage(&s);
}

TEST(copy_under_way_ends_with_its_node_its_source_and_its_job)
{
    struct copy_stage s;

    open_stage(&s);
    replicate(&s, 1);
    says(&s, (struct packet){.type = PACKET_STARTED, .handle = s.last[PACKET_LAUNCH].handle});
    exec_copy_lose_all(s.exec, 1);
    expect(told_only(&s, EV_REPLICA_FAILED, 1, CAUSE_NODE_DOWN));
    expect(s.last[PACKET_KILL].handle == s.last[PACKET_LAUNCH].handle);
    says(&s, (struct packet){
                 .type = PACKET_KILLED, .handle = s.last[PACKET_KILL].handle, .u.end.status = 9});
    expect(s.exec->copies.live == 0);
    replicate(&s, 2);
    says(&s, (struct packet){.type = PACKET_LAUNCH_FAILED,
                             .handle = s.last[PACKET_LAUNCH].handle,
                             .u.error = ENOSPC});
    expect(told_only(&s, EV_REPLICA_FAILED, 2, CAUSE_DISK_FULL));
    replicate(&s, 2);
    decide(&s, (struct decision){.type = DO_JOB_DONE});
    expect(told_only(&s, EV_REPLICA_FAILED, 2, CAUSE_JOB_OVER));
    copies(&s, "one\n", own_checksum(&s)); /* it was done before the kill reached it */
    expect(s.exec->copies.live == 0 && holds(&s, "0.2", NULL));
    close_stage(&s);
}

TEST(copy_stays_when_another_node_goes)
{
    struct copy_stage s;

    open_stage(&s);
    have_copy(&s, 1);
    replicate(&s, 2);
    s.last[PACKET_KILL].handle = 0;
    exec_copy_lose_all(s.exec, 1);
    expect(told_only(&s, EV_REPLICA_FAILED, 1, CAUSE_NODE_DOWN) && holds(&s, "0.1", NULL));
    expect(s.last[PACKET_KILL].handle == 0);
    copies(&s, "one\n", own_checksum(&s));
    expect(told_only(&s, EV_REPLICA_DONE, 2, CAUSE_NONE) && holds(&s, "0.2", "one\n"));
    exec_copy_lose_all(s.exec, 1);
    look(&s);
    expect(s.told_count == 0 && holds(&s, "0.2", "one\n"));
    close_stage(&s);
}

/* Where nodes keep the outputs, each that a lost runner kept is lost, from the first to the last.
 */
TEST(copy_stage_outputs_that_a_runner_kept_go_with_it)
{
    struct copy_stage s;

    open_stage(&s);
    make(&s, a_task(1), 1);
    exec_copy_lose_kept(s.exec, &s.exec->runners.at[0]); /* they are not kept there */
    look(&s);
    expect(s.told_count == 0);
    s.exec->options.apart = true;
    exec_copy_lose_kept(s.exec, &s.exec->runners.at[0] + 1); /* another runner */
    look(&s);
    expect(s.told_count == 0);
    exec_copy_lose_kept(s.exec, &s.exec->runners.at[0]);
    look(&s);
    expect(s.told_count == 2);
    for (uint32_t i = 0; i < s.told_count; i++) {
        expect(s.told[i].type == EV_OUTPUT_LOST && s.told[i].cause == CAUSE_NODE_DOWN);
        expect(attempt_equal(s.told[i].at, a_task(i)) && s.told[i].node.v == i);
    }
    close_stage(&s);
}

/* ---- a run that goes on ---- */

static void recall(struct copy_stage *s, struct event e, struct decision d)
{
    struct tap tap = exec_recall_tap(s->exec);
    struct turn turn = {.now_us = 1,
                        .events = &e,
                        .event_count = e.type != 0,
                        .decisions = &d,
                        .decision_count = d.type != 0};
    struct err err;

    expect(tap.turn(tap.ctx, &turn, &err) == 0);
}

static void recall_finished(struct copy_stage *s, uint32_t task, int64_t bytes)
{
    struct decision none = {0};
    struct event ready = {.type = EV_OUTPUT_READY, .at = a_task(task)};

    ready.u.output.bytes = bytes;
    recall(s, (struct event){0}, (struct decision){.type = DO_LAUNCH, .at = a_task(task)});
    recall(s, (struct event){.type = EV_ATTEMPT_STARTED, .at = a_task(task)}, none);
    recall(s, ready, none);
    recall(s, (struct event){.type = EV_ATTEMPT_FINISHED, .at = a_task(task)}, none);
}

static uint8_t state_of(struct copy_stage *s, uint32_t task)
{
    return exec_row(s->exec, attempt_table_find(&s->exec->attempts, a_task(task)))->state;
}

/* What was committed before a run was cut short counts as what is committed now. */
TEST(copy_stage_recalls_what_was_committed_and_what_a_job_left)
{
    struct copy_stage s;
    struct decision none = {0};
    struct event committed = {.type = EV_COMMITTED, .at = a_task(1)};

    open_stage(&s);
    int64_t bytes = s.exec->jobs.at[0].phase_bytes[0];
    expect(bytes == 4);
    recall_finished(&s, 1, 100);
    expect(s.exec->jobs.at[0].phase_bytes[0] == bytes && state_of(&s, 1) == ROW_FINISHED);
    recall(&s, committed, none);
    expect(s.exec->jobs.at[0].phase_bytes[0] == bytes + 100 && state_of(&s, 1) == ROW_COMMITTED);
    recall(&s, (struct event){0}, (struct decision){.type = DO_DISCARD_OUTPUT, .at = a_task(1)});
    expect(s.exec->jobs.at[0].phase_bytes[0] == bytes && state_of(&s, 1) == ROW_GONE);
    /* Of those that were finished when the job ended, one was about to be committed. */
    recall_finished(&s, 2, 1);
    recall_finished(&s, 3, 1);
    recall_finished(&s, 4, 1);
    recall(&s, (struct event){0}, (struct decision){.type = DO_COMMIT, .at = a_task(3)});
    recall(&s, (struct event){0}, (struct decision){.type = DO_JOB_DONE});
    expect(state_of(&s, 2) == ROW_GONE && state_of(&s, 3) == ROW_FINISHED &&
           state_of(&s, 4) == ROW_GONE && state_of(&s, 0) == ROW_COMMITTED);
    close_stage(&s);
}

/* ---- reads ---- */

static void read_from(struct copy_stage *s, struct attempt_ref at, struct attempt_ref source)
{
    decide(s, (struct decision){.type = DO_ASSIGN_READ, .at = at, .u.read.source = source});
}

static void fetch(struct copy_stage *s, uint8_t type, int64_t took_us)
{
    const struct packet *read = &s->last[PACKET_READ];

    says(s, (struct packet){.type = type,
                            .handle = read->handle,
                            .u.fetch = {.task = read->u.read.task,
                                        .attempt = read->u.read.attempt,
                                        .bytes = 4,
                                        .took_us = took_us,
                                        .culprit = 0,
                                        .error = type == PACKET_FETCH_FAILED ? EBADMSG : 0}});
}

static bool reads(const struct copy_stage *s, const char *name)
{
    size_t length = strlen(s->path), end = strlen(name);

    return length > end && strcmp(s->path + length - end, name) == 0;
}

TEST(copy_on_the_own_node_is_read_and_another_when_it_is_of_no_use)
{
    struct copy_stage s;

    open_stage(&s);
    have_copy(&s, 1);
    start(&s, reader(0), 1);
    read_from(&s, reader(0), a_task(0));
    expect(reads(&s, "/a/0.1"));
    fetch(&s, PACKET_FETCH_STARTED, 0);
    look(&s);
    fetch(&s, PACKET_FETCH_FAILED,
          0); /* the copy goes, and nobody but the reader is told to read */
    expect(told_only(&s, EV_REPLICA_FAILED, 1, CAUSE_OUTPUT_GONE) && reads(&s, "/a/0"));
    expect(holds(&s, "0", "one\n") && holds(&s, "0.1", NULL));
    fetch(&s, PACKET_FETCH_STARTED, 0);
    fetch(&s, PACKET_FETCH_DONE, 7);
    expect(told_only(&s, EV_FETCH_DONE, 1, CAUSE_NONE) && s.told[0].u.fetch.took_us == 7);
    close_stage(&s);
}

TEST(copy_replaces_an_output_for_readers_that_find_it_damaged)
{
    struct copy_stage s;
    struct attempt_ref all = {.task = TASK_ALL};

    open_stage(&s);
    have_copy(&s, 1);
    start(&s, reader(0), 2);
    read_from(&s, reader(0), all);
    fetch(&s, PACKET_FETCH_STARTED, 0);
    look(&s);
    fetch(&s, PACKET_FETCH_FAILED, 5);
    expect(told_only(&s, EV_REPLICA_FAILED, 0, CAUSE_OUTPUT_GONE) && holds(&s, "0.1", NULL));
    /* Another has begun before that, and says so of the old one: what is there now may be good. */
    exec_row(s.exec, s.last[PACKET_READ].handle)->read_us = 0;
    fetch(&s, PACKET_FETCH_FAILED, 5);
    look(&s);
    expect(s.told_count == 0 && holds(&s, "0", "one\n"));
    fetch(&s, PACKET_FETCH_FAILED, 0); /* but that of the new one is a loss */
    look(&s);
    expect(s.told_count == 2 && s.told[0].type == EV_FETCH_FAILED);
    expect(s.told[1].type == EV_OUTPUT_LOST && s.told[1].node.v == 1);
    close_stage(&s);
}

/* A whole phase is read, of which one output is damaged: that one is lost. When it was made again,
 * who comes late with the damage of the old one reads the new one instead. */
TEST(copy_stage_late_news_of_what_was_made_again_are_no_loss)
{
    struct copy_stage s;
    struct attempt_ref all = {.task = TASK_ALL}, again = {.attempt = 1};

    open_stage(&s);
    start(&s, reader(0), 2);
    read_from(&s, reader(0), all);
    fetch(&s, PACKET_FETCH_STARTED, 0);
    look(&s);
    fetch(&s, PACKET_FETCH_FAILED, 5);
    look(&s);
    expect(s.told_count == 2 && s.told[0].type == EV_FETCH_FAILED);
    expect(s.told[1].type == EV_OUTPUT_LOST && attempt_equal(s.told[1].at, a_task(0)));
    read_from(&s, reader(0), all); /* until then there is no whole phase */
    expect(told_only(&s, EV_FETCH_FAILED, 2, CAUSE_OUTPUT_GONE));
    make(&s, again, 1);
    fetch(&s, PACKET_FETCH_FAILED, 5);
    look(&s);
    expect(s.told_count == 0 && holds(&s, "0", "one\n") && reads(&s, "/a"));
    fetch(&s, PACKET_FETCH_FAILED, 5); /* of the new one */
    look(&s);
    expect(s.told_count == 2 && s.told[1].type == EV_OUTPUT_LOST);
    expect(attempt_equal(s.told[1].at, again));
    close_stage(&s);
}

/* A read of all goes on behind a damaged output, which is made again meanwhile. */
TEST(copy_stage_sources_of_no_use_are_lost_before_their_read_fails)
{
    struct copy_stage s;
    struct attempt_ref all = {.task = TASK_ALL};

    open_stage(&s);
    start(&s, reader(0), 2);
    read_from(&s, reader(0), all);
    fetch(&s, PACKET_FETCH_STARTED, 0);
    look(&s);
    fetch(&s, PACKET_SOURCE_LOST, 0);
    expect(told_only(&s, EV_OUTPUT_LOST, 0, CAUSE_OUTPUT_GONE));
    expect(attempt_equal(s.told[0].at, a_task(0)));
    fetch(&s, PACKET_FETCH_FAILED, 5);
    look(&s);
    expect(s.told_count == 1 && s.told[0].type == EV_FETCH_FAILED);
    close_stage(&s);
}

/* The process that copied is gone with the coordinator that had ordered it. */
TEST(copy_under_way_when_the_run_was_cut_short_has_failed)
{
    struct copy_stage s;
    struct decision asked = {.type = DO_REPLICATE, .at = a_task(0), .node = {2}};

    open_stage(&s);
    exec_copy_recall_asked(s.exec, &asked);
    exec_copy_recall_end(s.exec);
    expect(told_only(&s, EV_REPLICA_FAILED, 2, CAUSE_NODE_DOWN));
    close_stage(&s);
}

/* What a committed output was made from has changed: it goes, with its copy, and another attempt's
 * takes its place. Once the job is over it stays. */
TEST(copy_stage_committed_outputs_are_taken_back)
{
    struct copy_stage s;
    struct attempt_ref again = {.attempt = 1};
    struct decision discard = {.type = DO_DISCARD_OUTPUT, .at = a_task(0)};

    open_stage(&s);
    replicate(&s, 2);
    copies(&s, "one\n", own_checksum(&s));
    expect(told_only(&s, EV_REPLICA_DONE, 2, CAUSE_NONE) && holds(&s, "0.2", "one\n"));
    decide(&s, discard);
    look(&s);
    expect(s.told_count == 0 && holds(&s, "0", NULL) && holds(&s, "0.2", NULL));
    start(&s, again, 1);
    write_text(s.folder, "two\n");
    tell_result(&s);
    says(&s, (struct packet){.type = PACKET_EXITED, .handle = s.last[PACKET_LAUNCH].handle});
    decide(&s, (struct decision){.type = DO_COMMIT, .at = again});
    look(&s);
    expect(s.told_count > 0 && s.told[s.told_count - 1].type == EV_COMMITTED);
    expect(holds(&s, "0", "two\n"));
    decide(&s, (struct decision){.type = DO_JOB_DONE, .at = a_task(0)});
    discard.at = again;
    decide(&s, discard);
    look(&s);
    expect(holds(&s, "0", "two\n"));
    close_stage(&s);
}

/* An attempt that met a full disk says so, and has given back what it had written by the time when
 * we look at the disk. */
TEST(copy_stage_an_attempt_without_room_is_believed)
{
    struct copy_stage s;

    open_stage(&s);
    start(&s, a_task(1), 1);
    uint32_t handle = s.last[PACKET_LAUNCH].handle;
    look(&s);
    says(&s, (struct packet){.type = PACKET_NO_SPACE, .handle = handle});
    says(&s, (struct packet){.type = PACKET_EXITED, .handle = handle, .u.end.status = 1 << 8});
    expect(told_only(&s, EV_ATTEMPT_FAILED, 1, CAUSE_DISK_FULL));
    close_stage(&s);
}
