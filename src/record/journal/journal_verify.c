/* The events of a journal go to a brain, and what it decides is compared with what was recorded.
 *
 * This is the proof that the brain is a function of its events alone: a run of the real executor,
 * with all its accidents of time, must be decided again exactly as it was. Decisions are compared
 * by their encoded bytes, so fields that a type of decision does not use cannot differ.
 *
 * Only the last digits of a reason's numbers may. They depend on the processor: where it multiplies
 * and adds in one step, the C library's exp and log are rounded otherwise. A run must be taken up
 * on any machine of a cluster. */
#include "record/journal/journal_verify.h"

#include <math.h>
#include <stdio.h>

#include "core/brain/brain.h"
#include "record/journal/journal_decision.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_play.h"

enum { DECISION_TEXT_MAX = 160 };
static const double SAME_NUMBER = 1e-9; /* how far it may be off, in parts of itself */

static void describe(const struct decision *d, char *out)
{
    unsigned has = journal_decision_fields(d->type);
    int n = snprintf(out, DECISION_TEXT_MAX, "%s #%llu", decision_name(d->type),
                     (unsigned long long)d->id);
    size_t used = (size_t)n;
    if (has & JOURNAL_JOB)
        n = snprintf(out + used, DECISION_TEXT_MAX - used, " of job %u", d->at.job.v);
    else if (has & JOURNAL_AT)
        n = snprintf(out + used, DECISION_TEXT_MAX - used, " of attempt %u/%u/%u/%u", d->at.job.v,
                     d->at.phase, d->at.task, d->at.attempt);
    else
        n = 0;
    used += (size_t)n;
    if ((has & JOURNAL_NODE) && d->node.v != NODE_NONE.v)
        used += (size_t)snprintf(out + used, DECISION_TEXT_MAX - used, " on node %u", d->node.v);
    snprintf(out + used, DECISION_TEXT_MAX - used, " (%s)", reason_name(d->why.code));
}

bool journal_verify_knows_shared(uint32_t version)
{
    return version >= JOURNAL_VERSION_READS;
}

/* A read without whether it is shared, and so without its reason. */
static struct decision only_who_reads(struct decision d)
{
    d.u.read.exclusive = 0;
    d.why = REASON_PLAIN(WHY_NONE);
    return d;
}

static bool same_bytes(const struct decision *a, const struct decision *b)
{
    unsigned char left[JOURNAL_DECISION_MAX], right[JOURNAL_DECISION_MAX];
    size_t n = (size_t)(journal_decision_put(left, a) - left);
    return n == (size_t)(journal_decision_put(right, b) - right) && memcmp(left, right, n) == 0;
}

/* Gives `d` those numbers of a reason that are its own but for the last digits. */
static struct decision with_numbers_of(const struct reason *why, struct decision d)
{
    for (unsigned i = 0; i < why->count && i < d.why.count; i++)
        if (fabs(d.why.num[i] - why->num[i]) <= SAME_NUMBER * fabs(why->num[i]))
            d.why.num[i] = why->num[i];
    return d;
}

static bool same(uint32_t version, const struct decision *a, const struct decision *b)
{
    struct decision x, y;
    if (a->type == DO_ASSIGN_READ && b->type == DO_ASSIGN_READ &&
        !journal_verify_knows_shared(version)) {
        x = only_who_reads(*a), y = only_who_reads(*b);
        a = &x, b = &y;
    }
    if (same_bytes(a, b))
        return true;
    struct decision near = with_numbers_of(&a->why, *b);
    return same_bytes(a, &near);
}

static int differ(uint64_t turn, int64_t now_us, uint32_t index, const struct decision *recorded,
                  const struct decision *decided, struct err *err)
{
    char was[DECISION_TEXT_MAX] = "nothing more", is[DECISION_TEXT_MAX] = "nothing more";
    if (recorded)
        describe(recorded, was);
    if (decided)
        describe(decided, is);
    return err_system(err,
                      "turn %llu at %lld us, decision %u: the journal has %s, the brain decides %s",
                      (unsigned long long)turn, (long long)now_us, index + 1, was, is);
}

static int verify_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct journal_verify *v = ctx;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const char *wrong = brain_breach(v->brain, turn->now_us, &turn->events[i]);
        if (wrong)
            return err_set(err, "%s", wrong);
        brain_apply(v->brain, turn->now_us, &turn->events[i]);
    }
    struct decision_list out = brain_decide(v->brain, turn->now_us);
    for (uint32_t i = 0; i < turn->decision_count || i < out.count; i++) {
        const struct decision *recorded = i < turn->decision_count ? &turn->decisions[i] : NULL;
        const struct decision *decided = i < out.count ? &out.at[i] : NULL;
        if (!recorded || !decided || !same(v->version, recorded, decided))
            return differ(v->turns + 1, turn->now_us, i, recorded, decided, err);
    }
    v->turns++;
    return 0;
}

struct tap journal_verify_tap(struct journal_verify *v)
{
    return (struct tap){.ctx = v, .turn = verify_turn};
}

int journal_verify(struct journal_reader *r, struct brain *brain, uint64_t *turns, struct err *err)
{
    struct journal_verify v = {brain, journal_reader_version(r), 0};
    struct tap tap = journal_verify_tap(&v);
    int status =
        journal_play_on(r, &(struct journal_play){.taps = &tap, .tap_count = 1}, NULL, err);
    *turns = v.turns;
    return status;
}
