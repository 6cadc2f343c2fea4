/* explain_task.c - the story of a task: every attempt in the order of launches, and what would have
 * been without the extra ones. */
#include <inttypes.h>

#include "commands/explain/explain.h"
#include "ui/words.h"

/* What it reads, and from whom. */
static void add_sources(const struct explain *x, const struct story_reads *r, struct str *out)
{
    uint32_t single = r->assigned - r->whole;
    if (r->whole == 1)
        str_addf(out, "all of %s", x->job->phases[r->whole_phase].name);
    else if (r->whole > 1)
        str_addf(out, "all of %u phases", r->whole);
    if (single > 0)
        str_addf(out, "%s%s of %s", r->whole ? " and " : "", words_count(single, "output").text,
                 r->whole ? "others" : "the phases above");
}

static void add_reads(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    const struct story_reads *r = story_job_reads(x->job, a);
    if (!r || r->assigned == 0)
        return;
    str_add(out, " It was given ");
    add_sources(x, r, out);
    str_add(out, " to read");
    if (r->given_us - a->launched_us < 1000)
        str_add(out, " at its launch");
    else
        str_addf(out, r->assigned == 1 ? " %s after its launch" : ", the last %s after its launch",
                 words_time(r->given_us - a->launched_us).text);
    if (r->shared && r->assigned == 1)
        str_addf(out, ", along with %s", words_count(r->siblings, "sibling").text);
    else if (r->shared)
        str_addf(out, ", %u of them shared with its siblings", r->shared);
    else if (r->said == r->assigned)
        str_add(out, ", alone");
    if (r->failed)
        str_addf(out, "; %s failed", words_count(r->failed, "read").text);
    if (a->started_us >= 0 && a->fed_us - a->started_us >= 1000)
        str_addf(out, "; the last was there %s after its start",
                 words_time(a->fed_us - a->started_us).text);
    if (r->longest_us >= 1000) {
        str_addf(out, ", and the longest took %s", words_time(r->longest_us).text);
        if (r->longest.task != TASK_ALL)
            str_addf(out, " (task %" PRIu64 ")", explain_number(x, r->longest.task));
    }
    str_add(out, ".");
}

static void add_attempt(const struct explain *x, const struct story_attempt *a, struct str *out)
{
    str_addf(out, "Attempt %u (%s) was launched at %s on %s ", a->ordinal,
             decision_kind_name(a->kind), words_time(a->launched_us).text,
             explain_node(x, a->node).text);
    explain_attempt_launch(x, a, out);
    str_add(out, ".");
    if (a->started_us - a->launched_us >= 1000)
        str_addf(out, " It started at %s.", words_time(a->started_us).text);
    add_reads(x, a, out);
    str_add(out, " ");
    explain_attempt_ending(x, a, out);
    str_add(out, "\n");
}

static void add_without(const struct explain *x, const struct story_phase *p, uint32_t task,
                        struct str *out)
{
    const struct story_task *t = &p->tasks[task];
    struct story_race r = story_race(x->job, &x->facts.phases[p - x->job->phases], p, task);
    bool extra = false;
    for (uint32_t i = t->newest; i != STORY_NONE; i = x->job->attempts.at[i].older)
        extra |= story_is_extra(&x->job->attempts.at[i]);
    if (!r.winner || !extra)
        return;
    const char *what = r.winner->kind == LAUNCH_BACKUP ? "backup" : "clone";
    int64_t now_us = t->committed_us - t->launched_us, range_us;
    switch (r.alone) {
    case ALONE_SAME:
        str_addf(out,
                 "Its extra attempts won nothing: without them it would have been done at %s "
                 "as well.\n",
                 words_time(t->committed_us).text);
        return;
    case ALONE_KNOWN:
        str_addf(out,
                 "Without the %s it would have taken %s instead of %s: attempt %u finished, "
                 "%s later.\n",
                 what, words_time(r.least_us - t->launched_us).text, words_time(now_us).text,
                 r.own->ordinal, words_time(r.least_us - t->committed_us).text);
        return;
    case ALONE_PACE:
        range_us = r.high_us - r.low_us;
        str_addf(out, "Without the %s it would have taken about %s (%s to %s)", what,
                 words_guess(r.pace_us - t->launched_us, range_us).text,
                 words_guess(r.low_us - t->launched_us, range_us).text,
                 words_guess(r.high_us - t->launched_us, range_us).text);
        str_addf(out,
                 " instead of %s, by what attempt %u and other stragglers had reported when they "
                 "were stopped. At least %s is certain.\n",
                 words_time(now_us).text, r.own->ordinal,
                 words_time(r.least_us - t->launched_us).text);
        return;
    case ALONE_AT_LEAST:
        str_addf(out,
                 "Without the %s it would have taken at least %s, the time after which "
                 "attempt %u was stopped; how much longer cannot be known.\n",
                 what, words_time(r.least_us - t->launched_us).text, r.own->ordinal);
        return;
    case ALONE_UNKNOWN:
        if (!r.own)
            return;
        str_addf(out, "Without the %s it would have had to run again: attempt %u ", what,
                 r.own->ordinal);
        explain_attempt_failure(x, r.own, out);
        str_add(out, ".\n");
        return;
    }
}

static void add_head(const struct explain *x, uint16_t phase, uint32_t task, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_task *t = &p->tasks[task];
    str_addf(out, "Task %" PRIu64 " of phase %s of job %u (%s): ", explain_number(x, task), p->name,
             x->job->id.v, x->job->name);
    if (t->newest == STORY_NONE)
        str_add(out, "never launched.\n");
    else if (t->given_up_us >= 0)
        str_addf(out, "given up after %s; the job continues without it.\n",
                 words_count(t->launches, "attempt").text);
    else if (t->committed_us < 0)
        str_addf(out, "not done after %s.\n", words_count(t->launches, "attempt").text);
    else if (t->lost)
        str_addf(out, "done at %s, but its output was lost later.\n",
                 words_time(t->committed_us).text);
    else
        str_addf(out, "done at %s, %s after its first launch, by attempt %u.\n",
                 words_time(t->committed_us).text,
                 words_time(t->committed_us - t->launched_us).text, t->winner);
}

void explain_task(const struct explain *x, uint16_t phase, uint32_t task, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_task *t = &p->tasks[task];
    add_head(x, phase, task, out);
    explain_command(x, task, "It runs: ", "\n", out);
    for (uint32_t i = 0; i <= UINT16_MAX && t->newest != STORY_NONE; i++) {
        const struct story_attempt *a = story_job_attempt(x->job, t, (uint16_t)i);
        if (a)
            add_attempt(x, a, out);
        if (i >= x->job->attempts.at[t->newest].ordinal)
            break;
    }
    if (explain_failure_is(x, phase, task))
        explain_stderr(x, phase, task, out);
    add_without(x, p, task, out);
}
