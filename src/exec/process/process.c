#include "exec/process/process.h"

#include "exec/process/sys.h"

struct process *process_add(struct process_table *table, uint32_t handle)
{
    uint32_t i;

    if (table->free.count) {
        i = table->free.at[--table->free.count];
    } else {
        i = table->at.count;
        vec_push(&table->at, ((struct process){.progress_fd = -1, .pipe_fd = -1}));
    }
    struct process *p = &table->at.at[i];
    *p = (struct process){.state = PROCESS_RUNNING,
                          .handle = handle,
                          .order = table->launches++,
                          .stdin_fd = -1,
                          .progress_fd = p->progress_fd,
                          .pipe_fd = p->pipe_fd,
                          .pipe = p->pipe,
                          .control = p->control,
                          .flight = p->flight,
                          .kill_at_us = INT64_MAX};
    lookup_put(&table->by_handle, handle, i);
    return p;
}

void process_enter(struct process_table *table, struct process *p, pid_t pid)
{
    p->pid = pid;
    lookup_put(&table->by_pid, (uint64_t)pid, process_index(table, p));
}

void process_remove(struct process_table *table, struct process *p)
{
    sys_close(&p->stdin_fd);
    if (p->control)
        packet_socket_renew(p->control, -1);
    lookup_remove(&table->by_handle, p->handle);
    if (p->pid)
        lookup_remove(&table->by_pid, (uint64_t)p->pid);
    p->state = PROCESS_FREE;
    vec_push(&table->free, process_index(table, p));
}

static struct process *process_get(struct process_table *table, const struct lookup *by,
                                   uint64_t key)
{
    uint32_t i = lookup_get(by, key);
    return i == LOOKUP_NONE ? NULL : &table->at.at[i];
}

struct process *process_by_handle(struct process_table *table, uint32_t handle)
{
    return process_get(table, &table->by_handle, handle);
}

struct process *process_by_pid(struct process_table *table, pid_t pid)
{
    return process_get(table, &table->by_pid, (uint64_t)pid);
}

struct orphan *process_orphan(struct process_table *table, pid_t pid)
{
    for (uint32_t i = 0; i < table->orphans.count; i++)
        if (table->orphans.at[i].pid == pid)
            return &table->orphans.at[i];
    return NULL;
}

uint32_t process_index(const struct process_table *table, const struct process *p)
{
    return (uint32_t)(p - table->at.at);
}

void process_table_fini(struct process_table *table)
{
    for (uint32_t i = 0; i < table->at.count; i++) {
        if (table->at.at[i].state != PROCESS_FREE)
            process_remove(table, &table->at.at[i]);
        sys_close(&table->at.at[i].progress_fd);
        sys_close(&table->at.at[i].pipe_fd);
        if (table->at.at[i].control)
            packet_socket_fini(table->at.at[i].control);
        mem_free(table->at.at[i].control);
    }
    vec_free(&table->at);
    vec_free(&table->free);
    vec_free(&table->orphans);
    lookup_fini(&table->by_handle);
    lookup_fini(&table->by_pid);
}
