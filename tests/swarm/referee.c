/* referee.c - the frame of the referee: takes turns apart and reports.
 *
 * Every event and then every decision of a turn is judged one by one in the order in which the
 * brain saw or made it (rule_event.c, rule_decision.c); what must hold when the turn is complete is
 * judged after that (rule_turn.c). The budget is judged here, after each single step, because both
 * launches and events can make an attempt extra: a commit turns every sibling still alive into one.
 *
 * A step is wrong only if it raises the extra attempts above the limit. When a node's capacity
 * shrinks the limit falls below what already runs; that is nobody's fault, and the next ending
 * repairs it. */
#include "tests/swarm/referee.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tests/swarm/rule.h"

static const char *const rule_names[RULE_COUNT] = {
    [RULE_NONE] = "none",
    [RULE_UNKNOWN] = "unknown",
    [RULE_ONE_ANSWER] = "one-answer",
    [RULE_ORDINAL] = "ordinal",
    [RULE_CAPACITY] = "capacity",
    [RULE_NODE_STATE] = "node-state",
    [RULE_RUNNING_MAX] = "running-max",
    [RULE_QUEUE] = "queue",
    [RULE_RANK] = "rank",
    [RULE_BACKUP] = "backup",
    [RULE_TRIES] = "tries",
    [RULE_CAP] = "cap",
    [RULE_BUDGET] = "budget",
    [RULE_WORK] = "work",
    [RULE_IDLE] = "idle",
    [RULE_TAU] = "tau",
    [RULE_SIDE_EFFECTS] = "side-effects",
    [RULE_COPIES] = "copies",
    [RULE_VERDICT] = "verdict",
    [RULE_COMMIT] = "commit",
    [RULE_BARRIER] = "barrier",
    [RULE_FINISHED] = "finished",
    [RULE_JOB_DONE] = "job-done",
    [RULE_GIVEN_UP] = "given-up",
    [RULE_JOB_FAILED] = "job-failed",
    [RULE_JOB_OVER] = "job-over",
    [RULE_LOSERS] = "losers",
    [RULE_READ] = "read",
    [RULE_SHARE] = "share",
    [RULE_WAIT] = "wait",
    [RULE_FETCH] = "fetch",
    [RULE_PARTS] = "parts",
    [RULE_MIX] = "mix",
    [RULE_TICK] = "tick",
    [RULE_SCREEN] = "screen",
    [RULE_DISK] = "disk",
    [RULE_PRESSURE] = "pressure",
    [RULE_HARM] = "harm",
    [RULE_DOUBT] = "doubt",
    [RULE_COST] = "cost",
    [RULE_REPLICA] = "replica",
    [RULE_COPY] = "copy",
    [RULE_TOKENS] = "tokens",
    [RULE_SPARE] = "spare",
    [RULE_ROOM] = "room",
    [RULE_LAST_COPY] = "last-copy",
    [RULE_KILL] = "kill",
    [RULE_DECISION_ID] = "decision-id",
    [RULE_TIME] = "time",
    [RULE_HANG] = "hang",
    [RULE_END] = "end",
};

const char *referee_rule_name(enum rule rule)
{
    return rule < RULE_COUNT ? rule_names[rule] : "?";
}

struct referee *referee_create(const struct referee_rules *rules)
{
    struct referee *r = mem_zalloc(1, sizeof *r);

    r->rules = *rules;
    r->book.kinds = RES_KINDS_PLAIN;
    return r;
}

void referee_destroy(struct referee *r)
{
    if (!r)
        return;
    book_fini(&r->book);
    vec_free(&r->shared);
    vec_free(&r->spent);
    vec_free(&r->races);
    vec_free(&r->discarded);
    vec_free(&r->yielded);
    mem_free(r);
}

enum rule referee_broken(const struct referee *r)
{
    return r->broken;
}

const struct referee_tally *referee_tally(const struct referee *r)
{
    return &r->tally;
}

/* "launch (clone) 3.0.4.1 node 2 (decision 17)": what was under judgement. */
static void describe(const struct referee *r, char *text, size_t size)
{
    const struct attempt_ref *at = NULL;
    struct node_id node = NODE_NONE;
    int n;

    if (r->decision) {
        const struct decision *d = r->decision;
        n = snprintf(text, size, "decision %llu, %s", (unsigned long long)d->id,
                     decision_name(d->type));
        if (d->type == DO_LAUNCH)
            n += snprintf(text + n, size - (size_t)n, " %s", decision_kind_name(d->kind));
        at = &d->at;
        node = d->node;
    } else if (r->event) {
        n = snprintf(text, size, "event %s", event_name(r->event->type));
        at = &r->event->at;
        node = r->event->node;
    } else {
        snprintf(text, size, "the turn as a whole");
        return;
    }
    snprintf(text + n, size - (size_t)n, ", attempt %u.%u.%u.%u, node %d", at->job.v, at->phase,
             at->task, at->attempt, (int)node.v);
}

int rule_fail(struct referee *r, enum rule rule, const char *format, ...)
{
    char what[160], why[240];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    describe(r, what, sizeof what);
    r->broken = rule;
    return err_set(r->err, "rule %s broken at %lld us: %s (%s)", rule_names[rule],
                   (long long)r->now_us, why, what);
}

int rule_over_share(const struct referee *r, const struct res_sum *sum, const struct res *more,
                    double share)
{
    /* Amounts are whole numbers, so the tolerance only forgives the rounding of the product. */
    for (int i = 0; i < RES_COUNT; i++) {
        double held = (double)(sum->v[i] + (more ? more->v[i] : 0));
        double limit = share * (double)r->book.capacity.v[i];
        if (r->book.capacity.v[i] > 0 && held > limit + 1e-3)
            return i;
    }
    return -1;
}

/* Judges the budget after one step of a phase, given what was held before it. */
static int budget_check(struct referee *r, const struct res_sum *before, struct attempt_ref at)
{
    const struct book_phase *phase = book_find(&r->book, at).phase;
    bool above = false;

    if (!r->rules.clones || r->rules.budget_idle)
        return 0;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t held = r->book.extra.v[i];
        double limit = r->rules.beta * (double)r->book.capacity.v[i];
        if (r->book.capacity.v[i] <= 0 || held <= before->v[i] || (double)held <= limit + 1e-3)
            continue;
        above = true;
        if (!phase || held > (int64_t)r->rules.least * phase->demand.v[i])
            return rule_fail(r, RULE_BUDGET,
                             "extra attempts hold %lld of dimension %d, the budget is %.3f",
                             (long long)held, i, limit);
    }
    r->tally.least += above;
    return 0;
}

static int turn_begin(struct referee *r, const struct turn *turn)
{
    const struct referee_rules *rules = &r->rules;

    if (turn->now_us < r->now_us)
        return rule_fail(r, RULE_TIME, "time fell to %lld us", (long long)turn->now_us);
    r->instant_turns = turn->now_us == r->now_us ? r->instant_turns + 1 : 1;
    r->now_us = turn->now_us;
    r->tally.turns++;
    r->news = false;
    if (rules->instant_turns_max && r->instant_turns > rules->instant_turns_max)
        return rule_fail(r, RULE_HANG, "%u turns at one instant", r->instant_turns);
    if (rules->turns_max && r->tally.turns > rules->turns_max)
        return rule_fail(r, RULE_HANG, "more than %llu turns",
                         (unsigned long long)rules->turns_max);
    if (rules->time_us_max && r->now_us > rules->time_us_max)
        return rule_fail(r, RULE_HANG, "later than %lld us", (long long)rules->time_us_max);
    return 0;
}

static int judge_turn(struct referee *r, const struct turn *turn)
{
    if (turn_begin(r, turn) < 0)
        return -1;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        struct res_sum before = r->book.extra;
        r->event = &turn->events[i];
        r->news |= r->event->type != EV_ATTEMPT_PROGRESS;
        if (rule_event(r, r->event) < 0 || budget_check(r, &before, r->event->at) < 0)
            return -1;
        r->tally.events++;
    }
    r->event = NULL;
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        struct res_sum before = r->book.extra;
        r->decision = &turn->decisions[i];
        if (rule_decision(r, r->decision) < 0 || budget_check(r, &before, r->decision->at) < 0)
            return -1;
        r->tally.decisions++;
    }
    r->decision = NULL;
    return rule_turn_end(r);
}

static int referee_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct referee *r = ctx;

    r->err = err;
    r->event = NULL;
    r->decision = NULL;
    return judge_turn(r, turn);
}

struct tap referee_tap(struct referee *r)
{
    return (struct tap){.ctx = r, .turn = referee_turn};
}

int referee_finish(struct referee *r, struct err *err)
{
    struct book *b = &r->book;

    r->err = err;
    r->event = NULL;
    r->decision = NULL;
    for (uint32_t j = 0; j < b->jobs.count; j++) {
        const struct book_job *job = &b->jobs.at[j];
        if (!job->over)
            return rule_fail(r, RULE_END, "job %u is not over", job->id.v);
        if (job->live)
            return rule_fail(r, RULE_END, "job %u has %u attempts without an ending", job->id.v,
                             job->live);
    }
    for (int i = 0; i < RES_COUNT; i++)
        if (b->charged.v[i] || b->extra.v[i] || b->backups.v[i])
            return rule_fail(r, RULE_END, "dimension %d: %lld charged, %lld extra, %lld backups", i,
                             (long long)b->charged.v[i], (long long)b->extra.v[i],
                             (long long)b->backups.v[i]);
    return 0;
}
