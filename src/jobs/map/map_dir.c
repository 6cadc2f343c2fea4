/* map_dir.c - the folder of a run. A private one goes with the run, also if the run is killed: the
 * supervisor sees to that. Only if a run is killed before it has one, the folder is left for the
 * next run to find. */
#include "jobs/map/map_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/run_lock.h"
#include "jobs/map/map.h"

#define PRIVATE_NAME "dolly-map-"

const char *map_dir_tmp(const struct map *m)
{
    const char *tmp = m->options.tmpdir ? m->options.tmpdir : getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

static int take_lock(struct map *m, struct err *err)
{
    int fd = run_lock_new(m->dir, err);

    m->lock_fd = fd < 0 ? 0 : fd;
    return fd < 0 ? -1 : 0;
}

static int open_private(struct map *m, struct err *err)
{
    const char *tmp = map_dir_tmp(m);
    struct path path = path_of("%s/" PRIVATE_NAME "XXXXXX", tmp);

    run_dir_sweep(tmp, PRIVATE_NAME);
    if (!mkdtemp(path.text))
        return err_system(err, "%s: cannot make a folder there: %s", tmp, strerror(errno));
    m->dir = mem_strdup(path.text);
    m->dir_private = true;
    return take_lock(m, err);
}

static bool holds_run(const char *dir)
{
    return access(path_of("%s/journal", dir).text, F_OK) == 0;
}

/* A run that is resumed by its job log gets a folder of its own inside the first one's. */
static int open_named(struct map *m, struct err *err)
{
    const char *dir = m->options.dir;
    struct path path = path_of("%s", dir);
    char absolute[PATH_MAX];
    bool there = holds_run(dir) && m->options.resume != RESUME_NO;

    for (int i = 1; there; i++) {
        path = path_of("%s/resumed-%d", dir, i);
        there = access(path.text, F_OK) == 0;
    }
    if (run_dir_create(path.text, err) < 0)
        return !holds_run(path.text)
                   ? -1
                   : err_set(err,
                             "%s: already holds a run; `dolly resume` continues it, `dolly report` "
                             "shows it; expected a new folder for each run",
                             path.text);
    if (!realpath(path.text, absolute))
        return err_system(err, "%s: %s", path.text, strerror(errno));
    m->dir = mem_strdup(absolute);
    return take_lock(m, err);
}

int map_dir_open(struct map *m, struct err *err)
{
    if (m->dir)
        return 0;
    return m->options.dir ? open_named(m, err) : open_private(m, err);
}

/* Leaves no folder of a run that cannot be resumed, if nothing else was put there. */
static void abandon(struct map *m)
{
    if (m->blocks.dir)
        tree_remove(m->blocks.dir);
    unlink(path_of("%s/lock", m->dir).text);
    rmdir(m->dir);
}

void map_dir_close(struct map *m)
{
    if (m->dir_private)
        tree_remove(m->dir);
    else if (m->lock_fd > 0 && !m->began && !m->again)
        abandon(m);
    if (m->lock_fd > 0)
        close(m->lock_fd);
    mem_free(m->dir);
}

struct path map_dir_attempt(const struct map *m, struct attempt_ref at, const char *name)
{
    return exec_output_file(m->exec, map_feed_to_brain(&m->feed, at), name);
}

struct path map_dir_output(const struct map *m, uint32_t task, uint8_t state, int which)
{
    static const char *const names[] = {"", "/stdout", "/stderr"};
    struct attempt_ref at = map_feed_to_brain(&m->feed, (struct attempt_ref){.task = task});

    if (state == MAP_TASK_FAILED)
        return path_of("%s/failed/%u%s", m->dir, task, names[which]);
    return which == 1 ? path_of("%s/out/%u/map/%u", m->dir, at.job.v, at.task)
                      : path_of("%s/err/%u", m->dir, task);
}
