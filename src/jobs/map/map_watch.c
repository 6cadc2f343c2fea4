/* map_watch.c - follows attempts and tasks through the turns of the engine.
 *
 * The brain decides what is over and who won; here it is only noticed. Files are looked at in the
 * same turn as the event that announced them, before the body acts on what was decided: that is
 * when the stderr of a winner is still in its private place. */
#include "jobs/map/map_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/sync.h"
#include "jobs/map/map.h"
#include "jobs/map/map_stream.h"
#include "jobs/map/map_whole.h"

/* Returns the time of day at a time of the run, in seconds since 1970. */
static double wall_clock_s(const struct map *m, int64_t at_us)
{
    if (m->recalling)
        return m->begun_s + (double)at_us / 1e6;

    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9 -
           (double)(exec_clock_us(m->exec) - at_us) / 1e6;
}

/* ---- attempts that have ended, but not their tasks ---- */

static struct map_ended *find_finished(struct map *m, struct attempt_ref at)
{
    for (uint32_t i = 0; i < m->watch.finished.count; i++)
        if (attempt_equal(m->watch.finished.at[i].at, at))
            return &m->watch.finished.at[i];
    return NULL;
}

static struct map_ended *find_failed(struct map *m, uint32_t task)
{
    for (uint32_t i = 0; i < m->watch.failed.count; i++)
        if (m->watch.failed.at[i].at.task == task)
            return &m->watch.failed.at[i];
    return NULL;
}

static void remove_finished(struct map *m, struct map_ended *e)
{
    mem_free(e->command);
    *e = m->watch.finished.at[--m->watch.finished.count];
}

static void remove_failed(struct map *m, struct map_ended *e)
{
    *e = m->watch.failed.at[--m->watch.failed.count];
}

/* The latest failure of a task is the one that counts; what an earlier one left goes. */
static void clear_failed(struct map *m, uint32_t task)
{
    struct map_ended *e = find_failed(m, task);

    if (e && m->exec)
        exec_output_clear(m->exec, map_feed_to_brain(&m->feed, e->at));
    if (e)
        remove_failed(m, e);
}

static void note_failed(struct map *m, const struct event *e, struct map_end end)
{
    end.state = MAP_TASK_FAILED;
    clear_failed(m, e->at.task);
    vec_push(
        &m->watch.failed,
        ((struct map_ended){
            .at = e->at, .end = end, .type = e->type, .cause = e->cause, .detail = e->detail}));
}

/* One line on a task that failed for good and not because of its command, which prints its own. */
static void warn_failure(struct map *m, const struct map_ended *e)
{
    struct str text = {0};
    const char *what = e->type == EV_ATTEMPT_LAUNCH_FAILED ? "it could not be started"
                       : e->type == EV_COMMIT_FAILED       ? "its output could not be kept"
                                                           : "its output could not be read";

    if (e->cause == CAUSE_EXIT || e->cause == CAUSE_SIGNAL || e->cause == CAUSE_TIMEOUT ||
        e->cause == CAUSE_INJECTED || m->recalling)
        return;
    str_addf(&text, "task %" PRIu64 " failed: ", plan_seq(m->plan, e->at.task));
    if (e->cause == CAUSE_NODE_FAULT)
        str_addf(&text, "its node failed: %s", strerror(e->detail));
    else if (e->cause == CAUSE_DISK_FULL && e->type == EV_ATTEMPT_FAILED)
        str_add(&text, "the disk was full while it ran");
    else
        str_addf(&text, "%s: %s", what,
                 e->cause == CAUSE_DISK_FULL     ? "the disk is full"
                 : e->cause == CAUSE_OUTPUT_GONE ? "it is gone"
                                                 : strerror(e->detail));
    map_progress_warn(m, text.text);
    str_free(&text);
}

/* ---- events ---- */

static struct map_end end_of(struct map *m, const struct event *e, int64_t now_us)
{
    const struct map_slot *slot = map_slots_find(&m->slots, e->at);
    struct map_end end = {.start_s =
                              slot && slot->running ? slot->start_s : wall_clock_s(m, now_us),
                          .node = slot ? slot->node : NODE_NONE,
                          .slot = slot ? map_slots_number(&m->slots, slot) : 0,
                          .attempt = e->at.attempt,
                          .extra = slot && slot->extra};

    if (event_is_ending(e->type)) {
        end.runtime_s = (double)e->u.use.wall_us / 1e6;
        end.cpu_s = e->u.use.cpu_us > 0 ? (double)e->u.use.cpu_us / 1e6 : 0;
        end.sent = e->u.use.read_bytes;
        end.received = e->u.use.written_bytes;
        m->counts.cpu_s += end.cpu_s;
        if (e->u.use.peak_rss_kib > m->counts.peak_rss_kib)
            m->counts.peak_rss_kib = e->u.use.peak_rss_kib;
    }
    bool ran = e->cause == CAUSE_NONE || e->cause == CAUSE_SIGNAL || e->cause == CAUSE_INJECTED;
    end.exit = e->cause == CAUSE_EXIT           ? e->detail
               : e->cause == CAUSE_NO_SUCH_FILE ? 127
               : ran                            ? 0
                                                : -1;
    end.signal = e->cause == CAUSE_SIGNAL || e->cause == CAUSE_TIMEOUT ? e->detail
                 : e->cause == CAUSE_INJECTED                          ? 9
                                                                       : 0;
    return end;
}

static char *take_command(struct map *m, struct attempt_ref at)
{
    struct map_slot *slot = map_slots_find(&m->slots, at);
    char *command = slot ? slot->command : NULL;

    if (slot)
        slot->command = NULL;
    return command;
}

static void free_slot(struct map *m, const struct event *e)
{
    struct map_slot *slot = map_slots_find(&m->slots, e->at);
    bool finished = e->type == EV_ATTEMPT_FINISHED;

    if (!slot)
        return; /* a launch that was taken back before it had one */
    if (m->options.output != OUTPUT_GROUP && !m->recalling)
        map_stream_end(m, slot, finished ? e->u.use.written_bytes : -1);
    map_slots_release(&m->slots, slot);
}

/* A launch that was taken back, or an extra one that the body refuses when the disk is about to be
 * full, does not count as an attempt. */
static bool never_began(struct map *m, const struct event *e, const struct map_end *end)
{
    bool extra = map_slots_take_extra(&m->slots, e->at);

    if (e->cause != CAUSE_WITHDRAWN && !(e->cause == CAUSE_DISK_FULL && extra))
        return false;
    m->counts.attempts--;
    m->counts.extras -= extra || end->extra;
    return true;
}

static void on_end(struct map *m, const struct event *e, int64_t now_us)
{
    struct map_end end = end_of(m, e, now_us);
    char *command = e->type == EV_ATTEMPT_FINISHED ? take_command(m, e->at) : NULL;

    free_slot(m, e);
    switch (e->type) {
    case EV_ATTEMPT_FINISHED:
        end.state = MAP_TASK_DONE;
        end.checksum = attempt_equal(m->watch.ready, e->at) ? m->watch.ready_checksum : 0;
        vec_push(&m->watch.finished,
                 ((struct map_ended){.at = e->at, .end = end, .command = command}));
        return;
    case EV_ATTEMPT_LAUNCH_FAILED:
        if (!never_began(m, e, &end) && e->cause != CAUSE_NODE_DOWN)
            note_failed(m, e, end);
        return;
    case EV_ATTEMPT_FAILED:
        if (e->cause == CAUSE_TIMEOUT)
            map_control_timed_out(m, e->at.task, end.slot);
        note_failed(m, e, end);
        return;
    case EV_ATTEMPT_KILLED:
        vec_push(&m->counts.stopped, (float)end.runtime_s);
        return;
    default: /* lost */
        return;
    }
}

static void task_over(struct map *m, uint32_t task, const struct map_end *end)
{
    map_print_over(m, task, end);
    if (m->options.halt.when != HALT_NEVER || m->options.timeout_percent > 0)
        map_control_task_over(m, task, end); /* what it prints comes behind the output */
    map_feed_over(m, task);
}

static void on_committed(struct map *m, struct attempt_ref at)
{
    struct map_ended *e = find_finished(m, at);

    check(e);
    struct map_end end = e->end;
    char *command = e->command;
    end.command = command;
    e->command = NULL;
    remove_finished(m, e);
    clear_failed(m, at.task);
    m->counts.extras_won += end.extra;
    task_over(m, at.task, &end);
    mem_free(command);
}

static void on_commit_failed(struct map *m, const struct event *event)
{
    struct map_ended *e = find_finished(m, event->at);

    if (e) {
        struct map_end end = e->end;
        remove_finished(m, e);
        if (!m->recalling)
            remove(map_dir_output(m, event->at.task, MAP_TASK_DONE, 2).text);
        end.exit = -1;
        note_failed(m, event, end);
    }
    if (!m->control.halting && !m->recalling)
        exec_pause(m->exec, false); /* it may have been early */
}

/* A committed output was found damaged by an earlier life: its task is not over any more. */
static void on_output_lost(struct map *m, struct attempt_ref at)
{
    const struct map_end *end = m->print.ends ? &m->print.ends[at.task] : NULL;

    if (end && end->state == MAP_TASK_DONE && end->attempt == at.attempt)
        map_whole_reopen(m, at.task);
}

static void on_event(struct map *m, const struct event *e, int64_t now_us)
{
    struct map_slot *slot;

    if (e->type == EV_NODE_UP) {
        map_log_node(&m->log, e->node, e->u.node.name);
    } else if (e->type == EV_JOB_SUBMITTED) {
        m->feed.submitted++;
    } else if (e->type == EV_ATTEMPT_STARTED) {
        slot = map_slots_find(&m->slots, e->at);
        check(slot);
        slot->running = true;
        map_feed_started(m, e->at.task);
        slot->start_s = wall_clock_s(m, event_started_us(e, now_us, 0));
    } else if (event_is_end(e->type)) {
        on_end(m, e, now_us);
    } else if (e->type == EV_COMMITTED) {
        m->watch.committing--;
        on_committed(m, e->at);
    } else if (e->type == EV_COMMIT_FAILED) {
        m->watch.committing--;
        on_commit_failed(m, e);
    } else if (e->type == EV_OUTPUT_READY) {
        m->watch.ready = e->at;
        m->watch.ready_checksum = e->u.output.checksum;
    } else if (e->type == EV_OUTPUT_LOST) {
        on_output_lost(m, e->at);
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
static void move_out(struct map *m, struct path from, struct path to)
{
    struct err err;

    if (rename(from.text, to.text) == 0)
        return;
    char *slash = strrchr(to.text, '/');
    *slash = 0;
    bool made = errno == ENOENT && (mkdir(to.text, 0700) == 0 || errno == EEXIST);
    if (made && !m->dir_private)
        (void)sync_name(to.text);
    *slash = '/';
    if ((made && rename(from.text, to.text) == 0) || errno == ENOENT)
        return;
    err_system(&err, "%s: cannot be moved to %s: %s", from.text, to.text, strerror(errno));
    map_fail(m, &err);
}

/* The private place goes with the commit; the stderr of the winner is kept. An earlier life may
 * have moved it already: then it is where it belongs. */
static void keep_stderr(struct map *m, struct map_ended *e)
{
    struct path from = map_dir_attempt(m, e->at, "stderr");
    struct path to = map_dir_output(m, e->at.task, MAP_TASK_DONE, 2);
    int64_t bytes;

    bool moved = !is_there(from.text, &bytes) && m->again && is_there(to.text, &bytes);
    e->end.silent = bytes == 0;
    e->end.said = bytes;
    if (bytes == 0)
        return;
    if (!moved)
        move_out(m, from, to);
    if (!m->dir_private)
        sync_files_add(&m->watch.kept, to.text);
}

static int fail_sync(const char *path, int error, struct err *err)
{
    return err_system(err, "%s: cannot sync it to disk: %s", path, strerror(error));
}

int map_watch_announced(void *ctx, struct err *err)
{
    struct map *m = ctx;
    struct sync_files *kept = &m->watch.kept;
    struct path folder = path_of("%s/err", m->dir);
    int result = 0;

    if (kept->at.count == 0)
        return 0;
    sync_files_all(kept);
    for (uint32_t i = 0; i < kept->at.count && result == 0; i++)
        if (kept->at.at[i].error)
            result = fail_sync(kept->at.at[i].path, kept->at.at[i].error, err);
    sync_files_clear(kept);
    if (result == 0 && sync_folder(folder.text) < 0 && errno != EINVAL)
        result = fail_sync(folder.text, errno, err);
    return result;
}

/* The private place of the last attempt of a task that failed for good; it may never have started.
 */
static void keep_failed(struct map *m, struct attempt_ref at)
{
    move_out(m, map_dir_attempt(m, at, NULL), map_dir_output(m, at.task, MAP_TASK_FAILED, 0));
}

static void on_given_up(struct map *m, uint32_t task, int64_t now_us)
{
    struct map_ended *e = find_failed(m, task);
    struct map_end end = {.state = MAP_TASK_FAILED,
                          .exit = -1,
                          .start_s = wall_clock_s(m, now_us),
                          .node = NODE_NONE};

    if (e) {
        end = e->end;
        warn_failure(m, e);
        if (m->exec)
            keep_failed(m, e->at);
        remove_failed(m, e);
    }
    task_over(m, task, &end);
}

static void on_commit(struct map *m, struct attempt_ref at)
{
    struct map_ended *e = find_finished(m, at);

    m->watch.committing++;
    if (e)
        e->committing = true;
    if (m->recalling)
        return;
    if (e)
        keep_stderr(m, e);
    if (m->options.halt.when != HALT_NEVER)
        map_control_committing(m);
}

static void on_launch(struct map *m, const struct decision *d)
{
    m->counts.attempts++;
    if (d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP) {
        m->counts.extras++;
        vec_push(&m->slots.extras, d->at);
    }
    if (m->recalling)
        map_slots_take(&m->slots, d->at, d->node);
}

/* Whether the verdict says why there are no clones. */
static bool is_against_clones(uint16_t code)
{
    return code == WHY_NO_NEED || code == WHY_OVER_BUDGET || code == WHY_OVER_TAU ||
           code == WHY_NO_IDLE_CORE || code == WHY_PRESSURE;
}

static void on_decision(struct map *m, const struct decision *d, int64_t now_us)
{
    struct map_ended *e;

    if (d->type == DO_VERDICT && !m->counts.unwanted.code && is_against_clones(d->why.code))
        m->counts.unwanted = d->why;

    if (d->type == DO_LAUNCH)
        on_launch(m, d);
    else if (d->type == DO_COMMIT)
        on_commit(m, d->at);
    else if (d->type == DO_DISCARD_OUTPUT && (e = find_finished(m, d->at)))
        remove_finished(m, e);
    else if (d->type == DO_VERDICT && d->at.task != TASK_ALL &&
             (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES))
        on_given_up(m, d->at.task, now_us);
}

/* An earlier life: the journal may be that of another run. */
static int check_jobs(const struct map *m, const struct turn *turn, struct err *err)
{
    uint32_t next = m->feed.submitted;

    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct job_spec *job = turn->events[i].u.job;
        if (turn->events[i].type != EV_JOB_SUBMITTED)
            continue;
        if (job->id.v != next || job->phase_count != 1 ||
            job->phases[0].tasks != map_feed_tasks(m, next))
            return err_set(err, "the job differs from the one of this run");
        next++;
    }
    return 0;
}

static int watch_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct map *m = ctx;

    if (m->recalling && check_jobs(m, turn, err) < 0)
        return -1;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        struct event e = turn->events[i];
        e.at = map_feed_from_brain(&m->feed, e.at);
        on_event(m, &e, turn->now_us);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        struct decision d = turn->decisions[i];
        d.at = map_feed_from_brain(&m->feed, d.at);
        on_decision(m, &d, turn->now_us);
    }
    if (m->recalling)
        return 0;
    /* `soon`: what had started has come to its end. `now`: a job may have come meanwhile. */
    bool now = m->options.halt.when == HALT_NOW;
    bool idle = m->watch.finished.count == 0 && m->slots.used == 0;
    if (m->control.halting && m->feed.cancelled < m->feed.submitted && (now || idle))
        map_feed_cancel(m);
    if (m->fail.aborts)
        *err = m->fail.why;
    return m->fail.aborts ? -1 : 0;
}

struct tap map_watch_tap(struct map *m)
{
    return (struct tap){.ctx = m, .turn = watch_turn};
}

void map_watch_fini(struct map_watch *w)
{
    for (uint32_t i = 0; i < w->finished.count; i++)
        mem_free(w->finished.at[i].command);
    vec_free(&w->finished);
    vec_free(&w->failed);
    sync_files_fini(&w->kept);
}

void map_watch_recalled(struct map *m)
{
    for (uint32_t i = 0; i < m->watch.finished.count; i++)
        if (m->watch.finished.at[i].committing)
            keep_stderr(m, &m->watch.finished.at[i]);
}
