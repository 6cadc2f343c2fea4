#include "exec/ward.h"

#include "exec/sys.h"

struct ward *wards_add(struct wards *w, uint32_t handle)
{
    uint32_t i;

    if (w->free.count) {
        i = w->free.at[--w->free.count];
    } else {
        i = w->at.count;
        vec_push(&w->at, ((struct ward){.progress_fd = -1, .pipe_fd = -1}));
    }
    struct ward *ward = &w->at.at[i];
    *ward = (struct ward){.state = WARD_RUNNING,
                          .handle = handle,
                          .order = w->launches++,
                          .stdin_fd = -1,
                          .progress_fd = ward->progress_fd,
                          .pipe_fd = ward->pipe_fd,
                          .pipe = ward->pipe,
                          .flight = ward->flight,
                          .kill_at_us = INT64_MAX};
    lookup_put(&w->by_handle, handle, i);
    return ward;
}

void wards_enter(struct wards *w, struct ward *ward, pid_t pid)
{
    ward->pid = pid;
    lookup_put(&w->by_pid, (uint64_t)pid, wards_index(w, ward));
}

void wards_remove(struct wards *w, struct ward *ward)
{
    sys_close(&ward->stdin_fd);
    lookup_remove(&w->by_handle, ward->handle);
    if (ward->pid)
        lookup_remove(&w->by_pid, (uint64_t)ward->pid);
    ward->state = WARD_FREE;
    vec_push(&w->free, wards_index(w, ward));
}

static struct ward *wards_get(struct wards *w, const struct lookup *table, uint64_t key)
{
    uint32_t i = lookup_get(table, key);
    return i == LOOKUP_NONE ? NULL : &w->at.at[i];
}

struct ward *wards_by_handle(struct wards *w, uint32_t handle)
{
    return wards_get(w, &w->by_handle, handle);
}

struct ward *wards_by_pid(struct wards *w, pid_t pid)
{
    return wards_get(w, &w->by_pid, (uint64_t)pid);
}

struct orphan *wards_orphan(struct wards *w, pid_t pid)
{
    for (uint32_t i = 0; i < w->orphans.count; i++)
        if (w->orphans.at[i].pid == pid)
            return &w->orphans.at[i];
    return NULL;
}

uint32_t wards_index(const struct wards *w, const struct ward *ward)
{
    return (uint32_t)(ward - w->at.at);
}

void wards_fini(struct wards *w)
{
    for (uint32_t i = 0; i < w->at.count; i++) {
        if (w->at.at[i].state != WARD_FREE)
            wards_remove(w, &w->at.at[i]);
        sys_close(&w->at.at[i].progress_fd);
        sys_close(&w->at.at[i].pipe_fd);
    }
    vec_free(&w->at);
    vec_free(&w->free);
    vec_free(&w->orphans);
    lookup_fini(&w->by_handle);
    lookup_fini(&w->by_pid);
}
