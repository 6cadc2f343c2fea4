#include "runner/process.h"

#include "runner/sys.h"

struct process *processes_add(struct processes *w, uint32_t handle)
{
    uint32_t i;

    if (w->free.count) {
        i = w->free.at[--w->free.count];
    } else {
        i = w->at.count;
        vec_push(&w->at, ((struct process){.progress_fd = -1, .pipe_fd = -1}));
    }
    struct process *ward = &w->at.at[i];
    *ward = (struct process){.state = WARD_RUNNING,
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

void processes_enter(struct processes *w, struct process *ward, pid_t pid)
{
    ward->pid = pid;
    lookup_put(&w->by_pid, (uint64_t)pid, processes_index(w, ward));
}

void processes_remove(struct processes *w, struct process *ward)
{
    sys_close(&ward->stdin_fd);
    lookup_remove(&w->by_handle, ward->handle);
    if (ward->pid)
        lookup_remove(&w->by_pid, (uint64_t)ward->pid);
    ward->state = WARD_FREE;
    vec_push(&w->free, processes_index(w, ward));
}

static struct process *wards_get(struct processes *w, const struct lookup *table, uint64_t key)
{
    uint32_t i = lookup_get(table, key);
    return i == LOOKUP_NONE ? NULL : &w->at.at[i];
}

struct process *processes_by_handle(struct processes *w, uint32_t handle)
{
    return wards_get(w, &w->by_handle, handle);
}

struct process *processes_by_pid(struct processes *w, pid_t pid)
{
    return wards_get(w, &w->by_pid, (uint64_t)pid);
}

struct orphan *processes_orphan(struct processes *w, pid_t pid)
{
    for (uint32_t i = 0; i < w->orphans.count; i++)
        if (w->orphans.at[i].pid == pid)
            return &w->orphans.at[i];
    return NULL;
}

uint32_t processes_index(const struct processes *w, const struct process *ward)
{
    return (uint32_t)(ward - w->at.at);
}

void processes_fini(struct processes *w)
{
    for (uint32_t i = 0; i < w->at.count; i++) {
        if (w->at.at[i].state != WARD_FREE)
            processes_remove(w, &w->at.at[i]);
        sys_close(&w->at.at[i].progress_fd);
        sys_close(&w->at.at[i].pipe_fd);
    }
    vec_free(&w->at);
    vec_free(&w->free);
    vec_free(&w->orphans);
    lookup_fini(&w->by_handle);
    lookup_fini(&w->by_pid);
}
