/* rule_read.c - who may read what, from whom, and how long a reader may wait for it.
 *
 * A read is judged three times: when it is assigned (is the source there, the committed one or its
 * equal, and not read before; rule_share.c: does it say truly who reads along), when the body
 * answers it (was it asked for, and was the source still there), and when the turn is complete.
 * Only then can be said whether a reader had to share or to wait, because the brain may end an
 * attempt upstream before or after it looks at the readers.
 *
 * cc, cac and delay differ in two numbers, omega and reuse. A reader may wait for a committed task
 * only while every output of it is taken by a sibling, omega is not over, and a free one can still
 * come; and only when it need not wait it may share. With deal it may wait while one more can come,
 * whatever the others read. */
#include <inttypes.h>

#include "base/mem.h"
#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"
#include "tests/swarm/rule_share.h"

/* Whether omega has passed since the task was won. */
static bool omega_over(const struct referee *r, const struct book_task *t)
{
    return r->rules.omega_us < REFEREE_OMEGA_NEVER && r->now_us >= t->won_us + r->rules.omega_us;
}

/* ---- assigning ---- */

static int whole_phase_there(struct referee *r, const struct decision *d,
                             const struct book_read_entry *e)
{
    const struct book_phase *up = e->source.phase;

    for (uint32_t t = 0; t < up->task_count; t++) {
        bool needed =
            book_needs(e->edge, up->task_count, e->reader.phase->task_count, d->at.task, t);
        if (needed && up->tasks[t].commit != BOOK_COMMIT_DONE)
            return rule_fail(r, RULE_READ, "task %u of phase %u is not committed", t,
                             d->u.read.source.phase);
        if (needed && book_read_standing(e->reader.job, e->reader.phase, e->reader.attempt,
                                         (uint16_t)(e->edge - e->reader.phase->edges), t))
            return rule_fail(r, RULE_READ, "task %u of phase %u is or was read already", t,
                             d->u.read.source.phase);
    }
    return 0;
}

static int source_there(struct referee *r, const struct decision *d,
                        const struct book_read_entry *e)
{
    struct attempt_ref from = d->u.read.source;
    const struct book_task *up = e->source.task;
    const struct book_attempt *source = e->source.attempt;

    if (!source)
        return rule_fail(r, RULE_UNKNOWN, "source %u.%u.%u was never launched", from.phase,
                         from.task, from.attempt);
    if (!e->read)
        return rule_fail(r, RULE_READ, "the reader does not need task %u of phase %u", from.task,
                         from.phase);
    if (up->commit != BOOK_COMMIT_DONE)
        return rule_fail(r, RULE_READ, "task %u of phase %u is not committed", from.task,
                         from.phase);
    if (!source->output)
        return rule_fail(r, RULE_READ, "the output of %u.%u.%u is not there", from.phase, from.task,
                         from.attempt);
    if (source->checksum != up->checksum)
        return rule_fail(r, RULE_READ, "%u.%u.%u differs from what was committed", from.phase,
                         from.task, from.attempt);
    if (book_read_standing(e->reader.job, e->reader.phase, e->reader.attempt,
                           (uint16_t)(e->edge - e->reader.phase->edges), from.task))
        return rule_fail(r, RULE_READ, "task %u of phase %u is or was read already", from.task,
                         from.phase);
    return 0;
}

int rule_read_assign(struct referee *r, const struct decision *d)
{
    struct attempt_ref from = d->u.read.source;
    struct book_read_entry e = book_read_find(&r->book, d->at, from);

    if (!e.reader.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (e.reader.attempt->state >= BOOK_LEFT || e.reader.attempt->asked)
        return rule_fail(r, RULE_READ, "the reader %s",
                         e.reader.attempt->asked ? "was asked to end" : "has ended");
    if (!e.edge)
        return rule_fail(r, RULE_READ, "phase %u does not read phase %u of job %u", d->at.phase,
                         from.phase, from.job.v);
    if (rule_replica_open(e.reader.job, e.reader.attempt)) {
        if (rule_replica_read(r, d, e.source.attempt, e.reader.attempt->replica) < 0 ||
            rule_share_single(r, d, &e) < 0)
            return -1;
    } else if (from.task == TASK_ALL) {
        if (whole_phase_there(r, d, &e) < 0 || rule_share_whole(r, d, &e) < 0)
            return -1;
    } else if (source_there(r, d, &e) < 0 || rule_share_single(r, d, &e) < 0) {
        return -1;
    }
    e.read->source = from.attempt;
    e.read->id = d->id;
    book_read_set(&e, BOOK_READ_ASKED);
    r->tally.reads++;
    r->tally.reads_kept += e.source.attempt && e.source.task->candidate != from.attempt;
    r->tally.reads_away +=
        e.source.attempt && book_node(&r->book, e.source.attempt->node)->state == BOOK_NODE_DOWN;
    return 0;
}

/* ---- parts ---- */

/* How many tasks read a part of each output of the phase; 0: none do. */
static uint32_t readers_of_parts(const struct book_job *job, const struct book_phase *up)
{
    for (uint16_t p = 0; p < job->phase_count; p++)
        for (uint16_t e = 0; e < job->phases[p].edge_count; e++)
            if (&job->phases[job->phases[p].edges[e].from] == up &&
                job->phases[p].edges[e].pattern == EDGE_ALL_TO_ALL)
                return job->phases[p].task_count;
    return 0;
}

int rule_read_parts(struct referee *r, const struct event *e, struct book_entry x)
{
    const struct output_partition *partitions = e->u.output.partitions;
    uint32_t count = e->u.output.partition_count;
    int64_t sum = 0;
    uint64_t hash = 1;

    if (!partitions)
        return 0;
    if (count != readers_of_parts(x.job, x.phase))
        return rule_fail(r, RULE_PARTS, "%u parts, but not as many readers", count);
    for (uint32_t i = 0; i < count; i++) {
        sum += partitions[i].bytes;
        hash = hash * UINT64_C(6364136223846793005) + partitions[i].checksum;
    }
    if (sum > e->u.output.bytes)
        return rule_fail(r, RULE_PARTS, "its parts are more than all of it");
    for (uint32_t k = 0; k < x.task->attempts.count; k++) {
        const struct book_attempt *other = &x.task->attempts.at[k];
        if (other != x.attempt && other->partitions &&
            (other->partitions == hash) != (other->checksum == e->u.output.checksum))
            return rule_fail(r, RULE_PARTS,
                             "outputs are equal where their parts are, and nowhere "
                             "else");
    }
    x.attempt->partitions = hash;
    if (!x.phase->partitions)
        x.phase->partitions = mem_zalloc(count, sizeof *x.phase->partitions);
    x.phase->partition_count = count;
    for (uint32_t i = 0; i < count; i++)
        x.phase->partitions[i] = partitions[i].bytes;
    r->tally.parted++;
    return 0;
}

/* Whoever reads a part has read just that. */
static int partition_fits(struct referee *r, const struct event *e, const struct book_read_entry *x)
{
    const struct book_phase *up = x->source.phase;

    if (!up->partitions || x->edge->pattern != EDGE_ALL_TO_ALL ||
        x->reader.phase->task_count != up->partition_count)
        return 0;
    int64_t partition = up->partitions[e->at.task];
    bool one = e->u.fetch.source.task != TASK_ALL;
    if (one ? e->u.fetch.bytes == partition
            : e->u.fetch.bytes <= partition * (int64_t)up->task_count)
        return 0;
    return rule_fail(r, RULE_PARTS, "read %" PRId64 " bytes of parts of %" PRId64, e->u.fetch.bytes,
                     partition);
}

/* ---- outputs that are gone ---- */

/* Whether an attempt of the phase is told to read the output, also if it is told no more. */
static bool is_read_by(const struct referee *r, const struct book_job *job,
                       const struct book_phase *phase, uint16_t edge, struct attempt_ref at)
{
    uint32_t upstream = job->phases[at.phase].task_count;

    for (uint32_t t = 0; t < phase->task_count; t++) {
        if (!book_needs(&phase->edges[edge], upstream, phase->task_count, t, at.task))
            continue;
        for (uint32_t k = 0; k < phase->tasks[t].attempts.count; k++) {
            const struct book_attempt *a = &phase->tasks[t].attempts.at[k];
            if (!a->reads)
                continue;
            const struct book_read *one = book_read_alone(job, phase, a, edge, at.task);
            const struct book_read *all = book_read_alone(job, phase, a, edge, upstream);
            if ((one->state == BOOK_READ_ASKED && one->source == at.attempt) ||
                all->state == BOOK_READ_ASKED || all->failed == r->tally.turns)
                return true;
        }
    }
    return false;
}

/* A node that is up does not tell what it has lost: only a reader can find that out, and it finds
 * what it reads. (It may have ended since, in the same turn, or failed for something else that
 * another reader of the phase has found.) A copy on its way to another node reads, too, and has
 * failed by now: whoever protects outputs may be the first to miss one. */
int rule_read_gone(struct referee *r, const struct event *e, struct book_entry x)
{
    if (e->cause != CAUSE_OUTPUT_GONE || r->book.reads_cut)
        return 0;
    bool found = x.attempt->copy_gone == r->tally.turns;
    for (uint16_t p = 0; p < x.job->phase_count && !found; p++)
        for (uint16_t i = 0; i < x.job->phases[p].edge_count && !found; i++)
            found = x.job->phases[p].edges[i].from == e->at.phase &&
                    is_read_by(r, x.job, &x.job->phases[p], i, e->at);
    r->tally.gone += found;
    return found ? 0 : rule_fail(r, RULE_FETCH, "nobody reads the output that is said to be gone");
}

/* A read fails because of what it is about: that is lost, or a part of it. */
static int gone_indeed(struct referee *r, const struct event *e, const struct book_read_entry *x)
{
    const struct book_phase *up = x->source.phase;

    if (e->type != EV_FETCH_FAILED || e->cause != CAUSE_OUTPUT_GONE)
        return 0;
    if (x->source.attempt)
        return x->source.attempt->output ? rule_fail(r, RULE_FETCH, "the source is there") : 0;
    for (uint32_t t = 0; t < up->task_count; t++)
        if (up->tasks[t].commit != BOOK_COMMIT_DONE &&
            book_needs(x->edge, up->task_count, x->reader.phase->task_count, e->at.task, t))
            return 0;
    return rule_fail(r, RULE_FETCH, "all that it reads is there");
}

/* ---- answers ---- */

int rule_read_answer(struct referee *r, const struct event *e)
{
    struct book_read_entry x = book_read_find(&r->book, e->at, e->u.fetch.source);

    if (!x.reader.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (x.reader.attempt->state == BOOK_ENDED)
        return rule_fail(r, RULE_FETCH, "the reader has ended");
    if (!x.read || x.read->state != BOOK_READ_ASKED ||
        (x.source.attempt && x.read->source != e->u.fetch.source.attempt))
        return rule_fail(r, RULE_FETCH, "an answer to a read that nobody waits for");
    if (e->type == EV_FETCH_STARTED)
        return 0;
    if (e->type == EV_FETCH_DONE && x.source.attempt && x.source.attempt->output_lost)
        return rule_fail(r, RULE_FETCH, "the source was told to be lost before");
    if ((e->type == EV_FETCH_DONE && partition_fits(r, e, &x) < 0) || gone_indeed(r, e, &x) < 0)
        return -1;
    book_read_set(&x, e->type == EV_FETCH_DONE ? BOOK_READ_DONE : BOOK_READ_NONE);
    if (e->type == EV_FETCH_DONE)
        book_read_note(&r->book, e->at, &x);
    if (e->type == EV_FETCH_FAILED) {
        x.read->failed = r->tally.turns;
        book_reader_waits(&r->book, e->at);
        r->tally.reads_failed++;
    }
    return 0;
}

void rule_read_refused(struct referee *r, const struct event *e)
{
    struct book_read_entry x = book_read_by_id(&r->book, e->at, e->u.refused.decision);

    if (!x.read)
        return; /* the reader has ended */
    book_read_set(&x, BOOK_READ_NONE);
    book_reader_waits(&r->book, e->at);
}

int rule_read_finished(struct referee *r, const struct book_attempt *reader)
{
    if (reader->outstanding)
        return rule_fail(r, RULE_FETCH, "finished with %u reads unanswered", reader->outstanding);
    if (r->rules.network && reader->unread)
        return rule_fail(r, RULE_FETCH, "finished without having read %u tasks", reader->unread);
    return 0;
}

/* ---- at the end of a turn ---- */

/* Sharing is right once omega is over, or when no other output can come. */
static int sharing_right(struct referee *r, struct book_place at)
{
    const struct book_task *up = &r->book.jobs.at[at.job].phases[at.phase].tasks[at.task];

    if (r->rules.deal || r->rules.omega_us == REFEREE_OMEGA_AUTO || omega_over(r, up))
        return 0;
    if (r->rules.reuse_off && book_wanted(up) == 0)
        return 0;
    return rule_fail(r, RULE_SHARE,
                     "an output of task %u.%u is shared %lld us after the win, %u more may come",
                     at.phase, at.task, (long long)(r->now_us - up->won_us), book_wanted(up));
}

/* Whether the upstream task has an output that no sibling of the reader holds; *reading counts the
 * siblings that are at one of them now. */
static bool output_free(const struct referee *r, struct book_entry reader, uint16_t edge,
                        uint32_t task, uint32_t *reading)
{
    const struct book_task *up = &reader.job->phases[reader.phase->edges[edge].from].tasks[task];
    bool free = false;

    *reading = 0;
    for (uint32_t i = 0; i < up->attempts.count; i++) {
        const struct book_attempt *source = &up->attempts.at[i];
        if (!source->output || source->checksum != up->checksum)
            continue;
        struct rule_users users = rule_share_users(r, reader, edge, task, (uint16_t)i);
        free |= users.held == 0;
        *reading += users.now;
    }
    return free;
}

static int waiting_right(struct referee *r, struct book_entry reader, uint16_t edge, uint32_t task)
{
    uint16_t from = reader.phase->edges[edge].from;
    const struct book_phase *above = &reader.job->phases[from];
    const struct book_task *up = &above->tasks[task];
    uint32_t reading;

    if (rule_replica_open(reader.job, reader.attempt) &&
        rule_replica_output(up, reader.attempt->replica))
        return rule_fail(r, RULE_WAIT, "a reader of replica %u was not told to read task %u.%u",
                         reader.attempt->replica, from, task);
    if (up->commit != BOOK_COMMIT_DONE)
        return 0; /* there is nothing to read */
    if (!reader.phase->edges[edge].slowstart && (!reader.phase->cloned || !above->cloned))
        return rule_fail(r, RULE_WAIT, "a reader was not told to read task %u.%u", from, task);
    if (output_free(r, reader, edge, task, &reading) && !r->rules.deal)
        return rule_fail(r, RULE_WAIT, "a reader waits for %u.%u though an output is free", from,
                         task);
    if (r->rules.omega_us == REFEREE_OMEGA_AUTO)
        return 0;
    if (omega_over(r, up))
        return rule_fail(r, RULE_WAIT, "a reader waits for %u.%u though omega is over", from, task);
    if (book_wanted(up) == 0 && (r->rules.reuse_off || r->rules.deal || reading == 0))
        return rule_fail(r, RULE_WAIT, "a reader waits for %u.%u though nothing can come", from,
                         task);
    return 0;
}

static int reader_judged(struct referee *r, struct book_entry reader)
{
    for (uint16_t i = 0; i < reader.phase->edge_count; i++) {
        const struct edge_spec *edge = &reader.phase->edges[i];
        uint32_t upstream = reader.job->phases[edge->from].task_count;
        uint32_t self = (uint32_t)(reader.task - reader.phase->tasks);
        for (uint32_t t = 0; t < upstream; t++)
            if (book_needs(edge, upstream, reader.phase->task_count, self, t) &&
                !book_read_standing(reader.job, reader.phase, reader.attempt, i, t) &&
                waiting_right(r, reader, i, t) < 0)
                return -1;
    }
    return 0;
}

/* Looks at the readers that lack something, where something has changed; forgets the others. */
static int readers_judged(struct referee *r)
{
    struct book *b = &r->book;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->readers.count; i++) {
        struct book_place at = b->readers.at[i];
        struct book_entry x = book_at(b, at);
        if (x.attempt->state >= BOOK_LEFT || x.attempt->asked || x.attempt->unassigned == 0) {
            x.attempt->waits = false;
            continue;
        }
        b->readers.at[kept++] = at;
        if ((x.job->stirred || r->timer_fired) && reader_judged(r, x) < 0)
            return -1;
        r->tally.waits += x.job->stirred && x.phase->cloned;
    }
    b->readers.count = kept;
    return 0;
}

/* Nobody throws away what another is reading, as long as the job goes on. */
static int discard_right(struct referee *r, struct book_place at)
{
    const struct book_job *job = &r->book.jobs.at[at.job];
    const struct book_attempt *a = &job->phases[at.phase].tasks[at.task].attempts.at[at.attempt];

    bool dropped = a->replica > 0 && a->replica != job->winner; /* with its readers */
    if (!job->over && a->read_by && !dropped)
        return rule_fail(r, RULE_READ, "the output of %u.%u.%u.%u is discarded, %u read it",
                         job->id.v, at.phase, at.task, at.attempt, a->read_by);
    return 0;
}

int rule_read_turn_end(struct referee *r)
{
    for (uint32_t i = 0; i < r->shared.count; i++)
        if (sharing_right(r, r->shared.at[i]) < 0)
            return -1;
    for (uint32_t i = 0; i < r->discarded.count; i++)
        if (discard_right(r, r->discarded.at[i]) < 0)
            return -1;
    vec_clear(&r->shared);
    vec_clear(&r->discarded);
    int rc = readers_judged(r);
    r->timer_fired = false;
    return rc;
}
