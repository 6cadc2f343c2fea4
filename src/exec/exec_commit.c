/* exec_commit.c - how an output becomes the result of its task, for good and in one piece.
 *
 * Four steps, each durable before the next begins:
 *   1. the bytes of the output are on the disk;
 *   2. the journal has which output is about to become visible, and its checksum;
 *   3. the file is renamed to its final name, and the folder is on the disk;
 *   4. `committed` is emitted.
 * Resuming after a crash redoes an intent whose file is still in its private folder, and removes a
 * final file without an intent; at no moment can a reader see a part of an output, or two of them.
 * An empty output is not moved, but made in its place: there is nothing that could be lost.
 * The steps run side by side for all commits of a group: outputs are synced together
 * (folder/sync_files.h), and there is one sync of the journal and one of each folder, however many
 * tasks. While others run, a group that follows closely on another waits for
 * them, so that quick syncs take a twentieth of the time. It does not wait where what happens next
 * may end a job (exec_wait.c): what has ended well counts before what fails.
 *
 * An output that moved but whose folder cannot be synced is moved back and counts as not committed;
 * if even that fails, it is not known what a reader will find, and the run ends. */
#include "exec/exec_commit.h"

#include <errno.h>
#include <string.h>

#include "exec/exec_attempt.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_output.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"

/* Between groups: so many times what the last one took. */
enum { COMMIT_SPACE = 19, COMMIT_SPACE_MAX_US = 20000 };

/* Whether a commit of the same task was asked for already. */
static bool exec_commit_waits(const struct exec *x, struct attempt_ref at)
{
    for (uint32_t i = 0; i < x->commits.count; i++) {
        struct attempt_ref other = exec_row(x, x->commits.at[i])->at;
        other.attempt = at.attempt;
        if (attempt_equal(other, at))
            return true;
    }
    return false;
}

void exec_commit(struct exec *x, const struct decision *d, uint32_t handle)
{
    if (attempt_table_committed(&x->attempts, d->at))
        exec_fail_decision(x, d, CAUSE_ALREADY_ENDED);
    else if (exec_row(x, handle)->state != ROW_FINISHED)
        exec_fail_decision(x, d, CAUSE_OUTPUT_GONE);
    else if (exec_commit_waits(x, d->at))
        exec_fail_decision(x, d, CAUSE_ALREADY_STARTED);
    else
        vec_push(&x->commits, handle);
}

/* A commit that is withheld keeps its output, for when the run is resumed; else the brain has no
 * more use for it, and room may be just what is missing. If the folder of results is gone, another
 * attempt would fare no better. */
static void exec_commit_failed(struct exec *x, struct attempt_row *e, int error)
{
    bool gone =
        error == ENOENT && access(attempt_dirs_path(&x->dirs, e->dir, "stdout").text, F_OK) < 0;
    uint8_t cause = gone ? CAUSE_OUTPUT_GONE : exec_fail_cause(error);

    if (exec_attempt_fail(x, e, EV_COMMIT_FAILED, cause, error))
        exec_output_drop(x, e);
}

static int exec_sync_path(const struct exec *x, const char *path, bool folder)
{
    if (x->options.scratch)
        return 0;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC | (folder ? O_DIRECTORY : 0), 0);
    if (fd < 0)
        return -1;
    int result = folder ? sys_fsync(fd) : sys_fdatasync(fd);
    sys_close(&fd);
    return result;
}

/* Makes a folder inside another, durably, unless it is there. */
static int exec_make_folder(const struct exec *x, const char *inside, const char *path)
{
    if (sys_mkdir(path, 0700) < 0)
        return errno == EEXIST ? 0 : -1;
    if (exec_sync_path(x, inside, true) == 0)
        return 0;
    int saved = errno;
    rmdir(path); /* or the next commit would take it for durable */
    errno = saved;
    return -1;
}

static int exec_make_folders(struct exec *x, const struct job_spec *job, uint16_t phase)
{
    uint64_t which = ((uint64_t)job->id.v << 16 | phase) + 1;

    if (x->commits.made == which)
        return 0; /* most commits are of the same phase as the one before */
    struct path out = path_of("%s/out", x->dir), in = run_dir_job(x->dir, job->id);
    if (exec_make_folder(x, out.text, in.text) < 0 ||
        exec_make_folder(x, in.text, run_dir_phase(x->dir, job, phase).text) < 0)
        return -1;
    x->commits.made = which;
    return 0;
}

/* Whether the output has bytes that step 1 is about: what partitions lose, their readers notice. */
static bool exec_has_bytes(struct exec *x, const struct attempt_row *e)
{
    return e->state == ROW_FINISHED && e->bytes > 0 && !x->options.scratch &&
           !exec_output_is_run(x, e->at);
}

/* Step 1 for all of them. */
static void exec_sync_outputs(struct exec *x)
{
    struct sync_files *files = &x->commits.files;

    sync_files_clear(files);
    for (uint32_t i = 0; i < x->commits.count; i++) {
        const struct attempt_row *e = exec_row(x, x->commits.at[i]);
        if (exec_has_bytes(x, e))
            sync_files_add(files, attempt_dirs_path(&x->dirs, e->dir, "stdout").text);
    }
    sync_files_all(files);
}

/* An empty output that is not looked for on the disk: no phase below could read it, and the run is
 * never resumed. Moving it would only mean to make a new file for the next attempt. */
static bool exec_stays(const struct exec *x, const struct attempt_row *e)
{
    return x->options.scratch && e->bytes == 0 &&
           x->jobs.at[e->at.job.v].work->spec.phase_count == 1;
}

/* An empty output is made where it belongs: nothing has to be found in a private place, and the
 * next attempt there finds an empty stdout. */
static int exec_move(struct exec *x, const struct attempt_row *e, bool back)
{
    if (exec_stays(x, e))
        return 0;
    struct path private = attempt_dirs_path(&x->dirs, e->dir, "stdout");
    struct path final = run_dir_output(x->dir, &exec_job_find(x, e->at.job)->work->spec, e->at);
    if (!back && exec_output_is_empty(x, e)) {
        if (sys_mknod(final.text, S_IFREG | 0600) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return back ? rename(final.text, private.text) : sys_rename(private.text, final.text);
}

static bool exec_same_folder(const struct attempt_row *a, const struct attempt_row *b)
{
    return a->at.job.v == b->at.job.v && a->at.phase == b->at.phase;
}

/* Step 4. */
static void exec_commit_done(struct exec *x, struct exec_job *job, struct attempt_row *e)
{
    e->state = ROW_COMMITTED;
    e->replaced_us = exec_now_us(x); /* of another attempt, or of its own where it was before */
    job->phase_bytes[e->at.phase] += e->bytes;
    exec_emit(x, EV_COMMITTED, e->at, e->node);
}

bool exec_commit_redo(struct exec *x, uint32_t handle)
{
    struct attempt_row *e = exec_row(x, handle);
    struct exec_job *job = exec_job_find(x, e->at.job);
    const struct job_spec *spec = &job->work->spec;
    int64_t bytes;
    uint64_t checksum;
    struct path final = run_dir_output(x->dir, spec, e->at);
    struct path private = attempt_dirs_path(&x->dirs, e->dir, "stdout");

    bool there =
        exec_output_look(x, e->at, final.text, &bytes, &checksum) == 0 && checksum == e->checksum;
    if (!there && !exec_output_is_empty(x, e) &&
        (exec_output_look(x, e->at, private.text, &bytes, &checksum) < 0 ||
         checksum != e->checksum))
        return false;
    if (exec_make_folders(x, spec, e->at.phase) < 0 || (!there && exec_move(x, e, false) < 0) ||
        exec_sync_path(x, run_dir_phase(x->dir, spec, e->at.phase).text, true) < 0)
        exec_commit_failed(x, e, errno);
    else
        exec_commit_done(x, job, e);
    attempt_dirs_clear(&x->dirs, e->dir, false);
    return true;
}

/* Step 3 for the commits from..to-1, which share a folder, and step 4. */
static void exec_commit_folder(struct exec *x, uint32_t from, uint32_t to)
{
    struct exec_job *job = exec_job_find(x, exec_row(x, x->commits.at[from])->at.job);
    uint16_t phase = exec_row(x, x->commits.at[from])->at.phase;
    uint32_t moved = 0;

    for (uint32_t i = from; i < to; i++) {
        struct attempt_row *e = exec_row(x, x->commits.at[i]);
        if (exec_move(x, e, false) < 0)
            exec_commit_failed(x, e, errno);
        else
            x->commits.at[from + moved++] = x->commits.at[i];
    }
    if (moved == 0)
        return;
    struct path folder = run_dir_phase(x->dir, &job->work->spec, phase);
    int error = exec_sync_path(x, folder.text, true) < 0 ? errno : 0;
    for (uint32_t i = from; i < from + moved; i++) {
        struct attempt_row *e = exec_row(x, x->commits.at[i]);
        if (error && exec_move(x, e, true) < 0)
            exec_fail_run(x, "%s: cannot sync it to disk (%s), and an output cannot be withdrawn",
                          folder.text, strerror(error));
        if (error) {
            exec_commit_failed(x, e, error);
            continue;
        }
        exec_commit_done(x, job, e);
        attempt_dirs_release(&x->dirs, e->dir, e->silent);
    }
}

/* Step 2, once the caller's part of step 1 is done as well. */
static int exec_announce(struct exec *x)
{
    const struct exec_hooks *hooks = x->options.hooks;
    struct err err;

    if (x->options.scratch ||
        ((!hooks || !hooks->announced || hooks->announced(hooks->ctx, &err) == 0) &&
         journal_sync(x->options.journal, &err) == 0))
        return 0;
    exec_fail_run(x, "%s", err.text);
    return -1;
}

/* Steps 1 and 2. Leaves in x->commits those that may go on; false when the run cannot. */
static bool exec_commit_intend(struct exec *x)
{
    struct err err;
    uint32_t good = 0, synced = 0;

    exec_sync_outputs(x);
    for (uint32_t i = 0; i < x->commits.count; i++) {
        struct attempt_row *e = exec_row(x, x->commits.at[i]);
        if (e->state != ROW_FINISHED) { /* discarded, or its job ended, in the same breath */
            exec_emit(x, EV_COMMIT_FAILED, e->at, e->node)->cause =
                exec_job_find(x, e->at.job) ? CAUSE_OUTPUT_GONE : CAUSE_JOB_OVER;
            continue;
        }
        errno = exec_has_bytes(x, e) ? x->commits.files.at.at[synced++].error : 0;
        if (errno || exec_make_folders(x, &exec_job_find(x, e->at.job)->work->spec, e->at.phase)) {
            exec_commit_failed(x, e, errno);
            continue;
        }
        if (journal_intent(x->options.journal, e->at, e->checksum, e->bytes, &err) < 0) {
            exec_fail_run(x, "%s", err.text);
            return false;
        }
        x->commits.at[good++] = x->commits.at[i];
    }
    x->commits.count = good;
    return good == 0 || exec_announce(x) == 0;
}

void exec_commit_all(struct exec *x)
{
    int64_t from_us = exec_now_us(x);

    if (x->commits.count == 0)
        return;
    if (exec_commit_intend(x)) {
        uint32_t from = 0, count = x->commits.count;
        while (from < count) {
            uint32_t to = from + 1;
            while (to < count && exec_same_folder(exec_row(x, x->commits.at[from]),
                                                  exec_row(x, x->commits.at[to])))
                to++;
            exec_commit_folder(x, from, to);
            from = to;
        }
    }
    vec_clear(&x->commits);
    x->commits.last_us = exec_now_us(x);
    x->commits.took_us = x->commits.last_us - from_us;
}

/* Whether one of the outputs is waited for by readers, or may go with its node meanwhile. */
static bool exec_commit_is_urgent(struct exec *x)
{
    if (x->options.data && (x->options.groups || x->options.chaos))
        return true;
    for (uint32_t i = 0; x->options.data && i < x->commits.count; i++) {
        struct attempt_ref at = exec_row(x, x->commits.at[i])->at;
        if (!exec_job_find(x, at.job) || !exec_output_is_result(x, at))
            return true;
    }
    return false;
}

/* Without a sync there is nothing to share. */
static bool exec_commit_may_wait(struct exec *x)
{
    return x->attempts.live > 0 && !x->options.scratch && !exec_commit_is_urgent(x);
}

int64_t exec_commit_due(struct exec *x, int64_t now_us)
{
    int64_t space_us = x->commits.took_us * COMMIT_SPACE;
    int64_t due_us =
        x->commits.last_us + (space_us < COMMIT_SPACE_MAX_US ? space_us : COMMIT_SPACE_MAX_US);

    if (x->commits.count == 0)
        return INT64_MAX;
    if (due_us > now_us && exec_commit_may_wait(x))
        return due_us;
    exec_commit_all(x);
    return INT64_MAX;
}

/* The phase whose outputs are not what they were has made the difference. */
static void exec_tell_changed(struct exec *x, struct exec_job *job, const struct decision *d)
{
    const struct exec_hooks *hooks = x->options.hooks;
    const struct job_spec *spec = &job->work->spec;
    const struct phase_spec *p = &spec->phases[d->at.phase];
    struct str text = {0};

    if (job->changed || d->why.code != WHY_INPUT_CHANGED || p->edge_count == 0)
        return;
    job->changed = spec->phases[p->edges[0].from].name;
    str_addf(&text,
             "attempts of phase %s print different outputs: tasks that read a lost output run "
             "again",
             job->changed);
    if (hooks && hooks->warn)
        hooks->warn(hooks->ctx, text.text);
    str_free(&text);
}

/* A committed output of a job that is not over goes: it was made from what is not any more. Until
 * the job is over nobody has been given a result. */
static void exec_take_back(struct exec *x, struct exec_job *job, struct attempt_row *e,
                           const struct decision *d)
{
    exec_copy_discard(x, e);
    unlink(exec_output_path(x, e).text);
    exec_output_forget(x, e);
    e->state = ROW_GONE;
    job->phase_bytes[e->at.phase] -= e->bytes;
    exec_tell_changed(x, job, d);
}

void exec_commit_discard(struct exec *x, const struct decision *d, uint32_t handle)
{
    struct attempt_row *e = exec_row(x, handle);

    struct exec_job *job = exec_job_find(x, d->at.job);

    if (attempt_row_lives(e) || (e->state == ROW_COMMITTED && (!job || job->over)))
        exec_fail_decision(x, d,
                           CAUSE_OUTPUT_GONE); /* there is none yet, or it is a result for good */
    else if (e->state == ROW_COMMITTED)
        exec_take_back(x, job, e, d);
    else if (e->state == ROW_FINISHED)
        exec_output_drop(x, e);
}
