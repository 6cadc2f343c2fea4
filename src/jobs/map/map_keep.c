/* map_keep.c - what a run keeps of its command line, so that it can be resumed.
 *
 * The journal knows attempts and tasks by number; what a task runs follows from the command line,
 * the arguments that came from files and pipes, and the folder and shell in which dolly was
 * started. All of that is written to the folder of the run before the first task starts:
 *
 *     DIR/run      a list of strings, each with a NUL: settings NAME=VALUE, then the command line
 *     DIR/args/N   the values of source N, where it was a file or stdin
 *     DIR/args/jobs   where values of stdin came while tasks ran: how many were a job each, and
 *                  KEEP_END if that was all of stdin. It counts only when it is on the disk, and is
 *                  written after the values; values behind those that it counts are of no job
 *     DIR/args/skip, seqs   what --resume left out, and the numbers of --retry-failed
 *     DIR/in/N     blocks of --pipe
 *
 * `run` comes last and in one piece (rename): a folder without it holds a run that never began. The
 * environment is not kept: it may hold secrets, and the process that resumes has one. */
#include "jobs/map/map_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/field.h"
#include "base/os/path.h"
#include "base/os/sync.h"
#include "base/os/write_all.h"
#include "exec/folder/trust.h"
#include "exec/process/sys.h"
#include "jobs/map/map.h"
#include "ui/cli.h"

#define KEEP_MAGIC "dolly-run 1"
#define KEEP_END UINT64_MAX

/* What `run` says of the run; `words` comes last, the command line follows it. */
static const struct field settings[] = {
    {FIELD_ROW("version", FIELD_TEXT, struct map_keep, version, 0, 0)},
    {FIELD_ROW("begun", FIELD_TEXT, struct map_keep, begun, 0, 0)},
    {FIELD_ROW("id", FIELD_INT, struct map_keep, id, 0, INT_MAX)},
    {FIELD_ROW("cwd", FIELD_TEXT, struct map_keep, cwd, 0, 0)},
    {FIELD_ROW("shell", FIELD_TEXT, struct map_keep, shell, 0, 0)},
    {FIELD_ROW("slots", FIELD_INT, struct map_keep, slots, 0, CLUSTER_SLOTS_MAX)},
    {FIELD_ROW("tasks", FIELD_INT, struct map_keep, tasks, 0, JOB_TASKS_MAX)},
    {FIELD_ROW("fed", FIELD_INT, struct map_keep, fed, 0, 1)},
    {FIELD_ROW("blocks", FIELD_INT, struct map_keep, blocks, 0, JOB_TASKS_MAX)},
    {FIELD_ROW("part", FIELD_TEXT, struct map_keep, pipepart, 0, 0)},
    {FIELD_ROW("words", FIELD_INT, struct map_keep, words, 0, INT_MAX)},
    {0}};

static const char *const fed_names[] = {"args/0", "args/jobs"};

/* ---- writing ---- */

static int fail_file(const struct map *m, const char *name, struct err *err)
{
    return err_system(err, "%s/%s: %s", m->dir, name, strerror(errno));
}

static int open_file(const struct map *m, const char *name, int flags)
{
    return open(path_of("%s/%s", m->dir, name).text, flags | O_CLOEXEC, 0600);
}

/* Has the names in a folder on the disk. One that cannot be synced is no reason to stop. */
static void keep_names(const struct map *m, const char *name)
{
    (void)sync_folder(path_of("%s/%s", m->dir, name).text);
}

static int write_file(const struct map *m, const char *name, const void *at, size_t length,
                      struct err *err)
{
    int fd = open_file(m, name, O_WRONLY | O_CREAT | O_TRUNC);
    bool ok = fd >= 0 && write_all(fd, at, length) == 0 && fsync(fd) == 0;
    int result = ok ? 0 : fail_file(m, name, err);

    if (fd >= 0)
        close(fd);
    return result;
}

static int write_numbers(const struct map *m, const char *name, const struct map_numbers *v,
                         struct err *err)
{
    return v->count ? write_file(m, name, v->at, v->count * sizeof *v->at, err) : 0;
}

static int keep_blocks(const struct map *m, struct err *err)
{
    if (blocks_sync(&m->blocks, &m->options, err) < 0)
        return -1;
    keep_names(m, "in");
    return 0;
}

static int keep_args(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    int result = 0;

    if (mkdir(path_of("%s/args", m->dir).text, 0700) < 0)
        result = fail_file(m, "args", err);
    for (uint32_t i = 0; result == 0 && m->inputs && i < inputs_sources(m->inputs); i++) {
        bool words = i < o->sources.count && !o->sources.at[i].file;
        size_t bytes;
        const char *values = inputs_values(m->inputs, i, 0, &bytes);
        if (!words || o->resume == RESUME_RETRY)
            result = write_file(m, path_of("args/%u", i).text, values, bytes, err);
    }
    for (int i = 0; result == 0 && m->feed.arrives && i < 2; i++)
        if ((m->keep.fds[i] = open_file(m, fed_names[i], O_WRONLY | O_APPEND | O_CREAT)) < 0) {
            m->keep.fds[i] = 0;
            result = fail_file(m, fed_names[i], err);
        }
    if (result < 0 || write_numbers(m, "args/skip", &m->log.finished, err) < 0 ||
        write_numbers(m, "args/seqs", &m->log.seqs, err) < 0)
        return -1;
    keep_names(m, "args");
    return 0;
}

/* Size and time of the file that --pipepart cuts into parts. -1 with errno. */
static int describe_pipepart(const struct map *m, char text[96])
{
    struct stat st;

    if (stat(m->options.sources.at[0].file, &st) < 0)
        return -1;
    snprintf(text, 96, "%lld %lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec);
    return 0;
}

/* The contents of `run`. */
static void put_run(const struct map *m, FILE *f)
{
    char begun[32], cwd[PATH_MAX], pipepart[96];
    bool cut = m->options.pipepart && describe_pipepart(m, pipepart) == 0;
    struct map_keep k = {.version = DOLLY_VERSION,
                         .begun = begun,
                         .cwd = realpath(".", cwd) ? cwd : "/",
                         .shell = m->shell ? m->shell : "",
                         .pipepart = cut ? pipepart : NULL,
                         .id = m->id,
                         .slots = m->slot_count,
                         .tasks = m->tasks,
                         .fed = m->feed.arrives,
                         .blocks = (int64_t)m->blocks.count,
                         .words = m->argc};

    snprintf(begun, sizeof begun, "%.6f", m->begun_s);
    fprintf(f, KEEP_MAGIC "%c", 0);
    for (const struct field *s = settings; s->name; s++) {
        const void *member = (const char *)&k + s->offset;
        const char *text = s->type == FIELD_TEXT ? *(const char *const *)member : NULL;
        if (text)
            fprintf(f, "%s=%s%c", s->name, text, 0);
        else if (s->type == FIELD_INT)
            fprintf(f, "%s=%" PRId64 "%c", s->name, *(const int64_t *)member, 0);
    }
    for (int i = 0; i < m->argc; i++)
        fprintf(f, "%s%c", m->argv[i], 0);
}

int map_keep(struct map *m, struct err *err)
{
    struct path fresh = path_of("%s/run.new", m->dir), path = path_of("%s/run", m->dir);
    char *text = NULL;
    size_t length = 0;

    if ((m->blocks.dir && keep_blocks(m, err) < 0) || keep_args(m, err) < 0)
        return -1;
    FILE *f = open_memstream(&text, &length);
    if (f)
        put_run(m, f);
    if (!f || fclose(f) != 0)
        mem_out(length, 1);
    int result = write_file(m, "run.new", text, length, err);
    if (result == 0 && rename(fresh.text, path.text) < 0)
        result = fail_file(m, "run", err);
    if (result == 0)
        keep_names(m, ".");
    mem_free(text);
    return result;
}

/* ---- arguments that come later ---- */

static int append(const struct map *m, int which, const void *at, size_t length, struct err *err)
{
    int fd = m->keep.fds[which];

    return write_all(fd, at, length) < 0 || fdatasync(fd) < 0 ? fail_file(m, fed_names[which], err)
                                                              : 0;
}

int map_keep_more(struct map *m, uint32_t from, struct err *err)
{
    uint64_t sizes[2];
    uint32_t count = 0;
    size_t bytes;

    if (m->keep.fds[0] <= 0)
        return 0;
    const char *values = inputs_values(m->inputs, 0, from, &bytes);
    if (m->tasks > from)
        sizes[count++] = m->tasks - from;
    if (m->feed.ended)
        sizes[count++] = KEEP_END;
    if (count == 0)
        return 0; /* a part of a value */
    if (bytes > 0 && append(m, 0, values, bytes, err) < 0)
        return -1;
    return append(m, 1, sizes, count * sizeof *sizes, err);
}

/* ---- reading ---- */

/* All of a file, with a NUL behind it; NULL with errno: there is none, or it cannot be read. Free
 * with mem_free. */
static char *read_file(const struct map *m, const char *name, size_t *length)
{
    int fd = open_file(m, name, O_RDONLY);
    VEC(char) text = {0};
    ssize_t n = fd < 0 ? -1 : 1;

    while (n > 0) {
        vec_reserve(&text, text.count + 4097);
        n = read(fd, text.at + text.count, 4096);
        text.count += n > 0 ? (uint32_t)n : 0;
        text.at[text.count] = 0;
    }
    sys_close(&fd);
    if (n < 0)
        vec_free(&text); /* a part of it would be taken for all */
    *length = text.count;
    return text.at;
}

/* False where no dolly has written this. A setting that is not known is fine. */
static bool take_setting(struct map_keep *k, char *text)
{
    char *value = strchr(text, '=');

    if (!value)
        return false;
    *value++ = 0;
    const struct field *s = field_find(settings, text);
    return !s || field_read(s, value, (char *)k + s->offset) == FIELD_FINE;
}

/* The string at *at, which moves behind it; NULL: there is none. */
static char *next_string(char **at, const char *end)
{
    char *text = *at;

    if (text >= end)
        return NULL;
    *at = text + strlen(text) + 1;
    return *at <= end ? text : NULL;
}

static int read_run(struct map *m, char *at, const char *end, struct err *err)
{
    struct map_keep *k = &m->keep;
    bool fine = true;
    char *text;

    while (fine && k->words == 0 && (text = next_string(&at, end)))
        fine = take_setting(k, text);
    if (fine && k->words <= end - at) /* each has a byte at least */
        m->argv = mem_zalloc((size_t)k->words + 1, sizeof *m->argv);
    for (; m->argv && m->argc < k->words && (text = next_string(&at, end)); m->argc++)
        m->argv[m->argc] = text;
    if (!fine || m->argc == 0 || m->argc < k->words || k->slots == 0 || !k->cwd || !k->version)
        return err_set(err, "%s/run: is damaged", m->dir);
    m->begun_s = k->begun ? strtod(k->begun, NULL) : 0;
    m->shell = k->shell && *k->shell ? mem_strdup(k->shell) : NULL;
    m->id = (int)k->id;
    m->slot_count = (uint32_t)k->slots;
    m->blocks.count = (uint64_t)k->blocks;
    return 0;
}

int map_keep_read(struct map *m, const char *dir, struct err *err)
{
    char absolute[PATH_MAX];
    size_t length;

    if (!realpath(dir, absolute))
        return err_set(err, "%s: %s", dir, strerror(errno));
    m->dir = mem_strdup(absolute);
    if (trust_folder(m->dir, NULL, err) < 0)
        return -1;
    char *text = m->keep.text = read_file(m, "run", &length);
    if (!text || strcmp(text, KEEP_MAGIC) != 0 || length < sizeof KEEP_MAGIC)
        return err_set(err, "%s: does not hold a run of dolly map that can be resumed", dir);
    if (read_run(m, text + sizeof KEEP_MAGIC, text + length, err) < 0)
        return -1;
    if (strcmp(m->keep.version, DOLLY_VERSION) != 0)
        return err_set(err,
                       "%s: was started by dolly %s, this is dolly " DOLLY_VERSION
                       "; resume it with the version that started it",
                       dir, m->keep.version);
    m->again = true;
    return options_parse(&m->options, m->argc, m->argv, err) < 0
               ? err_set(err, "%s/run: is damaged", m->dir)
               : 0;
}

int map_keep_enter(struct map *m, struct err *err)
{
    const struct map_keep *k = &m->keep;
    char pipepart[96];

    if (chdir(k->cwd) < 0)
        return err_set(err, "%s: cannot change to %s, where the run was started: %s", m->dir,
                       k->cwd, strerror(errno));
    if (!m->options.pipepart || !k->pipepart)
        return 0;
    const char *file = m->options.sources.at[0].file;
    if (describe_pipepart(m, pipepart) < 0)
        return err_set(err, "%s: %s", file, strerror(errno));
    if (strcmp(pipepart, k->pipepart) != 0)
        return err_set(err, "%s: has changed since the run began, and so have its blocks", file);
    return 0;
}

/* None where there is no file. -1 with *err. */
static int read_numbers(const struct map *m, const char *name, struct map_numbers *to,
                        struct err *err)
{
    size_t length;
    char *text = read_file(m, name, &length);

    if (!text && errno != ENOENT)
        return fail_file(m, name, err);
    to->count = to->cap = (uint32_t)(length / sizeof *to->at);
    to->at = mem_copy(text, to->count, sizeof *to->at);
    mem_free(text);
    return 0;
}

int map_keep_read_log(struct map *m, struct err *err)
{
    return read_numbers(m, "args/skip", &m->log.finished, err) < 0
               ? -1
               : read_numbers(m, "args/seqs", &m->log.seqs, err);
}

/* What stdin had brought, job by job. A size of which only a part was written does not count. */
static int read_fed(struct map *m, struct err *err)
{
    struct map_numbers sizes = {0};
    uint64_t tasks = 0;
    bool fits = true;

    m->feed.arrives = true;
    if (read_numbers(m, fed_names[1], &sizes, err) < 0)
        return -1;
    for (uint32_t i = 0; fits && i < sizes.count && sizes.at[i] > 0; i++) {
        if (sizes.at[i] == KEEP_END) {
            m->feed.ended = true;
            break;
        }
        vec_push(&m->feed.firsts, (uint32_t)tasks);
        fits = sizes.at[i] <= JOB_TASKS_MAX - tasks;
        tasks += sizes.at[i];
    }
    vec_free(&sizes);
    m->keep.tasks = (int64_t)tasks;
    return fits && inputs_cut(m->inputs, tasks)
               ? 0
               : err_set(err, "%s/args/jobs: is damaged", m->dir);
}

int map_keep_read_args(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    bool retry = o->resume == RESUME_RETRY;
    uint32_t count = o->sources.count && !retry ? o->sources.count : 1;
    int result = 0;

    for (uint32_t i = 0; result == 0 && i < count; i++) {
        const struct options_source *s = retry || i >= o->sources.count ? NULL : &o->sources.at[i];
        struct path path = path_of("%s/args/%u", m->dir, i);
        result = s && !s->file ? inputs_add_words(m->inputs, s->words, s->count, s->linked, err)
                               : inputs_add_saved(m->inputs, path.text, s && s->linked, err);
    }
    if (result == 0 && m->keep.fed)
        result = read_fed(m, err);
    if (result < 0 || inputs_close(m->inputs, err) < 0)
        return -1;
    if (retry && m->log.seqs.count != inputs_rows(m->inputs))
        return err_set(err, "%s/args/seqs: is damaged", m->dir);
    return 0;
}
