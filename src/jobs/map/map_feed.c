/* map_feed.c - arguments that come while tasks run.
 *
 * `producer | dolly map command` is to start with the first line and not with the last. How many
 * tasks a job has is something that policies go by and that cannot change, so whatever one read of
 * stdin brings is a job of its own, and jobs run in the order in which they came (policy `fifo`).
 * The other files of this folder know a task by one number in the whole run, as if all were of
 * job 0.
 *
 * With --dir a job is on the disk before it is submitted (map_keep_more). A run that is resumed has
 * the jobs that were kept, and nothing more: what had not been read is gone with the pipe.
 *
 * Blocks of --pipe come in the same way where each is read once, by one attempt: a block is a job.
 * A stream may have no end, so it is read on only while few blocks wait. With --round-robin the
 * first blocks are jobs, one for each slot, and all are written to the stdin of these (deal.h).
 *
 * Where the number of tasks is needed before the first one starts, all of stdin is read first: to
 * clone, to shuffle, to fill command lines, for percentages, sums, {##} and the like. And a file as
 * stdin is there already. */
#include "jobs/map/map_feed.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs/map/map.h"
#include "jobs/streams/deal.h"

enum {
    FEED_BYTES = 1 << 16,
    FEED_AHEAD = 4, /* blocks of --pipe that wait, besides those that run */
};

static bool contains(const char *text, const char *what)
{
    return text && strstr(text, what);
}

/* Whether something asks for the number of tasks while they run. {##} has no other name. */
static bool needs_count(const struct options *o)
{
    return o->clone || o->pure || o->shuffle || o->many || o->xargs || o->replace_args ||
           o->max_args > 1 || o->max_chars || o->header || o->bar || o->eta || o->progress ||
           o->summary || o->json || o->files || o->dry_run || o->halt.percent ||
           o->resume != RESUME_NO || contains(o->command.text, "##") ||
           contains(o->tagstring, "##") || contains(o->results, "##") ||
           contains(o->out_file, "##") || contains(o->err_file, "##");
}

/* Whether a value is more than what stands before a byte. */
static bool reads_ahead(const struct options *o)
{
    return o->lines >= 0 || o->eof || o->delimiter_head[0];
}

/* Whether a block of --pipe must stay, or where it goes depends on all of them, or on slots that
 * are not ours. -N and -L are about records then. */
static bool keeps_blocks(struct options o)
{
    o.max_args = -1;
    o.replace_args = o.header = false;
    return needs_count(&o) || o.retries > 1 || (o.round_robin && o.cat) || o.dir || o.nodes ||
           o.where.spec;
}

bool map_feed_applies(const struct map *m)
{
    const struct options *o = &m->options;
    struct stat st;

    if (m->again || m->look || o->sources.count || o->array || o->pipepart || o->tee ||
        fstat(STDIN_FILENO, &st) < 0)
        return false;
    if (o->pipe ? keeps_blocks(*o) : needs_count(o) || reads_ahead(o))
        return false;
    return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(STDIN_FILENO);
}

/* Room for the ends of tasks that wait for their turn. */
static void feed_ends(struct map *m)
{
    uint32_t had = m->print.capacity;

    if (!m->options.keep_order || m->tasks <= had)
        return;
    m->print.capacity = 2 * had > m->tasks ? 2 * had : m->tasks;
    m->print.ends = mem_resize(m->print.ends, m->print.capacity, sizeof *m->print.ends);
    memset(m->print.ends + had, 0, (m->print.capacity - had) * sizeof *m->print.ends);
}

/* What is left to be dealt out. */
static int deal_goes_on(struct map *m)
{
    struct deal *d = m->blocks.deal;

    if (m->control.halting)
        deal_end(d); /* what has started gets no more */
    else
        deal_turn(d);
    m->feed.ended |= deal_is_done(d);
    return !deal_is_done(d);
}

int map_feed(void *ctx, struct err *err)
{
    struct map *m = ctx;
    uint32_t had = m->tasks;
    char bytes[FEED_BYTES];

    if (m->blocks.deal && (m->control.halting || !deal_stream_is_due(m->blocks.deal)))
        return deal_goes_on(m);
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        return err_system(err, "standard input: %s", strerror(errno));
    if (n < 0)
        return 1;
    if (m->control.halting)
        return 0; /* nothing new starts */
    int taken = m->inputs ? inputs_feed(m->inputs, bytes, (size_t)n, err)
                          : blocks_feed(&m->blocks, &m->options, bytes, (size_t)n, err);
    if (taken < 0 || plan_grow(m->plan, m->blocks.count, err) < 0)
        return -1;
    m->tasks = plan_tasks(m->plan);
    m->feed.ended = n == 0;
    feed_ends(m);
    if (mark_grow(m->mark, m->tasks, err) < 0 || map_keep_more(m, had, err) < 0)
        return -1;
    if (m->tasks > had)
        vec_push(&m->feed.firsts, had);
    map_feed_hold(m);
    if (m->blocks.deal && n == 0)
        deal_end(m->blocks.deal);
    return m->blocks.deal ? deal_goes_on(m) : n > 0;
}

static uint32_t feed_hand(const struct map *m, uint32_t task)
{
    return (uint32_t)plan_seq(m->plan, task) - 1;
}

void map_feed_started(struct map *m, uint32_t task)
{
    if (!m->blocks.deal)
        return;
    deal_started(m->blocks.deal, feed_hand(m, task));
    if (!deal_goes_on(m))
        exec_feed_end(m->exec);
}

void map_feed_over(struct map *m, uint32_t task)
{
    map_feed_hold(m);
    if (!m->blocks.deal)
        return;
    deal_left(m->blocks.deal, feed_hand(m, task));
    if (!deal_goes_on(m))
        exec_feed_end(m->exec);
}

void map_feed_hold(struct map *m)
{
    uint64_t over = m->counts.done + m->counts.failed;

    if (m->feed.arrives && !m->inputs && m->exec)
        exec_feed_hold(m->exec, m->tasks - over >= (uint64_t)m->slot_count + FEED_AHEAD);
}

uint32_t map_feed_tasks(const struct map *m, uint32_t job)
{
    if (!m->feed.arrives)
        return job == 0 ? m->tasks : 0;
    if (job >= m->feed.firsts.count)
        return 0;
    return (job + 1 < m->feed.firsts.count ? m->feed.firsts.at[job + 1] : m->tasks) -
           m->feed.firsts.at[job];
}

struct attempt_ref map_feed_from_brain(const struct map_feed *f, struct attempt_ref at)
{
    if (!f->arrives || at.job.v >= f->firsts.count)
        return at; /* or it names no attempt */
    if (at.task != TASK_ALL)
        at.task += f->firsts.at[at.job.v];
    at.job.v = 0;
    return at;
}

struct attempt_ref map_feed_to_brain(const struct map_feed *f, struct attempt_ref at)
{
    uint32_t low = 0, high = f->arrives ? f->firsts.count : 0;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (f->firsts.at[middle] <= at.task)
            low = middle;
        else
            high = middle;
    }
    if (high > 0) {
        at.job.v = low;
        at.task -= f->firsts.at[low];
    }
    return at;
}

void map_feed_name(void *ctx, struct attempt_ref *at, uint32_t *tasks)
{
    const struct map *m = ctx;

    *at = map_feed_from_brain(&m->feed, *at);
    *tasks = m->tasks;
}

void map_feed_cancel(struct map *m)
{
    exec_feed_end(m->exec);
    for (; m->feed.cancelled < m->feed.submitted; m->feed.cancelled++)
        exec_cancel(m->exec, (struct job_id){m->feed.cancelled});
}

/* ---- jobs ---- */

struct map_job {
    struct workload_job job; /* first: the block that the job owns */
    struct phase_spec phase;
    struct phase_truth truth;
};

static uint32_t take_job(struct map *m)
{
    uint32_t tasks = map_feed_tasks(m, m->feed.given);

    m->feed.given += tasks > 0;
    return tasks;
}

struct res map_feed_demand(const struct map *m)
{
    return (struct res){{[RES_CPU] = m->options.cpus, [RES_MEM] = m->options.mem}};
}

static struct workload_job *next_job(struct workload *w)
{
    struct map *m = ((struct map_workload *)(void *)w)->map;
    uint32_t tasks = w->closed ? 0 : take_job(m);

    if (tasks == 0)
        return NULL;
    struct map_job *j = mem_zalloc(1, sizeof *j);
    j->phase = (struct phase_spec){.name = "map",
                                   .tasks = tasks,
                                   .demand = map_feed_demand(m),
                                   .clone = m->cloning ? PHASE_CLONE_AUTO : PHASE_CLONE_NEVER,
                                   .failures_allowed = UINT32_MAX,
                                   .past_us = m->past.times_us,
                                   .past_count = m->past.count,
                                   .past_seen = m->past.seen,
                                   .past_straggled = m->past.straggled};
    j->job.spec = (struct job_spec){.name = "map",
                                    .user = "",
                                    .queue = "",
                                    .weight = JOB_WEIGHT_ONE,
                                    .running_max = m->array.running_max,
                                    .phases = &j->phase,
                                    .phase_count = 1};
    j->job.truth = &j->truth;
    j->job.memory = j;
    return &j->job;
}

static void keep_workload(struct workload *w)
{
    (void)w;
}

struct map_workload map_feed_workload(struct map *m)
{
    return (struct map_workload){{"map", false, next_job, keep_workload}, m};
}
