/* exec_recall.c - the state of a run that was cut short, from its journal.
 *
 * The journal has what was decided and what happened; the folder must be made to agree with it
 * before the run goes on. Four things can be half done when a coordinator dies:
 *   - an attempt was running: the guardian, or run_lock.c, has ended it, or its agent will, and its
 *     private folder is removed;
 *   - an output was announced (intent) and perhaps not moved: it is moved now;
 *   - a commit was decided and not announced: it is done from the start, if the output is whole;
 *   - an output was moved without an announcement that we know of: it is removed. (That cannot be,
 *     unless a disk has lost what it had confirmed; but then no reader must find it.)
 * After a loss of power the disk may lack what was not synced, and have what came later: then only
 * what was announced is taken over, and ends that the guardian noted do not count.
 * The brain gets events that it knows: the nodes went down, their attempts are lost, the nodes are
 * back. No task is blamed for that, and policies see what they would see after any such failure. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/chaos.h"
#include "exec/exec_attempt.h"
#include "exec/exec_commit.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_job.h"
#include "exec/exec_node.h"
#include "exec/exec_output.h"
#include "exec/exec_presence.h"
#include "exec/exec_state.h"
#include "exec/folder/ends.h"
#include "exec/folder/run_dir.h"

/* ---- the fold ---- */

static struct attempt_row *recall_row(struct exec *x, struct attempt_ref at)
{
    uint32_t handle = attempt_table_find(&x->attempts, at);
    return handle == ATTEMPT_TABLE_NONE ? NULL : exec_row(x, handle);
}

static void recall_node(struct exec *x, int64_t now_us, const struct event *e)
{
    if (!x->nodes.at)
        return;
    struct exec_node *n = &x->nodes.at[e->node.v];
    bool down = n->changes % 2;
    if (e->type == EV_NODE_DRAIN || (e->type == EV_NODE_DOWN) == down)
        return;
    n->changes++;
    n->next_us = now_us + chaos_node_us(x->options.chaos, e->node, n->changes);
    x->nodes.down += down ? -1U : 1U;
}

static void recall_ending(struct exec *x, struct attempt_row *row, const struct event *e)
{
    struct exec_job *job = &x->jobs.at[e->at.job.v];

    if (!attempt_row_lives(row))
        return;
    row->state = e->type == EV_ATTEMPT_FINISHED && !job->over ? ROW_FINISHED : ROW_GONE;
    row->kept = e->type == EV_ATTEMPT_FAILED;
    row->failed = (e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LAUNCH_FAILED) &&
                  e->cause != CAUSE_WITHDRAWN && e->cause != CAUSE_NODE_DOWN;
    exec_job_attempt_ended(x, job);
}

static void recall_attempt(struct exec *x, int64_t now_us, const struct event *e)
{
    struct attempt_row *row = recall_row(x, e->at);

    if (!row)
        return;
    switch (e->type) {
    case EV_ATTEMPT_STARTED:
        row->state = ROW_RUNNING;
        row->launched_us = event_started_us(e, now_us, row->launched_us);
        break;
    case EV_ATTEMPT_ENDED: /* and what became of it was not told: it is lost */
        row->left = true;
        break;
    case EV_OUTPUT_READY:
        row->bytes = e->u.output.bytes;
        row->checksum = e->u.output.checksum;
        break;
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
    case EV_OUTPUT_LOST:
        row->asked = false;
        row->state = e->type == EV_COMMITTED ? ROW_COMMITTED : ROW_GONE;
        row->failed |= e->type == EV_COMMIT_FAILED && e->cause != CAUSE_OUTPUT_GONE;
        if (e->type == EV_COMMITTED && x->jobs.at[e->at.job.v].phase_bytes)
            x->jobs.at[e->at.job.v].phase_bytes[e->at.phase] += row->bytes;
        break;
    case EV_REPLICA_DONE:
    case EV_REPLICA_FAILED:
        exec_copy_recall(x, row, e);
        break;
    case EV_REFUSED:
        row->asked &= e->u.refused.decision_type != DO_COMMIT;
        if (e->u.refused.decision_type == DO_REPLICATE)
            exec_copy_recall(x, row, e);
        break;
    default:
        recall_ending(x, row, e);
    }
}

/* NULL, or why the journal cannot be of this run. */
static const char *recall_event(struct exec *x, int64_t now_us, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_DRAIN:
        if (e->node.v >= x->options.cluster->node_count)
            return "this run has no such node";
        x->nodes_seen = true;
        recall_node(x, now_us, e);
        break;
    case EV_JOB_SUBMITTED:
        return exec_job_recall(x, e->u.job);
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_ENDED:
    case EV_OUTPUT_READY:
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
    case EV_OUTPUT_LOST:
    case EV_REPLICA_DONE:
    case EV_REPLICA_FAILED:
    case EV_REFUSED:
        recall_attempt(x, now_us, e);
        break;
    case EV_CORES:
        x->cores_seen = e->u.cores.each > 0;
        break;
    case EV_TIMER:
        timers_cancel(&x->timers, e->u.timer);
        break;
    default:
        break;
    }
    return NULL;
}

static void recall_job_end(struct exec *x, struct job_id id)
{
    struct exec_job *job = exec_job_find(x, id);

    if (!job || job->over)
        return;
    for (uint32_t i = job->newest; i != ATTEMPT_TABLE_NONE; i = exec_row(x, i)->job_prev)
        if (exec_row(x, i)->state == ROW_FINISHED && !exec_row(x, i)->asked)
            exec_row(x, i)->state = ROW_GONE;
    job->over = true;
    x->jobs.open--;
    job->live++; /* commits on their way are answered before the description is freed */
}

/* One whose commit was asked for is answered first; see exec_commit_discard. */
static void recall_discard(struct exec *x, struct attempt_row *row)
{
    struct exec_job *job = exec_job_find(x, row->at.job);

    if (row->state == ROW_FINISHED && !row->asked) {
        row->state = ROW_GONE;
    } else if (row->state == ROW_COMMITTED && job && !job->over) {
        row->state = ROW_GONE; /* its file goes when the folder is made to agree */
        job->phase_bytes[row->at.phase] -= row->bytes;
    }
}

static void recall_decision(struct exec *x, const struct decision *d)
{
    struct exec_job *job;
    struct attempt_row *row;
    struct path dir, reuse;
    uint32_t handle;

    switch (d->type) {
    case DO_LAUNCH:
        if (!(job = exec_job_find(x, d->at.job)) || d->node.v >= x->options.cluster->node_count)
            break;
        handle = attempt_table_add(&x->attempts, d->at, d->node, &job->newest);
        exec_row(x, handle)->dir = attempt_dirs_take(&x->dirs, d->at, true, &dir, &reuse);
        job->live++;
        break;
    case DO_COMMIT:
        if ((row = recall_row(x, d->at)))
            row->asked = true;
        break;
    case DO_DISCARD_OUTPUT:
        if ((row = recall_row(x, d->at)))
            recall_discard(x, row);
        break;
    case DO_REPLICATE:
        exec_copy_recall_asked(x, d);
        break;
    case DO_SET_TIMER:
        timers_set(&x->timers, d->u.timer.id, d->u.timer.at_us);
        exec_due(x, EXEC_DUE_TIMER, d->u.timer.at_us);
        break;
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        recall_job_end(x, d->at.job);
        break;
    default:
        break;
    }
}

void exec_recall_intent(void *ctx, const struct record *record)
{
    struct attempt_row *row = recall_row(ctx, record->u.intent.at);

    if (!row)
        return;
    row->intended = true;
    row->bytes = record->u.intent.bytes;
    row->checksum = record->u.intent.checksum;
}

static int recall_turn(void *ctx, const struct turn *turn, struct err *err)
{
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const char *wrong = recall_event(ctx, turn->now_us, &turn->events[i]);
        if (wrong)
            return err_set(err, "%s", wrong);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++)
        recall_decision(ctx, &turn->decisions[i]);
    return 0;
}

struct tap exec_recall_tap(struct exec *x)
{
    return (struct tap){.ctx = x, .turn = recall_turn};
}

/* ---- outputs and private folders ---- */

static bool recall_is_whole(struct exec *x, const struct attempt_row *e)
{
    int64_t bytes;
    uint64_t checksum;

    if (exec_output_look(x, e->at, exec_output_path(x, e).text, &bytes, &checksum) < 0)
        return errno == ENOENT && e->state == ROW_FINISHED && exec_output_is_empty(x, e);
    return checksum == e->checksum;
}

/* Whether the task may run again though an attempt of it has ended. Callers with a hook see to the
 * results of jobs that are over themselves. */
static bool recall_runs_again(struct exec *x, const struct attempt_row *e)
{
    const struct exec_hooks *hooks = x->options.hooks;

    if (x->jobs.at[e->at.job.v].over ||
        (e->state != ROW_COMMITTED && attempt_table_committed(&x->attempts, e->at)))
        return true; /* of this attempt nothing is needed */
    return !hooks || !hooks->spoilt || hooks->spoilt(hooks->ctx, e->at);
}

/* A result of a job that is over cannot be made again. */
static void recall_cannot_mend(struct exec *x, const struct attempt_row *e)
{
    exec_fail_run(x,
                  "%s: was removed or changed after its commit, and its job is over; run the job "
                  "again in a new folder",
                  exec_output_path(x, e).text);
}

/* Outputs that were committed, by then or by now: a reader must find what was committed, or
 * nothing. What a copy can replace is replaced, the rest is made again. */
static void recall_committed(struct exec *x)
{
    bool hooked = x->options.hooks && x->options.hooks->spoilt;

    for (uint32_t i = 0; i < x->attempts.at.count; i++) {
        struct attempt_row *e = exec_row(x, i);
        const struct exec_job *job = exec_job_find(x, e->at.job);
        if (e->state != ROW_COMMITTED || !job || exec_output_keep(x, e->at))
            continue;
        if (job->over) {
            if (!hooked && exec_output_is_result(x, e->at) && !recall_is_whole(x, e))
                recall_cannot_mend(x, e);
            continue;
        }
        while (e->state == ROW_COMMITTED && !recall_is_whole(x, e)) {
            if (!recall_runs_again(x, e))
                break;
            exec_copy_lose(x, e, CAUSE_OUTPUT_GONE);
        }
    }
}

/* An attempt that had finished and whose output is neither won nor discarded. If the machine has
 * booted since, only what was announced is whole for certain: the checksum is that of stdout. */
static void recall_output(struct exec *x, uint32_t handle, bool booted)
{
    struct attempt_row *e = exec_row(x, handle);

    if (e->asked && e->intended) {
        if (exec_commit_redo(x, handle))
            return;
    } else if (!booted && recall_is_whole(x, e) && !x->jobs.at[e->at.job.v].over) {
        if (e->asked)
            vec_push(&x->commits, handle);
        return;
    }
    if (!recall_runs_again(x, e))
        return;
    exec_emit(x, e->asked ? EV_COMMIT_FAILED : EV_OUTPUT_LOST, e->at, e->node)->cause =
        CAUSE_OUTPUT_GONE;
    e->state = ROW_GONE;
}

/* Whether the output of the task with this name may stand in the folder of its phase. */
static bool recall_keeps_output(struct exec *x, struct attempt_ref at, const char *name)
{
    char *end, *end_of_copy;

    at.task = (uint32_t)strtoul(name, &end, 10);
    if (end == name || (*end != 0 && *end != '.'))
        return false;
    if (*end == 0)
        return attempt_table_committed(&x->attempts, at);
    struct node_id node = {(uint32_t)strtoul(end + 1, &end_of_copy, 10)};
    return end_of_copy != end + 1 && *end_of_copy == 0 && exec_copy_is_there(x, at, node);
}

/* Whether there may be a private folder with this name. */
static bool recall_keeps_folder(struct exec *x, struct attempt_ref at, const char *name)
{
    if (sscanf(name, "%" SCNu32 ".%" SCNu16 ".%" SCNu32 ".%" SCNu16, &at.job.v, &at.phase, &at.task,
               &at.attempt) != 4)
        return false;
    const struct attempt_row *row = recall_row(x, at);
    return row && (row->state == ROW_FINISHED || row->kept);
}

/* Removes what is in the folder and may not be. */
static void recall_clean(struct exec *x, const char *folder, struct attempt_ref at,
                         bool (*keeps)(struct exec *x, struct attempt_ref at, const char *name))
{
    DIR *d = opendir(folder);

    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && !keeps(x, at, e->d_name))
            tree_remove(path_of("%s/%s", folder, e->d_name).text);
    if (d)
        closedir(d);
}

/* ---- what the brain learns ---- */

/* The guardian saw the attempt end, and the journal does not have it, as the coordinator was
 * killed. So it does not run again, unless its output is gone, as it was not believed; or it is one
 * that says itself what it leaves (`dolly task`), and has not. */
static void recall_noted(void *ctx, struct attempt_ref at, const struct packet_end *end)
{
    struct exec *x = ctx;
    struct attempt_row *e = recall_row(x, at);

    if (!e || !attempt_row_lives(e) || (x->options.data && !end->told))
        return;
    if (end->left != PACKET_LEFT_NOTHING &&
        access(attempt_dirs_path(&x->dirs, e->dir, "stdout").text, F_OK) < 0) {
        (void)recall_runs_again(x, e);
        return;
    }
    if (e->state == ROW_LAUNCHING)
        exec_emit(x, EV_ATTEMPT_STARTED, e->at, e->node)->u.late_us = clock_now_us() - end->wall_us;
    exec_attempt_exited(x, e, end);
    e->kept = e->state == ROW_GONE;
    exec_job_attempt_ended(x, &x->jobs.at[e->at.job.v]);
}

/* What stayed with runners has gone with them: they end when their coordinator does. */
static void recall_kept(struct exec *x)
{
    for (uint32_t i = 0; x->options.apart && i < x->attempts.at.count; i++) {
        struct attempt_row *e = exec_row(x, i);
        if (e->state != ROW_FINISHED || !e->asked || !exec_job_find(x, e->at.job) ||
            !exec_output_keep(x, e->at))
            continue;
        exec_emit(x, EV_COMMIT_FAILED, e->at, e->node)->cause = CAUSE_OUTPUT_GONE;
        e->state = ROW_GONE;
    }
    exec_copy_lose_kept(x, NULL);
}

/* Makes the folder agree with the journal, and says so to the brain. */
static void recall_agree(struct exec *x, int64_t last_us, bool booted)
{
    const struct exec_groups *groups = x->options.groups;

    recall_kept(x);
    for (uint32_t i = 0; i < x->attempts.at.count; i++) {
        if (attempt_row_lives(exec_row(x, i)))
            exec_presence_lose(x, i, last_us + (groups ? groups->lease_us : 0));
        else if (exec_row(x, i)->state == ROW_FINISHED)
            recall_output(x, i, booted);
    }
    exec_copy_recall_end(x);
    recall_committed(x);
    recall_clean(x, path_of("%s/attempts", x->dir).text, (struct attempt_ref){0},
                 recall_keeps_folder);
    exec_commit_all(x);
    for (uint32_t j = 0; j < x->jobs.count; j++) {
        struct exec_job *job = &x->jobs.at[j];
        for (uint16_t p = 0; job->work && p < job->work->spec.phase_count; p++)
            recall_clean(x, run_dir_phase(x->dir, &job->work->spec, p).text,
                         (struct attempt_ref){.job = {j}, .phase = p}, recall_keeps_output);
        if (job->over && job->work) { /* see recall_job_end */
            x->attempts.live++;
            exec_job_attempt_ended(x, job);
        }
    }
}

/* The journal has lost its beginning, and folders of attempts may be there. */
static void recall_clear(struct exec *x)
{
    static const char *const names[] = {"attempts", "out"};

    for (int i = 0; i < 2; i++) /* in neither is there anything that it knows of */
        recall_clean(x, path_of("%s/%s", x->dir, names[i]).text, (struct attempt_ref){0},
                     recall_keeps_folder);
}

static int recall_aborted(const struct exec *x, struct err *err)
{
    *err = x->aborted;
    return -1;
}

int exec_recall_end(struct exec *x, struct journal *journal, int64_t last_us, struct err *err)
{
    if (x->is_aborted)
        return recall_aborted(x, err);
    x->options.journal = journal;
    x->start_us = clock_now_us() - last_us;
    x->wait.batch_us = last_us;
    if (x->nodes_seen) { /* else it died before it had begun */
        bool booted = !ends_read(x->dir, recall_noted, x) && !x->options.groups;
        for (uint32_t i = 0; i < x->options.cluster->node_count; i++)
            if (!exec_node_is_taken(x, i))
                exec_emit(x, EV_NODE_DOWN, (struct attempt_ref){0}, (struct node_id){i});
        recall_agree(x, last_us, booted);
        if (x->is_aborted)
            return recall_aborted(x, err);
        exec_presence_begin(x);
        exec_node_emit_all(x);
    } else {
        recall_clear(x);
        exec_presence_first(x);
    }
    if (x->cores_seen) /* the last measurement is out of date */
        exec_emit(x, EV_CORES, (struct attempt_ref){0}, NODE_NONE);
    return 0;
}
