/* exec_launch.c - what an attempt learns about itself, and what it may read.
 *
 * An attempt learns everything from its environment (docs/reference/environment.md has the list).
 * It reads the committed outputs of the phases above straight from their folder, which does not
 * change while it runs: the phases above are complete, and only whole files are ever moved there.
 * Where task i reads only task i above, that output is its stdin as well. */
#include "exec/exec_launch.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "exec/chaos.h"
#include "exec/exec_attempt.h"
#include "exec/exec_fail.h"
#include "exec/exec_node.h"
#include "exec/exec_output.h"
#include "exec/exec_queue.h"
#include "exec/exec_reads.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "exec/process/spawn.h"

/* NAME=VALUE. By hand, because every attempt gets a dozen of them. */
static void exec_env(struct exec *x, const char *name, const char *value)
{
    vec_append(&x->launch.env, name, strlen(name));
    vec_push(&x->launch.env, '=');
    vec_append(&x->launch.env, value, strlen(value) + 1);
}

static void exec_env_number(struct exec *x, const char *name, uint32_t value)
{
    char digits[12], *at = digits + sizeof digits - 1;

    *at = 0;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    exec_env(x, name, at);
}

/* DOLLY_INPUT_DIR and DOLLY_INPUT_RANGE, with and without the name of the phase above. */
static void exec_env_input(struct exec *x, const struct job_spec *job, struct attempt_ref at,
                           const struct edge_spec *edge, bool first)
{
    const struct phase_spec *above = &job->phases[edge->from];
    struct job_span span = job_edge_span(edge, above->tasks, job->phases[at.phase].tasks, at.task);
    struct path dir = run_dir_phase(x->dir, job, edge->from);
    char name[256], key[300], range[32];

    snprintf(name, sizeof name, "%s", strrchr(dir.text, '/') + 1);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    snprintf(range, sizeof range, "%u %u", span.from, span.to - 1);
    snprintf(key, sizeof key, "DOLLY_INPUT_DIR_%s", name);
    exec_env(x, key, dir.text);
    snprintf(key, sizeof key, "DOLLY_INPUT_RANGE_%s", name);
    exec_env(x, key, range);
    if (first) {
        exec_env(x, "DOLLY_INPUT_DIR", dir.text);
        exec_env(x, "DOLLY_INPUT_RANGE", range);
    }
}

static void exec_env_all(struct exec *x, const struct job_spec *job, const struct attempt_row *e)
{
    const struct phase_spec *phase = &job->phases[e->at.phase];
    const struct exec_hooks *hooks = x->options.hooks;
    struct attempt_ref at = e->at;
    uint32_t tasks = phase->tasks;

    vec_clear(&x->launch.env);
    if (hooks && hooks->name)
        hooks->name(hooks->ctx, &at, &tasks);
    exec_env_number(x, "DOLLY_JOB_ID", at.job.v);
    exec_env(x, "DOLLY_JOB_NAME", job->name ? job->name : "");
    exec_env(x, "DOLLY_PHASE", phase->name ? phase->name : "");
    exec_env_number(x, "DOLLY_TASK_ID", at.task);
    exec_env_number(x, "DOLLY_TASK_COUNT", tasks);
    exec_env_number(x, "DOLLY_ATTEMPT", at.attempt);
    exec_env(x, "DOLLY_NODE", x->options.cluster->nodes[e->node.v].name);
    exec_env(x, "DOLLY_TMPDIR", attempt_dirs_path(&x->dirs, e->dir, "tmp").text);
    exec_env_number(x, "DOLLY_PROGRESS_FD", SPAWN_PROGRESS_FD);
    if (x->options.data)
        exec_env_number(x, "DOLLY_CONTROL_FD", SPAWN_CONTROL_FD);
    for (uint16_t i = 0; i < phase->edge_count; i++)
        exec_env_input(x, job, e->at, &phase->edges[i], i == 0);
}

static const char *exec_command(const struct workload_job *job, struct attempt_ref at)
{
    const struct phase_truth *truth = &job->truth[at.phase];
    const char *own = truth->command_each ? truth->command_each[at.task] : NULL;

    return own ? own : truth->command;
}

static struct path exec_stdin(const struct exec *x, const struct job_spec *job,
                              struct attempt_ref at)
{
    const struct phase_spec *phase = &job->phases[at.phase];

    if (x->options.data || phase->edge_count != 1 || phase->edges[0].pattern != EDGE_ONE_TO_ONE)
        return (struct path){""};
    at.phase = phase->edges[0].from;
    return run_dir_output(x->dir, job, at);
}

/* Extra attempts are the first to go without when the disk is about to be full. */
static bool exec_spares_disk(struct exec *x, const struct decision *d)
{
    if ((d->kind != LAUNCH_CLONE && d->kind != LAUNCH_BACKUP) || x->options.groups ||
        !run_dir_is_low(x->dir))
        return false;
    struct event *event = exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, d->at, d->node);
    event->cause = CAUSE_DISK_FULL;
    event->detail = ENOSPC;
    return true;
}

/* What the attempt runs, from the workload or the hook; adds to x->launch.env. */
static struct exec_dress exec_dress(struct exec *x, const struct exec_job *job,
                                    const struct attempt_row *e, const char *in, bool again)
{
    const struct exec_hooks *hooks = x->options.hooks;
    struct exec_dress dress = {.stdin_path = in, .again = again};

    if (!hooks || !hooks->dress) {
        dress.command = exec_command(job->work, e->at);
        return dress;
    }
    hooks->dress(hooks->ctx, e->at, e->node, &dress);
    vec_append(&x->launch.env, dress.env, dress.env_bytes);
    return dress;
}

/* For the first time or again. */
static void exec_launch_send(struct exec *x, uint32_t handle)
{
    struct attempt_row *e = exec_row(x, handle);
    const struct exec_job *job = exec_job_find(x, e->at.job);
    struct path in = exec_stdin(x, &job->work->spec, e->at), dir, reuse = {""};
    bool again = e->dir != ATTEMPT_TABLE_NONE;

    if (again) /* nothing was left of its folder */
        attempt_dirs_name(&x->dirs, e->dir, e->at);
    else
        e->dir = attempt_dirs_take(&x->dirs, e->at, x->options.groups && !x->options.scratch, &dir,
                                   &reuse);
    dir = x->options.scratch || again ? attempt_dirs_path(&x->dirs, e->dir, NULL)
                                      : run_dir_attempt(x->dir, e->at);
    exec_env_all(x, &job->work->spec, e);
    struct exec_dress dress = exec_dress(x, job, e, in.text, again);
    uint32_t slow = x->options.chaos ? chaos_slow_milli(x->options.chaos, e->at, e->node) : 0;
    struct packet p = {.type = PACKET_LAUNCH,
                       .handle = handle,
                       .u.launch = {.command = dress.command,
                                    .stdin_path = dress.stdin_path,
                                    .dir = dir.text,
                                    .reuse = reuse.text,
                                    .late = !x->options.groups,
                                    .env = x->launch.env.at,
                                    .env_bytes = x->launch.env.count,
                                    .extra = e->clone,
                                    .slow_milli = slow > 1000 ? slow : 0,
                                    .control = x->options.data,
                                    .keep = exec_output_keep(x, e->at)}};
    e->state = ROW_LAUNCHING;
    e->launched_us = exec_now_us(x);
    x->queue.launch_us = e->launched_us + x->options.delay_us;
    exec_due(x, EXEC_DUE_LOOK, x->full.look_us);
    if (exec_runner_send(x, &p) < 0) {
        struct packet answer = {.type = PACKET_LAUNCH_FAILED, .handle = handle, .u.error = E2BIG};
        exec_attempt_on_packet(x, &answer);
        return;
    }
    exec_reads_launched(x, handle);
}

void exec_launch(struct exec *x, const struct decision *d)
{
    struct exec_job *job = exec_job_find(x, d->at.job);

    if (exec_node_is_down(x, d->node.v)) { /* since that was decided */
        exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, d->at, d->node)->cause = CAUSE_NODE_DOWN;
        return;
    }
    if (exec_spares_disk(x, d))
        return;
    check(job && !job->over && d->node.v < x->options.cluster->node_count);
    check(d->at.phase < job->work->spec.phase_count &&
          d->at.task < job->work->spec.phases[d->at.phase].tasks);
    uint32_t handle = attempt_table_add(&x->attempts, d->at, d->node, &job->newest);
    job->live++;
    exec_row(x, handle)->extra = d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP;
    exec_row(x, handle)->clone = d->kind == LAUNCH_CLONE;
    if (exec_queue_holds(x, d->node))
        exec_queue_add(x, handle);
    else
        exec_launch_send(x, handle);
}

int64_t exec_launch_due(struct exec *x, int64_t now_us)
{
    int64_t next_us = INT64_MAX;

    for (uint32_t i = 0; i < x->queue.count && !x->nodes.paused && !x->full.withheld;) {
        struct exec_runner *r = exec_queue_runner(x, x->queue.at[i]);
        if (!exec_queue_may_send(x, r, now_us)) {
            int64_t at_us = r->starved ? r->starved_us : x->queue.launch_us;
            next_us = at_us < next_us ? at_us : next_us;
            i++; /* others of this runner may not either */
            continue;
        }
        uint32_t handle = exec_queue_take(x, i);
        if (exec_node_is_down(x, exec_row(x, handle)->node.v))
            exec_queue_end(x, handle, CAUSE_NODE_DOWN);
        else
            exec_launch_send(x, handle);
    }
    return x->nodes.paused || x->full.withheld ? INT64_MAX : next_us;
}

/* Reading is up to a command that is not told what to read; here it only matters whether there is
 * something to read. */
void exec_launch_assign_read(struct exec *x, const struct decision *d, uint32_t handle)
{
    struct exec_job *job = exec_job_find(x, d->at.job);
    uint16_t from = d->u.read.source.phase;
    struct node_id node = exec_row(x, handle)->node;

    if (!attempt_row_lives(exec_row(x, handle))) {
        exec_fail_decision(x, d, CAUSE_ALREADY_ENDED);
        return;
    }
    if (d->u.read.source.job.v != d->at.job.v || from >= d->at.phase) {
        exec_fail_decision(x, d, CAUSE_UNKNOWN_ATTEMPT);
        return;
    }
    exec_emit(x, EV_FETCH_STARTED, d->at, node)->u.fetch.source = d->u.read.source;
    struct event *done = exec_emit(x, EV_FETCH_DONE, d->at, node);
    done->u.fetch.source = d->u.read.source;
    done->u.fetch.bytes = job->phase_bytes[from] / job->work->spec.phases[d->at.phase].tasks;
}
