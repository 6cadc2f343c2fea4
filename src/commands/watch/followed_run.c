/* followed_run.c - the account of a run that goes on.
 *
 * The reader of the journal asks at its end whether more may come (journal_reader.h). That is where
 * everything else happens: drawing, serving, waiting. So there is one thread, the account never
 * changes under a reader of it, and a run of a day costs no more memory than the jobs that are not
 * over.
 *
 * Rejected: reading the journal anew for each picture. It is what `dolly report` does, and costs a
 * second for each hundred megabytes. */
#include "commands/watch/followed_run.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "commands/report/export.h"
#include "exec/folder/run_lock.h"
#include "record/journal/journal_file.h"

enum {
    LOOK_EVERY_TURNS = 512, /* at the clock */
    PAUSE_EVERY_US = 200000,
    AGAIN_MAX_US = 1000000, /* wait before a journal is read anew */
};

/* ---- what is counted ---- */

static void see_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    struct followed_run *f = ctx;

    f->launched[d->kind]++;
    struct live_attempt *a = follow_keep(f->account, p, d->at.attempt);
    a->kind = d->kind;
    a->node = d->node.v;
}

/* Something came from a node. */
static void note_seen(struct followed_run *f, uint32_t node)
{
    if (node >= NODES_MAX)
        return;
    while (f->seen_us.count <= node)
        vec_push(&f->seen_us, -1);
    f->seen_us.at[node] = f->account->now_us;
}

static void see_ended(void *ctx, const struct live_place *p, const struct event *e,
                      const struct live_attempt *a)
{
    struct followed_run *f = ctx;

    (void)p;
    f->ended[a->kind][attempt_log_fate(e->type)]++;
    if (e->type != EV_ATTEMPT_LOST && e->type != EV_ATTEMPT_LAUNCH_FAILED)
        note_seen(f, a->node);
}

static void see_won(void *ctx, const struct live_place *p, const struct event *e,
                    const struct live_attempt *a)
{
    struct followed_run *f = ctx;

    (void)p, (void)e;
    if (!a || f->ended[a->kind][FATE_SPARE] == 0)
        return;
    f->ended[a->kind][FATE_SPARE]--;
    f->ended[a->kind][FATE_WON]++;
}

/* Notes the node from which an event came; that a node is down or silent is said by others. */
static void see_sender(struct followed_run *f, const struct event *e)
{
    const struct live_attempt *a;

    switch (e->type) {
    case EV_NODE_UP:
    case EV_PRESSURE:
        note_seen(f, e->node.v);
        break;
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_PROGRESS:
    case EV_ATTEMPT_ENDED:
    case EV_OUTPUT_READY:
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
        if ((a = follow_attempt(f->account, e->at)))
            note_seen(f, a->node);
        break;
    default:
        break;
    }
}

static void see_event(void *ctx, const struct event *e)
{
    struct followed_run *f = ctx;

    see_sender(f, e);
    if (!event_is_node(e->type) || e->type == EV_NODE_CAPACITY || e->node.v >= NODES_MAX)
        return;
    while (f->nodes.count <= e->node.v)
        vec_push(&f->nodes, 0);
    f->nodes.at[e->node.v] = e->type;
}

static void see_decision(void *ctx, const struct decision *d)
{
    struct followed_run *f = ctx;

    if (d->type == DO_VERDICT && d->why.code < WHY_CODE_END)
        f->verdicts[d->why.code]++;
}

static void see_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    struct followed_run *f = ctx;

    (void)spec;
    f->jobs_end = (uint64_t)j->id.v + 1;
}

static void turn_ends(void *ctx)
{
    struct followed_run *f = ctx;
    const struct follow *a = f->account;

    f->capacity_slots = res_sum_slots(&a->kinds, &a->capacity.sum);
    f->held_slots = res_sum_slots(&a->kinds, &a->held);
    f->extra_slots = res_sum_slots(&a->kinds, &a->extra);
    f->kinds = a->kinds;
    f->extra_share = res_sum_dominant(&a->extra, &a->capacity.sum);
}

static void subscribe(void *ctx, struct follow *account)
{
    static const struct follow_hooks hooks = {.turn_end = turn_ends,
                                              .submitted = see_submitted,
                                              .launched = see_launched,
                                              .ended = see_ended,
                                              .won = see_won,
                                              .event = see_event,
                                              .decision = see_decision};
    struct followed_run *f = ctx;

    f->account = account;
    follow_subscribe(account, f, &hooks);
    if (!f->keeps)
        return;
    read_run_begin(&f->report, f->path, account);
    news_begin(&f->news, account, &f->input.turns);
}

/* A job is forgotten. */
static void see_job(void *ctx, const struct explain *x)
{
    struct followed_run *f = ctx;

    if (f->keeps)
        read_run_job(&f->report, x);
    phase_sums_job(&f->phases, x);
    while (f->times.count < f->phases.v.count)
        vec_push(&f->times, ((struct time_buckets){0}));
    for (uint16_t k = 0; k < x->job->phase_count; k++) {
        const struct phase_sum *sum = phase_sums_find(&f->phases, x->job->phases[k].name);
        if (sum)
            time_buckets_phase(&f->times.at[sum - f->phases.v.at], &x->job->phases[k]);
    }
    failures_job(&f->failures, x);
    if (x->job->over_us >= 0 && !x->job->failed)
        time_buckets_add(&f->job_times[job_bin(x->job->tasks) - 1],
                         (double)(x->job->over_us + x->job->wrapup_us - x->job->arrived_us) / 1e6);
}

/* ---- reading ---- */

static bool pause_now(struct followed_run *f, bool idle)
{
    if (f->pause && !f->pause->pause(f->pause->ctx, idle))
        f->stopped = true;
    f->paused_us = clock_now_us();
    return !f->stopped;
}

/* A long journal is read for a while: its watcher must not wait for all of it. */
static void see_turn(void *ctx)
{
    struct followed_run *f = ctx;

    if (f->input.turns % LOOK_EVERY_TURNS == 0 && f->pause && !f->stopped &&
        clock_now_us() - f->paused_us > PAUSE_EVERY_US)
        pause_now(f, false);
}

/* At the end of the file: more of it is awaited while it is the same file and the run lives. */
static bool more(void *ctx)
{
    struct followed_run *f = ctx;

    if (!f->pause || f->stopped)
        return false;
    off_t before = f->file.size;
    if ((f->change = tail_file_look(&f->file)) != TAIL_SAME)
        return false;
    if (f->file.size > before) /* it has grown since */
        return true;
    f->reached = true;
    if (followed_run_state(f) == FOLLOWED_INTERRUPTED) { /* its last words may have come since */
        f->change = tail_file_look(&f->file);
        return f->change == TAIL_SAME && f->file.size > before;
    }
    return pause_now(f, true);
}

static void forget(struct followed_run *f)
{
    if (f->open)
        explain_open_end(&f->input);
    f->open = false;
    f->account = NULL;
    f->jobs_end = 0;
    read_run_fini(&f->report);
    f->report = (struct read_run){0};
    news_fini(&f->news);
    phase_sums_fini(&f->phases);
    failures_fini(&f->failures);
    vec_clear(&f->times);
    vec_clear(&f->nodes);
    vec_clear(&f->seen_us);
    f->phases = (struct phase_sums){0};
    f->failures = (struct failures){0};
    memset(f->launched, 0, sizeof f->launched);
    memset(f->ended, 0, sizeof f->ended);
    memset(f->verdicts, 0, sizeof f->verdicts);
    memset(f->job_times, 0, sizeof f->job_times);
}

/* Reads until there is nothing more. Returns 0, or -1 with *err. */
static int read_once(struct followed_run *f, struct err *err)
{
    struct journal_follow follow = {f, more};
    struct explain_watch watch = {
        .ctx = f, .begin = subscribe, .job = see_job, .follow = &follow, .turn = see_turn};

    forget(f);
    f->change = TAIL_SAME;
    if (tail_file_init(&f->file, f->path, err) < 0)
        return -1;
    while (f->pause && f->file.size < JOURNAL_HEADER_BYTES && more(f))
        continue;
    if (f->stopped)
        return err_set(err, "journal %s: has no records yet", f->path);
    f->open = true;
    f->reached = !f->pause;
    f->paused_us = clock_now_us();
    int rc = explain_open(&f->input, f->path, NULL, &watch, err);
    if (rc == 0) {
        f->account = NULL;
        f->report.gather.follow = NULL;
        f->held_slots = f->extra_slots = f->extra_share = 0; /* nothing of it runs any more */
    }
    if (rc < 0 && f->change == TAIL_SAME && f->pause) /* what looks like damage may be a cut */
        f->change = tail_file_look(&f->file);
    return rc;
}

/* Waits before the journal is read anew, in proportion to what that costs. */
static bool wait_again(struct followed_run *f, int64_t took_us)
{
    int64_t wait_us = 10 * took_us < AGAIN_MAX_US ? 10 * took_us : AGAIN_MAX_US;
    int64_t end_us = clock_now_us() + wait_us;

    do {
        if (f->open && !pause_now(f, true))
            return false;
    } while (clock_now_us() < end_us);
    return true;
}

int followed_run_read(struct followed_run *f, const struct followed_pause *pause, struct err *err)
{
    int rc;

    f->pause = pause;
    f->over = false;
    for (;;) {
        int64_t begun_us = clock_now_us();
        rc = read_once(f, err);
        if (f->stopped || f->change == TAIL_GONE)
            break;
        if (f->change != TAIL_SAME) {
            f->resets++;
            if (pause && pause->reset)
                pause->reset(pause->ctx, tail_file_words(f->change));
        } else if (!f->input.grown || !wait_again(f, clock_now_us() - begun_us)) {
            break;
        }
    }
    if (f->change == TAIL_GONE)
        rc = err_set(err, "journal %s: is gone", f->path);
    if (f->input.grown && f->stopped)
        rc = 0;
    f->over = rc == 0 && !f->stopped;
    return rc;
}

bool followed_run_goes_on(struct followed_run *f)
{
    off_t before = f->file.size;
    enum tail_change change = tail_file_look(&f->file);

    if (change == TAIL_GONE || (change == TAIL_SAME && f->file.size == before))
        return false;
    f->resets++;
    return true;
}

int followed_run_init(struct followed_run *f, const char *name, struct err *err)
{
    *f = (struct followed_run){.path = explain_open_path(name, err)};
    return f->path ? 0 : -1;
}

void followed_run_fini(struct followed_run *f)
{
    forget(f);
    vec_free(&f->times);
    vec_free(&f->nodes);
    vec_free(&f->seen_us);
    mem_free(f->path);
}

/* ---- answers ---- */

/* Returns true if the journal lies in the folder of a run that no process works in. */
static bool is_left(const struct followed_run *f)
{
    struct path folder = explain_folder(f->path);

    return *folder.text && run_lock_is_stale(folder.text);
}

enum followed_state followed_run_state(const struct followed_run *f)
{
    if (f->open && f->input.x.complete) {
        const struct story_run *r = f->input.x.run;
        return r->failed + r->tasks_failed > 0 ? FOLLOWED_FAILED : FOLLOWED_DONE;
    }
    if (f->open && !f->reached && !f->over)
        return FOLLOWED_READING;
    bool left = f->pause && f->over; /* what a resumed run writes has not been read yet */
    if (left || is_left(f))
        return FOLLOWED_INTERRUPTED;
    return tail_file_age_us(&f->file) > FOLLOWED_SILENT_S * INT64_C(1000000) ? FOLLOWED_SILENT
                                                                             : FOLLOWED_RUNNING;
}

const char *followed_run_state_name(enum followed_state state)
{
    static const char *const names[] = {"running",     "done",   "failed",
                                        "interrupted", "silent", "reading"};
    return names[state];
}

const char *followed_run_end_name(enum attempt_fate end)
{
    return end == FATE_SPARE ? "finished" : export_fate((uint8_t)end);
}

int64_t followed_run_now_us(const struct followed_run *f)
{
    int64_t last_us = f->open ? f->input.x.run->last_us : 0;
    enum followed_state state = followed_run_state(f);
    bool goes_on = state == FOLLOWED_RUNNING || state == FOLLOWED_SILENT;

    return f->open && goes_on && !explain_is_simulated(&f->input.x)
               ? last_us + tail_file_age_us(&f->file)
               : last_us;
}

double followed_run_extra_limit(const struct followed_run *f)
{
    const struct gather *g = &f->report.gather;

    return g->series && gather_limits_clones(f->input.x.policy)
               ? g->series->value[GATHER_CLONES_MAX] / 100
               : 0;
}

struct open_jobs {
    const struct followed_run *f;
    void *ctx;
    void (*see)(void *ctx, const struct explain *x);
};

static void see_open(void *ctx, const struct story_job *j, const struct story_facts *facts)
{
    const struct open_jobs *o = ctx;
    struct explain x = o->f->input.x;

    x.job = j;
    x.namesakes = 1;
    x.facts = *facts; /* borrowed */
    o->see(o->ctx, &x);
}

void followed_run_open_jobs(const struct followed_run *f, void *ctx,
                            void (*see)(void *ctx, const struct explain *x))
{
    struct open_jobs o = {f, ctx, see};

    if (f->open)
        story_each_open(f->input.story, (struct story_listener){&o, see_open});
}

bool followed_run_open_job(const struct followed_run *f, uint32_t job, void *ctx,
                           void (*see)(void *ctx, const struct explain *x))
{
    struct open_jobs o = {f, ctx, see};

    return f->open && story_one_open(f->input.story, (struct job_id){job},
                                     (struct story_listener){&o, see_open});
}
