/* explain_job.c - the story of a job and of a phase.
 *
 * Both follow the same order: what and when, why it was or was not cloned, who was slow and why,
 * what straggling cost and what extra attempts saved. Where a number cannot be known the sentence
 * says how much is certain. */
#include <inttypes.h>

#include "commands/explain/explain.h"
#include "jobs/args/quote.h"
#include "ui/words.h"

/* ---- what it cost and saved ---- */

/* `unsure` of the `won` tasks were won against an attempt of which nothing more is known. */
static void add_saved(struct str *out, const struct story_difference *d, uint32_t won,
                      uint32_t unsure)
{
    struct words_saved saved = words_saved(d, unsure > 0);
    if (won == 0)
        return;
    if (saved.is_known)
        str_addf(out, "Without clones and backups it would have ended %s later.\n", saved.text);
    else if (unsure)
        str_add(out, "How much later it would have ended without clones and backups cannot be "
                     "known: the attempts they beat did not run to their end.\n");
    else
        str_add(out, "Without clones and backups it would have ended at the same time.\n");
}

static void add_won(struct str *out, const struct story_phase_facts *f)
{
    if (f->won_by_extra == 0)
        return;
    str_addf(out, "Clones or backups won %s", words_count(f->won_by_extra, "task").text);
    str_addf(out, "; of the attempts they beat, %u straggled", f->beat_straggler);
    if (f->beat_unknown)
        str_addf(out, ", and %u ended too early to tell", f->beat_unknown);
    str_add(out, ".\n");
}

static void add_straggling(struct str *out, int64_t us, const char *of)
{
    if (us > 0)
        str_addf(out,
                 "Straggling cost about %s: it would have ended that much earlier on the same "
                 "slots had each straggler taken the median time of %s.\n",
                 words_time(us).text, of);
    else
        str_add(out, "Straggling cost nothing.\n");
}

static void add_standing(const struct explain *x, uint16_t phase, struct str *out)
{
    struct reason r = explain_standing_at(x, phase);
    if (r.code != WHY_STANDING)
        return;
    str_add(out, "When its first task was launched, ");
    str_add(out, phase == EXPLAIN_ANY ? "it had " : "the job had ");
    explain_standing(&r, out);
    str_add(out, ".\n");
}

/* ---- a phase ---- */

static void add_attempts(const struct story_phase *p, struct str *out)
{
    static const char *const nouns[LAUNCH_KIND_END] = {NULL, "clone", "backup", "restart",
                                                       "recomputation"};
    uint64_t all = 0;
    for (int k = 0; k < LAUNCH_KIND_END; k++)
        all += p->launched[k];
    str_addf(out, "%s", words_count(all, "attempt").text);
    const char *glue = " (";
    for (int k = 1; k < LAUNCH_KIND_END; k++)
        if (p->launched[k]) {
            str_addf(out, "%s%s", glue, words_count(p->launched[k], nouns[k]).text);
            glue = ", ";
        }
    str_add(out, glue[0] == ',' ? ")" : "");
}

static void add_other_verdicts(const struct explain *x, const struct story_phase *p,
                               struct str *out)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_TOO_MANY_FAILURES] = "given up after {failures|failure}",
        [WHY_SPECULATION_CAP] = "no more backups, they held {held|4} of the {limit|4} slots that "
                                "they may hold",
        [WHY_OMEGA] = "readers of jobs of bin {bin|1} wait {omega_s|s} for an output of their own "
                      "from now on (omega), because a read takes {alone_s|s} alone and "
                      "{shared_s|s} when it is shared, and with probability {missing|2} no other "
                      "output arrives in that time",
        [WHY_NO_IDLE_CORE] = EXPLAIN_NO_CORE,
    };
    for (uint32_t i = 0; i < p->verdicts.count; i++) {
        const struct story_verdict *v = &p->verdicts.at[i];
        struct reason r = story_job_reason(x->job, v->why);
        if (story_job_is_about_cloning(r.code))
            continue;
        str_addf(out, "At %s: ", words_time(v->at_us).text);
        if (v->task != TASK_ALL)
            str_addf(out, "task %" PRIu64 ": ", explain_number(x, v->task));
        if (r.code == WHY_PRESSURE) {
            str_add(out, "not cloned: ");
            explain_pressure(x, &r, out);
        } else {
            explain_why(words, "", "", &r, out);
        }
        str_add(out, ".\n");
    }
    if (p->verdicts_more)
        str_addf(out, "%s more.\n", words_count(p->verdicts_more, "verdict").text);
}

static void add_phase_head(const struct explain *x, uint16_t phase, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    str_addf(out, "Phase %s (%u): %s, ", p->name, phase, words_count(p->count, "task").text);
    add_attempts(p, out);
    if (f->begun_us < 0)
        str_add(out, "; it did not begin");
    else
        str_addf(out, "; from %s", words_time(f->begun_us).text);
    if (f->ended_us >= 0)
        str_addf(out, " to %s", words_time(f->ended_us).text);
    uint32_t left = p->count - p->committed - p->given_up;
    if (f->begun_us >= 0 && left)
        str_addf(out, ", and %s not done", words_count(left, "task").text);
    if (p->given_up)
        str_addf(out, ", and %s given up", words_count(p->given_up, "task").text);
    str_add(out, ".\n");
}

/* Tasks that failed for good, a few of them, and how to ask for the whole story. */
static void add_given_up(const struct explain *x, uint16_t phase, struct str *out)
{
    enum { SHOWN_MAX = 5, STDERR_MAX = 2 };
    const struct story_phase *p = &x->job->phases[phase];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < p->count && shown < SHOWN_MAX; i++) {
        const struct story_task *t = &p->tasks[i];
        if (t->given_up_us < 0)
            continue;
        shown++;
        explain_failure(x, phase, i, out);
        str_add(out, "; more: dolly explain ");
        quote_add_path(out, x->path);
        str_addf(out, " %u/%u/%" PRIu64 "\n", x->job->id.v, phase, explain_number(x, i));
        if (shown <= STDERR_MAX)
            explain_stderr(x, phase, i, out);
    }
    if (p->given_up > shown)
        str_addf(out, "%s failed as well.\n", words_count(p->given_up - shown, "task").text);
}

void explain_job_phase(const struct explain *x, uint16_t phase, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    add_phase_head(x, phase, out);
    add_given_up(x, phase, out);
    if (f->begun_us >= 0 && f->opened_us >= 0 && f->begun_us > f->opened_us)
        str_addf(out, "It could begin at %s and waited %s for its first slot.\n",
                 words_time(f->opened_us).text, words_time(f->begun_us - f->opened_us).text);
    add_standing(x, phase, out);
    explain_cloning(x, phase, out);
    add_other_verdicts(x, p, out);
    if (f->has_medians)
        str_addf(out, "The median task ran for %s; %s known to have straggled.\n",
                 words_time(f->median_work_us).text, words_are(f->stragglers, "attempt").text);
    explain_slow(x, phase, out);
    add_won(out, f);
    if (f->ended_us >= 0 && f->has_medians)
        add_straggling(out, f->would.straggling_us, "the phase");
    add_saved(out, &f->would, f->won_by_extra, f->unsure);
}

/* ---- the job ---- */

static void add_why_failed(const struct explain *x, struct str *out)
{
    const struct story_job *j = x->job;
    struct reason r = story_job_reason(j, j->over_why);
    struct attempt_ref at = j->failed_at;
    const struct story_phase *p = at.phase < j->phase_count ? &j->phases[at.phase] : NULL;
    const struct story_task *t = p && at.task < p->count ? &p->tasks[at.task] : NULL;
    str_add(out, "It failed because ");
    if (r.code == WHY_TOO_MANY_FAILURES && t) {
        str_addf(out, "task %" PRIu64 " of phase %s failed %s times, which is the limit",
                 explain_number(x, at.task), p->name,
                 words_number(words_reason_number(&r, "failures"), 4).text);
        const struct story_attempt *a = story_job_last_failed(j, t);
        if (a) {
            str_addf(out, "; the last time, attempt %u on %s ", a->ordinal,
                     explain_node(x, a->node).text);
            explain_attempt_failure(x, a, out);
        }
    } else if (r.code == WHY_TOO_MANY_LAUNCHES && t) {
        str_addf(out, "task %" PRIu64 " of phase %s was launched %s times and never done",
                 explain_number(x, at.task), p->name,
                 words_number(words_reason_number(&r, "launches"), 7).text);
    } else if (r.code == WHY_CANCELLED) {
        str_add(out, "it was cancelled");
    } else if (r.code == WHY_UNSATISFIABLE && p) {
        str_addf(out, "no node can hold a task of phase %s", p->name);
    } else {
        str_add(out, "of ");
        explain_reason(&r, out);
    }
    str_add(out, ".\n");
}

static void add_times(const struct explain *x, struct str *out)
{
    const struct story_job *j = x->job;
    const struct story_facts *f = &x->facts;
    int64_t setup_us = j->submitted_us - j->arrived_us;
    str_addf(out, "It arrived at %s", words_time(j->arrived_us).text);
    if (setup_us >= 1000)
        str_addf(out, ", was submitted at %s", words_time(j->submitted_us).text);
    if (f->begun_us < 0) {
        str_add(out, " and never got a slot");
    } else {
        str_addf(out, ", waited %s for its first slot",
                 words_time(f->begun_us - j->submitted_us).text);
        int64_t until_us = j->over_us >= 0 ? j->over_us : x->run->last_us;
        str_addf(out, ", ran for %s", words_time(until_us - f->begun_us).text);
    }
    if (j->over_us < 0)
        str_add(out, ", and was not over when the journal ends.\n");
    else
        str_addf(out, " and ended at %s: %s in all%s.\n", words_time(j->over_us).text,
                 words_time(j->over_us + j->wrapup_us - j->arrived_us).text,
                 j->wrapup_us > 0 ? ", wrap-up included" : "");
}

void explain_job(const struct explain *x, struct str *out)
{
    const struct story_job *j = x->job;
    uint32_t won = 0, unsure = 0, given_up = 0;
    bool compared = false;
    for (uint16_t k = 0; k < j->phase_count; k++)
        given_up += j->phases[k].given_up;
    if (!x->complete && j->over_us < 0) {
        uint64_t committed = 0;
        for (uint16_t k = 0; k < j->phase_count; k++)
            committed += j->phases[k].committed;
        explain_headline(x, committed, j->tasks, out);
    }
    str_addf(out, "Job %u (%s): %s in %s, %s", j->id.v, j->name, words_count(j->tasks, "task").text,
             words_count(j->phase_count, "phase").text,
             j->over_us < 0 ? "not over"
             : j->failed    ? "failed"
                            : "done");
    if (given_up && j->over_us >= 0 && !j->failed)
        str_addf(out, ", but for %s that failed", words_count(given_up, "task").text);
    str_add(out, ".\n");
    if (x->namesakes > 1)
        str_addf(out,
                 "It is the first of %" PRIu64 " jobs of that name; ask for others by "
                 "number.\n",
                 x->namesakes);
    add_times(x, out);
    add_standing(x, EXPLAIN_ANY, out);
    if (j->failed)
        add_why_failed(x, out);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        str_add(out, "\n");
        add_phase_head(x, k, out);
        add_given_up(x, k, out);
        explain_cloning(x, k, out);
        explain_slow(x, k, out);
        add_won(out, &x->facts.phases[k]);
        won += x->facts.phases[k].won_by_extra;
        unsure += x->facts.phases[k].unsure;
        compared |= x->facts.phases[k].has_medians;
    }
    if (j->over_us < 0 || j->failed)
        return;
    str_add(out, "\n");
    if (compared)
        add_straggling(out, x->facts.would.straggling_us, "its phase");
    else
        str_add(out, "It is unknown whether anything straggled: no phase has two tasks to "
                     "compare.\n");
    add_saved(out, &x->facts.would, won, unsure);
}
