/* map_files.c - outputs that stay in files the user has named: --results, --output, --error.
 *
 * A file of --output belongs to one task if its name has the task's index in it. Otherwise all
 * tasks share it: it is emptied when the run begins, and each task that is over adds its
 * output, in one piece. So that nothing is added twice when a run is resumed, the length of the
 * file before a task is noted (mark.c), and what had been added by halves is cut off again. */
#include "jobs/map/map_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "jobs/args/file_pattern.h"
#include "jobs/map/map.h"
#include "jobs/streams/bytes.h"

/* Copies a file behind what is there, or in its place; an empty one where there is none. A name
 * that is too long for the system is no reason to lose the rest of the run. */
static void copy_file(struct map *m, const char *from, const char *to, bool append)
{
    tree_make_above(to, 0777);
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int unread = in < 0 && errno != ENOENT ? errno : 0;
    int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    if (unread) {
        struct err err;
        err_system(&err, "%s cannot be read: %s", from, strerror(unread));
        map_fail(m, &err);
    } else if (out < 0 && errno == ENAMETOOLONG) {
        progress_line_clear(&m->progress);
        fprintf(stderr,
                "dolly map: %.60s...: the name is too long, so this output is not saved there\n",
                to);
    } else if (out < 0 || (in >= 0 && bytes_copy(in, out, INT64_MAX) < 0)) {
        map_fail_unwritable(m, to);
    }
    sys_close(&in);
    sys_close(&out);
}

/* ---- --results ---- */

/* The path of stdout, stderr or seq of a task. They stand in a folder of its own where --results
 * names no replacement string, or ends in a slash; else beside each other. */
static void results_path(struct map *m, const struct map_output *p, const char *file,
                         struct str *path)
{
    str_cut(path, 0);
    plan_results(m->plan, p->task, p->end->slot, path);
    if (plan_results_plain(m->plan))
        str_add(path, "/");
    if (path->text[path->length - 1] == '/')
        str_add(path, file);
    else if (strcmp(file, "stdout") != 0)
        str_add(path, strcmp(file, "seq") == 0 ? ".seq" : ".err");
}

void map_files_results(struct map *m, const struct map_output *p)
{
    struct str path = {0};

    results_path(m, p, "stdout", &path);
    copy_file(m, p->out.text, path.text, false);
    results_path(m, p, "stderr", &path);
    copy_file(m, p->err.text, path.text, false);
    results_path(m, p, "seq", &path);
    FILE *f = fopen(path.text, "we");
    if (f)
        fprintf(f, "%" PRIu64, plan_seq(m->plan, p->task));
    if (f ? fclose(f) != 0 : errno != ENAMETOOLONG)
        map_fail_unwritable(m, path.text);
    str_free(&path);
}

/* ---- --output and --error ---- */

static void file_name(struct map *m, const char *pattern, uint32_t task, struct str *out)
{
    char host[HOST_NAME_MAX + 1] = "", user[32];
    const struct passwd *me = getpwuid(geteuid());
    const char *command = m->options.command.text;

    gethostname(host, sizeof host - 1);
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    struct file_pattern_facts facts = {.run = m->id,
                                       .index = plan_index(m->plan, task),
                                       .seq = plan_seq(m->plan, task),
                                       .command = command ? command : "",
                                       .host = host,
                                       .user = me ? me->pw_name : user};
    file_pattern_fill(pattern, &facts, out);
}

static bool is_shared(const char *pattern)
{
    return pattern && file_pattern_is_shared(pattern);
}

static int64_t file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : 0;
}

int map_files_open(struct map *m, struct err *err)
{
    const char *patterns[] = {m->options.out_file, m->options.err_file};
    int64_t bytes[2] = {0, 0};
    bool cuts = m->again ? mark_filing(m->mark, bytes) : m->options.resume == RESUME_NO;
    int result = 0;

    for (int i = 0; cuts && i < 2 && result == 0; i++) {
        struct str path = {0};
        if (!is_shared(patterns[i]))
            continue;
        file_name(m, patterns[i], 0, &path);
        tree_make_above(path.text, 0777);
        int fd = open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0 || (file_bytes(path.text) > bytes[i] && ftruncate(fd, bytes[i]) < 0))
            result = err_system(err, "cannot write %s: %s", path.text, strerror(errno));
        sys_close(&fd);
        str_free(&path);
    }
    return result;
}

void map_files_add(struct map *m, const struct map_output *p)
{
    const char *from[] = {p->out.text, p->err.text};
    const char *patterns[] = {m->options.out_file, m->options.err_file};
    struct str to[2] = {{0}, {0}};
    int64_t bytes[2] = {0, 0};

    if (mark_filed(m->mark, p->task)) /* in an earlier life */
        return;
    for (int i = 0; i < 2; i++) {
        if (patterns[i])
            file_name(m, patterns[i], p->task, &to[i]);
        if (is_shared(patterns[i]))
            bytes[i] = file_bytes(to[i].text);
    }
    mark_files(m->mark, p->task, bytes);
    bool same = patterns[0] && patterns[1] && strcmp(to[0].text, to[1].text) == 0;
    for (int i = 0; i < 2; i++) {
        if (patterns[i])
            copy_file(m, from[i], to[i].text, is_shared(patterns[i]) || (i == 1 && same));
        str_free(&to[i]);
    }
}

void map_files_name(struct map *m, const struct map_output *p, struct str *path)
{
    if (m->options.results) {
        results_path(m, p, "stdout", path);
        return;
    }
    str_addf(path, "%s/dollyXXXXXX.par", map_dir_tmp(m));
    int fd = mkstemps(path->text, 4);
    if (fd < 0) {
        map_fail_unwritable(m, path->text);
        return;
    }
    close(fd);
    copy_file(m, p->out.text, path->text, false);
}
