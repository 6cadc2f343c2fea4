/* map.c - everything that is read before the first task starts (map_feed.c: and not later).
 *
 * Tasks come from one of four places: rows of arguments, the indices of --array, the blocks of a
 * stream (--pipe, --pipepart: blocks.c), or the commands of a job log (--retry-failed). */
#include "jobs/map/map.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/cores.h"
#include "jobs/args/slots.h"
#include "record/story/story.h"

enum { SLOTS_WITHOUT_LIMIT = 1000 };

static int add_sources(struct map *m, struct err *err)
{
    const struct options *o = &m->options;

    m->feed.arrives = map_feed_applies(m);
    if (m->feed.arrives)
        inputs_add_feed(m->inputs);
    else if (o->sources.count == 0)
        return inputs_add_file(m->inputs, "-", false, err);
    for (uint32_t i = 0; i < o->sources.count; i++) {
        const struct options_source *s = &o->sources.at[i];
        int added = s->file ? inputs_add_file(m->inputs, s->file, s->linked, err)
                            : inputs_add_words(m->inputs, s->words, s->count, s->linked, err);
        if (added < 0)
            return -1;
    }
    return 0;
}

static int open_inputs(struct map *m, struct err *err)
{
    bool retry = m->options.resume == RESUME_RETRY;
    struct inputs_options options =
        retry ? (struct inputs_options){.delimiter = '\n'} : options_inputs(&m->options);

    if (!(m->inputs = inputs_create(&options, err)))
        return -1;
    if (m->again)
        return map_keep_read_args(m, err);
    int added = retry ? inputs_add_words(m->inputs, (const char *const *)m->log.retry.at,
                                         m->log.retry.count, false, err)
                      : add_sources(m, err);
    return added < 0 ? -1 : inputs_close(m->inputs, err);
}

/* A stream that tasks read is kept in the folder of the run: it goes with it, or stays with it. */
static int open_stream(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    struct str path = {0};

    if (m->look)
        return 0;
    if (map_dir_open(m, err) < 0)
        return -1;
    str_addf(&path, "%s/in", m->dir);
    m->blocks.dir = path.text;
    m->blocks.kept = !m->dir_private;
    if (mkdir(path.text, 0700) < 0 && !(m->again && errno == EEXIST))
        return err_system(err, "%s: cannot make a folder: %s", path.text, strerror(errno));
    if ((m->again && !o->pipepart) || (m->feed.arrives && !o->round_robin))
        return 0; /* it is there, as far as it is needed, or comes */
    if (m->feed.arrives)
        return blocks_open_deal(&m->blocks, m->slot_count, err);
    return o->tee ? blocks_open_tee(&m->blocks, err)
                  : blocks_open(&m->blocks, o, m->slot_count, err);
}

/* -j FILE: the first line of the file is what -j wants. */
static int slots_in_file(const char *path, uint32_t cores, uint32_t *count, struct err *err)
{
    char line[64] = "";
    struct err why;
    FILE *f = fopen(path, "re");

    if (f && !fgets(line, sizeof line, f))
        line[0] = 0;
    if (f)
        fclose(f);
    line[strcspn(line, " \t\n")] = 0;
    return slots_parse(line, cores, count, &why) < 0 ? err_set(err, "%s: %s", path, why.text) : 0;
}

static int open_slots(struct map *m, struct err *err)
{
    const char *jobs = m->options.jobs ? m->options.jobs : "100%";

    uint32_t count;

    uint32_t each = m->options.cores ? (uint32_t)m->options.cores : cores_allowed_here();
    bool file = slots_parse(jobs, each, &count, err) < 0;
    if (file && (access(jobs, R_OK) < 0 || slots_in_file(jobs, each, &count, err) < 0))
        return -1;
    if (count == 0)
        count = SLOTS_WITHOUT_LIMIT;
    if (m->options.jobs)
        m->node_slots = count;
    if (!m->again) /* else as many as it had */
        m->slot_count = count;
    return 0;
}

static int open_sources(struct map *m, struct plan_sources *from, struct err *err)
{
    struct options *o = &m->options;
    bool pipes = o->pipe || o->pipepart;

    if (o->resume != RESUME_NO && (m->again ? map_keep_read_log : map_log_read)(m, err) < 0)
        return -1;
    if (o->resume == RESUME_RETRY) {
        str_free(&o->command); /* the log has the commands, as the shell had them */
        o->quote = false;
    }
    if (o->array) {
        from->array = &m->array;
        return array_spec_parse(&m->array, o->array, err);
    }
    m->feed.arrives |= pipes && map_feed_applies(m);
    if ((pipes || o->tee) && open_stream(m, err) < 0)
        return -1;
    if (pipes) {
        from->blocks = m->blocks.count;
        from->block_files = o->cat ? m->blocks.dir : NULL;
        return 0;
    }
    int result = open_inputs(m, err);
    from->inputs = m->inputs;
    return result;
}

int map_open(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    struct plan_sources from = {0};

    if (open_slots(m, err) < 0 || open_sources(m, &from, err) < 0)
        return -1;
    if (o->resume == RESUME_RETRY)
        from.seqs = m->log.seqs.at;
    if (!(m->plan = plan_create(o, &from, m->slot_count, err)))
        return -1;
    if (o->resume == RESUME_ALL || o->resume == RESUME_FAILED)
        plan_skip(m->plan, map_log_has, &m->log);
    m->tasks = plan_tasks(m->plan);
    if (m->again && m->tasks != m->keep.tasks)
        return err_set(err, "%s: the run had %u tasks, and its command line makes %u now", m->dir,
                       (uint32_t)m->keep.tasks, m->tasks);
    return 0;
}

int map_identify(struct map *m, struct err *err)
{
    if (!m->id)
        m->id = (int)getpid();
    return m->shell ? 0 : map_dress_shell(&m->shell, err);
}

void map_close(struct map *m)
{
    plan_destroy(m->plan);
    inputs_destroy(m->inputs);
    vec_free(&m->array.ranges);
    map_dir_close(m);
    blocks_fini(&m->blocks);
    map_log_fini(&m->log);
    mem_free(m->shell);
    if (m->keep.text)
        mem_free(m->argv);
    mem_free(m->keep.text);
    vec_free(&m->feed.firsts);
    vec_free(&m->counts.runtimes);
    vec_free(&m->counts.stopped);
    map_missing_fini(&m->print.missing);
    story_destroy(m->summary.story);
    story_join_fini(&m->summary.join);
    options_fini(&m->options);
}
