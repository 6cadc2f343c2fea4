/* explain_cloning.c - verdicts in words: why a phase was cloned, or not, with the numbers it was
 * decided on.
 *
 * The numbers of a verdict are in the dimension that was tightest, and the journal does not say
 * which that was: cores in slots, memory in MiB, or one of the two spare ones. It follows from what
 * one attempt of the phase needs. */
#include <math.h>

#include "explain/explain.h"
#include "ui/words.h"

/* What a verdict on cloning was decided on; NAN where the reason does not say. */
struct terms {
    double copies, tasks, p, charge, used, limit;
};

static struct terms terms_of(const struct reason *r)
{
    /* Preemption writes the six numbers of every other admission, whatever its table names. */
    struct reason named = *r;
    if (r->code == WHY_WAIT_PREEMPT && r->count == 6)
        named.code = WHY_CLONED;
    return (struct terms){
        .copies = words_reason_number(&named, "copies"),
        .tasks = words_reason_number(&named, "tasks"),
        .p = words_reason_number(&named, "p"),
        .charge = words_reason_number(&named, "charge"),
        .used = words_reason_number(&named, "used"),
        .limit = words_reason_number(&named, "limit"),
    };
}

static const char *unit_of(const struct story_phase *p, const struct terms *t)
{
    static const char *const units[RES_COUNT] = {"slot", "MiB of memory", "unit of x", "unit of y"};
    for (int i = 0; i < RES_COUNT; i++) {
        double one = (double)p->demand.v[i] / (i == RES_CPU ? RES_SLOT : 1) * t->tasks;
        if (one > 0 && (fabs(t->charge - one * (t->copies - 1)) < 1e-6 ||
                        fabs(t->charge - one * t->copies) < 1e-6))
            return units[i];
    }
    return units[RES_CPU];
}

/* "120 slots", "1 more slot", "512 MiB of memory". */
static void add_amount(struct str *out, double amount, const char *more, const char *unit)
{
    bool plural = amount != 1 && unit[0] == 's';
    str_addf(out, "%s%s %s%s", words_number(amount, 4).text, more, unit, plural ? "s" : "");
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
    add_amount(out, t->limit, "", unit_of(p, t));
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
    add_amount(out, t->charge, " more", unit_of(p, t));
    if (t->used + t->charge <= t->limit + 1e-6) {
        add_budget(out, p, t, "the clone budget is", "");
        return;
    }
    str_add(out, "; they were not held to the clone budget of ");
    add_amount(out, t->limit, "", unit_of(p, t));
    str_addf(out, ", of which %s were in use", words_number(t->used, 4).text);
}

static void add_partial(struct str *out, const struct story_phase *p, const struct reason *r)
{
    struct terms t = terms_of(r);
    str_addf(out, "was cloned in part: %s each were wanted, and only %s fitted, ",
             words_counted(words_reason_number(r, "wanted"), "attempt").text,
             words_number(t.copies, 4).text);
    add_amount(out, t.charge, " more", unit_of(p, &t));
    add_budget(out, p, &t, "the clone budget is", "");
}

static void add_upstream(struct str *out, const struct story_job *j, const struct story_phase *p,
                         const struct reason *r)
{
    struct terms t = terms_of(r);
    double upstream = words_reason_number(r, "upstream");
    str_add(out, "was not cloned: ");
    add_wish(out, &t);
    str_add(out, ", but a phase gets no more than the one above it, and ");
    if (p->edge_count == 1 && p->edges[0].from < j->phase_count)
        str_addf(out, "%s", j->phases[p->edges[0].from].name);
    else
        str_add(out, "one of those");
    str_addf(out, " got %s", words_number(upstream, 4).text);
}

static void add_verdict(struct str *out, const struct story_job *j, const struct story_phase *p,
                        const struct reason *r)
{
    struct terms t = terms_of(r);
    switch (r->code) {
    case WHY_CLONED:
        str_addf(out, "was %scloned: ", p->launched[LAUNCH_CLONE] ? "" : "to be ");
        add_wish(out, &t);
        add_admitted(out, p, &t);
        return;
    case WHY_OVER_BUDGET:
    case WHY_OVER_TAU:
        str_add(out, "was not cloned: ");
        if (t.copies > 1)
            add_wish(out, &t);
        else
            str_add(out, "there was no room for a single clone");
        str_add(out, ", ");
        add_amount(out, t.charge, " more", unit_of(p, &t));
        if (r->code == WHY_OVER_BUDGET)
            add_budget(out, p, &t, "the clone budget is", "");
        else
            add_budget(out, p, &t, "with clones the cluster may be filled to", " (tau)");
        return;
    case WHY_UNSAFE_NODES:
        str_addf(out,
                 "was cloned task by task: each gets clones until all its nodes straggle "
                 "together with probability %s at most; one node does with %s",
                 words_number(words_reason_number(r, "target"), 2).text, words_number(t.p, 2).text);
        return;
    case WHY_NO_NEED:
        str_addf(out, "was not cloned: with %s at p=%s one attempt of each is safe enough",
                 words_counted(t.tasks, "task").text, words_number(t.p, 3).text);
        return;
    case WHY_SIDE_EFFECTS:
        str_add(out, "was not cloned: it says clone=never, its tasks have side effects");
        return;
    case WHY_UPSTREAM_COPIES:
        add_upstream(out, j, p, r);
        return;
    case WHY_PARTIAL:
        add_partial(out, p, r);
        return;
    case WHY_WAIT_PREEMPT:
        str_add(out, "was not cloned at once: ");
        add_wish(out, &t);
        str_add(out, ", and clones of larger jobs had to make room for them first");
        return;
    case WHY_JOB_NOT_ADMITTED:
        str_add(out, "was not cloned: the job as a whole was not admitted when it began");
        return;
    default:
        str_add(out, "got a verdict: ");
        explain_reason(r, out);
        return;
    }
}

/* Clones that were admitted but never launched: their tasks were done first, or there was no room.
 */
static void add_unlaunched(struct str *out, const struct story_phase *p, const struct reason *r)
{
    double planned = (words_reason_number(r, "copies") - 1) * p->count;
    if (!story_is_cloned(r->code) || p->committed < p->count ||
        !(p->launched[LAUNCH_CLONE] < planned))
        return;
    if (p->launched[LAUNCH_CLONE] == 0)
        str_add(out, " No clone was launched before its task was done.");
    else
        str_addf(out, " Only %u of %s clones were launched before their tasks were done.",
                 p->launched[LAUNCH_CLONE], words_number(planned, 7).text);
}

void explain_cloning(const struct explain *x, uint16_t phase, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    str_addf(out, "Phase %s ", p->name);
    if (p->cloning.why.code != WHY_NONE) {
        struct reason r = story_reason(x->job, p->cloning.why);
        add_verdict(out, x->job, p, &r);
        str_add(out, ".");
        add_unlaunched(out, p, &r);
        str_add(out, "\n");
    } else if (x->facts.phases[phase].begun_us < 0) {
        str_add(out, "did not begin, so nothing was decided about clones.\n");
    } else {
        str_add(out, "was not considered for cloning: the policy makes no clones.\n");
    }
}

const char *explain_not_cloned(uint16_t code)
{
    if (story_is_cloned(code))
        return "no clone started before its task was done";
    switch (code) {
    case WHY_OVER_BUDGET:
        return "the clones did not fit into the clone budget";
    case WHY_OVER_TAU:
        return "with the clones the cluster would have been fuller than tau";
    case WHY_NO_NEED:
        return "one attempt of each task is safe enough";
    case WHY_SIDE_EFFECTS:
        return "the tasks have side effects (clone=never)";
    case WHY_UPSTREAM_COPIES:
        return "the phase above was not cloned";
    case WHY_WAIT_PREEMPT:
        return "clones of larger jobs had to make room first";
    case WHY_JOB_NOT_ADMITTED:
        return "the job as a whole was not admitted";
    default:
        return reason_name(code);
    }
}

void explain_avoided(const struct reason *why, struct str *out)
{
    if (why->code != WHY_BAD_NODE) {
        explain_reason(why, out);
        return;
    }
    str_addf(out,
             "it was predicted to straggle with probability %s (limit %s; %s in the last window, "
             "%s in the long run)",
             words_number(words_reason_number(why, "p"), 2).text,
             words_number(words_reason_number(why, "limit"), 2).text,
             words_number(words_reason_number(why, "last"), 2).text,
             words_number(words_reason_number(why, "long_term"), 2).text);
}

void explain_no_core(const struct reason *r, struct str *out)
{
    str_addf(out, "no core was idle: attempts took %s of one each, and others left %s to %s",
             words_number(words_reason_number(r, "each"), 3).text,
             words_number(words_reason_number(r, "spare"), 3).text,
             words_counted(words_reason_number(r, "clones"), "clone").text);
}

void explain_reason(const struct reason *r, struct str *out)
{
    str_add(out, reason_name(r->code));
    for (uint8_t i = 0; i < r->count; i++)
        str_addf(out, "%s%s=%s", i ? ", " : " (", reason_number_name(r->code, i),
                 words_number(r->num[i], 4).text);
    str_add(out, r->count ? ")" : "");
}
