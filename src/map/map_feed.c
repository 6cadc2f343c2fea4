/* map_feed.c - arguments that come while tasks run.
 *
 * `producer | dolly map command` is to start with the first line and not with the last. How many
 * tasks a job has is something that policies go by and that cannot change, so whatever one read of
 * stdin brings is a job of its own, and jobs run in the order in which they came (policy `fifo`).
 * Here it is hidden that there are several: everybody else in this folder knows tasks by one number
 * for the whole run, as if they were all of job 0.
 *
 * With --dir a job is on the disk before it is submitted (map_keep_more). Whoever resumes has the
 * jobs that were kept, and nothing more: what had not been read is gone with the pipe.
 *
 * Where the number of tasks is needed before the first one starts, all of stdin is read first: to
 * clone, to shuffle, to fill command lines, for percentages, sums, {##} and the like. And a file as
 * stdin is there already. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map/map_state.h"

enum { FEED_BYTES = 1 << 16 };

static bool says(const char *text, const char *what)
{
    return text && strstr(text, what);
}

/* Whether something asks for the number of tasks while they run. {##} has no other name. */
static bool needs_count(const struct options *o)
{
    return o->clone || o->pure || o->shuffle || o->many || o->xargs || o->replace_args ||
           o->max_args > 1 || o->max_chars || o->header || o->bar || o->eta || o->progress ||
           o->summary || o->json || o->files || o->dry_run || o->halt.percent ||
           o->resume != RESUME_NO || says(o->command.text, "##") || says(o->tagstring, "##") ||
           says(o->results, "##") || says(o->out_file, "##") || says(o->err_file, "##");
}

/* Whether a value is more than what stands before a byte. */
static bool reads_ahead(const struct options *o)
{
    return o->lines >= 0 || o->eof || o->delimiter_head[0];
}

bool map_feeds(const struct map *m)
{
    const struct options *o = &m->options;
    struct stat st;

    if (m->again || m->look || o->sources.count || o->array || o->pipe || o->pipepart ||
        needs_count(o) || reads_ahead(o) || fstat(STDIN_FILENO, &st) < 0)
        return false;
    return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(STDIN_FILENO);
}

/* Room for the ends of tasks that wait for their turn. */
static void feed_ends(struct map *m)
{
    uint32_t had = m->ends_room;

    if (!m->options.keep_order || m->tasks <= had)
        return;
    m->ends_room = 2 * had > m->tasks ? 2 * had : m->tasks;
    m->ends_by_task = mem_resize(m->ends_by_task, m->ends_room, sizeof *m->ends_by_task);
    memset(m->ends_by_task + had, 0, (m->ends_room - had) * sizeof *m->ends_by_task);
}

int map_feed(void *ctx, struct err *err)
{
    struct map *m = ctx;
    uint32_t had = m->tasks;
    char bytes[FEED_BYTES];

    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        return err_system(err, "standard input: %s", strerror(errno));
    if (n < 0)
        return 1;
    if (m->halting)
        return 0; /* nothing new starts */
    if (inputs_feed(m->inputs, bytes, (size_t)n, err) < 0 || plan_grow(m->plan, err) < 0)
        return -1;
    m->tasks = plan_tasks(m->plan);
    m->fed_all = n == 0;
    feed_ends(m);
    if (map_mark_grow(m, err) < 0 || map_keep_more(m, had, err) < 0)
        return -1;
    if (m->tasks > had)
        vec_push(&m->firsts, had);
    return n > 0;
}

uint32_t map_feed_tasks(const struct map *m, uint32_t job)
{
    if (!m->feeding)
        return job == 0 ? m->tasks : 0;
    if (job >= m->firsts.count)
        return 0;
    return (job + 1 < m->firsts.count ? m->firsts.at[job + 1] : m->tasks) - m->firsts.at[job];
}

uint32_t map_feed_take(struct map *m)
{
    uint32_t tasks = map_feed_tasks(m, m->given);

    m->given += tasks > 0;
    return tasks;
}

struct attempt_ref map_at(const struct map *m, struct attempt_ref told)
{
    if (!m->feeding || told.job.v >= m->firsts.count)
        return told; /* or it is about nobody */
    if (told.task != TASK_ALL)
        told.task += m->firsts.at[told.job.v];
    told.job.v = 0;
    return told;
}

struct attempt_ref map_told(const struct map *m, struct attempt_ref at)
{
    uint32_t low = 0, high = m->firsts.count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->firsts.at[middle] <= at.task)
            low = middle;
        else
            high = middle;
    }
    if (m->feeding && high > 0) {
        at.job.v = low;
        at.task -= m->firsts.at[low];
    }
    return at;
}

void map_name(void *ctx, struct attempt_ref *at, uint32_t *tasks)
{
    const struct map *m = ctx;

    *at = map_at(m, *at);
    *tasks = m->tasks;
}

void map_cancel(struct map *m)
{
    exec_feed_end(m->exec);
    for (; m->cancelled < m->submitted; m->cancelled++)
        exec_cancel(m->exec, (struct job_id){m->cancelled});
}
