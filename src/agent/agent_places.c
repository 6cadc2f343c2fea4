/* Paths of the coordinator become paths of this machine here, and nowhere else. */
#include "agent/agent_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/sys.h"

void agent_places_fini(struct agent_places *p)
{
    for (uint32_t i = 0; i < p->at.count; i++)
        mem_free(p->at.at[i].dir);
    vec_free(&p->at);
    vec_free(&p->free);
    lookup_fini(&p->by_handle);
    attempt_dirs_fini(&p->dirs);
    vec_free(&p->env);
}

bool agent_places_is_inside(const char *path)
{
    if (*path == '/' || !*path)
        return false;
    for (;;) {
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
            return false;
        if (!path[length])
            return true;
        path += length + 1;
    }
}

/* RUN/PATH. */
static int places_in_run(const struct agent_places *p, const char *path, char out[PATH_MAX])
{
    if (!agent_places_is_inside(path)) {
        errno = EINVAL;
        return -1;
    }
    if (snprintf(out, PATH_MAX, "%s/%s", p->run, path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* The folder for temporary files is here. */
static void places_dress(struct agent_places *p, struct packet *m, const char *dir)
{
    static const char name[] = "DOLLY_TMPDIR=";
    const char *at = m->u.launch.env, *end = at + m->u.launch.env_bytes;
    uint32_t own = (uint32_t)(strlen(dir) + sizeof name + strlen("/tmp"));

    vec_clear(&p->env);
    vec_reserve(&p->env, m->u.launch.env_bytes + own);
    p->env.count = (uint32_t)snprintf(p->env.at, own, "%s%s/tmp", name, dir) + 1;
    for (; at < end; at += strlen(at) + 1) {
        uint32_t length = (uint32_t)strlen(at) + 1;
        if (strncmp(at, name, sizeof name - 1) == 0)
            continue;
        memcpy(p->env.at + p->env.count, at, length);
        p->env.count += length;
    }
    m->u.launch.env = p->env.at;
    m->u.launch.env_bytes = p->env.count;
}

static int places_take_scratch(struct agent_places *p, struct packet *m, uint32_t *which)
{
    if (*m->u.launch.stdin_path && m->u.launch.stdin_path[0] != '/') {
        errno = EREMOTE; /* it is in the folder of the run */
        return -1;
    }
    *which = attempt_dirs_take(&p->dirs, (struct attempt_ref){.task = m->handle}, false, p->dir,
                               p->reuse);
    places_dress(p, m, p->dir);
    return 0;
}

static int places_take_run(struct agent_places *p, struct packet *m)
{
    p->reuse[0] = 0;
    if (places_in_run(p, m->u.launch.dir, p->dir) < 0 ||
        (*m->u.launch.reuse && places_in_run(p, m->u.launch.reuse, p->reuse) < 0))
        return -1;
    if (!*m->u.launch.stdin_path || m->u.launch.stdin_path[0] == '/')
        return 0;
    if (places_in_run(p, m->u.launch.stdin_path, p->in) < 0)
        return -1;
    m->u.launch.stdin_path = p->in;
    return 0;
}

int agent_places_take(struct agent_places *p, struct packet *m)
{
    struct agent_place place = {.which = UINT32_MAX, .control = m->u.launch.control};

    p->dirs.run = p->scratch;
    if (lookup_get(&p->by_handle, m->handle) != LOOKUP_NONE) {
        errno = EINVAL;
        return -1;
    }
    if ((p->pull ? places_take_scratch(p, m, &place.which) : places_take_run(p, m)) < 0)
        return -1;
    m->u.launch.dir = p->dir;
    m->u.launch.reuse = p->reuse;
    place.dir = mem_strdup(p->dir);
    uint32_t index = vec_take(&p->at, &p->free);
    p->at.at[index] = place;
    lookup_put(&p->by_handle, m->handle, index);
    return 0;
}

int agent_places_read(struct agent_places *p, struct packet *m)
{
    if (p->pull || lookup_get(&p->by_handle, m->handle) == LOOKUP_NONE) {
        errno = EINVAL;
        return -1;
    }
    if (places_in_run(p, m->u.read.path, p->in) < 0)
        return -1;
    m->u.read.path = p->in;
    return 0;
}

bool agent_places_tells(const struct agent_places *p, uint32_t handle)
{
    uint32_t index = lookup_get(&p->by_handle, handle);
    return index != LOOKUP_NONE && p->at.at[index].control;
}

const char *agent_places_dir(const struct agent_places *p, uint32_t handle)
{
    uint32_t index = lookup_get(&p->by_handle, handle);
    return index == LOOKUP_NONE ? NULL : p->at.at[index].dir;
}

void agent_places_release(struct agent_places *p, uint32_t handle)
{
    uint32_t index = lookup_get(&p->by_handle, handle);
    char path[PATH_MAX];
    struct stat st;

    if (index == LOOKUP_NONE)
        return;
    struct agent_place *place = &p->at.at[index];
    if (p->pull) {
        attempt_dirs_path(&p->dirs, place->which, "stdout", path);
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0) {
            attempt_dirs_release(&p->dirs, place->which);
        } else {
            attempt_dirs_clear(&p->dirs, place->which, false);
            attempt_dirs_forget(&p->dirs, place->which);
        }
    }
    mem_free(place->dir);
    place->dir = NULL;
    lookup_remove(&p->by_handle, handle);
    vec_push(&p->free, index);
}

uint32_t agent_places_count(const struct agent_places *p)
{
    return p->at.count - p->free.count;
}
