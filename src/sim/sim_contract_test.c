/* sim_contract_test.c - the body's side of the contract under all lags and faults at once.
 *
 * A fool takes the brain's place: it launches, kills, withdraws, commits, reads, replicates and
 * discards at random, sensible or not, and now and then asks for things that cannot be. It keeps
 * its own books of what it asked and what it was told, and every event is held against them: each
 * launch is answered once, each start has one end, nothing is reported of the dead, every request
 * that has an answer gets it, and the run ends. The fool's dice are keyed by the seed, so a failure
 * can be repeated. */
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

enum { NODES = 5, SLOTS = 2, JOBS = 6, PHASES = 2, TASKS = 5 };

enum fool_life { LAUNCHED, RUNS, ENDED, HAS_OUTPUT };

struct fool_entry {
    struct attempt_ref at;
    uint32_t node;
    enum fool_life life;
    int64_t started_us;
    bool ready; /* output_ready came in this batch */
    bool kill_asked, commit_asked;
    uint32_t before; /* of the attempts of its task, the one before it: its index + 1; 0: none */
};

struct fool {
    struct sim_stage st;
    struct rng dice;
    VEC(struct fool_entry) entries;
    uint32_t last[JOBS][PHASES][TASKS]; /* entry of the last attempt, its index + 1; 0: none */
    uint16_t launched[JOBS][PHASES][TASKS];
    uint16_t winner[JOBS][PHASES][TASKS]; /* committed attempt + 1; 0: none */
    bool submitted[JOBS], over[JOBS], up[NODES];
    uint32_t held[NODES]; /* attempts */
    int64_t decided_us;
    uint32_t seen[EV_TYPE_END];
    uint64_t digest;
    bool lags, broken;
};

static void must(struct fool *f, bool ok, const char *what)
{
    if (!ok && !f->broken) /* one line for each run is enough */
        test_expect(false, __FILE__, (int)f->st.seed, what);
    f->broken |= !ok;
}

static bool roll(struct fool *f, uint64_t percent)
{
    return rng_below(&f->dice, 100) < percent;
}

static struct fool_entry *find(struct fool *f, struct attempt_ref at)
{
    for (uint32_t i = f->last[at.job.v][at.phase][at.task]; i > 0; i = f->entries.at[i - 1].before)
        if (f->entries.at[i - 1].at.attempt == at.attempt)
            return &f->entries.at[i - 1];
    return NULL;
}

/* ---- what is told ---- */

static void told_attempt(struct fool *f, const struct event *e)
{
    struct fool_entry *x = find(f, e->at);
    must(f, x != NULL && x->node == e->node.v, "an attempt that was launched, on its node");
    if (!x)
        return;
    if (e->type == EV_ATTEMPT_STARTED || e->type == EV_ATTEMPT_LAUNCH_FAILED) {
        must(f, x->life == LAUNCHED, "a launch is answered once");
        must(f, e->type != EV_ATTEMPT_STARTED || f->up[x->node], "nothing starts on a dead node");
        x->life = e->type == EV_ATTEMPT_STARTED ? RUNS : ENDED;
        x->started_us = f->st.batch.now_us;
    } else if (e->type == EV_ATTEMPT_PROGRESS) {
        must(f, x->life == RUNS, "only what runs reports");
        must(f, e->u.progress.done >= 0 && e->u.progress.done <= e->u.progress.total, "progress");
    } else if (e->type == EV_OUTPUT_READY) {
        must(f, x->life == RUNS && e->at.phase == 0, "outputs that somebody reads become ready");
        x->ready = true;
    } else {
        must(f, x->life == RUNS, "a start has one end");
        must(f, e->type != EV_ATTEMPT_KILLED || x->kill_asked, "killed only if asked");
        must(f, e->u.use.wall_us == f->st.batch.now_us - x->started_us, "wall time");
        bool finished = e->type == EV_ATTEMPT_FINISHED, over = f->over[e->at.job.v];
        must(f, x->ready == (finished && e->at.phase == 0 && !over), "ready just before finished");
        x->ready = false;
        x->life = finished && !over ? HAS_OUTPUT : ENDED;
    }
    if (x->life >= ENDED && e->type != EV_ATTEMPT_PROGRESS)
        f->held[x->node]--;
}

static void told_output(struct fool *f, const struct event *e)
{
    struct fool_entry *x = find(f, e->at);
    must(f, x && x->life == HAS_OUTPUT, "an output that is there");
    if (!x)
        return;
    uint16_t *winner = &f->winner[e->at.job.v][e->at.phase][e->at.task];
    if (e->type == EV_OUTPUT_LOST) {
        must(f, e->at.phase == 0 && !f->over[e->at.job.v], "durable outputs are not lost");
        if (*winner == e->at.attempt + 1)
            *winner = 0;
        if (!x->commit_asked) /* else its answer follows */
            x->life = ENDED;
        return;
    }
    must(f, x->commit_asked, "committed only if asked, and answered once");
    x->commit_asked = false;
    if (e->type == EV_COMMITTED) {
        must(f, *winner == 0, "a task is committed once");
        *winner = (uint16_t)(e->at.attempt + 1);
    } else if (e->cause != CAUSE_INJECTED) {
        x->life = ENDED;
    }
}

static void told(struct fool *f, const struct event *e)
{
    f->seen[e->type]++;
    uint64_t word = (uint64_t)e->type << 56 | (uint64_t)e->cause << 48 |
                    (uint64_t)e->at.attempt << 32 | e->at.task;
    struct rng r =
        rng_stream(f->digest, RNG_TEST, word, e->at.job.v, e->node.v, (uint64_t)f->st.batch.now_us);
    f->digest = rng_u64(&r);

    switch (e->type) {
    case EV_NODE_UP:
        must(f, !f->up[e->node.v] && f->held[e->node.v] == 0, "an empty node returns");
        f->up[e->node.v] = true;
        break;
    case EV_NODE_DOWN:
        must(f, f->up[e->node.v], "a node fails once");
        f->up[e->node.v] = false;
        break;
    case EV_JOB_SUBMITTED:
        must(f, !f->submitted[e->at.job.v], "a job comes once");
        f->submitted[e->at.job.v] = true;
        break;
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_PROGRESS:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
    case EV_OUTPUT_READY:
        told_attempt(f, e);
        break;
    case EV_OUTPUT_LOST:
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
        told_output(f, e);
        break;
    case EV_REFUSED:
        must(f, e->u.refused.decision > 0 && e->u.refused.decision <= f->st.decisions, "refused");
        if (e->u.refused.decision_type == DO_COMMIT && find(f, e->at)) {
            must(f, find(f, e->at)->commit_asked, "a commit is answered once");
            find(f, e->at)->commit_asked = false;
        }
        break;
    default:
        break;
    }
}

/* ---- what is asked ---- */

static void launch(struct fool *f, struct attempt_ref at)
{
    uint32_t node = (uint32_t)rng_below(&f->dice, NODES);
    if (f->up[node] ? f->held[node] == SLOTS : !roll(f, 5))
        return;
    at.attempt = f->launched[at.job.v][at.phase][at.task]++;
    uint32_t *last = &f->last[at.job.v][at.phase][at.task];
    vec_push(&f->entries, ((struct fool_entry){.at = at, .node = node, .before = *last}));
    *last = f->entries.count;
    f->held[node]++;
    stage_launch(&f->st, at, node);
    if (at.phase == 1)
        stage_read(&f->st, at, (struct attempt_ref){.job = at.job, .task = TASK_ALL});
}

/* Mostly where it makes sense; elsewhere it will be refused, which answers it too. */
static void commit(struct fool *f, struct fool_entry *x)
{
    if (x->commit_asked || (f->winner[x->at.job.v][x->at.phase][x->at.task] && !roll(f, 10)))
        return;
    x->commit_asked = true;
    stage_ask(&f->st, DO_COMMIT, x->at);
}

/* Something, perhaps stupid, about an attempt. */
static void meddle(struct fool *f, struct fool_entry *x)
{
    struct attempt_ref at = x->at;
    switch (rng_below(&f->dice, 6)) {
    case 0:
        stage_ask(&f->st, DO_WITHDRAW, at);
        break;
    case 1:
        x->kill_asked = true;
        stage_ask(&f->st, DO_KILL, at);
        break;
    case 2:
        stage_replicate(&f->st, at, (uint32_t)rng_below(&f->dice, NODES));
        break;
    case 3:
        /* Without lags a commit just asked for has happened, though nobody has told the fool. */
        if (x->life == HAS_OUTPUT && !f->winner[at.job.v][at.phase][at.task] &&
            (f->lags || !x->commit_asked)) {
            stage_ask(&f->st, DO_DISCARD_OUTPUT, at);
            if (!x->commit_asked)
                x->life = ENDED;
        }
        break;
    case 4:
        at.attempt = (uint16_t)(f->launched[at.job.v][at.phase][at.task] + 5);
        stage_ask(&f->st, roll(f, 50) ? DO_KILL : DO_COMMIT, at);
        break;
    default:
        stage_do(&f->st,
                 (struct decision){.type = DO_SET_TIMER,
                                   .u.timer = {.id = (uint32_t)rng_below(&f->dice, 4),
                                               .at_us = f->st.batch.now_us +
                                                        (int64_t)rng_below(&f->dice, 5000)}});
    }
}

static bool task_live(const struct fool *f, struct attempt_ref at)
{
    for (uint32_t i = f->last[at.job.v][at.phase][at.task]; i > 0; i = f->entries.at[i - 1].before)
        if (f->entries.at[i - 1].life <= RUNS)
            return true;
    return false;
}

static void end_job(struct fool *f, uint32_t j)
{
    bool done = true;
    for (uint32_t t = 0; t < TASKS; t++)
        done &= f->winner[j][PHASES - 1][t] > 0;
    if (!done && !(f->st.batch.now_us > 40 * 1000 && roll(f, 1)))
        return;
    stage_ask(&f->st, done ? DO_JOB_DONE : DO_JOB_FAILED, stage_ref(j, 0, 0, 0));
    f->over[j] = true;
}

/* Once for each instant: a fool who always answers an answer would make time stand still. */
static void decide(struct fool *f)
{
    if (f->st.batch.now_us == f->decided_us)
        return;
    f->decided_us = f->st.batch.now_us;
    for (uint32_t j = 0; j < JOBS; j++) {
        if (!f->submitted[j] || f->over[j])
            continue;
        for (uint16_t p = 0; p < PHASES; p++)
            for (uint32_t t = 0; t < TASKS; t++) {
                struct attempt_ref at = stage_ref(j, p, t, 0);
                if (!f->winner[j][p][t] && (!task_live(f, at) || roll(f, 10)))
                    launch(f, at);
            }
    }
    for (uint32_t i = 0; i < f->entries.count; i++) {
        struct fool_entry *x = &f->entries.at[i];
        if (f->over[x->at.job.v] && x->life > RUNS)
            continue;
        if (roll(f, x->life == HAS_OUTPUT ? 50 : 1))
            commit(f, x);
        if (roll(f, x->life == ENDED ? 1 : 6))
            meddle(f, x);
    }
    for (uint32_t j = 0; j < JOBS; j++)
        if (f->submitted[j] && !f->over[j])
            end_job(f, j);
}

/* ---- the run ---- */

static void all_faults(struct cluster *c)
{
    c->luck = (struct luck){.startup_us = 100,
                            .noise = 0.3,
                            .slow_p = 0.1,
                            .slow_factor = 4,
                            .stall_p = 0.1,
                            .stall_us = 2000,
                            .stall_noise = 0.5,
                            .stall_at = 1,
                            .bad_share = 0.2,
                            .bad_factor = 3,
                            .good_factor = 0.5,
                            .window_us = 10000};
    c->faults = (struct faults){.node_mtbf_us = 20000,
                                .node_repair_us = 4000,
                                .attempt_fail_p = 0.1,
                                .launch_fail_p = 0.1,
                                .commit_fail_p = 0.1,
                                .nondeterministic_p = 0.2,
                                .kill_lag_us = 500,
                                .launch_lag_us = 500,
                                .commit_lag_us = 500,
                                .report_lag_us = 500,
                                .report_every_us = 300,
                                .report_loss_p = 0.1};
}

/* Runs a fool to the end. `lags` off: all answers at once, so that many share an instant. */
static void fool_run(struct fool *f, uint64_t seed, bool lags)
{
    static const struct stage_phase phases[PHASES] = {
        {.tasks = TASKS, .size_us = 1000, .output_bytes = 10, .input_bytes = 10000},
        {.tasks = TASKS, .size_us = 2000, .reads = true}};
    memset(f, 0, sizeof *f);
    stage_init(&f->st, NODES, SLOTS);
    f->st.seed = seed;
    f->st.reports = true;
    f->dice = rng_stream(seed, RNG_TEST, 0, 0, 0, 0);
    all_faults(f->st.cluster);
    f->lags = lags;
    if (!lags) {
        struct faults *faults = &f->st.cluster->faults;
        faults->kill_lag_us = faults->launch_lag_us = faults->commit_lag_us = 0;
        faults->report_lag_us = 0;
        f->st.cluster->luck.noise = 0;
    }
    for (uint32_t j = 0; j < JOBS; j++)
        stage_job(&f->st, j * 1500, phases, PHASES);

    f->decided_us = -1;
    stage_start(&f->st);
    int answer = 1;
    for (uint32_t turn = 0; answer == 1 && turn < 100000; turn++) {
        for (uint32_t i = 0; i < f->st.batch.count; i++)
            told(f, &f->st.batch.at[i]);
        decide(f);
        int64_t before = f->st.batch.now_us;
        answer = stage_wait(&f->st);
        must(f, answer != 1 || f->st.batch.now_us >= before, "time does not go back");
    }
    must(f, answer == 0, "the run ends");
    for (uint32_t i = 0; i < f->entries.count; i++) {
        must(f, f->entries.at[i].life >= ENDED, "every launch and every start has its end");
        must(f, !f->entries.at[i].commit_asked, "every commit is answered");
    }
    for (uint32_t j = 0; j < JOBS; j++)
        must(f, f->over[j], "every job came and went");
}

static void fool_fini(struct fool *f)
{
    vec_free(&f->entries);
    stage_fini(&f->st);
}

TEST(sim_contract_holds_under_all_lags_and_faults)
{
    static const uint8_t events[] = {
        EV_NODE_DOWN,      EV_ATTEMPT_LAUNCH_FAILED, EV_ATTEMPT_PROGRESS, EV_ATTEMPT_FAILED,
        EV_ATTEMPT_KILLED, EV_ATTEMPT_LOST,          EV_OUTPUT_READY,     EV_OUTPUT_LOST,
        EV_FETCH_DONE,     EV_FETCH_FAILED,          EV_REPLICA_DONE,     EV_REPLICA_FAILED,
        EV_COMMITTED,      EV_COMMIT_FAILED,         EV_REFUSED,          EV_TIMER};
    static struct fool f;
    uint32_t seen[EV_TYPE_END] = {0};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        fool_run(&f, seed, seed % 4 != 0);
        for (uint32_t t = 0; t < EV_TYPE_END; t++)
            seen[t] += f.seen[t];
        fool_fini(&f);
    }
    for (uint32_t i = 0; i < sizeof events; i++)
        expect(seen[events[i]] > 100); /* or the test tests nothing */
}

TEST(sim_contract_same_seed_same_events)
{
    static struct fool f;
    uint64_t digests[3];
    for (uint64_t i = 0; i < 3; i++) {
        fool_run(&f, 1000 + i / 2, true);
        digests[i] = f.digest;
        fool_fini(&f);
    }
    expect(digests[0] == digests[1]);
    expect(digests[0] != digests[2]);
}
