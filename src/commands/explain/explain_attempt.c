/* explain_attempt.c - one attempt in words: why it was launched and how it ended.
 *
 * Most reasons name a situation, not another attempt ("after a failure", "lost the race"); which
 * attempt it was follows from the task: the one before it, or the one that won. */
#include <stdio.h>

#include "commands/explain/explain.h"
#include "ui/words.h"

static const struct story_task *task_of(const struct explain *x, const struct story_attempt *a)
{
    return &x->job->phases[a->phase].tasks[a->task];
}

/* ---- causes ---- */

static void add_cause(struct str *out, uint8_t cause, int32_t detail)
{
    static const char *const words[CAUSE_END] = {
        [CAUSE_NO_SUCH_FILE] = "the command does not exist or cannot be executed",
        [CAUSE_NODE_DOWN] = "its node went down",
        [CAUSE_NO_ROOM] = "the node had no room for it",
        [CAUSE_OUTPUT_GONE] = "an output was gone",
        [CAUSE_DISK_FULL] = "the disk was full",
        [CAUSE_TIMEOUT] = "it took too long",
        [CAUSE_INJECTED] = "it was made to fail on purpose",
        [CAUSE_JOB_OVER] = "the job was over",
    };
    if (cause == CAUSE_EXIT)
        str_addf(out, "exit status %d", detail);
    else if (cause == CAUSE_SIGNAL)
        str_addf(out, "signal %d (%s)", detail, strsignal(detail));
    else if (cause == CAUSE_SYSTEM)
        str_addf(out, "a system call failed: %s", strerror(detail));
    else if (cause == CAUSE_NODE_FAULT)
        str_addf(out, "its node failed: %s", strerror(detail));
    else if (cause < CAUSE_END && words[cause])
        str_add(out, words[cause]);
    else
        str_addf(out, "cause %s", event_cause_name(cause));
}

void explain_attempt_failure(const struct explain *x, const struct story_attempt *a,
                             struct str *out)
{
    const char *what = a->cause == CAUSE_EXIT     ? "failed with "
                       : a->cause == CAUSE_SIGNAL ? "died of "
                                                  : "failed: ";
    bool caused = true;
    switch (a->ending) {
    case EV_ATTEMPT_LAUNCH_FAILED:
        caused = a->cause != CAUSE_WITHDRAWN;
        what = caused ? "could not be started: " : "was withdrawn";
        break;
    case EV_ATTEMPT_LOST:
        caused = false;
        what = explain_is_simulated(x) ? "was lost with its node"
                                       : "was lost: its node went down, or the run was interrupted";
        break;
    case EV_ATTEMPT_KILLED:
        caused = false;
        what = "was killed";
        break;
    case EV_ATTEMPT_FINISHED:
        caused = a->commit_failed;
        what = caused ? "could not be committed: " : "finished";
        break;
    default:
        break;
    }
    str_add(out, what);
    if (caused)
        add_cause(out, a->cause, a->detail);
}

/* The attempt whose victory was known at that time, or NULL. */
static const struct story_attempt *winner_at(const struct explain *x, const struct story_attempt *a,
                                             int64_t us)
{
    const struct story_attempt *best = NULL;
    for (uint32_t i = task_of(x, a)->newest; i != STORY_NONE; i = x->job->attempts.at[i].older) {
        const struct story_attempt *b = &x->job->attempts.at[i];
        if (b->won && b != a && b->ended_us <= us && (!best || b->ended_us > best->ended_us))
            best = b;
    }
    return best;
}

static void add_winner(const struct explain *x, const struct story_attempt *a, int64_t us,
                       struct str *out)
{
    const struct story_attempt *winner = winner_at(x, a, us);
    if (winner)
        str_addf(out, "attempt %u had won", winner->ordinal);
    else
        str_add(out, "another attempt had won");
}

/* ---- why it was launched ---- */

/* The newest attempt before this one that was over when it was launched and had to be replaced. */
static const struct story_attempt *replaced_by(const struct explain *x,
                                               const struct story_attempt *a)
{
    for (uint32_t i = a->older; i != STORY_NONE; i = x->job->attempts.at[i].older) {
        const struct story_attempt *b = &x->job->attempts.at[i];
        if (b->ended_us >= 0 && b->ended_us <= a->launched_us &&
            !(story_is_extra(b) && b->ending == EV_ATTEMPT_KILLED))
            return b;
    }
    return NULL;
}

/* The oldest attempt that ran when this one was launched: policies judge a task by it. */
static const struct story_attempt *backed_up_by(const struct explain *x,
                                                const struct story_attempt *a)
{
    const struct story_attempt *oldest = NULL;
    for (uint32_t i = a->older; i != STORY_NONE; i = x->job->attempts.at[i].older) {
        const struct story_attempt *b = &x->job->attempts.at[i];
        if (b->ended_us < 0 || b->ended_us > a->launched_us)
            oldest = b;
    }
    return oldest;
}

static void add_after_failure(const struct explain *x, const struct story_attempt *a,
                              const struct reason *r, struct str *out)
{
    const struct story_attempt *b = replaced_by(x, a);
    str_add(out, "again, because ");
    if (b) {
        str_addf(out, "attempt %u ", b->ordinal);
        explain_attempt_failure(x, b, out);
    } else {
        str_add(out, "no attempt was left");
    }
    if (words_reason_number(r, "failures") > 0)
        explain_words("; failure {failures|4} of the task", "", r, out);
}

static void add_backup(const struct explain *x, const struct story_attempt *a,
                       const struct reason *r, struct str *out)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_SLOWEST_LEFT] = "{} was slow: after {elapsed_s|s} it went at {rate|%} a second, where "
                             "slow begins below {threshold|%}, ",
        [WHY_BEHIND_MEAN] = "{} was behind: after {elapsed_s|s} it had done {score|%}, its phase "
                            "{mean|%} on average",
        [WHY_PHASE_ENDS] = "{done|7} of {tasks|7} tasks of the phase were done and {} still ran "
                           "after {elapsed_s|s}",
        [WHY_PAST_QUANTILE] = "{} had run for {elapsed_s|s}, and most finished tasks took no more "
                              "than {quantile_s|s}",
        [WHY_DUPLICATE_SAVES] = "{} had about {left_s|s} to go and a new attempt should take "
                                "{new_s|s}",
    };
    const struct story_attempt *b = backed_up_by(x, a);
    char who[32];
    snprintf(who, sizeof who, b ? "attempt %u" : "the task", b ? b->ordinal : 0);
    str_add(out, "as a backup, because ");
    explain_why(words, "of ", who, r, out);
    if (r->code != WHY_SLOWEST_LEFT)
        return;
    explain_words(words_reason_number(r, "left_s") < 1e9 ? "and had about {left_s|s} to go"
                                                         : "and no end was in sight",
                  "", r, out);
    if (words_reason_number(r, "by_elapsed") != 0)
        str_add(out, " (judged by its siblings: it reports no progress)");
}

void explain_attempt_launch(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_RUNNABLE] = "because its turn had come",
        [WHY_CLONE] = "as clone {of|4} of ",
        [WHY_UNSAFE_NODES] = "as a clone, because the nodes so far straggle together with "
                             "probability {p|2} and {target|2} is wanted",
        [WHY_RESCUE] = "as a copy, because the task would end {after_s|s} after the rest of its "
                       "phase, and a fresh copy takes about {new_s|s}",
        [WHY_HEDGE] = "as a copy in advance, in case that all attempts of the task so far are slow "
                      "(probability {p|2})",
        [WHY_OUTPUT_LOST] = "to make its output again: what ",
    };
    struct reason r = story_job_reason(x->job, a->why);
    if (r.code == WHY_AFTER_FAILURE) {
        add_after_failure(x, a, &r, out);
        return;
    }
    if (r.code == WHY_STANDING) {
        str_add(out, "because its turn had come: its job had ");
        explain_standing(&r, out);
        return;
    }
    if (a->kind == LAUNCH_BACKUP && !words[r.code]) {
        add_backup(x, a, &r, out);
        return;
    }
    explain_why(words, "because of ", "", &r, out);
    if (r.code == WHY_RESCUE && words_reason_number(&r, "races") > 0)
        explain_words("; {won|3} of {races|3} such copies have won so far", "", &r, out);
    if (r.code == WHY_HEDGE && words_reason_number(&r, "new_s") > 0)
        explain_words("; a later copy would be late, as it takes about {new_s|s}", "", &r, out);
    if (r.code == WHY_CLONE)
        str_add(out, words_number(words_reason_number(&r, "copies") - 1, 4).text);
    if (r.code == WHY_OUTPUT_LOST) {
        const struct story_attempt *b = winner_at(x, a, a->launched_us);
        if (b)
            str_addf(out, "attempt %u had committed on %s was lost", b->ordinal,
                     explain_node(x, b->node).text);
        else
            str_add(out, "had been committed was lost");
    }
}

/* ---- how it ended ---- */

static void add_stop_reason(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_LOST_RACE] = " because ",
        [WHY_JOB_OVER] = " because the job was over",
        [WHY_REPLICA_LOST] = " because copy {replica|4} of the whole job ended first",
        [WHY_YIELD] = " to give its place to a first attempt",
        [WHY_NO_IDLE_CORE] = " because " EXPLAIN_NO_CORE,
        [WHY_DISK_FULL] = " because a disk was full",
        [WHY_PREEMPTED] = " because job {by_job|7} with {its_tasks|task} needed the clone budget, "
                          "and this one has {own_tasks|7}",
        [WHY_BUDGET_SHRANK] = " because the cluster shrank: extra attempts held {used|4} and may "
                              "hold {limit|4}",
        [WHY_HOPELESS_INPUT] = " because an output that it reads was lost, and making that again "
                               "may need its room",
        [WHY_PRUNED] = " because it had about {left_s|s} to go, the most of {copies|attempt}",
        [WHY_RESTART_FASTER] = " because it had about {left_s|s} to go and a new start should take "
                               "{new_s|s}",
    };
    struct reason r = story_job_reason(x->job, a->stop_why);
    if (r.code == WHY_CAP || r.code == WHY_PRESSURE) {
        str_add(out, " because ");
        (r.code == WHY_CAP ? explain_cloning_cap : explain_pressure)(x, &r, out);
        return;
    }
    explain_why(words, " because of ", "", &r, out);
    if (r.code == WHY_LOST_RACE)
        add_winner(x, a, a->stop_us, out);
}

static void add_finished(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    const struct story_task *t = task_of(x, a);
    str_addf(out, "finished at %s", words_time(a->ended_us).text);
    if (a->won) {
        str_add(out, " and won");
        if (t->winner == a->ordinal && t->committed_us - a->ended_us >= 1000)
            str_addf(out, "; it was committed at %s", words_time(t->committed_us).text);
        if (t->winner != a->ordinal || t->lost)
            str_add(out, ", but its output was lost later");
    } else if (a->commit_failed) {
        str_add(out, ", but ");
        explain_attempt_failure(x, a, out);
    } else if (winner_at(x, a, a->ended_us)) {
        str_add(out, ", but ");
        add_winner(x, a, a->ended_us, out);
        str_add(out, a->differed ? ", and their outputs differ" : "");
    } else {
        str_add(out, " and was not committed");
    }
}

static void add_done(const struct story_attempt *a, struct str *out)
{
    if (a->done >= 0 && a->done <= 1)
        str_addf(out, "; it had %s %s", a->step > 0 ? "reported" : "done",
                 words_share(a->done).text);
}

void explain_attempt_ending(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    bool started = a->started_us >= 0, killed = a->ending == EV_ATTEMPT_KILLED;
    if (!a->ending && !started) {
        str_add(out, "It had not started when the journal ends.");
        return;
    }
    if (!a->ending) {
        str_addf(out, "It still ran when the journal ends, after %s",
                 words_time(x->run->last_us - a->started_us).text);
        add_done(a, out);
        str_add(out, ".");
        return;
    }
    str_add(out, "It ");
    if (started)
        str_addf(out, "ran for %s%s ", words_time(a->ended_us - a->started_us).text,
                 a->ending == EV_ATTEMPT_FINISHED && a->won ? "," : " and");
    if (a->ending == EV_ATTEMPT_FINISHED && started) {
        add_finished(x, a, out);
    } else {
        explain_attempt_failure(x, a, out);
        str_addf(out, " at %s", words_time(a->ended_us).text);
    }
    if (a->stop_us >= 0 && (killed || !started))
        add_stop_reason(x, a, out);
    if (killed && a->stop_us >= 0 && a->ended_us - a->stop_us >= 1000)
        str_addf(out, ", %s after it was asked to end", words_time(a->ended_us - a->stop_us).text);
    if (killed)
        add_done(a, out);
    str_add(out, ".");
}
