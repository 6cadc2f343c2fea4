/* rule_pressure.c - nodes whose disk or memory is wanted by others.
 *
 * A node is under pressure when it was told that something there stands still for a tenth of the
 * time or more, until two seconds after it was told that it is less than a twentieth, or until it
 * comes anew. Clones that take what is left start on no such node, and those that run there end in
 * the turn in which it is told, but for the last attempt of a task. Nothing else ends for it. */
#include "tests/swarm/rule.h"

enum { HOLDS_MILLI = 100, EASES_MILLI = 50, REST_US = 2 * 1000000 };

static bool is_pressed(const struct referee *r, const struct book_node *n)
{
    return n->pressed_until_us > r->now_us;
}

/* Where clones have a share of the cluster of their own, pressure is not asked about. */
static bool is_asked(const struct referee *r)
{
    return r->rules.budget_idle || r->rules.yields;
}

int rule_pressure_event(struct referee *r, const struct event *e)
{
    struct book_node *n = book_node(&r->book, e->node);

    if (!n)
        return rule_fail(r, RULE_UNKNOWN, "a node that was never up");
    if (e->u.pressure.disk >= HOLDS_MILLI || e->u.pressure.memory >= HOLDS_MILLI) {
        n->pressed_until_us = INT64_MAX;
        n->pressed_turn = r->tally.turns;
    } else if (n->pressed_until_us == INT64_MAX && e->u.pressure.disk < EASES_MILLI &&
               e->u.pressure.memory < EASES_MILLI) {
        n->pressed_until_us = r->now_us + REST_US;
    }
    return 0;
}

int rule_pressure_launch(struct referee *r, const struct decision *d)
{
    const struct book_node *n = book_node(&r->book, d->node);

    if (is_asked(r) && is_pressed(r, n))
        return rule_fail(r, RULE_PRESSURE, "a clone on node %u, which is under pressure",
                         d->node.v);
    r->tally.eased += is_asked(r) && n->pressed_turn > 0;
    return 0;
}

int rule_pressure_kill(struct referee *r, const struct decision *d, const struct book_attempt *a)
{
    if (d->why.code != WHY_PRESSURE || a->asked_ever)
        return 0;
    if (a->kind != LAUNCH_CLONE)
        return rule_fail(r, RULE_PRESSURE, "ends an attempt that is no clone");
    if (!is_pressed(r, book_node(&r->book, a->node)))
        return rule_fail(r, RULE_PRESSURE, "its node is not under pressure");
    r->tally.pressed++;
    return 0;
}

/* Whether a clone of the task goes on where it should have ended. */
static bool is_left(struct referee *r, const struct book_task *t)
{
    for (uint32_t i = 0; i < t->attempts.count && book_wanted(t) > 1 && !book_finished(t); i++) {
        const struct book_attempt *a = &t->attempts.at[i];
        const struct book_node *n = book_node(&r->book, a->node);
        if (a->kind == LAUNCH_CLONE && a->state < BOOK_LEFT && !a->asked_ever &&
            n->pressed_turn == r->tally.turns && is_pressed(r, n))
            return true;
    }
    return false;
}

int rule_pressure_turn_end(struct referee *r)
{
    bool told = false;

    for (uint32_t i = 0; i < r->book.nodes.count && is_asked(r); i++)
        told |= r->book.nodes.at[i].pressed_turn == r->tally.turns;
    for (uint32_t j = 0; j < r->book.jobs.count && told; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        for (uint16_t p = 0; p < job->phase_count && job->live && !job->over; p++)
            for (uint32_t t = 0; t < job->phases[p].task_count; t++)
                if (is_left(r, &job->phases[p].tasks[t]))
                    return rule_fail(r, RULE_PRESSURE,
                                     "a clone of %u.%u.%u goes on on a node under pressure",
                                     job->id.v, p, t);
    }
    return 0;
}
