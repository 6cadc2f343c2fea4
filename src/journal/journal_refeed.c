/* Feeding a journal to a brain and comparing what it decides with what was recorded.
 *
 * This is the proof that the brain is a function of its events alone: a run of the real executor,
 * with all its accidents of time, must be decided again exactly as it was. Decisions are compared
 * by their encoded bytes, so fields that a type of decision does not use cannot differ, and numbers
 * of a reason must agree to the last bit. */
#include <stdio.h>

#include "brain/brain.h"
#include "journal/journal.h"
#include "journal/journal_decision.h"
#include "journal/journal_file.h"

enum { DECISION_TEXT_MAX = 160 };

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

/* A read without whether it is shared, and so without its reason. */
static struct decision only_who_reads(struct decision d)
{
    d.u.read.exclusive = 0;
    d.why = REASON_PLAIN(WHY_NONE);
    return d;
}

static bool same(const struct journal_reader *r, const struct decision *a, const struct decision *b)
{
    unsigned char left[JOURNAL_DECISION_MAX], right[JOURNAL_DECISION_MAX];
    struct decision x, y;
    if (a->type == DO_ASSIGN_READ && b->type == DO_ASSIGN_READ && !journal_reader_says_shared(r)) {
        x = only_who_reads(*a), y = only_who_reads(*b);
        a = &x, b = &y;
    }
    size_t n = journal_encode_decision(a, left);
    return n == journal_encode_decision(b, right) && memcmp(left, right, n) == 0;
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

/* Who looks on. */
struct audience {
    const struct journal_witness *at;
    uint32_t count;
};

/* Applies the events of a turn. 1; 0 if the journal ends before the last of them; -1 with *err. */
static int feed_events(struct journal_reader *r, uint32_t count, struct brain *brain,
                       const struct audience *seen_by, struct err *err)
{
    struct record record;
    for (uint32_t i = 0; i < count; i++) {
        int status = journal_next(r, &record, err);
        if (status <= 0)
            return status;
        const char *wrong = brain_breach(brain, record.now_us, &record.u.event);
        if (!wrong)
            brain_apply(brain, record.now_us, &record.u.event);
        for (uint32_t k = 0; k < seen_by->count && !wrong; k++)
            wrong = seen_by->at[k].event(seen_by->at[k].ctx, record.now_us, &record.u.event);
        if (wrong)
            return journal_reader_object(r, wrong, err);
    }
    return 1;
}

/* Decides and compares. `turn` counts from 1. Returns as feed_events. */
static int compare_decisions(struct journal_reader *r, const struct record *start, uint64_t turn,
                             struct brain *brain, const struct audience *seen_by, struct err *err)
{
    uint32_t count = start->u.turn.decision_count;
    struct decision_list out = brain_decide(brain, start->now_us);
    for (uint32_t i = 0; i < count; i++) {
        struct record record;
        int status = journal_next(r, &record, err);
        if (status <= 0)
            return status;
        const struct decision *decided = i < out.count ? &out.at[i] : NULL;
        if (!decided || !same(r, &record.u.decision, decided))
            return differ(turn, start->now_us, i, &record.u.decision, decided, err);
        for (uint32_t k = 0; k < seen_by->count; k++)
            seen_by->at[k].decision(seen_by->at[k].ctx, start->now_us, decided);
    }
    if (out.count > count)
        return differ(turn, start->now_us, count, NULL, &out.at[count], err);
    return 1;
}

/* Up to the byte `end`. Returns as feed_events. */
static int refeed(struct journal_reader *r, uint64_t end, struct brain *brain,
                  const struct audience *seen_by, uint64_t *turns, struct err *err)
{
    struct record record;
    int status = 1;
    *turns = 0;
    while (journal_reader_at(r) < end && (status = journal_next(r, &record, err)) > 0) {
        for (uint32_t k = 0; record.type == RECORD_INTENT && k < seen_by->count; k++)
            if (seen_by->at[k].intent)
                seen_by->at[k].intent(seen_by->at[k].ctx, &record);
        if (record.type != RECORD_TURN)
            continue; /* intents and the end are the body's business */
        status = feed_events(r, record.u.turn.event_count, brain, seen_by, err);
        if (status > 0)
            status = compare_decisions(r, &record, *turns + 1, brain, seen_by, err);
        if (status <= 0)
            break;
        ++*turns;
    }
    return status;
}

int journal_refeed(struct journal_reader *r, struct brain *brain, uint64_t *turns, struct err *err)
{
    int status = refeed(r, UINT64_MAX, brain, &(struct audience){NULL, 0}, turns, err);
    return status < 0 ? -1 : 0;
}

int journal_recall(struct journal_reader *r, uint64_t end, struct brain *brain,
                   const struct journal_witness *witnesses, uint32_t count, struct err *err)
{
    uint64_t turns;
    int status = refeed(r, end, brain, &(struct audience){witnesses, count}, &turns, err);
    return status < 0 ? -1 : 0;
}
