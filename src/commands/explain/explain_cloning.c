/* explain_cloning.c - verdicts in words: why a phase was cloned, or not, with the numbers it was
 * decided on.
 *
 * The numbers of a verdict are in the dimension that was tightest, and the journal does not say
 * which that was: cores in slots, memory in MiB, or one of the two spare ones. It follows from what
 * one attempt of the phase needs, or all tasks of it. */
#include <math.h>

#include "commands/explain/explain.h"
#include "ui/words.h"

/* What a verdict on cloning was decided on; NAN where the reason does not say. */
struct terms {
    double copies, tasks, p, charge, used, limit;
    const struct story_run *run;
};

static struct terms terms_of(const struct story_run *run, const struct reason *r)
{
    return (struct terms){
        .run = run,
        .copies = words_reason_number(r, "copies"),
        .tasks = words_reason_number(r, "tasks"),
        .p = words_reason_number(r, "p"),
        .charge = words_reason_number(r, "charge"),
        .used = words_reason_number(r, "used"),
        .limit = words_reason_number(r, "limit"),
    };
}

static int resource_of(const struct story_phase *p, const struct terms *t)
{
    for (int i = 0; i < RES_COUNT; i++) {
        double one = (double)p->demand.v[i] / (i == RES_CPU ? RES_SLOT : 1) * t->tasks;
        if (one > 0 && (fabs(t->charge - one * (t->copies - 1)) < 1e-6 ||
                        fabs(t->charge - one * t->copies) < 1e-6 || fabs(t->charge - one) < 1e-6 ||
                        fabs(t->charge - one / t->tasks) < 1e-6))
            return i;
    }
    return RES_CPU;
}

/* "slot", "slots", "MiB of memory", "units of gpu": as the cluster calls it. */
static void add_unit(struct str *out, const struct story_run *run, int resource, bool plural)
{
    const char *name = run->resources[resource];
    if (resource == RES_MEM)
        str_addf(out, "MiB of %s", name ? name : "memory");
    else if (resource == RES_CPU && !name)
        str_add(out, plural ? "slots" : "slot");
    else
        str_addf(out, "%s of %s", plural ? "units" : "unit", name ? name : res_name(resource));
}

/* "120 slots", "1 more slot", "512 MiB of memory": of what was tightest. */
static void add_amount(struct str *out, double amount, const char *more,
                       const struct story_phase *p, const struct terms *t)
{
    str_addf(out, "%s%s ", words_number(amount, 4).text, more);
    add_unit(out, t->run, resource_of(p, t), amount != 1);
}

/* "40 tasks at p=0.15 want 4 attempts each" */
static void add_wish(struct str *out, const struct terms *t)
{
    bool one = t->tasks == 1;
    str_addf(out, "%s at p=%s %s %s%s", words_counted(t->tasks, "task").text,
             words_number(t->p, 3).text, one ? "wants" : "want",
             words_counted(t->copies, "attempt").text, one ? "" : " each");
}

/* "; the clone budget is 90 slots and 12 were in use" */
static void add_budget(struct str *out, const struct story_phase *p, const struct terms *t,
                       const char *what, const char *symbol)
{
    str_addf(out, "; %s ", what);
    add_amount(out, t->limit, "", p, t);
    str_addf(out, "%s and %s %s in use", symbol, words_number(t->used, 4).text,
             t->used == 1 ? "was" : "were");
}

static void add_admitted(struct str *out, const struct story_phase *p, const struct terms *t)
{
    if (t->charge == 0 && t->limit == 0) {
        str_add(out, ", as was decided when the job began");
        return;
    }
    str_add(out, ", ");
    add_amount(out, t->charge, " more", p, t);
    if (t->used + t->charge <= t->limit + 1e-6) {
        add_budget(out, p, t, "the clone budget is", "");
        return;
    }
    str_add(out, "; they were not held to the clone budget of ");
    add_amount(out, t->limit, "", p, t);
    str_addf(out, ", of which %s were in use", words_number(t->used, 4).text);
}

static void add_partial(struct str *out, const struct explain *x, const struct story_phase *p,
                        const struct reason *r)
{
    struct terms t = terms_of(x->run, r);
    explain_words("was cloned in part: {wanted|attempt} each were wanted, and only {copies|4} "
                  "fitted, ",
                  "", r, out);
    add_amount(out, t.charge, " more", p, &t);
    add_budget(out, p, &t, "the clone budget is", "");
}

static void add_upstream(struct str *out, const struct explain *x, const struct story_phase *p,
                         const struct reason *r)
{
    const struct story_job *j = x->job;
    struct terms t = terms_of(x->run, r);
    str_add(out, "was not cloned: ");
    add_wish(out, &t);
    str_add(out, ", but a phase gets no more than the one above it, and ");
    if (p->edge_count == 1 && p->edges[0].from < j->phase_count)
        str_addf(out, "%s", j->phases[p->edges[0].from].name);
    else
        str_add(out, "one of those");
    explain_words(" got {upstream|4}", "", r, out);
}

static void add_refused(struct str *out, const struct explain *x, const struct story_phase *p,
                        const struct reason *r)
{
    struct terms t = terms_of(x->run, r);
    str_addf(out, "was not cloned%s: ", p->launched[LAUNCH_CLONE] ? " when it began" : "");
    if (t.copies > 1)
        add_wish(out, &t);
    else
        str_add(out, "not even one clone fitted");
    str_add(out, ", ");
    add_amount(out, t.charge, " more", p, &t);
    if (r->code == WHY_OVER_BUDGET)
        add_budget(out, p, &t, "the clone budget is", "");
    else
        add_budget(out, p, &t, "with clones the cluster may be filled to", " (tau)");
}

void explain_cloning_cap(const struct explain *x, const struct reason *r, struct str *out)
{
    double resource = words_reason_number(r, "resource"); /* or NAN, in old journals */
    bool named = resource >= 0 && resource < RES_COUNT;
    explain_words("extra attempts cost more than the cap allows: they had used {spent|4} ", "", r,
                  out);
    if (named && (resource != RES_CPU || x->run->resources[RES_CPU])) {
        str_add(out, "seconds x ");
        add_unit(out, x->run, (int)resource, true);
    } else {
        str_add(out, "slot-seconds");
    }
    explain_words(" within an hour, of {limit|4} for the whole of it", "", r, out);
}

static void add_verdict(struct str *out, const struct explain *x, const struct story_phase *p,
                        const struct reason *r)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_NO_NEED] = "was not cloned: with {tasks|task} at p={p|3} one attempt of each is safe "
                        "enough",
        [WHY_SIDE_EFFECTS] = "was not cloned: it has clone=never, because its tasks have side "
                             "effects",
        [WHY_JOB_NOT_ADMITTED] = "was not cloned: the job as a whole was not admitted when it "
                                 "began",
    };
    const char *to_be = p->launched[LAUNCH_CLONE] ? "" : "to be ";
    struct terms t = terms_of(x->run, r);
    switch (r->code) {
    case WHY_OFFERED:
        explain_words(t.copies > 1
                          ? "was offered clones: up to {copies|attempt} of each task, once "
                            "no first attempt fits anywhere"
                          : "was not cloned: one attempt of each task is enough",
                      "", r, out);
        return;
    case WHY_WATCHED:
        explain_words("was watched: tasks get copies as far as that pays, up to {copies|attempt} "
                      "of each; {p|%} of attempts straggle",
                      "", r, out);
        if (words_reason_number(r, "new_s") > 0)
            explain_words(", and a healthy attempt takes about {new_s|s}", "", r, out);
        return;
    case WHY_UNSAFE_NODES:
        str_addf(out, "was %scloned task by task: ", to_be);
        explain_words("each gets clones until all its nodes straggle together with probability "
                      "{target|2} at most; one node does with {p|2}",
                      "", r, out);
        return;
    case WHY_CLONED:
        str_addf(out, "was %scloned: ", to_be);
        add_wish(out, &t);
        add_admitted(out, p, &t);
        return;
    case WHY_OVER_BUDGET:
    case WHY_OVER_TAU:
        add_refused(out, x, p, r);
        return;
    case WHY_UPSTREAM_COPIES:
        add_upstream(out, x, p, r);
        return;
    case WHY_PARTIAL:
        add_partial(out, x, p, r);
        return;
    case WHY_CAP:
        str_add(out, "was not cloned: ");
        explain_cloning_cap(x, r, out);
        return;
    case WHY_WAIT_PREEMPT:
        str_add(out, "was not cloned at once: ");
        add_wish(out, &t);
        str_add(out, ", and clones of larger jobs had to make room for them first");
        return;
    default:
        explain_why(words, "got a verdict: ", "", r, out);
        return;
    }
}

/* Clones that were admitted or offered and never launched: their tasks were done first, there was
 * no room, or the policy let none start. */
static void add_unlaunched(struct str *out, const struct story_phase *p, const struct reason *r)
{
    double planned = (words_reason_number(r, "copies") - 1) * p->count; /* or NAN */
    bool wanted = story_job_is_cloned(r->code) || (r->code == WHY_OFFERED && planned > 0);
    if (!wanted || p->committed < p->count || p->launched[LAUNCH_CLONE] >= planned)
        return;
    if (p->launched[LAUNCH_CLONE] == 0)
        str_add(out, " No clone was launched before its task was done.");
    else if (planned > 0)
        str_addf(out, " Only %u of %s clones were launched before their tasks were done.",
                 p->launched[LAUNCH_CLONE], words_number(planned, 7).text);
}

void explain_cloning(const struct explain *x, uint16_t phase, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    str_addf(out, "Phase %s ", p->name);
    if (p->cloning.why.code != WHY_NONE) {
        struct reason r = story_job_reason(x->job, p->cloning.why);
        add_verdict(out, x, p, &r);
        str_add(out, ".");
        add_unlaunched(out, p, &r);
        str_add(out, "\n");
    } else if (x->facts.phases[phase].begun_us < 0) {
        str_add(out, "did not begin, so nothing was decided about clones.\n");
    } else {
        str_add(out, "was not considered for cloning: the policy makes no clones.\n");
    }
}

const char *explain_cloning_refusal(uint16_t code)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_OVER_BUDGET] = "the clones did not fit into the clone budget",
        [WHY_OVER_TAU] = "with the clones the cluster would have been fuller than tau",
        [WHY_NO_NEED] = "one attempt of each task is safe enough",
        [WHY_SIDE_EFFECTS] = "the tasks have side effects (clone=never)",
        [WHY_UPSTREAM_COPIES] = "the phase above was not cloned",
        [WHY_WAIT_PREEMPT] = "clones of larger jobs had to make room first",
        [WHY_JOB_NOT_ADMITTED] = "the job as a whole was not admitted",
        [WHY_CAP] = "extra attempts would have cost more than the cap allows",
    };
    if (story_job_is_cloned(code) || code == WHY_OFFERED || code == WHY_WATCHED)
        return "no clone started before its task was done";
    return words[code] ? words[code] : reason_name(code);
}

const char *explain_cloning_verdict(uint16_t code)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_TOO_MANY_FAILURES] = "a task was given up: it had failed as often as it may",
        [WHY_TOO_MANY_LAUNCHES] = "a task was given up: it had been launched as often as it may",
        [WHY_OMEGA] = "how long readers wait for an output of their own was chosen anew",
        [WHY_SPECULATION_CAP] = "a task was slow, but the maximum number of backups was running",
        [WHY_OFFERED] = "clones were offered, for when nothing else can start",
        [WHY_WATCHED] = "tasks were to be copied as far as that pays",
        [WHY_NO_IDLE_CORE] = "the machine had no idle core for clones",
        [WHY_PRESSURE] = "the disk or the memory of a node was busy, so clones kept away from it",
        [WHY_PROTECTED] = "outputs of a phase were copied to other nodes as far as that paid",
    };

    if (story_job_is_cloned(code))
        return "clones were asked for";
    return words[code] ? words[code] : explain_cloning_refusal(code);
}

const char *explain_cloning_why_not(uint16_t code, bool over)
{
    if (over)
        return story_job_is_about_cloning(code) ? explain_cloning_refusal(code)
                                                : explain_cloning_verdict(code);
    if (code == WHY_WATCHED)
        return "no copy of a task would have paid so far";
    if (story_job_is_cloned(code) || code == WHY_OFFERED)
        return "no clone has started so far";
    return explain_cloning_verdict(code);
}
