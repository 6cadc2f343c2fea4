/* exec_output.c - outputs as readers see them: what they hold, and which of them go with a node.
 *
 * What attempts leave for others belongs to the virtual node that they ran on and goes with it;
 * what the last phases leave is the result of the job, and stays. An output that holds partitions
 * has an index with a checksum of each, so it is known by that of its index, and its bytes are none
 * of our business: the reader of a partition compares it with its checksum. */
#include "exec/exec_output.h"

#include <errno.h>

#include "data/sorted_file.h"
#include "exec/chaos.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"

/* How tasks of another phase read those of this one; NULL: no phase reads them. */
static const struct edge_spec *output_edge(struct exec *x, struct attempt_ref at)
{
    const struct job_spec *job = &exec_job_find(x, at.job)->work->spec;

    for (uint16_t p = at.phase; p < job->phase_count; p++)
        for (uint16_t e = 0; e < job->phases[p].edge_count; e++)
            if (job->phases[p].edges[e].from == at.phase)
                return &job->phases[p].edges[e];
    return NULL;
}

bool exec_output_is_run(struct exec *x, struct attempt_ref at)
{
    const struct edge_spec *edge = x->options.data ? output_edge(x, at) : NULL;

    return edge && edge->pattern == EDGE_ALL_TO_ALL;
}

bool exec_output_is_result(struct exec *x, struct attempt_ref at)
{
    return output_edge(x, at) == NULL;
}

uint8_t exec_output_keep(struct exec *x, struct attempt_ref at)
{
    if (!x->options.apart || !output_edge(x, at))
        return PACKET_KEEP_NOT;
    return exec_output_is_run(x, at) ? PACKET_KEEP_SORTED : PACKET_KEEP_WHOLE;
}

void exec_output_forget(struct exec *x, const struct attempt_row *e)
{
    struct packet p = {.type = PACKET_FORGET, .handle = (uint32_t)(e - x->attempts.at.at)};

    if (x->options.apart &&
        (e->state == ROW_RUNNING || e->state == ROW_FINISHED || e->state == ROW_COMMITTED))
        exec_runner_send(x, &p);
}

/* ---- where they lie ---- */

/* The attempt's folder, ATTEMPT_TABLE_NONE if it never had one. */
static uint32_t output_dir_of(const struct exec *x, struct attempt_ref at)
{
    uint32_t i = attempt_table_find(&x->attempts, at);
    return i == ATTEMPT_TABLE_NONE ? i : exec_row(x, i)->dir;
}

struct path exec_output_file(const struct exec *x, struct attempt_ref at, const char *name)
{
    uint32_t dir = output_dir_of(x, at);

    if (dir != ATTEMPT_TABLE_NONE)
        return attempt_dirs_path(&x->dirs, dir, name);
    struct path folder = run_dir_attempt(x->dir, at); /* taken back: nothing is there */
    return name ? path_of("%s/%s", folder.text, name) : folder;
}

void exec_output_clear(struct exec *x, struct attempt_ref at)
{
    uint32_t dir = output_dir_of(x, at);

    if (dir != ATTEMPT_TABLE_NONE)
        attempt_dirs_clear(&x->dirs, dir, false);
}

struct path exec_output_path(struct exec *x, const struct attempt_row *e)
{
    if (e->state == ROW_COMMITTED)
        return run_dir_output(x->dir, &exec_job_find(x, e->at.job)->work->spec, e->at);
    return attempt_dirs_path(&x->dirs, e->dir, "stdout");
}

/* ---- what they hold ---- */

int exec_output_look(struct exec *x, struct attempt_ref at, const char *path, int64_t *bytes,
                     uint64_t *checksum)
{
    struct sorted_file file;
    struct err err;

    if (!exec_output_is_run(x, at))
        return run_dir_checksum(path, bytes, checksum);
    if (sorted_file_open(&file, path, &err) < 0) {
        errno = access(path, F_OK) < 0 ? errno : EBADMSG;
        return -1;
    }
    *bytes = (int64_t)file.size;
    *checksum = sorted_file_checksum(&file);
    sorted_file_close(&file);
    return 0;
}

bool exec_output_is_empty(struct exec *x, const struct attempt_row *e)
{
    return e->bytes == 0 && !exec_output_is_run(x, e->at);
}

void exec_output_partitions(struct exec *x, const struct attempt_row *e, struct event *ready)
{
    struct sorted_file file;
    struct err err;

    if (!exec_output_is_run(x, e->at) ||
        sorted_file_open(&file, exec_output_path(x, e).text, &err) < 0)
        return;
    struct output_partition *partitions = mem_zalloc(file.partitions, sizeof *partitions);
    for (uint32_t i = 0; i < file.partitions; i++) {
        struct sorted_file_partition row = sorted_file_partition(&file, i);
        partitions[i] = (struct output_partition){(int64_t)row.bytes, row.checksum};
    }
    ready->u.output.partitions = partitions;
    ready->u.output.partition_count = file.partitions;
    sorted_file_close(&file);
}

void exec_output_free_partitions(struct exec_events *events)
{
    for (uint32_t i = 0; i < events->count; i++)
        if (events->at[i].type == EV_OUTPUT_READY)
            mem_free((void *)(uintptr_t)events->at[i].u.output.partitions);
}

/* ---- how they go ---- */

/* A result that has been committed is not the node's any more. */
bool exec_output_goes_with_node(struct exec *x, const struct attempt_row *e)
{
    const struct exec_job *job = exec_job_find(x, e->at.job);

    if (!job || job->over || (e->state != ROW_FINISHED && e->state != ROW_COMMITTED))
        return false;
    return (e->state == ROW_FINISHED || output_edge(x, e->at)) &&
           chaos_loses(x->options.chaos, e->at);
}

/* What stays with a runner that is away. */
bool exec_output_is_away(struct exec *x, const struct attempt_row *e)
{
    const struct exec_job *job = exec_job_find(x, e->at.job);

    return job && !job->over && (e->state == ROW_FINISHED || e->state == ROW_COMMITTED) &&
           exec_output_keep(x, e->at);
}

void exec_output_drop(struct exec *x, struct attempt_row *e)
{
    exec_output_forget(x, e);
    e->state = ROW_GONE;
    attempt_dirs_clear(&x->dirs, e->dir, false);
}
