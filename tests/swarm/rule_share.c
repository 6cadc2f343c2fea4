/* rule_share.c - a read is exclusive if no other live attempt of the reader's task is at the same
 * data when it is assigned.
 *
 * A whole phase stands for the committed outputs of its tasks. So it is shared by siblings that
 * read it as a whole, and by those that read the committed output of one of its tasks; and a read
 * of such an output is shared by siblings that read the whole phase. A read lasts from its
 * assignment to its answer, or to the end of the reader: the book knows no other times. */
#include "tests/swarm/rule_share.h"

struct rule_users rule_share_users(const struct referee *r, struct book_entry reader, uint16_t edge,
                                   uint32_t task, uint16_t source)
{
    struct rule_users n = {0};

    for (uint32_t i = 0; i < reader.task->attempts.count; i++) {
        const struct book_attempt *a = &reader.task->attempts.at[i];
        if (a == reader.attempt || a->state == BOOK_ENDED)
            continue;
        const struct book_read *read = book_read_alone(reader.job, reader.phase, a, edge, task);
        if (read->state == BOOK_READ_NONE || read->source != source)
            continue;
        n.now += read->state == BOOK_READ_ASKED;
        n.held += read->state == BOOK_READ_ASKED || r->rules.reuse_off;
    }
    return n;
}

static bool is_committed(const struct book_task *up, uint16_t source)
{
    return up->commit == BOOK_COMMIT_DONE && up->candidate == source;
}

/* Whether the attempt is at the phase above as a whole, or at something committed there. */
static bool reads_whole(const struct book_entry *x, const struct book_attempt *a, uint16_t edge)
{
    const struct book_phase *up = &x->job->phases[x->phase->edges[edge].from];
    return book_read_alone(x->job, x->phase, a, edge, up->task_count)->state == BOOK_READ_ASKED;
}

static bool reads_part(const struct book_entry *x, const struct book_attempt *a, uint16_t edge)
{
    const struct book_phase *up = &x->job->phases[x->phase->edges[edge].from];

    for (uint32_t t = 0; t < up->task_count; t++) {
        const struct book_read *read = book_read_alone(x->job, x->phase, a, edge, t);
        if (read->state == BOOK_READ_ASKED && is_committed(&up->tasks[t], read->source))
            return true;
    }
    return false;
}

static uint32_t siblings_at(const struct book_entry *reader, uint16_t edge,
                            bool (*at)(const struct book_entry *, const struct book_attempt *,
                                       uint16_t))
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < reader->task->attempts.count; i++) {
        const struct book_attempt *a = &reader->task->attempts.at[i];
        if (a != reader->attempt && a->state != BOOK_ENDED)
            n += at(reader, a, edge);
    }
    return n;
}

int rule_share_single(struct referee *r, const struct decision *d, const struct book_read_entry *e)
{
    struct attempt_ref from = d->u.read.source;
    uint16_t edge = (uint16_t)(e->edge - e->reader.phase->edges);
    struct rule_users users = rule_share_users(r, e->reader, edge, from.task, from.attempt);
    uint32_t whole =
        is_committed(e->source.task, from.attempt) ? siblings_at(&e->reader, edge, reads_whole) : 0;

    if ((users.held + whole > 0) == (d->u.read.exclusive != 0))
        return rule_fail(r, RULE_SHARE,
                         "exclusive is %u, %u siblings read it, %u hold it, %u read the phase",
                         d->u.read.exclusive, users.now, users.held, whole);
    r->tally.parts_of_whole += whole > 0;
    if (users.held > 0) {
        vec_push(&r->shared, book_place(&r->book, from));
        r->tally.reads_shared++;
    }
    return 0;
}

int rule_share_whole(struct referee *r, const struct decision *d, const struct book_read_entry *e)
{
    uint16_t edge = (uint16_t)(e->edge - e->reader.phase->edges);
    uint32_t whole = siblings_at(&e->reader, edge, reads_whole);
    uint32_t part = siblings_at(&e->reader, edge, reads_part);

    if ((whole + part > 0) == (d->u.read.exclusive != 0))
        return rule_fail(r, RULE_SHARE,
                         "exclusive is %u, %u siblings read the whole phase and %u some of it",
                         d->u.read.exclusive, whole, part);
    r->tally.wholes_shared += whole > 0;
    r->tally.wholes_of_parts += part > 0;
    return 0;
}
