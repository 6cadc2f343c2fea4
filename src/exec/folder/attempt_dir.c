/* Private folders.
 *
 * Whether a folder is as good as new can be found out by listing it and its tmp/, which takes a
 * dozen system calls. Once one has been found bare, it is enough to see that it was not changed
 * since: the time of its last change shows it, provided that it had been the same for a while when
 * we looked, so that a later change cannot get the same time from a coarse clock. Where outputs are
 * moved away the folder is changed by each attempt, and its tmp/ hardly ever. Keeping the
 * folders open and listing them again was slower; watching them (inotify) costs a wake-up for every
 * change that we make ourselves.
 *
 * A run that may be resumed needs the folder of an attempt that has left something to be called
 * after it, because resuming looks there for what was not committed yet. Renaming each spare folder
 * was a good part of what a small task costs on a disk: so its runner does that at the end of the
 * attempt, and mostly need not. Agents need the name from the start. */
#include "exec/folder/attempt_dir.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"

/* The clock for files is coarse by 10 ms at most, or by a second on disks that keep no more. */
#define ATTEMPT_DIR_SECOND_NS 1000000000ll
#define ATTEMPT_DIR_SURE_NS (ATTEMPT_DIR_SECOND_NS / 20)

void attempt_dirs_fini(struct attempt_dirs *p)
{
    for (uint32_t i = 0; i < p->at.count; i++)
        mem_free(p->at.at[i].path);
    vec_free(&p->at);
    vec_free(&p->spare);
}

/* Copies where printing would be shorter: paths are asked for ten times for each attempt. */
struct path attempt_dirs_path(const struct attempt_dirs *p, uint32_t which, const char *name)
{
    const struct attempt_dir *at = &p->at.at[which];
    uint32_t used = at->length;
    struct path path;

    if (!at->path)
        return path_of("%s%s%s", run_dir_attempt(p->run, at->name).text, name ? "/" : "",
                       name ? name : "");
    memcpy(path.text, at->path, used + 1);
    if (name) {
        path.text[used++] = '/';
        memcpy(path.text + used, name, strlen(name) + 1);
    }
    return path;
}

/* The folder is called after the attempt from now on. */
static void attempt_dir_name(struct attempt_dir *at, const char *run, struct attempt_ref attempt)
{
    mem_free(at->path);
    at->name = attempt;
    at->path = mem_strdup(run_dir_attempt(run, attempt).text);
    at->length = (uint32_t)strlen(at->path);
}

void attempt_dirs_name(struct attempt_dirs *p, uint32_t which, struct attempt_ref at)
{
    attempt_dir_name(&p->at.at[which], p->run, at);
}

void attempt_dirs_forget(struct attempt_dirs *p, uint32_t which)
{
    mem_free(p->at.at[which].path);
    p->at.at[which].path = NULL;
}

uint32_t attempt_dirs_take(struct attempt_dirs *p, struct attempt_ref at, bool own_name,
                           struct path *dir, struct path *reuse)
{
    uint32_t which = p->at.count;

    reuse->text[0] = 0;
    if (p->spare.count) {
        which = p->spare.at[--p->spare.count];
        *reuse = attempt_dirs_path(p, which, NULL);
        if (own_name)
            attempt_dir_name(&p->at.at[which], p->run, at);
    } else {
        vec_push(&p->at, ((struct attempt_dir){0}));
        attempt_dir_name(&p->at.at[which], p->run, at);
    }
    *dir = attempt_dirs_path(p, which, NULL);
    return which;
}

void attempt_dirs_clear_tmp(const struct attempt_dirs *p, uint32_t which)
{
    struct path tmp = attempt_dirs_path(p, which, "tmp");

    if (sys_rmdir(tmp.text) < 0 && errno != ENOENT)
        tree_remove(tmp.text);
}

void attempt_dirs_clear(const struct attempt_dirs *p, uint32_t which, bool keep_stderr)
{
    attempt_dirs_clear_tmp(p, which);
    sys_unlink(attempt_dirs_path(p, which, "stdout").text);
    if (keep_stderr)
        return;
    sys_unlink(attempt_dirs_path(p, which, "stderr").text);
    struct path dir = attempt_dirs_path(p, which, NULL);
    if (sys_rmdir(dir.text) < 0 && errno != ENOENT)
        tree_remove(dir.text); /* it wrote more than it should */
}

static int64_t attempt_dir_ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether the file is one and is empty, or is not there. */
static bool attempt_dir_is_empty_file(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? S_ISREG(st.st_mode) && st.st_size == 0 : errno == ENOENT;
}

/* Whether it is a folder and holds only these names. */
static bool attempt_dir_holds_only(struct attempt_dir_seen *seen, const char *path,
                                   const char *const *names)
{
    struct stat st;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return false;
    int64_t changed_ns = attempt_dir_ns(st.st_mtim);
    if (seen->still && seen->changed_ns == changed_ns)
        return true;
    if (!run_dir_holds_only(path, names))
        return false;
    bool coarse = changed_ns % ATTEMPT_DIR_SECOND_NS == 0;
    if (seen->changed_ns != changed_ns)
        *seen = (struct attempt_dir_seen){changed_ns, attempt_dir_ns(now), false};
    else
        seen->still = attempt_dir_ns(now) - seen->since_ns >=
                      (coarse ? 3 * ATTEMPT_DIR_SECOND_NS : ATTEMPT_DIR_SURE_NS);
    return true;
}

static bool attempt_dir_is_bare(struct attempt_dirs *p, uint32_t which, bool silent)
{
    static const char *const names[] = {"stdout", "stderr", "tmp", NULL}, *const none[] = {NULL};
    struct attempt_dir *at = &p->at.at[which];

    return (silent || (attempt_dir_is_empty_file(attempt_dirs_path(p, which, "stdout").text) &&
                       attempt_dir_is_empty_file(attempt_dirs_path(p, which, "stderr").text))) &&
           attempt_dir_holds_only(&at->dir, attempt_dirs_path(p, which, NULL).text, names) &&
           attempt_dir_holds_only(&at->tmp, attempt_dirs_path(p, which, "tmp").text, none);
}

void attempt_dirs_release(struct attempt_dirs *p, uint32_t which, bool silent)
{
    if (attempt_dir_is_bare(p, which, silent)) {
        vec_push(&p->spare, which);
    } else {
        attempt_dirs_clear(p, which, false);
        attempt_dirs_forget(p, which);
    }
}

void attempt_dirs_clear_spare(struct attempt_dirs *p)
{
    while (p->spare.count)
        attempt_dirs_clear(p, p->spare.at[--p->spare.count], false);
}
