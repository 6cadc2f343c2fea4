/* A toy body runs a real brain; its journal is fed to other brains, the same and different ones. */
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/vec.h"
#include "core/brain/brain.h"
#include "core/policy/policy.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "record/journal/journal_verify.h"
#include "tests/unit/test.h"

enum { NODES = 4, SEED = 3, MAP_TASKS = 5 };

struct planned {
    int64_t at_us;
    struct event event;
};

/* What will happen, and when. Attempts take 10 to 16 us, a kill takes two. */
struct toy {
    VEC(struct planned) future;
    VEC(struct event) now;
    int64_t now_us;
};

static void toy_plan(struct toy *toy, int64_t delay_us, struct event e)
{
    vec_push(&toy->future, ((struct planned){toy->now_us + delay_us, e}));
}

static int toy_wait(void *body, struct batch *batch, struct err *err)
{
    struct toy *toy = body;
    (void)err;
    if (toy->future.count == 0)
        return 0;
    toy->now_us = INT64_MAX;
    for (uint32_t i = 0; i < toy->future.count; i++)
        if (toy->future.at[i].at_us < toy->now_us)
            toy->now_us = toy->future.at[i].at_us;
    vec_clear(&toy->now);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < toy->future.count; i++)
        if (toy->future.at[i].at_us == toy->now_us)
            vec_push(&toy->now, toy->future.at[i].event);
        else
            toy->future.at[kept++] = toy->future.at[i];
    toy->future.count = kept;
    *batch = (struct batch){toy->now_us, toy->now.at, toy->now.count, NULL};
    return 1;
}

static void toy_launch(struct toy *toy, const struct decision *d)
{
    struct event e = {.type = EV_ATTEMPT_STARTED, .at = d->at, .node = d->node};
    toy_plan(toy, 1, e);
    int64_t takes_us = 10 + (3 * d->at.task + 5 * d->at.attempt) % 7;
    e.type = EV_OUTPUT_READY;
    e.u.output.bytes = 100;
    e.u.output.checksum = 7;
    toy_plan(toy, takes_us, e);
    e = (struct event){.type = EV_ATTEMPT_FINISHED, .at = d->at, .node = d->node};
    e.u.use = (struct usage){takes_us, -1, 100, 100, -1};
    toy_plan(toy, takes_us, e);
}

/* The attempt dies instead of finishing, unless it has ended already. */
static void toy_kill(struct toy *toy, const struct decision *d)
{
    struct event answer = {.type = EV_REFUSED, .cause = CAUSE_ALREADY_ENDED, .at = d->at};
    answer.u.refused.decision = d->id;
    answer.u.refused.decision_type = d->type;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < toy->future.count; i++) {
        const struct event *e = &toy->future.at[i].event;
        if (attempt_equal(e->at, d->at) && e->type == EV_ATTEMPT_FINISHED) {
            answer = *e;
            answer.type = EV_ATTEMPT_KILLED;
        } else if (!attempt_equal(e->at, d->at) || e->type != EV_OUTPUT_READY) {
            toy->future.at[kept++] = toy->future.at[i];
        }
    }
    toy->future.count = kept;
    toy_plan(toy, 2, answer);
}

static void toy_perform(void *body, const struct decision *at, uint32_t count)
{
    struct toy *toy = body;
    for (uint32_t i = 0; i < count; i++) {
        if (at[i].type == DO_LAUNCH)
            toy_launch(toy, &at[i]);
        else if (at[i].type == DO_KILL || at[i].type == DO_WITHDRAW)
            toy_kill(toy, &at[i]);
        else if (at[i].type == DO_COMMIT)
            toy_plan(toy, 1, (struct event){.type = EV_COMMITTED, .at = at[i].at});
    }
}

static const struct body_ops toy_ops = {toy_wait, toy_perform};

static const struct edge_spec shuffle = {0, EDGE_ALL_TO_ALL, 0};
static const struct phase_spec phases[] = {
    {.name = "map", .tasks = MAP_TASKS, .demand = {{RES_SLOT}}, .input_bytes = 100},
    {.name = "reduce", .tasks = 2, .demand = {{RES_SLOT}}, .edges = &shuffle, .edge_count = 1},
};
static const struct job_spec job = {
    .name = "job", .user = "u", .queue = "q", .weight = 1000, .phases = phases, .phase_count = 2};

static struct brain *make_brain(const char *text, struct policy **policy)
{
    struct err err;
    *policy = policy_create(text, &err);
    check(*policy);
    return brain_create(*policy, SEED);
}

static void toy_begin(struct toy *toy)
{
    *toy = (struct toy){0};
    for (uint32_t i = 0; i < NODES; i++) {
        struct event e = {.type = EV_NODE_UP, .node = {i}};
        e.u.node.capacity.v[RES_CPU] = 10 * RES_SLOT;
        toy_plan(toy, 0, e);
    }
    toy_plan(toy, 5, (struct event){.type = EV_JOB_SUBMITTED, .u.job = &job});
}

static void toy_end(struct toy *toy)
{
    vec_free(&toy->future);
    vec_free(&toy->now);
}

static void run_toy(const char *policy_text, const char *path)
{
    struct toy toy;
    struct err err;
    struct policy *policy;
    struct brain *brain = make_brain(policy_text, &policy);
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, SEED, policy_text, "toy", &err);
    struct tap tap = journal_tap(j);
    toy_begin(&toy);
    expect(engine_run(brain, &toy_ops, &toy, &tap, 1, &err) == 0);
    expect(journal_close(j, true, &err) == 0);
    toy_end(&toy);
    brain_destroy(brain);
    policy_destroy(policy);
}

static int verify(const char *policy_text, const char *path, uint64_t *turns, struct err *err)
{
    struct policy *policy;
    struct record record;
    struct brain *brain = make_brain(policy_text, &policy);
    struct journal_reader *r = journal_reader_open(path, NULL, err);
    check(r);
    int status =
        journal_reader_next(r, &record, err) == 1 ? journal_verify(r, brain, turns, err) : -2;
    journal_reader_close(r);
    brain_destroy(brain);
    policy_destroy(policy);
    return status;
}

static const char cloning[] = "dolly;beta=1;tau=1";

TEST(journal_verify_same_brain_decides_the_same)
{
    char path[SAMPLE_PATH_MAX];
    struct err err;
    static const char *const policies[] = {"none", cloning};
    for (int i = 0; i < 2; i++) {
        uint64_t turns = 0;
        journal_sample_path(path, "same");
        run_toy(policies[i], path);
        expect(verify(policies[i], path, &turns, &err) == 0 && turns > MAP_TASKS);
        unlink(path);
    }
}

TEST(journal_verify_finds_the_first_difference)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t turns = 0;
    journal_sample_path(path, "differs");
    run_toy(cloning, path);
    expect(verify("none", path, &turns, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strstr(err.text, "turn 2 at 5 us, decision ")); /* turn 1 is the nodes */

    /* The first launch goes to another node: [length][type]["launch" id job phase task attempt
     * node]. */
    size_t length = journal_sample_load(path, bytes), at = JOURNAL_HEADER_BYTES;
    while (bytes[at + 1] != RECORD_DECISION || bytes[at + 2] != DO_LAUNCH)
        at += 1u + bytes[at] + JOURNAL_CHECKSUM_BYTES;
    bytes[at + 8] ^= 1;
    wire_put_fixed32(bytes + at + 1 + bytes[at], journal_file_checksum(bytes + at + 1, bytes[at]));
    journal_sample_store(path, bytes, length);
    expect(verify(cloning, path, &turns, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(turns == 1 && strstr(err.text, "the journal has launch #"));
    unlink(path);
}

/* A tap that changes the numbers of all reasons before another brain sees them. */
struct other_machine {
    struct tap verify;
    double by;
    uint32_t numbers;
};

static int other_machine_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct other_machine *m = ctx;
    struct turn other = *turn;
    struct decision decisions[32];
    check(turn->decision_count <= 32);
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        decisions[i] = turn->decisions[i];
        for (uint8_t n = 0; n < decisions[i].why.count; n++) {
            m->numbers += decisions[i].why.num[n] * (1 + m->by) != decisions[i].why.num[n];
            decisions[i].why.num[n] *= 1 + m->by;
        }
    }
    other.decisions = decisions;
    return m->verify.turn(m->verify.ctx, &other, err);
}

/* On another processor the last digits may be others, and nothing else. */
TEST(journal_verify_takes_numbers_of_another_machine)
{
    static const struct {
        double by;
        int status;
    } t[] = {{1e-15, 0}, {-1e-15, 0}, {1e-6, -1}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct policy *policy, *again;
        struct toy toy;
        struct err err = {0};
        struct brain *brain = make_brain(cloning, &policy);
        struct journal_verify v = {make_brain(cloning, &again), JOURNAL_VERSION, 0};
        struct other_machine other = {journal_verify_tap(&v), t[i].by, 0};
        struct tap tap = {.ctx = &other, .turn = other_machine_turn};
        toy_begin(&toy);
        expect(engine_run(brain, &toy_ops, &toy, &tap, 1, &err) == t[i].status);
        expect(other.numbers > 0 && (strstr(err.text, "the journal has") != NULL) == (i == 2));
        toy_end(&toy);
        brain_destroy(v.brain);
        policy_destroy(again);
        brain_destroy(brain);
        policy_destroy(policy);
    }
}

/* The first turn with decisions says that there are none, and ends with its last event. */
TEST(journal_verify_finds_a_decision_that_the_journal_lacks)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t turns = 0;
    journal_sample_path(path, "lacks");
    run_toy("none", path);
    journal_sample_load(path, bytes);
    size_t at = JOURNAL_HEADER_BYTES, turn = at;
    for (; bytes[at + 1] != RECORD_DECISION; at += 1u + bytes[at] + JOURNAL_CHECKSUM_BYTES)
        turn = bytes[at + 1] == RECORD_TURN ? at : turn;
    unsigned char *decisions = bytes + turn + bytes[turn];
    expect(*decisions == MAP_TASKS);
    *decisions = 0;
    wire_put_fixed32(decisions + 1, journal_file_checksum(bytes + turn + 1, bytes[turn]));
    journal_sample_store(path, bytes, at);
    expect(verify("none", path, &turns, &err) == -1 && turns == 1);
    expect(strstr(err.text, "decision 1: the journal has nothing more, the brain decides launch"));
    expect(strstr(err.text, " of attempt 0/0/0/0 on node "));
    unlink(path);
}

/* An event was changed and the checksum made right again. */
TEST(journal_verify_objects_to_an_event_that_no_body_tells)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t turns = 0;
    journal_sample_path(path, "changed");
    run_toy("none", path);
    size_t length = journal_sample_load(path, bytes), at = JOURNAL_HEADER_BYTES;
    while (bytes[at + 1] != RECORD_EVENT || bytes[at + 2] != EV_ATTEMPT_STARTED)
        at += 1u + bytes[at] + JOURNAL_CHECKSUM_BYTES;
    bytes[at + 3] ^= 1; /* of another job */
    wire_put_fixed32(bytes + at + 1 + bytes[at], journal_file_checksum(bytes + at + 1, bytes[at]));
    journal_sample_store(path, bytes, length);
    expect(verify("none", path, &turns, &err) == -1 && err.kind == ERR_INPUT);
    expect(strstr(err.text, path) && strstr(err.text, ": record ") &&
           strstr(err.text, ": the attempt is unknown"));
    unlink(path);
}

/* Journals of version 2 called every read of a whole phase shared. They are compared without that,
 * but everything else must agree. */
TEST(journal_verify_of_version_2_leaves_out_who_shares)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    enum { SOURCE_TASK = 4, EXCLUSIVE = 12 }; /* bytes from the source on; its id is below 128 */
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t turns = 0;
    journal_sample_path(path, "older");
    run_toy("none", path);
    journal_sample_age(path, 3);
    size_t length = journal_sample_load(path, bytes), at = JOURNAL_HEADER_BYTES;
    while (bytes[at + 1] != RECORD_DECISION || bytes[at + 2] != DO_ASSIGN_READ)
        at += 1u + bytes[at] + JOURNAL_CHECKSUM_BYTES;
    unsigned char *source = bytes + at + 4 + WIRE_AT_BYTES;
    expect(source[SOURCE_TASK] == 0xff && source[EXCLUSIVE] == 1);
    source[EXCLUSIVE] = 0;
    wire_put_fixed32(bytes + at + 1 + bytes[at], journal_file_checksum(bytes + at + 1, bytes[at]));
    length -= 1u + 1 + 8 + JOURNAL_CHECKSUM_BYTES; /* END, whose digest is another now */
    journal_sample_store(path, bytes, length);
    expect(verify("none", path, &turns, &err) == -1 && strstr(err.text, "assign_read"));
    journal_file_header(bytes, 2);
    journal_sample_store(path, bytes, length);
    expect(verify("none", path, &turns, &err) == 0 && turns > MAP_TASKS);

    source[SOURCE_TASK] = 0; /* but whom it reads is compared */
    wire_put_fixed32(bytes + at + 1 + bytes[at], journal_file_checksum(bytes + at + 1, bytes[at]));
    journal_sample_store(path, bytes, length);
    expect(verify("none", path, &turns, &err) == -1 && strstr(err.text, "assign_read"));
    unlink(path);
}

/* Before version 4 jobs had no application and a run was about nothing. */
TEST(journal_verify_of_version_3)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t turns = 0;
    journal_sample_path(path, "three");
    run_toy(cloning, path);
    size_t now = journal_sample_load(path, bytes);
    journal_sample_age(path, 3);
    size_t then = journal_sample_load(path, bytes);
    expect(then == now - 2 - 1); /* "" of the run, none of the job */
    expect(verify(cloning, path, &turns, &err) == 0 && turns > MAP_TASKS);
    journal_file_header(bytes, 4);
    journal_sample_store(path, bytes, then);
    expect(verify(cloning, path, &turns, &err) != 0 && strstr(err.text, "a record is invalid"));
    unlink(path);
}

TEST(journal_verify_cut_anywhere)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    struct err err;
    uint64_t turns = 0, last = 0;
    journal_sample_path(path, "torn");
    run_toy(cloning, path);
    size_t length = journal_sample_load(path, bytes);
    size_t run = JOURNAL_HEADER_BYTES + 1u + bytes[JOURNAL_HEADER_BYTES] + JOURNAL_CHECKSUM_BYTES;
    for (size_t cut = run; cut <= length; cut++) {
        journal_sample_store(path, bytes, cut);
        expect(verify(cloning, path, &turns, &err) == 0 && turns >= last);
        last = turns;
    }
    expect(last > MAP_TASKS);
    unlink(path);
}
