/* book_read.c - one entry per attempt and upstream task.
 *
 * An attempt of a phase that reads others gets an array with an entry for every task of every phase
 * above, and one more per phase for a read of all its committed outputs at once. That is more than
 * a one-to-one reader needs, but finding an entry is an addition, and the arrays live only as long
 * as their attempts. */
#include "tests/swarm/book_read.h"

bool book_needs(const struct edge_spec *edge, uint32_t upstream, uint32_t readers, uint32_t reader,
                uint32_t task)
{
    if (edge->pattern == EDGE_ALL_TO_ALL)
        return true;
    if (edge->pattern == EDGE_ONE_TO_ONE && reader < upstream)
        return task == reader;
    uint64_t first = (uint64_t)reader * upstream / readers;
    uint64_t behind = ((uint64_t)reader + 1) * upstream / readers;
    return task >= first && task < behind;
}

/* Where the entries of an edge begin; of the edge behind the last one: how many there are. */
static uint32_t edge_begin(const struct book_job *job, const struct book_phase *phase,
                           uint16_t edge)
{
    uint32_t at = 0;

    for (uint16_t i = 0; i < edge; i++)
        at += job->phases[phase->edges[i].from].task_count + 1;
    return at;
}

static uint32_t edge_needed(const struct book_job *job, const struct book_phase *phase,
                            uint16_t edge, uint32_t reader)
{
    uint32_t upstream = job->phases[phase->edges[edge].from].task_count, n = 0;

    for (uint32_t t = 0; t < upstream; t++)
        n += book_needs(&phase->edges[edge], upstream, phase->task_count, reader, t);
    return n;
}

void book_reader_begin(struct book *b, struct attempt_ref at)
{
    struct book_entry e = book_find(b, at);

    if (e.phase->edge_count == 0)
        return;
    uint32_t entries = edge_begin(e.job, e.phase, e.phase->edge_count);
    e.attempt->reads = mem_zalloc(entries, sizeof *e.attempt->reads);
    for (uint16_t i = 0; i < e.phase->edge_count; i++)
        e.attempt->unassigned += edge_needed(e.job, e.phase, i, at.task);
    e.attempt->unread = e.attempt->unassigned;
    book_reader_waits(b, at);
}

void book_reader_waits(struct book *b, struct attempt_ref at)
{
    struct book_attempt *a = book_find(b, at).attempt;

    if (a->waits)
        return;
    a->waits = true;
    vec_push(&b->readers, book_place(b, at));
}

void book_reader_end(struct book *b, struct attempt_ref at)
{
    struct book_entry e = book_find(b, at);
    struct book_attempt *a = e.attempt;
    uint32_t next = 0;

    for (uint16_t i = 0; a->outstanding && i < e.phase->edge_count; i++) {
        struct book_phase *up = &e.job->phases[e.phase->edges[i].from];
        for (uint32_t t = 0; t < up->task_count; t++, next++)
            if (a->reads[next].state == BOOK_READ_ASKED)
                up->tasks[t].attempts.at[a->reads[next].source].read_by--;
        next++; /* the entry of the whole phase counts for nobody */
    }
    b->reads_cut |= a->outstanding > 0;
    mem_free(a->reads);
    a->reads = NULL;
    a->outstanding = 0;
}

struct book_read_entry book_read_find(struct book *b, struct attempt_ref reader,
                                      struct attempt_ref source)
{
    struct book_read_entry e = {.reader = book_find(b, reader), .source = book_find(b, source)};

    if (!e.reader.attempt || !e.source.phase || source.job.v != reader.job.v)
        return e;
    const struct book_phase *phase = e.reader.phase;
    uint16_t edge = 0;
    while (edge < phase->edge_count && phase->edges[edge].from != source.phase)
        edge++;
    if (edge == phase->edge_count)
        return e;
    e.edge = &phase->edges[edge];
    uint32_t upstream = e.source.phase->task_count;
    if (source.task == TASK_ALL)
        e.covers = edge_needed(e.reader.job, phase, edge, reader.task);
    else if (e.source.task &&
             book_needs(e.edge, upstream, phase->task_count, reader.task, source.task))
        e.covers = 1;
    if (e.reader.attempt->reads && (e.covers || source.task == TASK_ALL))
        e.read = &e.reader.attempt->reads[edge_begin(e.reader.job, phase, edge) +
                                          (source.task == TASK_ALL ? upstream : source.task)];
    return e;
}

struct book_read_entry book_read_by_id(struct book *b, struct attempt_ref reader, uint64_t id)
{
    struct book_entry x = book_find(b, reader);
    uint32_t next = 0;

    for (uint16_t i = 0; x.attempt && x.attempt->reads && i < x.phase->edge_count; i++) {
        uint16_t from = x.phase->edges[i].from;
        uint32_t upstream = x.job->phases[from].task_count;
        for (uint32_t t = 0; t <= upstream; t++, next++) {
            const struct book_read *read = &x.attempt->reads[next];
            if (read->state != BOOK_READ_ASKED || read->id != id)
                continue;
            struct attempt_ref source = {reader.job, t == upstream ? TASK_ALL : t, from,
                                         read->source};
            return book_read_find(b, reader, source);
        }
    }
    return (struct book_read_entry){0};
}

void book_read_set(struct book_read_entry *e, uint8_t state)
{
    struct book_attempt *a = e->reader.attempt;
    uint8_t before = e->read->state;

    a->unassigned += before != BOOK_READ_NONE ? e->covers : 0;
    a->unread += before == BOOK_READ_DONE ? e->covers : 0;
    a->outstanding -= before == BOOK_READ_ASKED;
    a->unassigned -= state != BOOK_READ_NONE ? e->covers : 0;
    a->unread -= state == BOOK_READ_DONE ? e->covers : 0;
    a->outstanding += state == BOOK_READ_ASKED;
    if (e->source.attempt) {
        e->source.attempt->read_by -= before == BOOK_READ_ASKED;
        e->source.attempt->read_by += state == BOOK_READ_ASKED;
    }
    e->read->state = state;
    e->reader.job->stirred = true;
}

struct book_read *book_read_alone(const struct book_job *job, const struct book_phase *phase,
                                  const struct book_attempt *reader, uint16_t edge, uint32_t task)
{
    return &reader->reads[edge_begin(job, phase, edge) + task];
}

const struct book_read *book_read_standing(const struct book_job *job,
                                           const struct book_phase *phase,
                                           const struct book_attempt *reader, uint16_t edge,
                                           uint32_t task)
{
    const struct book_read *alone = book_read_alone(job, phase, reader, edge, task);
    const struct book_read *all =
        book_read_alone(job, phase, reader, edge, job->phases[phase->edges[edge].from].task_count);

    if (alone->state != BOOK_READ_NONE)
        return alone;
    return all->state != BOOK_READ_NONE ? all : NULL;
}

void book_read_note(struct book *b, struct attempt_ref reader, const struct book_read_entry *e)
{
    struct book_entry x = book_find(b, reader);
    uint16_t edge = (uint16_t)(e->edge - x.phase->edges);
    const struct book_phase *up = e->source.phase;

    if (e->source.attempt) {
        e->read->got = e->source.attempt->checksum;
        return;
    }
    for (uint32_t t = 0; t < up->task_count; t++) {
        struct book_read *alone = book_read_alone(x.job, x.phase, x.attempt, edge, t);
        if (alone->state != BOOK_READ_DONE)
            alone->got = up->tasks[t].checksum;
    }
}

static uint64_t mix(uint64_t hash, uint64_t edge, uint64_t task, uint64_t checksum)
{
    hash = (hash ^ edge) * UINT64_C(0x100000001b3);
    hash = (hash ^ task) * UINT64_C(0x100000001b3);
    return (hash ^ checksum) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* The checksum that readers of the task must have got. A copy of a whole job may lose an output
 * once its last reader has it; then it wins without that output, which is never committed, and what
 * it made last is what counts. */
static uint64_t checksum_that_counts(const struct book_job *job, const struct book_task *t)
{
    for (uint32_t i = t->attempts.count; job->winner && !t->commit_ever && i-- > 0;)
        if (t->attempts.at[i].replica == job->winner && t->attempts.at[i].output_lost)
            return t->attempts.at[i].checksum;
    return t->checksum;
}

/* Over what the reader has, or with NULL over what counts. */
static uint64_t inputs_hash(const struct book_job *job, const struct book_phase *phase,
                            uint32_t task, const struct book_attempt *reader)
{
    uint64_t hash = 1;

    for (uint16_t i = 0; i < phase->edge_count; i++) {
        const struct book_phase *up = &job->phases[phase->edges[i].from];
        for (uint32_t t = 0; t < up->task_count; t++)
            if (book_needs(&phase->edges[i], up->task_count, phase->task_count, task, t))
                hash = mix(hash, i, t,
                           reader ? book_read_alone(job, phase, reader, i, t)->got
                                  : checksum_that_counts(job, &up->tasks[t]));
    }
    return hash ? hash : 1;
}

uint64_t book_inputs_read(const struct book_entry *reader)
{
    if (!reader->attempt->reads)
        return 1;
    return inputs_hash(reader->job, reader->phase, (uint32_t)(reader->task - reader->phase->tasks),
                       reader->attempt);
}

uint64_t book_inputs_now(const struct book_job *job, const struct book_phase *phase, uint32_t task)
{
    return inputs_hash(job, phase, task, NULL);
}
