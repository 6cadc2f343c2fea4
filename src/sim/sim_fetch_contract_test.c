/* sim_fetch_contract_test.c - the contract of reads, under node failures, kills and nonsense.
 *
 * A fool runs one job of two phases: it launches, commits, kills, discards and replicates at random
 * and lets readers read single outputs, all outputs, or something else. Its books say what each
 * reader has. Every answer is held against them: a read that began ends once, unless its reader
 * ended; nothing that is not there is read; nothing is read twice; nobody finishes without having
 * read everything; and the run ends. */
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

enum { NODES = 8, SLOTS = 3, MAPS = 6, REDUCES = 3, MAP_BYTES = 3000, GIVE_UP_US = 100000 };
enum { SEEDS = 100 };

enum reader_life { LAUNCHED, RUNS, ENDED, HAS_OUTPUT };

struct book {
    struct attempt_ref at;
    uint32_t node;
    enum reader_life life;
    bool committing, kill_asked;
    uint32_t has;   /* readers: bit for each map */
    bool unsure;    /* a read of all failed: it may have more */
    int64_t got_us; /* its last read ended */
};

enum ask_state { ASKED, BEGAN, OVER };

struct ask {
    uint64_t decision;
    struct attempt_ref reader, source;
    enum ask_state state;
    int64_t began_us;
};

struct reads_fool {
    struct sim_stage st;
    struct rng dice;
    struct edge_spec edge;
    VEC(struct book) books;
    VEC(struct ask) asks;
    uint16_t launched[2][MAPS];
    uint16_t winner[2][MAPS]; /* attempt + 1 */
    bool up[NODES], over, broken;
    uint32_t held[NODES];
    int64_t decided_us;
    uint32_t done, failed, refused, finished;
};

static void must(struct reads_fool *f, bool ok, const char *what)
{
    if (!ok && !f->broken)
        test_expect(false, __FILE__, (int)f->st.seed, what);
    f->broken |= !ok;
}

static bool roll(struct reads_fool *f, uint64_t percent)
{
    return rng_below(&f->dice, 100) < percent;
}

static struct book *find(struct reads_fool *f, struct attempt_ref at)
{
    for (uint32_t i = 0; i < f->books.count; i++)
        if (attempt_equal(f->books.at[i].at, at))
            return &f->books.at[i];
    return NULL;
}

/* The maps that a reduce needs, as bits. */
static uint32_t needs(const struct reads_fool *f, uint32_t reader)
{
    uint32_t bits = 0;
    for (uint32_t t = 0; t < MAPS; t++)
        if (f->edge.pattern == EDGE_ALL_TO_ALL || t * REDUCES / MAPS == reader)
            bits |= 1u << t;
    return bits;
}

/* ---- what is told ---- */

static struct ask *open_ask(struct reads_fool *f, const struct event *e)
{
    for (uint32_t i = 0; i < f->asks.count; i++) {
        struct ask *a = &f->asks.at[i];
        if (a->state != OVER && attempt_equal(a->reader, e->at) &&
            attempt_equal(a->source, e->u.fetch.source))
            return a;
    }
    return NULL;
}

static void told_done(struct reads_fool *f, const struct event *e, struct book *r, struct ask *a)
{
    bool all = a->source.task == TASK_ALL;
    must(f, a->state == BEGAN, "a read ends after it has begun");
    must(f, e->u.fetch.took_us <= f->st.batch.now_us - a->began_us, "it takes no longer than that");
    uint32_t got = needs(f, e->at.task);
    if (!all) {
        const struct book *source = find(f, a->source);
        must(f, source && source->life == HAS_OUTPUT, "what is read is there");
        must(f, !(r->has & 1u << a->source.task) || r->unsure, "nothing is read twice");
        must(f,
             e->u.fetch.bytes ==
                 (f->edge.pattern == EDGE_ALL_TO_ALL ? MAP_BYTES / REDUCES : MAP_BYTES),
             "the bytes of one output");
        got = 1u << a->source.task;
    } else {
        for (uint32_t i = 0; i < f->asks.count; i++) {
            const struct ask *other = &f->asks.at[i];
            if (other->state < OVER && other->source.task != TASK_ALL &&
                attempt_equal(other->reader, e->at))
                got &= ~(1u << other->source.task);
        }
    }
    r->has |= got;
    r->got_us = f->st.batch.now_us;
    f->done++;
}

static void told_fetch(struct reads_fool *f, const struct event *e)
{
    struct book *r = find(f, e->at);
    struct ask *a = open_ask(f, e);
    must(f, r && a && (r->life == RUNS || (r->life == LAUNCHED && e->type == EV_FETCH_FAILED)),
         "a read that somebody alive has asked for");
    if (!r || !a)
        return;
    if (e->type == EV_FETCH_STARTED) {
        must(f, a->state == ASKED, "a read begins once");
        a->state = BEGAN;
        a->began_us = f->st.batch.now_us;
        return;
    }
    if (e->type == EV_FETCH_DONE) {
        told_done(f, e, r, a);
    } else {
        const struct book *source = find(f, a->source);
        must(f, e->cause == CAUSE_JOB_OVER || !source || source->life != HAS_OUTPUT,
             "a read of something that is there does not fail");
        r->unsure |= a->source.task == TASK_ALL;
        f->failed++;
    }
    a->state = OVER;
}

static void told_end(struct reads_fool *f, const struct event *e, struct book *x)
{
    must(f, x->life == RUNS, "a start has one end");
    f->held[x->node]--;
    bool finished = e->type == EV_ATTEMPT_FINISHED;
    if (finished && e->at.phase == 1) {
        must(f, x->unsure || x->has == needs(f, e->at.task), "it has read everything");
        must(f, f->st.batch.now_us >= x->got_us + 1500, "and worked");
        f->finished++;
    }
    x->life = finished && !f->over ? HAS_OUTPUT : ENDED;
    for (uint32_t i = 0; i < f->asks.count; i++)
        if (attempt_equal(f->asks.at[i].reader, e->at)) {
            must(f, !finished || f->asks.at[i].state == OVER, "nothing is left to be read");
            f->asks.at[i].state = OVER;
        }
}

static void told_output(struct reads_fool *f, const struct event *e, struct book *x)
{
    uint16_t *winner = &f->winner[e->at.phase][e->at.task];
    if (e->type == EV_OUTPUT_LOST) {
        if (*winner == e->at.attempt + 1)
            *winner = 0;
        x->life = ENDED;
    } else {
        x->committing = false;
        if (e->type == EV_COMMITTED)
            *winner = (uint16_t)(e->at.attempt + 1);
    }
}

static void told(struct reads_fool *f, const struct event *e)
{
    struct book *x = find(f, e->at);
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
        f->up[e->node.v] = e->type == EV_NODE_UP;
        break;
    case EV_ATTEMPT_STARTED:
        x->life = RUNS;
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
        x->life = ENDED;
        f->held[x->node]--;
        for (uint32_t i = 0; i < f->asks.count; i++)
            if (attempt_equal(f->asks.at[i].reader, e->at))
                f->asks.at[i].state = OVER;
        break;
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        told_end(f, e, x);
        break;
    case EV_OUTPUT_LOST:
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
        told_output(f, e, x);
        break;
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        told_fetch(f, e);
        break;
    case EV_REFUSED:
        for (uint32_t i = 0; i < f->asks.count; i++)
            if (f->asks.at[i].decision == e->u.refused.decision) {
                must(f, f->asks.at[i].state != BEGAN, "what has begun is not refused");
                f->asks.at[i].state = OVER;
                f->refused++;
            }
        if (e->u.refused.decision_type == DO_COMMIT && x)
            x->committing = false;
        break;
    default:
        break;
    }
}

/* Strikes out what is over. */
static void tidy_asks(struct reads_fool *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->asks.count; i++)
        if (f->asks.at[i].state != OVER)
            f->asks.at[kept++] = f->asks.at[i];
    f->asks.count = kept;
}

/* ---- what is asked ---- */

static void launch(struct reads_fool *f, uint16_t phase, uint32_t task)
{
    uint32_t node = (uint32_t)rng_below(&f->dice, NODES);
    if (!f->up[node] || f->held[node] == SLOTS || f->launched[phase][task] > 200)
        return;
    struct attempt_ref at = stage_ref(0, phase, task, f->launched[phase][task]++);
    vec_push(&f->books, ((struct book){.at = at, .node = node}));
    f->held[node]++;
    stage_launch(&f->st, at, node);
}

static void ask_read(struct reads_fool *f, const struct book *r)
{
    struct attempt_ref source = {.task = TASK_ALL};
    if (roll(f, 70)) {
        source.task = (uint32_t)rng_below(&f->dice, MAPS);
        uint16_t launched = f->launched[0][source.task];
        uint16_t winner = f->winner[0][source.task];
        if (winner && roll(f, 90))
            source.attempt = (uint16_t)(winner - 1);
        else if (launched > 0)
            source.attempt = (uint16_t)rng_below(&f->dice, launched + 1u);
    }
    for (uint32_t i = 0; i < f->asks.count; i++) /* the books tell one from the other by name */
        if (f->asks.at[i].state != OVER && attempt_equal(f->asks.at[i].reader, r->at) &&
            attempt_equal(f->asks.at[i].source, source))
            return;
    stage_read(&f->st, r->at, source);
    vec_push(&f->asks, ((struct ask){f->st.decisions, r->at, source, ASKED, 0}));
}

static void meddle(struct reads_fool *f, struct book *x)
{
    uint16_t winner = f->winner[x->at.phase][x->at.task];
    if (x->life <= RUNS && x->at.phase == 1 && roll(f, 20))
        ask_read(f, x);
    if (x->life == RUNS && (f->over || rng_below(&f->dice, 300) == 0)) {
        x->kill_asked = true;
        stage_ask(&f->st, DO_KILL, x->at);
    }
    if (x->life != HAS_OUTPUT || f->over)
        return;
    if (!winner && !x->committing && roll(f, 50)) {
        x->committing = true;
        stage_ask(&f->st, DO_COMMIT, x->at);
    } else if (x->at.phase == 0 && !x->committing && rng_below(&f->dice, 500) == 0) {
        x->life = ENDED;
        if (winner == x->at.attempt + 1)
            f->winner[0][x->at.task] = 0;
        stage_ask(&f->st, DO_DISCARD_OUTPUT, x->at);
    } else if (x->at.phase == 0 && winner == x->at.attempt + 1 && roll(f, 3)) {
        stage_replicate(&f->st, x->at, (uint32_t)rng_below(&f->dice, NODES));
    }
}

static bool wanted(struct reads_fool *f, uint16_t phase, uint32_t task)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < f->books.count; i++) {
        const struct book *x = &f->books.at[i];
        live += x->life <= RUNS && x->at.phase == phase && x->at.task == task;
    }
    return !f->winner[phase][task] && live < 3 && roll(f, live ? 5 : 60);
}

static void decide(struct reads_fool *f)
{
    if (f->st.batch.now_us == f->decided_us)
        return;
    f->decided_us = f->st.batch.now_us;
    /* Awake in any case: it may be waiting for a good idea. */
    stage_timer(&f->st, 1, f->decided_us + 300);
    bool done = true;
    for (uint32_t t = 0; t < REDUCES; t++)
        done &= f->winner[1][t] > 0;
    if (!f->over && (done || f->decided_us > GIVE_UP_US)) {
        stage_ask(&f->st, done ? DO_JOB_DONE : DO_JOB_FAILED, stage_ref(0, 0, 0, 0));
        f->over = true;
    }
    for (uint16_t p = 0; p < 2 && !f->over; p++)
        for (uint32_t t = 0; t < (p ? REDUCES : MAPS); t++)
            if (wanted(f, p, t))
                launch(f, p, t);
    for (uint32_t i = 0; i < f->books.count; i++)
        meddle(f, &f->books.at[i]);
}

/* ---- the run ---- */

static void reads_fool_run(struct reads_fool *f, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->edge = (struct edge_spec){.pattern = seed % 3 ? EDGE_ALL_TO_ALL : EDGE_MANY_TO_ONE,
                                 .slowstart = seed % 2 ? 10 : 0};
    struct stage_phase phases[] = {
        {.tasks = MAPS, .size_us = 1000, .output_bytes = MAP_BYTES, .input_bytes = 100},
        {.tasks = REDUCES, .size_us = 1500, .reads = true, .edge = f->edge}};
    stage_init(&f->st, NODES, SLOTS);
    f->st.seed = seed;
    f->st.reports = true;
    f->dice = rng_stream(seed, RNG_TEST, 5, 0, 0, 0);
    f->st.cluster->wires = (struct wires){.is_simulated = true,
                                          .up = 2000000,
                                          .down = 3000000,
                                          .disk = 1000000,
                                          .oversubscription = 1,
                                          .background = seed % 5 ? 0 : 0.5};
    f->st.cluster->luck.startup_us = seed % 4 ? 50 : 0;
    f->st.cluster->faults = (struct faults){.node_mtbf_us = seed % 7 ? 100000 : 0,
                                            .node_repair_us = 4000,
                                            .attempt_fail_p = 0.05,
                                            .launch_fail_p = 0.05,
                                            .kill_lag_us = 200,
                                            .launch_lag_us = seed % 2 ? 200 : 0,
                                            .report_every_us = 500};
    stage_job(&f->st, 0, phases, 2);
    f->decided_us = -1;
    stage_start(&f->st);
    int answer = 1;
    for (uint32_t turn = 0; answer == 1 && turn < 100000; turn++) {
        for (uint32_t i = 0; i < f->st.batch.count; i++)
            told(f, &f->st.batch.at[i]);
        tidy_asks(f);
        decide(f);
        answer = stage_wait(&f->st);
    }
    must(f, answer == 0, "the run ends");
    for (uint32_t i = 0; i < f->books.count; i++)
        must(f, f->books.at[i].life >= ENDED, "every start has its end");
    for (uint32_t i = 0; i < f->asks.count; i++)
        must(f, f->asks.at[i].state == OVER, "every read is answered");
}

TEST(sim_fetch_contract_holds_whatever_is_asked)
{
    static struct reads_fool f;
    uint32_t done = 0, failed = 0, refused = 0, finished = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        reads_fool_run(&f, seed);
        done += f.done;
        failed += f.failed;
        refused += f.refused;
        finished += f.finished;
        vec_free(&f.books);
        vec_free(&f.asks);
        stage_fini(&f.st);
    }
    /* Or the test tests nothing. */
    expect(done > 2000 && failed > 1000 && refused > 1000 && finished > 200);
}
