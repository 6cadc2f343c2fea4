/* map_log.c - the job log. A line of it is written after the output of its task, so that --resume
 * may show an output twice, but never misses one. */
#include "jobs/map/map_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "jobs/map/map.h"

/* The path of the log; NULL text: there is none. */
static struct str log_path(const struct map *m)
{
    struct str path = {0};

    if (m->options.joblog)
        str_add(&path, m->options.joblog + (*m->options.joblog == '+'));
    else if (m->again && m->options.resume == RESUME_NO) /* it may have been moved */
        str_addf(&path, "%s/joblog", m->dir);
    else if (m->options.dir)
        str_addf(&path, "%s/joblog", m->options.dir);
    return path;
}

/* ---- reading ---- */

static void set_finished(struct map_log *l, uint64_t seq, bool on)
{
    uint64_t word = seq / 64, bit = 1ULL << (seq % 64);

    while (l->finished.count <= word)
        vec_push(&l->finished, 0);
    if (on)
        l->finished.at[word] |= bit;
    else
        l->finished.at[word] &= ~bit;
}

bool map_log_has(void *ctx, uint64_t seq)
{
    const struct map_log *l = ctx;
    return seq / 64 < l->finished.count && l->finished.at[seq / 64] >> (seq % 64) & 1;
}

/* Keeps the commands that failed and did not succeed later, in the order of the log. */
static void note_retry(struct map_log *l, const struct joblog_entry *e, bool failed)
{
    uint32_t i = 0, kept = 0;

    for (; i < l->seqs.count; i++)
        if (l->seqs.at[i] == e->seq) {
            mem_free(l->retry.at[i]);
        } else {
            l->seqs.at[kept] = l->seqs.at[i];
            l->retry.at[kept++] = l->retry.at[i];
        }
    l->seqs.count = l->retry.count = kept;
    if (!failed)
        return;
    vec_push(&l->seqs, e->seq);
    vec_push(&l->retry, mem_strdup(e->command));
}

int map_log_read(struct map *m, struct err *err)
{
    enum options_resume resume = m->options.resume;
    struct str path = log_path(m);
    struct joblog_entry e;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int result = 0;

    FILE *f = fopen(path.text, "re");
    if (!f && (errno != ENOENT || resume == RESUME_RETRY)) /* else nothing was done yet */
        result = err_set(err, "%s: %s", path.text, strerror(errno));
    while (f && (n = getline(&line, &cap, f)) > 0 && line[n - 1] == '\n') { /* else it is torn */
        line[n - 1] = 0;
        if (!joblog_read(line, (size_t)n - 1, &e))
            continue;
        bool failed = e.exit != 0 || e.signal != 0;
        set_finished(&m->log, e.seq, resume == RESUME_ALL || !failed);
        if (resume == RESUME_RETRY)
            note_retry(&m->log, &e, failed);
    }
    mem_free(line);
    if (f)
        fclose(f);
    str_free(&path);
    return result;
}

/* ---- writing ---- */

/* Whether the file is there and ends in the middle of a line, after a crash. */
static bool is_torn(FILE *f)
{
    return fseek(f, -1, SEEK_END) == 0 && fgetc(f) != '\n';
}

/* A line that an earlier life had begun is either whole, or goes. */
static void mend(struct map *m)
{
    uint32_t task;
    int64_t bytes;
    struct stat st;

    if (!mark_logging(m->mark, &task, &bytes) || fstat(fileno(m->log.file), &st) < 0)
        return;
    if (st.st_size > bytes && !is_torn(m->log.file))
        mark_done(m->mark, task);
    else if (st.st_size > bytes)
        (void)!ftruncate(fileno(m->log.file), bytes);
}

/* Returns 0, or -1 with errno. `more`: the file may have lines already. */
static int write_head(struct map *m, bool more)
{
    mend(m);
    if (more && is_torn(m->log.file))
        fputs("\n", m->log.file);
    fseek(m->log.file, 0, SEEK_END);
    if (ftell(m->log.file) <= 0) /* -1: a pipe, which has no place */
        fputs(JOBLOG_HEADER "\n", m->log.file);
    return fflush(m->log.file) == 0 ? 0 : -1;
}

/* --joblog -: among the outputs. What is there already is not ours to mend. */
static int open_to_stdout(struct map *m, struct err *err)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

    m->log.file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!m->log.file)
        return err_system(err, "standard output: %s", strerror(errno));
    if (!m->again)
        fputs(JOBLOG_HEADER "\n", m->log.file);
    return fflush(m->log.file) == 0 ? 0 : err_system(err, "standard output: %s", strerror(errno));
}

int map_log_open(struct map *m, struct err *err)
{
    const char *named = m->options.joblog;
    bool more = m->options.resume != RESUME_NO || m->again || (named && *named == '+');

    if (named && strcmp(named, "-") == 0)
        return open_to_stdout(m, err);
    struct str path = log_path(m);
    if (!path.text)
        return 0;
    m->log.file = fopen(path.text, more ? "a+e" : "we");
    int result = m->log.file && write_head(m, more) == 0
                     ? 0
                     : err_set(err, "%s: %s", path.text, strerror(errno));
    str_free(&path);
    return result;
}

/* The name counts that the node has at its last return. */
void map_log_node(struct map_log *l, struct node_id node, const char *name)
{
    while (l->hosts.count <= node.v)
        vec_push(&l->hosts, NULL);
    mem_replace(&l->hosts.at[node.v], name);
}

struct joblog_entry map_log_entry(const struct map *m, const struct map_output *p,
                                  struct str *command)
{
    const struct map_end *end = p->end;
    struct stat st;
    /* The size of a failed attempt's output is in no event. */
    bool failed = end->state == MAP_TASK_FAILED && stat(p->out.text, &st) == 0;
    bool has_node = m->options.where.spec && end->node.v < m->log.hosts.count;

    if (!end->command)
        plan_command(m->plan, p->task, end->slot, command);
    return (struct joblog_entry){.seq = plan_seq(m->plan, p->task),
                                 .host = has_node ? m->log.hosts.at[end->node.v] : ":",
                                 .start_s = end->start_s,
                                 .runtime_s = end->runtime_s,
                                 .sent = end->sent,
                                 .received = failed ? (int64_t)st.st_size : end->received,
                                 .exit = end->exit,
                                 .signal = end->signal,
                                 .command = end->command ? end->command : command->text};
}

void map_log_add(struct map *m, const struct map_output *p)
{
    struct str line = {0}, command = {0};
    struct stat st;
    struct joblog_entry e = map_log_entry(m, p, &command);

    joblog_add(&line, &e);
    progress_line_clear(&m->progress); /* it may go to a terminal */
    if (m->mark && fstat(fileno(m->log.file), &st) == 0)
        mark_log(m->mark, p->task, (int64_t)st.st_size);
    if (write_all(fileno(m->log.file), line.text, line.length) < 0)
        map_fail_unwritable(m, "the job log");
    str_free(&line);
    str_free(&command);
}

void map_log_fini(struct map_log *l)
{
    vec_free_each(&l->retry);
    vec_free_each(&l->hosts);
    vec_free(&l->seqs);
    vec_free(&l->finished);
}
