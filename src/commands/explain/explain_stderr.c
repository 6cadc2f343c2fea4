/* explain_stderr.c - what a task that failed has said last.
 *
 * It is the answer to "why" more often than an exit status is. The text is the task's, so it is
 * tamed as everything that comes from outside, and no more than its end is read. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/explain/explain.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/trust.h"

enum { LINE_MAX_SHOWN = 400, TAIL_MAX = 1 << 14 };

/* The end of a file, without newlines at its end; false: there is nothing to be read. */
static bool read_tail(const char *path, struct str *to, bool *cut)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char text[TAIL_MAX];

    if (fd < 0)
        return false;
    ssize_t n = -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *cut = st.st_size > TAIL_MAX;
        n = pread(fd, text, sizeof text, *cut ? st.st_size - TAIL_MAX : 0);
    }
    close(fd);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        n--;
    for (ssize_t i = 0; i < n; i++)
        text[i] = text[i] == '\0' ? '?' : text[i];
    if (n > 0)
        str_add_bytes(to, text, (size_t)n);
    return n > 0;
}

/* Where the last lines begin. */
static char *last_lines(char *text, uint32_t lines, bool *cut)
{
    char *at = text + strlen(text);

    for (uint32_t ends = 0; at > text; at--)
        if (at[-1] == '\n' && ++ends == lines) {
            *cut = true;
            return at;
        }
    return text;
}

/* Returns the ordinal of the last attempt of the task before `below` whose private folder is kept
 * there; -1: there is none. */
static int32_t kept_before(const char *folder, struct attempt_ref of, int32_t below)
{
    struct attempt_ref at;
    int32_t last = -1;
    DIR *d = opendir(folder);

    for (struct dirent *e; d && (e = readdir(d));)
        if (sscanf(e->d_name, "%" SCNu32 ".%" SCNu16 ".%" SCNu32 ".%" SCNu16, &at.job.v, &at.phase,
                   &at.task, &at.attempt) == 4 &&
            at.job.v == of.job.v && at.phase == of.phase && at.task == of.task &&
            at.attempt > last && at.attempt < below)
            last = at.attempt;
    if (d)
        closedir(d);
    return last;
}

/* Reads that of the last attempt of the task that has said something, if `dolly exec` has kept it.
 */
static bool read_attempts(const struct explain *x, struct attempt_ref at, struct str *to,
                          struct explain_tail *tail)
{
    struct path folder = explain_folder(x->path);
    uid_t owner;
    bool found = false;

    if (!*folder.text || explain_is_simulated(x) || trust_is_foreign(folder.text, &owner))
        return false;
    struct path kept = path_of("%s/attempts", folder.text);
    for (int32_t k = INT32_MAX; !found && (k = kept_before(kept.text, at, k)) >= 0;) {
        at.attempt = (uint16_t)k;
        tail->path = path_of("%s/stderr", run_dir_attempt(folder.text, at).text);
        found = read_tail(tail->path.text, to, &tail->cut);
    }
    return found;
}

static bool read_any(const struct explain *x, struct attempt_ref at, struct str *to,
                     struct explain_tail *tail)
{
    if (!x->look)
        return read_attempts(x, at, to, tail);
    if (at.task >= map_look_tasks(x->look))
        return false;
    tail->path = map_look_stderr(x->look, at.task);
    return read_tail(tail->path.text, to, &tail->cut);
}

bool explain_stderr_tail(const struct explain *x, struct attempt_ref at, uint32_t lines,
                         struct explain_tail *tail)
{
    struct str text = {0};

    *tail = (struct explain_tail){.cut = false};
    if (!read_any(x, at, &text, tail))
        return false;
    for (char *rest = last_lines(text.text, lines, &tail->cut), *line;
         (line = strsep(&rest, "\n"));) {
        for (char *c = line; *c; c++)
            *c = *c == '\t' ? ' ' : *c;
        size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        str_addf(&tail->text, "%.*s%s\n", LINE_MAX_SHOWN, text_tame(line),
                 length > LINE_MAX_SHOWN ? "..." : "");
    }
    str_free(&text);
    return true;
}

void explain_stderr(const struct explain *x, uint16_t phase, uint32_t task, struct str *out)
{
    struct explain_tail tail;
    struct attempt_ref at = {.job = x->job->id, .phase = phase, .task = task};

    if (!explain_stderr_tail(x, at, EXPLAIN_STDERR_LINES, &tail))
        return;
    str_addf(out, tail.cut ? "The end of its stderr (%s):\n" : "Its stderr (%s):\n",
             text_tame(tail.path.text));
    for (char *rest = tail.text.text, *line; (line = strsep(&rest, "\n")) && (*line || rest);)
        str_addf(out, "  %s\n", line);
    str_free(&tail.text);
}
