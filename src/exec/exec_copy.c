/* exec_copy.c - committed outputs that are kept twice (`replicate`).
 *
 * A copy is made by a process of its own, which the runner of the node starts as it starts
 * attempts: it reads the output as its stdin, prints it, looks at what it has printed, and says its
 * size and checksum. Its handles are those from EXEC_COPY_FIRST on. What it has printed is moved
 * beside the output, as TASK.NODE.
 *
 * The output itself, TASK, is what readers of whole phases find. When it goes, a copy takes its
 * place under its name, in one step: a reader that has the old one open goes on with that, and none
 * misses it. So a phase that has lost a node is not run again, and its readers learn nothing of
 * it. An output that goes and has no copy is lost. A reader that is told to read a single output
 * reads the copy on its own node, if one is there. */
#include "exec/exec_copy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/os/tree.h"
#include "exec/chaos.h"
#include "exec/exec_fail.h"
#include "exec/exec_node.h"
#include "exec/exec_output.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "exec/process/spawn.h"
#include "exec/process/sys.h"

static struct exec_copy *copy_of(const struct exec *x, uint32_t index)
{
    return index == ATTEMPT_TABLE_NONE ? NULL : &x->copies.at[index];
}

/* The output's copy, or process that makes one, on the node; NULL: there is none. */
static struct exec_copy *copy_on(const struct exec *x, const struct attempt_row *e, uint32_t node)
{
    struct exec_copy *c = copy_of(x, e->copies);

    while (c && (c->node.v != node || c->state == COPY_GONE))
        c = copy_of(x, c->next);
    return c;
}

/* Where the process works; and where the copy lies. */
static struct path copy_folder(const struct exec *x, const struct exec_copy *c)
{
    return path_of("%s/attempts/copy.%u", x->dir, (uint32_t)(c - x->copies.at));
}

static struct path copy_path(struct exec *x, const struct exec_copy *c)
{
    struct attempt_ref at = exec_row(x, c->output)->at;
    const struct job_spec *job = &exec_job_find(x, at.job)->work->spec;

    return path_of("%s.%u", run_dir_output(x->dir, job, at).text, c->node.v);
}

static struct event *copy_emit(struct exec *x, const struct exec_copy *c, uint8_t type,
                               uint8_t cause)
{
    struct event *event = exec_emit(x, type, exec_row(x, c->output)->at, c->node);

    event->cause = cause;
    return event;
}

static bool copy_runs(const struct exec_copy *c)
{
    return c->state == COPY_ASKED || c->state == COPY_RUNS;
}

/* ---- making them ---- */

static uint32_t copy_add(struct exec *x, uint32_t output, struct node_id node)
{
    struct attempt_row *e = exec_row(x, output);

    vec_push(&x->copies,
             ((struct exec_copy){
                 .output = output, .node = node, .state = COPY_ASKED, .next = e->copies}));
    e->copies = x->copies.count - 1;
    return e->copies;
}

static void copy_launch(struct exec *x, uint32_t output, struct node_id node)
{
    uint32_t index = copy_add(x, output, node);
    struct exec_runner *r = exec_runner_of(x, node);
    struct path dir = copy_folder(x, &x->copies.at[index]);
    struct path in = exec_output_path(x, exec_row(x, output));
    char env[64];
    struct str command = {0};

    str_addf(&command, "%s %s", x->options.copier,
             exec_output_is_run(x, exec_row(x, output)->at) ? "run" : "lines");
    int length = snprintf(env, sizeof env, "DOLLY_CONTROL_FD=%d", SPAWN_CONTROL_FD);
    struct packet p = {.type = PACKET_LAUNCH,
                       .handle = EXEC_COPY_FIRST + index,
                       .u.launch = {.command = command.text,
                                    .stdin_path = in.text,
                                    .dir = dir.text,
                                    .reuse = "",
                                    .env = env,
                                    .env_bytes = (uint32_t)length + 1,
                                    .control = true}};
    x->copies.live++;
    r->stirred = true;
    if (r->link->order(r->link, &p) < 0) {
        struct packet answer = {.type = PACKET_LAUNCH_FAILED, .handle = p.handle, .u.error = E2BIG};
        exec_copy_on_packet(x, &answer);
    }
    str_free(&command);
}

void exec_copy_make(struct exec *x, const struct decision *d)
{
    const struct exec_job *job = exec_job_find(x, d->at.job);
    uint32_t output = attempt_table_find(&x->attempts, d->at);

    if (!x->options.copier) { /* one disk: committed outputs belong to no node */
        exec_fail_decision(x, d, CAUSE_SYSTEM);
        x->pending.at[x->pending.count - 1].detail = ENOTSUP;
        return;
    }
    if (output == ATTEMPT_TABLE_NONE || !job || job->over) {
        exec_fail_decision(x, d, CAUSE_UNKNOWN_ATTEMPT);
        return;
    }
    const struct attempt_row *e = exec_row(x, output);
    const struct exec_copy *c = copy_on(x, e, d->node.v);
    if (e->state != ROW_COMMITTED)
        exec_emit(x, EV_REPLICA_FAILED, d->at, d->node)->cause = CAUSE_OUTPUT_GONE;
    else if (exec_node_is_down(x, d->node.v))
        exec_emit(x, EV_REPLICA_FAILED, d->at, d->node)->cause = CAUSE_NODE_DOWN;
    else if (c || e->node.v == d->node.v)
        exec_fail_decision(x, d, c && copy_runs(c) ? CAUSE_ALREADY_STARTED : CAUSE_ALREADY_ENDED);
    else
        copy_launch(x, output, d->node);
}

/* ---- what their processes report ---- */

const struct attempt_row *exec_copy_row(struct exec *x, uint32_t handle, struct attempt_row *row)
{
    uint32_t index = handle - EXEC_COPY_FIRST;

    if (index >= x->copies.count)
        return NULL;
    const struct exec_copy *c = &x->copies.at[index];
    static const uint8_t states[] = {[COPY_ASKED] = ROW_LAUNCHING,
                                     [COPY_RUNS] = ROW_RUNNING,
                                     [COPY_THERE] = ROW_FINISHED,
                                     [COPY_GONE] = ROW_GONE};
    *row = (struct attempt_row){.node = c->node, .state = states[c->state]};
    return row;
}

static void copy_gone(struct exec *x, struct exec_copy *c)
{
    if (copy_runs(c)) {
        tree_remove(copy_folder(x, c).text);
        x->copies.live--;
    }
    c->state = COPY_GONE;
}

/* What could not be copied because it is not what was committed is gone, as comes to light now. */
static void copy_failed(struct exec *x, uint32_t index, uint8_t cause, int32_t detail)
{
    struct exec_copy *c = &x->copies.at[index];
    struct attempt_row *e = exec_row(x, c->output);
    bool wanted = !c->unwanted;
    bool spoilt = c->spoilt || (c->told && c->checksum != e->checksum);

    copy_gone(x, c);
    if (!wanted)
        return;
    copy_emit(x, c, EV_REPLICA_FAILED, spoilt ? CAUSE_OUTPUT_GONE : cause)->detail = detail;
    if (spoilt && e->state == ROW_COMMITTED)
        exec_copy_lose(x, e, CAUSE_OUTPUT_GONE);
}

static void copy_ended(struct exec *x, uint32_t index, const struct packet_end *end)
{
    struct exec_copy *c = &x->copies.at[index];
    const struct attempt_row *e = exec_row(x, c->output);
    bool good = end->status == 0 && c->told && c->bytes == e->bytes && c->checksum == e->checksum;

    if (c->unwanted || !good) { /* it has not printed what the output is */
        if (WIFSIGNALED(end->status))
            copy_failed(x, index, CAUSE_SIGNAL, WTERMSIG(end->status));
        else
            copy_failed(x, index, CAUSE_EXIT, WEXITSTATUS(end->status));
        return;
    }
    struct path from = path_of("%s/stdout", copy_folder(x, c).text);
    if (sys_rename(from.text, copy_path(x, c).text) < 0) {
        copy_failed(x, index, exec_fail_cause(errno), errno);
        return;
    }
    copy_gone(x, c);
    c->state = COPY_THERE;
    copy_emit(x, c, EV_REPLICA_DONE, CAUSE_NONE);
}

void exec_copy_on_packet(struct exec *x, const struct packet *p)
{
    uint32_t index = p->handle - EXEC_COPY_FIRST;
    struct exec_copy *c = &x->copies.at[index];

    switch (p->type) {
    case PACKET_STARTED:
        c->state = COPY_RUNS;
        break;
    case PACKET_RESULT:
        c->told = true;
        c->bytes = p->u.result.bytes;
        c->checksum = p->u.result.checksum;
        break;
    case PACKET_FETCH_FAILED:
        c->spoilt = true;
        break;
    case PACKET_LAUNCH_FAILED:
        copy_failed(x, index, exec_fail_cause(p->u.error), p->u.error);
        break;
    case PACKET_EXITED:
    case PACKET_KILLED:
        copy_ended(x, index, &p->u.end);
        break;
    default: /* progress */
        break;
    }
}

/* ---- losses ---- */

/* The process is no longer waited for. */
static void copy_stop(struct exec *x, struct exec_copy *c, uint8_t cause)
{
    struct exec_runner *r = exec_runner_of(x, c->node);
    struct packet kill = {.type = PACKET_KILL,
                          .handle = EXEC_COPY_FIRST + (uint32_t)(c - x->copies.at)};

    if (!copy_runs(c) || c->unwanted)
        return;
    c->unwanted = true;
    copy_emit(x, c, EV_REPLICA_FAILED, cause);
    if (r->presence == RUNNER_AWAY) {
        copy_gone(x, c);
        return;
    }
    r->stirred = true;
    r->link->order(r->link, &kill);
}

static void copy_lose(struct exec *x, struct exec_copy *c, uint8_t cause)
{
    unlink(copy_path(x, c).text);
    c->state = COPY_GONE;
    copy_emit(x, c, EV_REPLICA_FAILED, cause);
}

void exec_copy_lose_node(struct exec *x, uint32_t node, bool outputs)
{
    for (uint32_t i = 0; i < x->copies.count; i++) {
        struct exec_copy *c = &x->copies.at[i];
        const struct exec_job *job = exec_job_find(x, exec_row(x, c->output)->at.job);
        if (c->node.v != node || !job || job->over)
            continue;
        copy_stop(x, c, CAUSE_NODE_DOWN);
        if (outputs && c->state == COPY_THERE &&
            chaos_loses_copy(x->options.chaos, exec_row(x, c->output)->at, c->node))
            copy_lose(x, c, CAUSE_NODE_DOWN);
    }
}

bool exec_copy_replace(struct exec *x, struct attempt_row *e, uint8_t cause)
{
    struct exec_copy *c;

    for (c = copy_of(x, e->copies); c; c = copy_of(x, c->next)) {
        copy_stop(x, c, CAUSE_OUTPUT_GONE); /* the process reads what is gone */
        if (c->state != COPY_THERE)
            continue;
        c->state = COPY_GONE;
        if (sys_rename(copy_path(x, c).text, exec_output_path(x, e).text) == 0)
            break;
        copy_emit(x, c, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE); /* it went unnoticed */
    }
    if (!c)
        return false;
    exec_emit(x, EV_REPLICA_FAILED, e->at, e->node)->cause = cause;
    e->node = c->node;
    e->replaced_us = exec_now_us(x);
    return true;
}

void exec_copy_lose(struct exec *x, struct attempt_row *e, uint8_t cause)
{
    if (e->state == ROW_COMMITTED && exec_copy_replace(x, e, cause))
        return;
    if (e->state == ROW_COMMITTED) {
        unlink(exec_output_path(x, e).text);
        exec_output_forget(x, e);
        e->state = ROW_GONE;
    } else {
        exec_output_drop(x, e);
    }
    exec_emit(x, EV_OUTPUT_LOST, e->at, e->node)->cause = cause;
}

void exec_copy_lose_kept(struct exec *x, const struct exec_runner *r)
{
    for (uint32_t i = 0; x->options.apart && i < x->attempts.at.count; i++) {
        struct attempt_row *e = exec_row(x, i);
        if ((!r || exec_runner_of(x, e->node) == r) && exec_output_is_away(x, e))
            exec_copy_lose(x, e, CAUSE_NODE_DOWN);
    }
}

void exec_copy_lose_all(struct exec *x, uint32_t node)
{
    for (uint32_t i = 0; x->options.data && i < x->attempts.at.count; i++) {
        struct attempt_row *e = exec_row(x, i);
        if (e->node.v == node && exec_output_goes_with_node(x, e))
            exec_copy_lose(x, e, CAUSE_NODE_DOWN);
    }
    exec_copy_lose_node(x, node, true);
}

void exec_copy_discard(struct exec *x, const struct attempt_row *e)
{
    for (struct exec_copy *c = copy_of(x, e->copies); c; c = copy_of(x, c->next)) {
        copy_stop(x, c, CAUSE_OUTPUT_GONE);
        if (c->state != COPY_THERE)
            continue;
        unlink(copy_path(x, c).text);
        c->state = COPY_GONE;
    }
}

bool exec_copy_drop(struct exec *x, const struct attempt_row *e, struct node_id node)
{
    struct exec_copy *c = copy_on(x, e, node.v);

    if (!c || c->state != COPY_THERE)
        return false;
    copy_lose(x, c, CAUSE_OUTPUT_GONE);
    return true;
}

bool exec_copy_find(struct exec *x, const struct attempt_row *e, struct node_id node,
                    struct path *path)
{
    const struct exec_copy *c = copy_on(x, e, node.v);

    if (!c || c->state != COPY_THERE)
        return false;
    *path = copy_path(x, c);
    return true;
}

void exec_copy_job_over(struct exec *x, struct job_id job)
{
    for (uint32_t i = 0; x->copies.live > 0 && i < x->copies.count; i++)
        if (exec_row(x, x->copies.at[i].output)->at.job.v == job.v)
            copy_stop(x, &x->copies.at[i], CAUSE_JOB_OVER);
}

/* ---- a run that was cut short ---- */

void exec_copy_recall_asked(struct exec *x, const struct decision *d)
{
    uint32_t output = attempt_table_find(&x->attempts, d->at);

    if (output != ATTEMPT_TABLE_NONE)
        copy_add(x, output, d->node);
}

/* An output that was replaced has the node of the copy that took its place: the newest. */
void exec_copy_recall(struct exec *x, struct attempt_row *e, const struct event *event)
{
    struct exec_copy *c = copy_of(x, e->copies);

    if (event->type == EV_REFUSED) { /* the newest, as one is asked for at a time */
        if (c && c->state == COPY_ASKED)
            c->state = COPY_GONE;
        return;
    }
    c = copy_on(x, e, event->node.v);
    if (c) {
        c->state = event->type == EV_REPLICA_DONE ? COPY_THERE : COPY_GONE;
        return;
    }
    for (c = copy_of(x, e->copies); c && c->state != COPY_THERE;)
        c = copy_of(x, c->next);
    if (!c || event->node.v != e->node.v)
        return;
    c->state = COPY_GONE;
    e->node = c->node;
}

void exec_copy_recall_end(struct exec *x)
{
    for (uint32_t i = 0; i < x->copies.count; i++) {
        struct exec_copy *c = &x->copies.at[i];
        const struct exec_job *job = exec_job_find(x, exec_row(x, c->output)->at.job);
        if (c->state != COPY_ASKED)
            continue;
        c->state = COPY_GONE;
        if (job && !job->over)
            copy_emit(x, c, EV_REPLICA_FAILED, CAUSE_NODE_DOWN);
    }
}

bool exec_copy_is_there(struct exec *x, struct attempt_ref task, struct node_id node)
{
    uint32_t winner = attempt_table_winner(&x->attempts, task);
    const struct exec_copy *c =
        winner == ATTEMPT_TABLE_NONE ? NULL : copy_on(x, exec_row(x, winner), node.v);

    return c && c->state == COPY_THERE;
}
