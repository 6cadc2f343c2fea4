/* map_open.c - everything that is read before the first task starts (map_feed.c: and not later).
 *
 * Tasks come from one of four places: rows of arguments, the indices of --array, the blocks of a
 * stream (--pipe, --pipepart: map_blocks.c), or the commands of a job log (--retry-failed). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/slots.h"
#include "exec/run_dir.h"
#include "exec/run_lock.h"
#include "map/joblog.h"
#include "map/map_state.h"
#include "stats/story.h"

#define PRIVATE_NAME "dolly-map-"

enum {
    SLOTS_WITHOUT_LIMIT = 1000,
    SWEEP_LOOKS = 10000, /* entries of $TMPDIR that are looked at for what was left */
};

/* ---- folders ---- */

/* Private folders go with their run, even if it is killed: the guardian sees to that. Only if a run
 * is killed in the moments before it has one, its folder is left for the next run to find. */
static void sweep(const char *tmp)
{
    DIR *d = opendir(tmp);
    struct stat st;
    int looks = SWEEP_LOOKS;

    for (struct dirent *e; d && looks > 0 && (e = readdir(d)); looks--) {
        struct str path = {0};
        if (strncmp(e->d_name, PRIVATE_NAME, sizeof PRIVATE_NAME - 1) != 0)
            continue;
        str_addf(&path, "%s/%s", tmp, e->d_name);
        if (lstat(path.text, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
            run_lock_is_stale(path.text))
            run_dir_remove(path.text);
        str_free(&path);
    }
    if (d)
        closedir(d);
}

const char *map_tmp(const struct map *m)
{
    const char *tmp = m->options.tmpdir ? m->options.tmpdir : getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

static int open_private(struct map *m, struct err *err)
{
    const char *tmp = map_tmp(m);
    struct str path = {0};

    sweep(tmp);
    str_addf(&path, "%s/" PRIVATE_NAME "XXXXXX", tmp);
    if (!mkdtemp(path.text)) {
        err_system(err, "%s: cannot make a folder: %s", path.text, strerror(errno));
        str_free(&path);
        return -1;
    }
    m->dir = path.text;
    m->dir_private = true;
    if ((m->lock_fd = run_lock_new(m->dir, err)) >= 0)
        return 0;
    m->lock_fd = 0;
    return -1;
}

/* A run that is resumed by its job log gets a folder of its own inside the first one's. */
static int open_named(struct map *m, struct err *err)
{
    struct str path = {0};
    char absolute[PATH_MAX];

    str_addf(&path, "%s/journal", m->options.dir);
    bool there = access(path.text, F_OK) == 0 && m->options.resume != RESUME_NO;
    str_cut(&path, 0);
    str_add(&path, m->options.dir);
    for (int i = 1; there; i++) {
        str_cut(&path, 0);
        str_addf(&path, "%s/resumed-%d", m->options.dir, i);
        there = access(path.text, F_OK) == 0;
    }
    int result = run_dir_create(path.text, err);
    if (result == 0 && realpath(path.text, absolute))
        m->dir = mem_strdup(absolute);
    else if (result == 0)
        result = err_system(err, "%s: %s", path.text, strerror(errno));
    str_free(&path);
    return result;
}

int map_open_folder(struct map *m, struct err *err)
{
    if (m->dir)
        return 0;
    return m->options.dir ? open_named(m, err) : open_private(m, err);
}

/* ---- job logs ---- */

void map_joblog_path(const struct map *m, struct str *path)
{
    if (m->options.joblog)
        str_add(path, m->options.joblog + (*m->options.joblog == '+'));
    else if (m->options.dir)
        str_addf(path, "%s/joblog", m->options.dir);
}

static void log_mark(struct map *m, uint64_t seq, bool on)
{
    uint64_t word = seq / 64, bit = 1ULL << (seq % 64);

    while (m->logged.count <= word)
        vec_push(&m->logged, 0);
    if (on)
        m->logged.at[word] |= bit;
    else
        m->logged.at[word] &= ~bit;
}

static bool is_logged(void *ctx, uint64_t seq)
{
    const struct map *m = ctx;
    return seq / 64 < m->logged.count && m->logged.at[seq / 64] >> (seq % 64) & 1;
}

/* The commands that failed and did not succeed later, in the order of the log. */
struct retry {
    VEC(uint64_t) seqs;
    VEC(char *) commands;
};

static void retry_note(struct retry *r, const struct joblog_entry *e, bool failed)
{
    for (uint32_t i = 0; i < r->seqs.count; i++)
        if (r->seqs.at[i] == e->seq) {
            mem_free(r->commands.at[i]);
            memmove(r->seqs.at + i, r->seqs.at + i + 1, (r->seqs.count - i - 1) * sizeof(uint64_t));
            memmove(r->commands.at + i, r->commands.at + i + 1,
                    (r->commands.count - i - 1) * sizeof(char *));
            r->seqs.count--;
            r->commands.count--;
            break;
        }
    if (!failed)
        return;
    vec_push(&r->seqs, e->seq);
    vec_push(&r->commands, mem_strdup(e->command));
}

static int log_read(struct map *m, struct retry *retry, struct err *err)
{
    struct str path = {0};
    struct joblog_entry e;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    map_joblog_path(m, &path);
    FILE *f = fopen(path.text, "re");
    if (!f && errno == ENOENT && m->options.resume != RESUME_RETRY) {
        str_free(&path);
        return 0; /* nothing was done yet */
    }
    if (!f) {
        err_set(err, "%s: %s", path.text, strerror(errno));
        str_free(&path);
        return -1;
    }
    while ((n = getline(&line, &cap, f)) > 0) {
        if (line[n - 1] != '\n') /* torn by a crash */
            break;
        line[n - 1] = 0;
        if (!joblog_read(line, &e))
            continue;
        bool failed = e.exit != 0 || e.signal != 0;
        log_mark(m, e.seq, m->options.resume == RESUME_ALL || !failed);
        if (m->options.resume == RESUME_RETRY)
            retry_note(retry, &e, failed);
    }
    mem_free(line);
    fclose(f);
    str_free(&path);
    return 0;
}

/* ---- the plan ---- */

static int inputs_open(struct map *m, const struct retry *retry, struct err *err)
{
    const struct options *o = &m->options;
    struct inputs_options options = options_inputs(o);
    bool again = o->resume == RESUME_RETRY;

    if (again)
        options = (struct inputs_options){.delimiter = '\n'};
    if (!(m->inputs = inputs_create(&options, err)))
        return -1;
    if (m->again)
        return map_recall_args(m, err);
    if (again) {
        if (inputs_add_words(m->inputs, (const char *const *)retry->commands.at,
                             retry->commands.count, false, err) < 0)
            return -1;
        return inputs_close(m->inputs, err);
    }
    m->feeding = map_feeds(m);
    if (m->feeding)
        inputs_add_feed(m->inputs);
    else if (o->sources.count == 0 && inputs_add_file(m->inputs, "-", false, err) < 0)
        return -1;
    for (uint32_t i = 0; i < o->sources.count; i++) {
        const struct options_source *s = &o->sources.at[i];
        int added = s->file ? inputs_add_file(m->inputs, s->file, s->linked, err)
                            : inputs_add_words(m->inputs, s->words, s->count, s->linked, err);
        if (added < 0)
            return -1;
    }
    return inputs_close(m->inputs, err);
}

static int slots_open(struct map *m, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *jobs = m->options.jobs ? m->options.jobs : "100%";

    if (m->again)
        return 0; /* as many as it had */
    if (slots_parse(jobs, cores > 0 ? (uint32_t)cores : 1, &m->slot_count, err) < 0)
        return -1;
    if (m->slot_count == 0)
        m->slot_count = SLOTS_WITHOUT_LIMIT;
    return 0;
}

static int plan_open(struct map *m, struct retry *retry, struct err *err)
{
    const struct options *o = &m->options;
    struct plan_sources from = {0};

    if (o->resume != RESUME_NO && !m->again && log_read(m, retry, err) < 0)
        return -1;
    if (o->resume == RESUME_RETRY) {
        str_free(&m->options.command); /* the log has the commands, as the shell had them */
        m->options.quote = false;
        for (uint32_t i = 0; i < retry->seqs.count; i++)
            vec_push(&m->seqs, retry->seqs.at[i]);
    }
    if (o->array) {
        if (array_spec_parse(&m->array, o->array, err) < 0)
            return -1;
        from.array = &m->array;
    } else if (o->pipe || o->pipepart) {
        if (!m->look && map_blocks_open(m, err) < 0)
            return -1;
        from.blocks = m->block_count;
        from.block_files = o->cat ? m->spool : NULL;
    } else {
        if (o->tee && !m->look && map_tee_open(m, err) < 0)
            return -1;
        if (inputs_open(m, retry, err) < 0)
            return -1;
        from.inputs = m->inputs;
    }
    if (o->resume == RESUME_RETRY)
        from.seqs = m->seqs.at;
    if (!(m->plan = plan_create(o, &from, m->slot_count, err)))
        return -1;
    if (o->resume == RESUME_ALL || o->resume == RESUME_FAILED)
        plan_skip(m->plan, is_logged, m);
    m->tasks = plan_tasks(m->plan);
    if (m->again && m->tasks != m->kept.tasks)
        return err_set(err, "%s: the run had %u tasks, and its command line makes %u now", m->dir,
                       m->kept.tasks, m->tasks);
    return 0;
}

int map_open(struct map *m, struct err *err)
{
    struct retry retry = {0};
    int result = slots_open(m, err) < 0 ? -1 : plan_open(m, &retry, err);

    for (uint32_t i = 0; i < retry.commands.count; i++)
        mem_free(retry.commands.at[i]);
    vec_free(&retry.commands);
    vec_free(&retry.seqs);
    return result;
}

void map_close(struct map *m)
{
    plan_destroy(m->plan);
    inputs_destroy(m->inputs);
    array_spec_fini(&m->array);
    if (m->lock_fd > 0)
        close(m->lock_fd);
    if (m->dir_private) {
        run_dir_remove(m->dir);
    } else if (m->spool && !m->began) { /* nobody can resume it */
        run_dir_remove(m->spool);
        rmdir(m->dir);
    }
    mem_free(m->dir);
    mem_free(m->spool);
    mem_free(m->shell);
    if (m->kept_text)
        mem_free(m->argv);
    mem_free(m->kept_text);
    vec_free(&m->seqs);
    vec_free(&m->logged);
    vec_free(&m->blocks);
    vec_free(&m->firsts);
    str_free(&m->stream_header);
    vec_free(&m->runtimes);
    vec_free(&m->stopped);
    story_destroy(m->story);
    story_join_fini(&m->join);
    options_fini(&m->options);
}
