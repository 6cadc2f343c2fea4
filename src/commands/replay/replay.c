/* replay.c - reads a journal once: what it counts as, and all that a simulation of it needs.
 *
 * Luck is gone from the cluster that is simulated, for it is in the times of the attempts. Of a
 * simulated run everything else stays: the answers are as late as they were, drawn with the same
 * keys, so the recorded policy decides as it did, turn by turn. Of a real run, commits and kills
 * take up to twice their mean. */
#include "commands/replay/replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/journal/journal_play.h"
#include "record/journal/journal_reader.h"
#include "record/stats/follow.h"

/* The rule for what was cut short, as traces have it (docs/reference/formats/README.md). */
#define TAIL 1.8
#define TAIL_MAX 20
/* Share of all work: if more than this is guessed, what comes out is told as a bound. */
#define GUESSED_MAX (1.0 / 3)

void replay_destroy(struct replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->truths.count; i++)
        replay_times_free(&r->truths.at[i]);
    vec_free(&r->truths);
    vec_free_each(&r->notes);
    vec_free(&r->times.done.us);
    replay_log_fini(&r->log);
    about_free(&r->about);
    cluster_destroy(r->cluster);
    mem_free(r->cluster_name);
    mem_free(r->policy);
    mem_free(r->body);
    mem_free(r->path);
    mem_free(r);
}

bool replay_is_simulated(const struct replay *r)
{
    return !strcmp(r->body, "sim");
}

__attribute__((format(printf, 2, 3))) static void note(struct replay *r, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&r->notes, mem_strdup(text));
}

/* ---- what the journal says of the run ---- */

struct replay_reading {
    struct replay *replay;
    struct follow *follow;
};

static int take_run(void *ctx, const struct record *record, struct err *err)
{
    const struct replay_reading *x = ctx;
    struct replay *r = x->replay;
    struct err why;
    int64_t value;

    (void)err;
    r->policy = text_tame(mem_strdup(record->u.run.policy));
    r->body = text_tame(mem_strdup(record->u.run.body));
    r->seed = record->u.run.seed;
    if (!*record->u.run.about)
        note(r, "The journal has no description of the run: nodes are as policies first saw "
                "them, and answers take no time.");
    else if (about_read(record->u.run.about, "about", &r->about, &why) < 0)
        note(r,
             "The description of the run cannot be read (%s): nodes are as policies first saw "
             "them, and answers take no time.",
             why.text);
    const char *options = r->about.about.options;
    if (replay_is_simulated(r) && options) {
        if (about_option(options, "jobs", &value))
            r->jobs_max = (uint64_t)value;
        if (about_option(options, "warmup", &value))
            r->warmup_us = value;
    }
    x->follow->jobs_max = r->jobs_max;
    x->follow->warmup_us = r->warmup_us;
    return 0;
}

static int play(struct replay *r, struct err *err)
{
    struct follow *follow = follow_create(0, 0);
    struct summary *summary = summary_create(follow);
    struct replay_reading x = {r, follow};
    struct tap tap = follow_tap(follow);
    struct journal_play how = {.taps = &tap, .tap_count = 1, .ctx = &x, .run = take_run};
    struct journal_played played;

    replay_log_init(&r->log, follow);
    struct journal_reader *reader = journal_reader_open(r->path, NULL, err);
    int status = reader ? journal_play_on(reader, &how, &played, err) : -1;

    if (status == 0 && !played.begun)
        status = err_set(err, "journal %s: ends before the record of its run", r->path);
    if (status == 0) {
        r->complete = played.complete;
        r->torn_bytes = played.torn_bytes;
        r->digest = journal_reader_digest(reader);
        r->recorded = summary_result(summary);
        r->last_us = follow->now_us;
        r->events = follow->events;
    }
    journal_reader_close(reader);
    follow_destroy(follow);
    summary_destroy(summary);
    return status;
}

/* ---- the world ---- */

/* Twice the mean, because lags are drawn evenly from 0 on. */
static int64_t lag_us(const struct replay_lag *lag)
{
    return lag->count ? (int64_t)(2 * lag->sum_us / (double)lag->count) : 0;
}

static void make_answers(struct replay *r, struct cluster *c)
{
    struct cluster *plain = cluster_create();
    r->times.startup_us = c->luck.startup_us;
    c->luck = plain->luck;
    c->wires.input = 0;         /* reading input is in the times */
    c->faults.node_mtbf_us = 0; /* failures are planned */
    if (!replay_is_simulated(r)) {
        c->faults = plain->faults;
        c->wires = plain->wires;
        c->faults.commit_lag_us = lag_us(&r->log.commits);
        c->faults.kill_lag_us = lag_us(&r->log.kills);
        note(r, "A commit takes up to %.1f ms and a kill up to %.1f ms, twice the mean of the run.",
             (double)c->faults.commit_lag_us / 1e3, (double)c->faults.kill_lag_us / 1e3);
    }
    cluster_destroy(plain);
}

static void make_cluster(struct replay *r)
{
    const struct replay_world *w = &r->log.world;
    bool said = r->about.cluster && r->about.cluster->node_count == w->nodes.count;
    const char *name = said ? r->about.about.cluster_name : NULL;
    bool all_down;

    if (r->about.cluster && !said)
        note(r, "The journal describes %u nodes and has %u: nodes are as policies first saw them.",
             r->about.cluster->node_count, w->nodes.count);
    r->cluster_name = mem_strdup(name ? name : "of the journal");
    if (said) {
        r->cluster = r->about.cluster;
        r->about.cluster = NULL;
        all_down = replay_world_apply(w, r->cluster);
    } else {
        r->cluster = cluster_create();
        all_down = replay_world_build(w, r->cluster);
    }
    if (all_down)
        note(r, "All nodes were down when the journal ends; they are taken to be up again.");
    make_answers(r, r->cluster);
}

/* ---- the jobs ---- */

/* Times of all attempts, anew. */
static void make_truths(struct replay *r, bool is_bound)
{
    struct replay_times *t = &r->times;
    t->is_bound = is_bound;
    t->rule.tail_max = is_bound ? 1 : TAIL_MAX; /* else a tail is drawn that nobody has seen */
    t->cut = t->unseen = 0;
    t->cut_us = t->work_us = 0;
    t->rule.tails = t->rule.cut = 0;
    for (uint32_t i = 0; i < r->truths.count; i++)
        replay_times_free(&r->truths.at[i]);
    vec_clear(&r->truths);
    for (uint32_t j = 0; j < r->log.jobs.count; j++) {
        const struct replay_job *job = &r->log.jobs.at[j];
        for (uint16_t p = 0; p < job->spec->phase_count; p++)
            replay_times_make(t, &job->phases[p], job->spec->phases[p].tasks, j, p,
                              vec_add(&r->truths));
    }
}

static void make_times(struct replay *r)
{
    struct replay_times *t = &r->times;
    t->simulated = replay_is_simulated(r);
    t->reads = r->cluster->wires.is_simulated;
    t->last_us = r->last_us;
    t->rule = (struct recorded_rule){.tail = TAIL, .tail_max = TAIL_MAX};
    t->rule.base_us = replay_times_typical_us(t, &r->log);
    for (uint32_t j = 0; j < r->log.jobs.count; j++) {
        const struct replay_job *job = &r->log.jobs.at[j];
        r->jobs_open += !job->over;
        for (uint16_t p = 0; p < job->spec->phase_count; p++)
            r->tasks += job->spec->phases[p].tasks;
    }
    make_truths(r, false);
    if (t->cut && t->cut_us > GUESSED_MAX * t->work_us)
        make_truths(r, true);
    if (t->cut || t->unseen)
        note(r,
             "%" PRIu64 " of %" PRIu64 " attempts were cut short and %" PRIu64 " of %" PRIu64
             " tasks did "
             "not begin; their times are estimated from their reports and their phases and are "
             "%.1f %% of all work.",
             t->cut, r->log.attempts, t->unseen, r->tasks, 100 * t->cut_us / t->work_us);
    if (t->is_bound)
        note(r, "That is too much for an exact number: an interrupted attempt takes the shortest "
                "time that its reports allow, and times under other policies are lower bounds "
                "(>=).");
    if (r->jobs_open)
        note(r,
             "%u of %u jobs had not ended when the journal ends: as recorded they do not count, "
             "and in simulations they run to their end.",
             r->jobs_open, r->log.jobs.count);
}

struct replay *replay_open(const char *path, struct err *err)
{
    struct replay *r = mem_zalloc(1, sizeof *r);
    r->path = mem_strdup(path);
    int bad = play(r, err);
    if (bad == 0 && r->log.jobs.count == 0)
        bad = err_set(err, "journal %s: no job was submitted, so there is nothing to run", path);
    if (bad == 0 && r->log.world.nodes.count == 0)
        bad = err_set(err, "journal %s: has no nodes, so nothing can run", path);
    if (bad < 0) {
        replay_destroy(r);
        return NULL;
    }
    if (r->torn_bytes)
        note(r, "The last %" PRIu64 " bytes of the journal are torn off.", r->torn_bytes);
    make_cluster(r);
    make_times(r);
    return r;
}

struct replay_stream {
    struct workload workload; /* first: the stream is cast to this */
    const struct replay *replay;
    uint32_t job, phase; /* the next ones */
    uint8_t vary;
};

static struct workload_job *stream_next(struct workload *w)
{
    struct replay_stream *s = (struct replay_stream *)w;
    if (w->closed || s->job == s->replay->log.jobs.count)
        return NULL;
    const struct replay_job *is = &s->replay->log.jobs.at[s->job++];
    uint16_t phases = is->spec->phase_count;
    struct phase_truth *truths;
    struct workload_job *job = mem_zalloc(1, sizeof *job + phases * sizeof *truths);
    truths = (struct phase_truth *)(job + 1);
    for (uint16_t p = 0; p < phases; p++) {
        truths[p] = s->replay->truths.at[s->phase++];
        truths[p].vary = s->vary;
        if (s->vary == RECORDED_BYTES)
            recorded_fit(&is->spec->phases[p], &truths[p]);
    }
    *job = (struct workload_job){
        .spec = *is->spec, .submit_us = is->submit_us, .truth = truths, .memory = job};
    return job;
}

static void stream_destroy(struct workload *w)
{
    mem_free(w);
}

struct workload *replay_jobs(const struct replay *r, uint8_t vary)
{
    struct replay_stream *s = mem_zalloc(1, sizeof *s);
    *s = (struct replay_stream){
        .workload = {.name = r->path, .next = stream_next, .destroy = stream_destroy},
        .replay = r,
        .vary = vary};
    return &s->workload;
}
