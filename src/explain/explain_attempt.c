/* explain_attempt.c - one attempt in words: why it was launched and how it ended.
 *
 * Most reasons name a situation, not another attempt ("after a failure", "lost the race"); which
 * attempt it was follows from the task: the one before it, or the one that won. */
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"
#include "ui/words.h"

struct explain_name explain_node(const struct explain *x, struct node_id node)
{
    struct explain_name n;
    const char *name = node.v < x->run->nodes.count ? x->run->nodes.at[node.v].name : NULL;
    if (name)
        snprintf(n.text, sizeof n.text, "%s", name);
    else
        snprintf(n.text, sizeof n.text, "node %u", node.v);
    return n;
}

uint64_t explain_number(const struct explain *x, uint32_t task)
{
    return x->look && task < map_look_tasks(x->look) ? map_look_seq(x->look, task)
                                                     : (uint64_t)task + (x->from_one ? 1 : 0);
}

void explain_command(const struct explain *x, uint32_t task, const char *before, const char *after,
                     struct str *out)
{
    enum { SHOWN_MAX = 200 };
    struct str command = {0};
    if (!x->look || task >= map_look_tasks(x->look))
        return;
    map_look_command(x->look, task, &command);
    bool cut = command.length > SHOWN_MAX;
    for (size_t i = 0; i < command.length; i++) /* it is somebody's text on somebody's terminal */
        if ((unsigned char)command.text[i] < ' ' || command.text[i] == 127)
            command.text[i] = command.text[i] == '\n' ? ' ' : '?';
    str_addf(out, "%s%.*s%s%s", before, SHOWN_MAX, command.text ? command.text : "",
             cut ? "..." : "", after);
    str_free(&command);
}

static const struct story_task *task_of(const struct explain *x, const struct story_attempt *a)
{
    return &x->job->phases[a->phase].tasks[a->task];
}

/* ---- causes ---- */

static void add_cause(struct str *out, uint8_t cause, int32_t detail)
{
    switch (cause) {
    case CAUSE_EXIT:
        str_addf(out, "exit status %d", detail);
        return;
    case CAUSE_SIGNAL:
        str_addf(out, "signal %d (%s)", detail, strsignal(detail));
        return;
    case CAUSE_SYSTEM:
        str_addf(out, "a system call failed: %s", strerror(detail));
        return;
    case CAUSE_NO_SUCH_FILE:
        str_add(out, "the command does not exist or cannot be executed");
        return;
    case CAUSE_NODE_DOWN:
        str_add(out, "its node went down");
        return;
    case CAUSE_NO_ROOM:
        str_add(out, "the node had no room for it");
        return;
    case CAUSE_OUTPUT_GONE:
        str_add(out, "an output was gone");
        return;
    case CAUSE_DISK_FULL:
        str_add(out, "the disk was full");
        return;
    case CAUSE_TIMEOUT:
        str_add(out, "it took too long");
        return;
    case CAUSE_INJECTED:
        str_add(out, "it was made to fail on purpose");
        return;
    case CAUSE_JOB_OVER:
        str_add(out, "the job was over");
        return;
    default:
        str_addf(out, "cause %s", event_cause_name(cause));
        return;
    }
}

void explain_failure(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    switch (a->ending) {
    case EV_ATTEMPT_LAUNCH_FAILED:
        str_add(out, a->cause == CAUSE_WITHDRAWN ? "was withdrawn" : "could not be started: ");
        if (a->cause != CAUSE_WITHDRAWN)
            add_cause(out, a->cause, a->detail);
        return;
    case EV_ATTEMPT_LOST:
        str_add(out, explain_is_simulated(x)
                         ? "was lost with its node"
                         : "was lost: its node went down, or the run was cut short");
        return;
    case EV_ATTEMPT_KILLED:
        str_add(out, "was killed");
        return;
    case EV_ATTEMPT_FINISHED:
        str_add(out, a->commit_failed ? "could not be committed: " : "finished");
        if (a->commit_failed)
            add_cause(out, a->cause, a->detail);
        return;
    default:
        str_add(out, a->cause == CAUSE_EXIT     ? "failed with "
                     : a->cause == CAUSE_SIGNAL ? "died of "
                                                : "failed: ");
        add_cause(out, a->cause, a->detail);
        return;
    }
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
    double failures = words_reason_number(r, "failures");
    str_add(out, "again, because ");
    if (b) {
        str_addf(out, "attempt %u ", b->ordinal);
        explain_failure(x, b, out);
    } else {
        str_add(out, "no attempt was left");
    }
    if (failures > 0)
        str_addf(out, "; failure %s of the task", words_number(failures, 4).text);
}

static void add_backup(const struct explain *x, const struct story_attempt *a,
                       const struct reason *r, struct str *out)
{
    const struct story_attempt *b = backed_up_by(x, a);
    struct words elapsed = words_seconds(words_reason_number(r, "elapsed_s"));
    double left_s = words_reason_number(r, "left_s");
    struct words left = words_seconds(left_s);
    struct str who = {0};
    str_addf(&who, b ? "attempt %u" : "the task", b ? b->ordinal : 0);
    str_add(out, "as a backup, because ");
    if (r->code == WHY_SLOWEST_LEFT) {
        str_addf(out, "%s was slow: after %s it went at %s a second, where slow begins below %s, ",
                 who.text, elapsed.text, words_share(words_reason_number(r, "rate")).text,
                 words_share(words_reason_number(r, "threshold")).text);
        if (left_s < 1e9)
            str_addf(out, "and had about %s to go", left.text);
        else
            str_add(out, "and no end was in sight");
        if (words_reason_number(r, "by_elapsed") != 0)
            str_add(out, " (judged by its siblings: it reports no progress)");
    } else if (r->code == WHY_BEHIND_MEAN) {
        str_addf(out, "%s was behind: after %s it had done %s, its phase %s on average", who.text,
                 elapsed.text, words_share(words_reason_number(r, "score")).text,
                 words_share(words_reason_number(r, "mean")).text);
    } else if (r->code == WHY_PHASE_ENDS) {
        str_addf(out, "%s of %s tasks of the phase were done and %s still ran after %s",
                 words_number(words_reason_number(r, "done"), 7).text,
                 words_number(words_reason_number(r, "tasks"), 7).text, who.text, elapsed.text);
    } else if (r->code == WHY_PAST_QUANTILE) {
        str_addf(out, "%s had run for %s, and most finished tasks took no more than %s", who.text,
                 elapsed.text, words_seconds(words_reason_number(r, "quantile_s")).text);
    } else if (r->code == WHY_DUPLICATE_SAVES) {
        str_addf(out, "%s had about %s to go and a new attempt should take %s", who.text, left.text,
                 words_seconds(words_reason_number(r, "new_s")).text);
    } else {
        str_add(out, "of ");
        explain_reason(r, out);
    }
    str_free(&who);
}

void explain_launch(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    struct reason r = story_reason(x->job, a->why);
    if (r.code == WHY_RUNNABLE) {
        str_add(out, "because its turn had come");
    } else if (r.code == WHY_CLONE) {
        str_addf(out, "as clone %s of %s", words_number(words_reason_number(&r, "of"), 4).text,
                 words_number(words_reason_number(&r, "copies") - 1, 4).text);
    } else if (r.code == WHY_UNSAFE_NODES) {
        str_addf(out,
                 "as a clone, because the nodes so far straggle together with probability %s "
                 "and %s is wanted",
                 words_number(words_reason_number(&r, "p"), 2).text,
                 words_number(words_reason_number(&r, "target"), 2).text);
    } else if (r.code == WHY_AFTER_FAILURE) {
        add_after_failure(x, a, &r, out);
    } else if (r.code == WHY_OUTPUT_LOST) {
        const struct story_attempt *b = winner_at(x, a, a->launched_us);
        str_add(out, "to make its output again: what ");
        if (b)
            str_addf(out, "attempt %u had committed on %s was lost", b->ordinal,
                     explain_node(x, b->node).text);
        else
            str_add(out, "had been committed was lost");
    } else if (a->kind == LAUNCH_BACKUP) {
        add_backup(x, a, &r, out);
    } else {
        str_add(out, "because of ");
        explain_reason(&r, out);
    }
}

/* ---- how it ended ---- */

static void add_stop_reason(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    struct reason r = story_reason(x->job, a->stop_why);
    switch (r.code) {
    case WHY_LOST_RACE:
        str_add(out, " because ");
        add_winner(x, a, a->stop_us, out);
        return;
    case WHY_JOB_OVER:
        str_add(out, " because the job was over");
        return;
    case WHY_CAP:
        str_addf(out,
                 " because extra attempts cost more than the cap allows: they had used %s "
                 "slot-seconds within an hour, of %s for the whole of it",
                 words_number(words_reason_number(&r, "spent"), 4).text,
                 words_number(words_reason_number(&r, "limit"), 4).text);
        return;
    case WHY_REPLICA_LOST:
        str_addf(out, " because copy %s of the whole job ended first",
                 words_number(words_reason_number(&r, "replica"), 4).text);
        return;
    case WHY_YIELD:
        str_add(out, " to give its place to a first attempt");
        return;
    case WHY_NO_IDLE_CORE:
        str_add(out, " because ");
        explain_no_core(&r, out);
        return;
    case WHY_DISK_FULL:
        str_add(out, " because a disk was full");
        return;
    case WHY_PREEMPTED:
        str_addf(out, " because job %s with %s needed the clone budget, and this one has %s",
                 words_number(words_reason_number(&r, "by_job"), 7).text,
                 words_counted(words_reason_number(&r, "its_tasks"), "task").text,
                 words_number(words_reason_number(&r, "own_tasks"), 7).text);
        return;
    case WHY_BUDGET_SHRANK:
        str_addf(out, " because the cluster shrank: extra attempts held %s and may hold %s",
                 words_number(words_reason_number(&r, "used"), 4).text,
                 words_number(words_reason_number(&r, "limit"), 4).text);
        return;
    case WHY_HOPELESS_INPUT:
        str_add(out, " because an output that it reads was lost, and making that again may need "
                     "its room");
        return;
    case WHY_PRUNED:
        str_addf(out, " because it had about %s to go, the most of %s",
                 words_seconds(words_reason_number(&r, "left_s")).text,
                 words_counted(words_reason_number(&r, "copies"), "attempt").text);
        return;
    case WHY_RESTART_FASTER:
        str_addf(out, " because it had about %s to go and a new start should take %s",
                 words_seconds(words_reason_number(&r, "left_s")).text,
                 words_seconds(words_reason_number(&r, "new_s")).text);
        return;
    default:
        str_add(out, " because of ");
        explain_reason(&r, out);
        return;
    }
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
        explain_failure(x, a, out);
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

void explain_ending(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    struct words ran = words_time(a->ended_us - a->started_us);
    if (!a->ending && a->started_us < 0) {
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
    if (a->started_us < 0) {
        str_add(out, "It ");
        explain_failure(x, a, out);
        str_addf(out, " at %s", words_time(a->ended_us).text);
    } else {
        str_addf(out, "It ran for %s%s ", ran.text,
                 a->ending == EV_ATTEMPT_FINISHED && a->won ? "," : " and");
    }
    if (a->ending == EV_ATTEMPT_FINISHED)
        add_finished(x, a, out);
    else if (a->started_us >= 0)
        explain_failure(x, a, out);
    if (a->started_us >= 0 && a->ending != EV_ATTEMPT_FINISHED)
        str_addf(out, " at %s", words_time(a->ended_us).text);
    if (a->stop_us >= 0 && (a->ending == EV_ATTEMPT_KILLED || a->started_us < 0))
        add_stop_reason(x, a, out);
    if (a->ending == EV_ATTEMPT_KILLED && a->stop_us >= 0 && a->ended_us - a->stop_us >= 1000)
        str_addf(out, ", %s after it was asked to end", words_time(a->ended_us - a->stop_us).text);
    if (a->ending == EV_ATTEMPT_KILLED)
        add_done(a, out);
    str_add(out, ".");
}
