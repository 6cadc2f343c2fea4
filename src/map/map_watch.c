/* map_watch.c - follows attempts and tasks through the turns of the engine.
 *
 * The brain decides what is over and who won; here it is only noticed. Files are looked at in the
 * same turn as the event that announced them, before the body acts on what was decided: that is
 * when the stderr of a winner is still in its private place. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/check.h"
#include "exec/run_dir.h"
#include "map/map_state.h"

static double wall_clock_s(const struct map *m, int64_t now_us)
{
    if (m->recalling)
        return m->begun_s + (double)now_us / 1e6;

    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- attempts that have ended, but not their tasks ---- */

static struct map_ended *ended_find(struct map_ended *at, uint32_t count, struct attempt_ref ref,
                                    bool any_attempt)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i].at.task == ref.task && (any_attempt || at[i].at.attempt == ref.attempt))
            return &at[i];
    return NULL;
}

static void finished_remove(struct map *m, struct map_ended *e)
{
    *e = m->finished.at[--m->finished.count];
}

static void failed_remove(struct map *m, struct map_ended *e)
{
    *e = m->failed.at[--m->failed.count];
}

/* The latest failure of a task is the one that counts; what an earlier one left goes. */
static void failed_note(struct map *m, const struct event *event, const struct map_end *end)
{
    struct map_ended *e = ended_find(m->failed.at, m->failed.count, event->at, true);
    struct map_ended now = {.at = event->at,
                            .end = *end,
                            .type = event->type,
                            .cause = event->cause,
                            .detail = event->detail};

    if (e) {
        if (m->exec)
            exec_clear(m->exec, map_told(m, e->at));
        *e = now;
    } else {
        vec_push(&m->failed, now);
    }
}

/* One line on a task that failed for good and not of its command, which has no words for that. */
static void say_failure(struct map *m, const struct map_ended *e)
{
    struct str text = {0};
    const char *what = e->type == EV_ATTEMPT_LAUNCH_FAILED ? "it could not be started"
                       : e->type == EV_COMMIT_FAILED       ? "its output could not be kept"
                                                           : "its output could not be read";

    if (e->cause == CAUSE_EXIT || e->cause == CAUSE_SIGNAL || e->cause == CAUSE_TIMEOUT ||
        e->cause == CAUSE_INJECTED || m->recalling)
        return;
    str_addf(&text, "task %" PRIu64 " failed: ", plan_seq(m->plan, e->at.task));
    if (e->cause == CAUSE_DISK_FULL && e->type == EV_ATTEMPT_FAILED)
        str_add(&text, "the disk was full while it ran");
    else if (e->cause == CAUSE_DISK_FULL)
        str_addf(&text, "%s: the disk is full", what);
    else if (e->cause == CAUSE_OUTPUT_GONE)
        str_addf(&text, "%s: it is gone", what);
    else
        str_addf(&text, "%s: %s", what, strerror(e->detail));
    map_warn(m, text.text);
    str_free(&text);
}

/* ---- events ---- */

static struct map_end end_of(struct map *m, const struct event *e, int64_t now_us)
{
    const struct map_slot *slot = map_slot_of(m, e->at);
    struct map_end end = {.start_s =
                              slot && slot->running ? slot->start_s : wall_clock_s(m, now_us),
                          .end_us = now_us,
                          .node = e->node.v,
                          .attempt = e->at.attempt,
                          .extra = slot && slot->extra};

    if (event_is_ending(e->type)) {
        end.runtime_s = (double)e->u.use.wall_us / 1e6;
        end.cpu_s = e->u.use.cpu_us > 0 ? (double)e->u.use.cpu_us / 1e6 : 0;
        end.sent = e->u.use.read_bytes;
        end.received = e->u.use.written_bytes;
        m->counts.busy_s += end.runtime_s;
        m->counts.cpu_s += end.cpu_s;
        if (e->u.use.peak_rss_kib > m->counts.peak_rss_kib)
            m->counts.peak_rss_kib = e->u.use.peak_rss_kib;
    }
    switch (e->cause) {
    case CAUSE_EXIT:
        end.exit = e->detail;
        break;
    case CAUSE_SIGNAL:
        end.signal = e->detail;
        break;
    case CAUSE_INJECTED:
        end.signal = 9;
        break;
    case CAUSE_TIMEOUT:
        end.exit = -1;
        end.signal = e->detail;
        break;
    case CAUSE_NO_SUCH_FILE:
        end.exit = 127;
        break;
    case CAUSE_NONE:
        break;
    default:
        end.exit = -1;
        break;
    }
    return end;
}

static void slot_free(struct map *m, struct attempt_ref at)
{
    struct map_slot *slot = map_slot_of(m, at);

    if (!slot)
        return; /* a launch that was taken back before it had one */
    if (m->options.output != OUTPUT_GROUP && !m->recalling)
        map_stream_end(m, slot);
    slot->used = false;
}

/* A launch that was taken back, or an extra one that the body refuses when the disk is about to be
 * full: no attempt, and not counted as one. */
static bool never_began(struct map *m, const struct event *e, const struct map_end *end)
{
    bool extra = map_extra_take(m, e->at);

    if (e->cause != CAUSE_WITHDRAWN && !(e->cause == CAUSE_DISK_FULL && extra))
        return false;
    m->counts.attempts--;
    m->counts.extras -= extra || end->extra;
    return true;
}

static void on_end(struct map *m, const struct event *e, int64_t now_us)
{
    struct map_end end = end_of(m, e, now_us);

    slot_free(m, e->at);
    switch (e->type) {
    case EV_ATTEMPT_FINISHED:
        end.state = MAP_DONE;
        vec_push(&m->finished, ((struct map_ended){.at = e->at, .end = end}));
        return;
    case EV_ATTEMPT_LAUNCH_FAILED:
        if (never_began(m, e, &end) || e->cause == CAUSE_NODE_DOWN)
            return;
        break;
    case EV_ATTEMPT_FAILED:
        break;
    default: /* killed, lost */
        m->counts.wasted_s += end.runtime_s;
        if (e->type == EV_ATTEMPT_KILLED)
            vec_push(&m->stopped, (float)end.runtime_s);
        return;
    }
    if (e->cause == CAUSE_TIMEOUT)
        map_tell(m, "was killed because it timed out", e->at.task);
    m->counts.wasted_s += end.runtime_s;
    end.state = MAP_FAILED;
    failed_note(m, e, &end);
}

static void on_committed(struct map *m, struct attempt_ref at)
{
    struct map_ended *e = ended_find(m->finished.at, m->finished.count, at, false);
    struct map_ended *old = ended_find(m->failed.at, m->failed.count, at, true);

    check(e);
    struct map_end end = e->end;
    finished_remove(m, e);
    if (old) {
        if (m->exec)
            exec_clear(m->exec, map_told(m, old->at));
        failed_remove(m, old);
    }
    m->counts.extras_won += end.extra;
    map_task_over(m, at.task, &end);
}

static void on_commit_failed(struct map *m, const struct event *event)
{
    struct map_ended *e = ended_find(m->finished.at, m->finished.count, event->at, false);
    struct str path = {0};

    if (!e)
        return;
    struct map_end end = e->end;
    finished_remove(m, e);
    map_output_path(m, event->at.task, MAP_DONE, 2, &path);
    if (!m->recalling)
        remove(path.text);
    str_free(&path);
    end.state = MAP_FAILED;
    end.exit = -1;
    failed_note(m, event, &end);
}

static void on_event(struct map *m, const struct event *e, int64_t now_us)
{
    struct map_slot *slot;

    switch (e->type) {
    case EV_JOB_SUBMITTED:
        m->submitted++;
        break;
    case EV_ATTEMPT_STARTED:
        slot = map_slot_of(m, e->at);
        check(slot);
        slot->running = true;
        slot->start_s = wall_clock_s(m, now_us);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        on_end(m, e, now_us);
        break;
    case EV_COMMITTED:
        m->committing--;
        on_committed(m, e->at);
        break;
    case EV_COMMIT_FAILED:
        m->committing--;
        on_commit_failed(m, e);
        if (!m->halting && !m->recalling)
            exec_pause(m->exec, false); /* it may have been early */
        break;
    default:
        break;
    }
}

/* ---- decisions ---- */

/* Whether the file is there; *bytes is its size, or 0. */
static bool is_there(const char *path, int64_t *bytes)
{
    struct stat st;
    bool there = stat(path, &st) == 0;

    *bytes = there ? (int64_t)st.st_size : 0;
    return there;
}

/* Moves a file or folder of an attempt to where outputs of tasks that are over wait, in a folder
 * that may have to be made. One that is not there is fine. */
static void move_out(struct map *m, const char *from, struct str *to)
{
    if (rename(from, to->text) == 0)
        return;
    char *slash = strrchr(to->text, '/');
    *slash = 0;
    bool made = errno == ENOENT && (mkdir(to->text, 0700) == 0 || errno == EEXIST);
    *slash = '/';
    if (made && rename(from, to->text) == 0)
        return;
    if (errno == ENOENT || m->is_broken)
        return;
    m->is_broken = true;
    err_system(&m->broken, "%s: cannot be moved to %s: %s", from, to->text, strerror(errno));
}

/* The private place goes with the commit; what the winner said on stderr is kept. An earlier life
 * may have moved it already: then it is where it belongs. */
static void keep_stderr(struct map *m, struct attempt_ref at)
{
    struct str from = {0}, to = {0};
    int64_t bytes;
    struct map_ended *e = ended_find(m->finished.at, m->finished.count, at, false);

    map_attempt_path(m, at, "stderr", &from);
    map_output_path(m, at.task, MAP_DONE, 2, &to);
    bool moved = !is_there(from.text, &bytes) && m->again && is_there(to.text, &bytes);
    if (e)
        e->end.silent = bytes == 0;
    if (bytes > 0 && !moved)
        move_out(m, from.text, &to);
    str_free(&from);
    str_free(&to);
}

/* The private place of the last attempt of a task that failed for good; it may never have started.
 */
static void keep_failed(struct map *m, struct attempt_ref at)
{
    struct str from = {0}, to = {0};

    map_attempt_path(m, at, NULL, &from);
    map_output_path(m, at.task, MAP_FAILED, 0, &to);
    move_out(m, from.text, &to);
    str_free(&from);
    str_free(&to);
}

static void on_given_up(struct map *m, uint32_t task, int64_t now_us)
{
    struct attempt_ref at = {.task = task};
    struct map_ended *e = ended_find(m->failed.at, m->failed.count, at, true);
    struct map_end end = {.state = MAP_FAILED, .exit = -1, .start_s = wall_clock_s(m, now_us)};

    if (e) {
        end = e->end;
        say_failure(m, e);
        if (m->exec)
            keep_failed(m, e->at);
        failed_remove(m, e);
    }
    map_task_over(m, task, &end);
}

static void on_discard(struct map *m, struct attempt_ref at)
{
    struct map_ended *e = ended_find(m->finished.at, m->finished.count, at, false);

    if (!e)
        return;
    m->counts.wasted_s += e->end.runtime_s;
    finished_remove(m, e);
}

static void on_commit(struct map *m, struct attempt_ref at)
{
    struct map_ended *e = ended_find(m->finished.at, m->finished.count, at, false);

    if (e)
        e->committing = true;
    m->committing++;
    if (m->recalling)
        return;
    keep_stderr(m, at);
    map_control_early(m);
}

static void on_decision(struct map *m, const struct decision *d, int64_t now_us)
{
    switch (d->type) {
    case DO_LAUNCH:
        m->counts.attempts++;
        if (d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP) {
            m->counts.extras++;
            vec_push(&m->extras, d->at);
        }
        m->counts.restarts += d->kind == LAUNCH_RESTART;
        if (m->recalling)
            map_slot_take(m, d->at, d->node);
        break;
    case DO_COMMIT:
        on_commit(m, d->at);
        break;
    case DO_DISCARD_OUTPUT:
        on_discard(m, d->at);
        break;
    case DO_VERDICT:
        if (d->at.task != TASK_ALL &&
            (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES))
            on_given_up(m, d->at.task, now_us);
        break;
    default:
        break;
    }
}

static int map_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct map *m = ctx;

    for (uint32_t i = 0; i < turn->event_count; i++) {
        struct event e = turn->events[i];
        e.at = map_at(m, e.at);
        on_event(m, &e, turn->now_us);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        struct decision d = turn->decisions[i];
        d.at = map_at(m, d.at);
        on_decision(m, &d, turn->now_us);
    }
    /* `soon`: what had started has come to its end. `now`: a job may have come meanwhile. */
    bool now = m->options.halt.when == HALT_NOW;
    bool idle = m->finished.count == 0 && map_slots_used(m) == 0;
    if (m->halting && m->cancelled < m->submitted && (now || idle))
        map_cancel(m);
    if (m->is_broken) {
        *err = m->broken;
        return -1;
    }
    return 0;
}

struct tap map_tap(struct map *m)
{
    return (struct tap){.ctx = m, .turn = map_turn};
}

/* ---- an earlier life ---- */

/* The journal may be that of another run. */
static const char *recall_event(void *ctx, int64_t now_us, const struct event *e)
{
    struct map *m = ctx;
    struct event known = *e;

    if (e->type == EV_JOB_SUBMITTED &&
        (e->u.job->id.v != m->submitted || e->u.job->phase_count != 1 ||
         e->u.job->phases[0].tasks != map_feed_tasks(m, m->submitted)))
        return "the job is another one than that of this run";
    known.at = map_at(m, e->at);
    on_event(m, &known, now_us);
    return NULL;
}

static void recall_decision(void *ctx, int64_t now_us, const struct decision *d)
{
    struct map *m = ctx;
    struct decision known = *d;

    known.at = map_at(m, d->at);
    on_decision(m, &known, now_us);
}

struct journal_witness map_witness(struct map *m)
{
    return (struct journal_witness){m, recall_event, recall_decision, NULL};
}

void map_recalled(struct map *m)
{
    for (uint32_t i = 0; i < m->finished.count; i++)
        if (m->finished.at[i].committing)
            keep_stderr(m, m->finished.at[i].at);
}
