/* Paths of the coordinator become paths of this machine here, and nowhere else. */
#include "remote/agent/agent_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/process/sys.h"
#include "remote/fetch/fetch_store.h"

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

struct agent_place *agent_places_find(const struct agent_places *p, uint32_t handle)
{
    uint32_t index = lookup_get(&p->by_handle, handle);

    return index == LOOKUP_NONE ? NULL : &p->at.at[index];
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
static int places_in_run(const struct agent_places *p, const char *path, struct path *out)
{
    *out = path_of("%s/%s", p->run, path);
    if (agent_places_is_inside(path) && strlen(out->text) < PATH_MAX)
        return 0;
    errno = agent_places_is_inside(path) ? ENAMETOOLONG : EINVAL;
    return -1;
}

/* The folder for temporary files is here, and so may the plan be. */
static void places_dress(struct agent_places *p, struct packet *m, const char *dir)
{
    static const char name[] = "DOLLY_TMPDIR=", plan[] = "DOLLY_PLAN=";
    const char *at = m->u.launch.env, *end = at + m->u.launch.env_bytes;
    uint32_t own = (uint32_t)(strlen(dir) + sizeof name + strlen("/tmp"));
    uint32_t sent = (uint32_t)(strlen(p->scratch) + sizeof plan + strlen("/plan"));

    vec_reserve(&p->env, m->u.launch.env_bytes + own + sent);
    p->env.count = (uint32_t)snprintf(p->env.at, own, "%s%s/tmp", name, dir) + 1;
    if (p->keep)
        p->env.count +=
            (uint32_t)snprintf(p->env.at + p->env.count, sent, "%s%s/plan", plan, p->scratch) + 1;
    for (; at < end; at += strlen(at) + 1) {
        uint32_t length = (uint32_t)strlen(at) + 1;
        if (strncmp(at, name, sizeof name - 1) == 0)
            continue;
        vec_append(&p->env, at, length);
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
    *which = attempt_dirs_take(&p->dirs, (struct attempt_ref){.task = m->handle}, false, &p->dir,
                               &p->reuse);
    places_dress(p, m, p->dir.text);
    return 0;
}

static int places_take_run(struct agent_places *p, struct packet *m)
{
    p->reuse.text[0] = 0;
    if (places_in_run(p, m->u.launch.dir, &p->dir) < 0 ||
        (*m->u.launch.reuse && places_in_run(p, m->u.launch.reuse, &p->reuse) < 0))
        return -1;
    if (!*m->u.launch.stdin_path || m->u.launch.stdin_path[0] == '/')
        return 0;
    if (places_in_run(p, m->u.launch.stdin_path, &p->in) < 0)
        return -1;
    m->u.launch.stdin_path = p->in.text;
    return 0;
}

int agent_places_take(struct agent_places *p, struct packet *m)
{
    struct agent_place place = {
        .which = UINT32_MAX, .control = m->u.launch.control, .keep = m->u.launch.keep};

    p->dirs.run = p->scratch;
    if (agent_places_find(p, m->handle) || (place.keep && !p->keep)) {
        errno = EINVAL;
        return -1;
    }
    if ((p->pull ? places_take_scratch(p, m, &place.which) : places_take_run(p, m)) < 0)
        return -1;
    m->u.launch.dir = p->dir.text;
    m->u.launch.reuse = p->reuse.text;
    place.dir = mem_strdup(p->dir.text);
    uint32_t index = vec_take(&p->at, &p->free);
    p->at.at[index] = place;
    lookup_put(&p->by_handle, m->handle, index);
    return 0;
}

/* An attempt has been told places where outputs stay with agents. */
int agent_places_read(struct agent_places *p, struct packet *m)
{
    if (p->keep && !*m->u.read.path)
        return 0;
    if (p->pull || !agent_places_find(p, m->handle)) {
        errno = EINVAL;
        return -1;
    }
    if (places_in_run(p, m->u.read.path, &p->in) < 0)
        return -1;
    m->u.read.path = p->in.text;
    return 0;
}

int agent_places_tell(struct agent_places *p, struct packet *m)
{
    struct agent_place *reader = agent_places_find(p, m->handle);

    if (!p->keep || !reader || *m->u.place.where == '/') {
        errno = EINVAL;
        return -1;
    }
    if (!*m->u.place.where) {
        p->in = fetch_store_path(p->scratch, m->u.place.output);
        m->u.place.where = p->in.text;
        return 0;
    }
    bool keyed = reader->keyed;
    reader->keyed = true;
    return !keyed;
}

/* Pieces come in order, and all attempts behind the last. */
int agent_places_file(struct agent_places *p, const struct packet *m)
{
    struct path path = path_of("%s/plan", p->scratch);
    struct stat st;

    if (!p->keep) {
        errno = EINVAL;
        return -1;
    }
    int fd = sys_open(path.text, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int result = sys_fstat(fd, &st);
    if (result == 0 && st.st_size != m->u.file.offset) {
        errno = EINVAL;
        result = -1;
    } else if (result == 0) {
        ssize_t n = write(fd, m->u.file.bytes, m->u.file.length);
        if (n >= 0 && n < (ssize_t)m->u.file.length)
            errno = ENOSPC;
        result = n == (ssize_t)m->u.file.length ? 0 : -1;
    }
    sys_close(&fd);
    return result;
}

void agent_places_release(struct agent_places *p, uint32_t handle)
{
    struct agent_place *place = agent_places_find(p, handle);
    struct stat st;

    if (!place)
        return;
    if (p->pull) {
        if (lstat(attempt_dirs_path(&p->dirs, place->which, "stdout").text, &st) == 0 &&
            S_ISREG(st.st_mode) && st.st_size == 0) {
            attempt_dirs_release(&p->dirs, place->which, false);
        } else {
            attempt_dirs_clear(&p->dirs, place->which, false);
            attempt_dirs_forget(&p->dirs, place->which);
        }
    }
    mem_free(place->dir);
    place->dir = NULL;
    lookup_remove(&p->by_handle, handle);
    vec_push(&p->free, (uint32_t)(place - p->at.at));
}

uint32_t agent_places_count(const struct agent_places *p)
{
    return p->at.count - p->free.count;
}

bool agent_places_sees(const struct packet_welcome *w)
{
    struct path path = path_of("%s/%s", w->dir, w->probe);
    char text[128];

    if (!agent_places_is_inside(w->probe))
        return false;
    int fd = sys_open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    ssize_t n = fd >= 0 ? sys_read(fd, text, sizeof text) : -1;
    sys_close(&fd);
    return n > 0 && (size_t)n == strlen(w->token) && memcmp(text, w->token, (size_t)n) == 0 &&
           access(w->dir, W_OK) == 0;
}
