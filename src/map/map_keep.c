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
 * environment is not kept: it may hold secrets, and whoever resumes has one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "exec/trust.h"
#include "map/map_state.h"
#include "ui/cli.h"

#define KEEP_MAGIC "dolly-run 1"
#define KEEP_END UINT64_MAX

/* ---- writing ---- */

static int sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = fd < 0 ? -1 : fsync(fd);

    if (fd >= 0)
        close(fd);
    return result;
}

static int write_file(const char *path, const void *at, size_t length, struct err *err)
{
    FILE *f = fopen(path, "we");
    bool ok = f && (length == 0 || fwrite(at, length, 1, f) == 1);

    ok = f && fflush(f) == 0 && fsync(fileno(f)) == 0 && ok;
    int result = ok ? 0 : err_system(err, "%s: %s", path, strerror(errno));
    if (f)
        fclose(f);
    return result;
}

static int keep_args(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    struct str path = {0};
    int result = 0;

    str_addf(&path, "%s/args", m->dir);
    size_t folder = path.length;
    if (mkdir(path.text, 0700) < 0)
        result = err_system(err, "%s: %s", path.text, strerror(errno));
    for (uint32_t i = 0; result == 0 && m->inputs && i < inputs_sources(m->inputs); i++) {
        bool words = i < o->sources.count && !o->sources.at[i].file;
        str_cut(&path, folder);
        str_addf(&path, "/%u", i);
        if (!words || o->resume == RESUME_RETRY)
            result = inputs_save(m->inputs, i, path.text, err);
    }
    str_cut(&path, folder);
    str_add(&path, "/skip");
    if (result == 0 && m->logged.count)
        result = write_file(path.text, m->logged.at, m->logged.count * sizeof(uint64_t), err);
    str_cut(&path, folder);
    str_add(&path, "/seqs");
    if (result == 0 && m->seqs.count)
        result = write_file(path.text, m->seqs.at, m->seqs.count * sizeof(uint64_t), err);
    str_cut(&path, folder);
    if (result == 0)
        sync_folder(path.text); /* a folder that cannot be synced is no reason to stop */
    str_free(&path);
    return result;
}

/* The bytes of `run`. */
struct keep_text {
    VEC(char) at;
};

__attribute__((format(printf, 2, 3))) static void keep_string(struct keep_text *t,
                                                              const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    vec_reserve(&t->at, t->at.count + (uint32_t)length + 1);
    va_start(args, format);
    vsnprintf(t->at.at + t->at.count, (size_t)length + 1, format, args);
    va_end(args);
    t->at.count += (uint32_t)length + 1;
}

static void keep_settings(const struct map *m, struct keep_text *t)
{
    char *cwd = realpath(".", NULL);
    struct stat st;

    keep_string(t, "version=" DOLLY_VERSION);
    keep_string(t, "begun=%.6f", m->begun_s);
    keep_string(t, "id=%d", m->id);
    keep_string(t, "cwd=%s", cwd ? cwd : "/");
    keep_string(t, "shell=%s", m->shell ? m->shell : "");
    keep_string(t, "slots=%u", m->slot_count);
    keep_string(t, "tasks=%u", m->tasks);
    keep_string(t, "fed=%d", m->feeding);
    keep_string(t, "blocks=%" PRIu64, m->block_count);
    if (m->options.pipepart && stat(m->options.sources.at[0].file, &st) == 0) {
        keep_string(t, "part_bytes=%lld", (long long)st.st_size);
        keep_string(t, "part_changed=%lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    }
    mem_free(cwd);
}

/* ---- arguments that come later ---- */

static const char *const fed_names[] = {"0", "jobs"};

static int keep_failed(const struct map *m, const char *name, struct err *err)
{
    return err_system(err, "%s/args/%s: %s", m->dir, name, strerror(errno));
}

static int open_fed(struct map *m, struct err *err)
{
    struct str path = {0};

    for (int i = 0; i < 2; i++) {
        str_cut(&path, 0);
        str_addf(&path, "%s/args/%s", m->dir, fed_names[i]);
        int fd = open(path.text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            str_free(&path);
            return keep_failed(m, fed_names[i], err);
        }
        m->keep_fds[i] = fd;
    }
    str_cut(&path, 0);
    str_addf(&path, "%s/args", m->dir);
    sync_folder(path.text);
    str_free(&path);
    return 0;
}

static int append(const struct map *m, int which, const void *bytes, size_t length, struct err *err)
{
    const char *at = bytes;

    while (length > 0) {
        ssize_t n = write(m->keep_fds[which], at, length);
        if (n < 0 && errno != EINTR)
            return keep_failed(m, fed_names[which], err);
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return fdatasync(m->keep_fds[which]) < 0 ? keep_failed(m, fed_names[which], err) : 0;
}

int map_keep_more(struct map *m, uint32_t from, struct err *err)
{
    uint64_t sizes[2];
    uint32_t count = 0;
    size_t bytes;

    if (m->keep_fds[0] <= 0)
        return 0;
    const char *values = inputs_fed(m->inputs, from, &bytes);
    if (m->tasks > from)
        sizes[count++] = m->tasks - from;
    if (m->fed_all)
        sizes[count++] = KEEP_END;
    if (count == 0)
        return 0; /* a part of a value */
    if (bytes > 0 && append(m, 0, values, bytes, err) < 0)
        return -1;
    return append(m, 1, sizes, count * sizeof *sizes, err);
}

/* ---- all of it ---- */

int map_keep(struct map *m, struct err *err)
{
    struct keep_text t = {0};
    struct str path = {0}, last = {0};

    if (keep_args(m, err) < 0 || (m->feeding && open_fed(m, err) < 0))
        return -1;
    keep_string(&t, KEEP_MAGIC);
    keep_settings(m, &t);
    keep_string(&t, "words=%d", m->argc);
    for (int i = 0; i < m->argc; i++)
        keep_string(&t, "%s", m->argv[i]);
    str_addf(&path, "%s/run.new", m->dir);
    str_addf(&last, "%s/run", m->dir);
    int result = write_file(path.text, t.at.at, t.at.count, err);
    if (result == 0 && rename(path.text, last.text) < 0)
        result = err_system(err, "%s: %s", last.text, strerror(errno));
    if (result == 0)
        sync_folder(m->dir);
    vec_free(&t.at);
    str_free(&path);
    str_free(&last);
    return result;
}

/* ---- reading ---- */

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t used = 0, cap = 0, n;

    while (f && (used < cap || (text = mem_resize(text, cap = cap ? 2 * cap : 4096, 1))) &&
           (n = fread(text + used, 1, cap - used, f)) > 0)
        used += n;
    if (f)
        fclose(f);
    *length = used;
    return text;
}

/* The strings of `run`, one after the other. */
struct keep_reader {
    char *at, *end;
};

static char *next_string(struct keep_reader *r)
{
    char *stop = r->at < r->end ? memchr(r->at, 0, (size_t)(r->end - r->at)) : NULL;
    char *text = r->at;

    if (!stop)
        return NULL;
    r->at = stop + 1;
    return text;
}

static bool take_number(const char *text, int64_t max, int64_t *value)
{
    return text_int(text, value) && *value >= 0 && *value <= max;
}

/* False where no dolly has written this. */
static bool take_setting(struct map *m, char *text, struct map_kept *k)
{
    char *value = strchr(text, '=');
    int64_t n = 0;
    bool fine = true;

    if (!value)
        return false;
    *value++ = 0;
    if (strcmp(text, "version") == 0)
        k->version = value;
    else if (strcmp(text, "begun") == 0)
        m->begun_s = strtod(value, NULL);
    else if (strcmp(text, "id") == 0 && (fine = take_number(value, INT_MAX, &n)))
        m->id = (int)n;
    else if (strcmp(text, "cwd") == 0)
        k->cwd = value;
    else if (strcmp(text, "shell") == 0 && (fine = !m->shell))
        m->shell = *value ? mem_strdup(value) : NULL;
    else if (strcmp(text, "slots") == 0 && (fine = take_number(value, CLUSTER_SLOTS_MAX, &n)))
        m->slot_count = (uint32_t)n;
    else if (strcmp(text, "tasks") == 0 && (fine = take_number(value, JOB_TASKS_MAX, &n)))
        k->tasks = (uint32_t)n;
    else if (strcmp(text, "fed") == 0 && (fine = take_number(value, 1, &n)))
        k->fed = n > 0;
    else if (strcmp(text, "blocks") == 0 && (fine = take_number(value, JOB_TASKS_MAX, &n)))
        m->block_count = (uint64_t)n;
    else if (strcmp(text, "part_bytes") == 0)
        k->part_bytes = value;
    else if (strcmp(text, "part_changed") == 0)
        k->part_changed = value;
    else if (strcmp(text, "words") == 0 && (fine = take_number(value, INT_MAX, &n)))
        m->argc = (int)n;
    return fine;
}

static int damaged(const struct map *m, struct err *err)
{
    return err_set(err, "%s/run: is damaged", m->dir);
}

/* A file that was cut into parts must be the one it was. */
static int check_parts(const struct map *m, const struct map_kept *k, struct err *err)
{
    char bytes[32], changed[48];
    struct stat st;

    if (!m->options.pipepart || !k->part_bytes || !k->part_changed)
        return 0;
    const char *file = m->options.sources.at[0].file;
    if (stat(file, &st) < 0)
        return err_set(err, "%s: %s", file, strerror(errno));
    snprintf(bytes, sizeof bytes, "%lld", (long long)st.st_size);
    snprintf(changed, sizeof changed, "%lld.%09ld", (long long)st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec);
    if (strcmp(bytes, k->part_bytes) != 0 || strcmp(changed, k->part_changed) != 0)
        return err_set(err, "%s: has changed since the run began, so its parts have as well", file);
    return 0;
}

int map_recall_line(struct map *m, const char *dir, struct err *err)
{
    struct map_kept *k = &m->kept;
    struct str path = {0};
    char absolute[PATH_MAX];
    size_t length;
    char *text;

    if (!realpath(dir, absolute))
        return err_set(err, "%s: %s", dir, strerror(errno));
    m->dir = mem_strdup(absolute);
    if (trust_folder(m->dir, err) < 0)
        return -1;
    str_addf(&path, "%s/run", m->dir);
    m->kept_text = read_file(path.text, &length);
    str_free(&path);
    struct keep_reader r = {m->kept_text, m->kept_text + length};
    if (!m->kept_text || !(text = next_string(&r)) || strcmp(text, KEEP_MAGIC) != 0)
        return err_set(err, "%s: holds no run of dolly map that could be resumed", dir);
    while (m->argc == 0 && (text = next_string(&r)))
        if (!take_setting(m, text, k))
            return damaged(m, err);
    if (m->argc > r.end - r.at) /* each has a byte at least */
        return damaged(m, err);
    m->argv = mem_zalloc((size_t)m->argc + 1, sizeof *m->argv);
    for (int i = 0; i < m->argc; i++)
        if (!(m->argv[i] = next_string(&r)))
            return damaged(m, err);
    if (m->argc == 0 || m->slot_count == 0 || !k->cwd || !k->version)
        return damaged(m, err);
    if (strcmp(k->version, DOLLY_VERSION) != 0)
        return err_set(err, "%s: was begun by dolly %s, this is " DOLLY_VERSION, dir, k->version);
    m->again = true;
    return options_parse(&m->options, m->argc, m->argv, err) < 0 ? damaged(m, err) : 0;
}

int map_recall_place(struct map *m, struct err *err)
{
    if (chdir(m->kept.cwd) < 0)
        return err_set(err, "%s: cannot go to %s, where the run was begun: %s", m->dir, m->kept.cwd,
                       strerror(errno));
    return check_parts(m, &m->kept, err);
}

static void read_numbers(struct map *m, const char *name, struct map_numbers *to)
{
    struct str path = {0};
    size_t length;

    str_addf(&path, "%s/args/%s", m->dir, name);
    char *text = read_file(path.text, &length);
    vec_reserve(to, (uint32_t)(length / sizeof(uint64_t)));
    to->count = (uint32_t)(length / sizeof(uint64_t));
    if (to->count)
        memcpy(to->at, text, to->count * sizeof(uint64_t));
    mem_free(text);
    str_free(&path);
}

/* What stdin had brought, job by job. A size of which only a part was written does not count. */
static int recall_fed(struct map *m, struct err *err)
{
    struct map_numbers sizes = {0};
    uint64_t tasks = 0;

    m->feeding = true;
    read_numbers(m, "jobs", &sizes);
    for (uint32_t i = 0; i < sizes.count && sizes.at[i] > 0; i++) {
        if (sizes.at[i] == KEEP_END) {
            m->fed_all = true;
            break;
        }
        vec_push(&m->firsts, (uint32_t)tasks);
        if (sizes.at[i] > JOB_TASKS_MAX || (tasks += sizes.at[i]) > JOB_TASKS_MAX)
            break;
    }
    vec_free(&sizes);
    m->kept.tasks = (uint32_t)tasks;
    return tasks <= JOB_TASKS_MAX && inputs_cut(m->inputs, tasks)
               ? 0
               : err_set(err, "%s/args/jobs: is damaged", m->dir);
}

int map_recall_args(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    uint32_t count = o->sources.count && o->resume != RESUME_RETRY ? o->sources.count : 1;
    struct str path = {0};
    int result = 0;

    read_numbers(m, "skip", &m->logged);
    read_numbers(m, "seqs", &m->seqs);
    if (o->array || o->pipe || o->pipepart)
        return 0;
    for (uint32_t i = 0; result == 0 && i < count; i++) {
        const struct options_source *s = i < o->sources.count ? &o->sources.at[i] : NULL;
        bool linked = s && s->linked && o->resume != RESUME_RETRY;
        str_cut(&path, 0);
        str_addf(&path, "%s/args/%u", m->dir, i);
        result = s && !s->file && o->resume != RESUME_RETRY
                     ? inputs_add_words(m->inputs, s->words, s->count, linked, err)
                     : inputs_add_saved(m->inputs, path.text, linked, err);
    }
    str_free(&path);
    if (result == 0 && m->kept.fed)
        result = recall_fed(m, err);
    if (result < 0 || inputs_close(m->inputs, err) < 0)
        return -1;
    if (o->resume == RESUME_RETRY && m->seqs.count != inputs_rows(m->inputs))
        return err_set(err, "%s/args/seqs: is damaged", m->dir);
    return 0;
}
