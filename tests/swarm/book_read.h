/* book_read.h - the part of the book about reading: who was told to read what, and how far it is.
 */
#pragma once

#include "tests/swarm/book.h"

/* Whether a reader of the edge needs this task of the phase above. */
bool book_needs(const struct edge_spec *edge, uint32_t upstream, uint32_t readers, uint32_t reader,
                uint32_t task);

/* An attempt was launched: if its phase reads others, it has something to wait for. */
void book_reader_begin(struct book *b, struct attempt_ref at);

/* The attempt lacks something (again): it is on the list of readers from now on. */
void book_reader_waits(struct book *b, struct attempt_ref at);

/* It has ended, and with it all its reads. */
void book_reader_end(struct book *b, struct attempt_ref at);

/* One read by its two ends. `read` is NULL when the reader reads nothing (any more), or not from
 * that phase or task; source.attempt is NULL for whole phases (TASK_ALL) too. */
struct book_read_entry {
    struct book_entry reader, source;
    const struct edge_spec *edge;
    struct book_read *read;
    uint32_t covers; /* upstream tasks that this read is about */
};

struct book_read_entry book_read_find(struct book *b, struct attempt_ref reader,
                                      struct attempt_ref source);

/* The read that this decision asked for and that has no answer yet; `read` is NULL if there is
 * none. */
struct book_read_entry book_read_by_id(struct book *b, struct attempt_ref reader, uint64_t id);

/* Moves the read to another state and keeps the counts of both ends. `source` is the attempt that
 * is read, for specific reads. */
void book_read_set(struct book_read_entry *e, uint8_t state);

/* The reader's read that covers this upstream task, of this task alone or of the whole phase; NULL
 * when there is none that is asked for or done. */
const struct book_read *book_read_standing(const struct book_job *job,
                                           const struct book_phase *phase,
                                           const struct book_attempt *reader, uint16_t edge,
                                           uint32_t task);

/* The read of this upstream task alone, in whatever state; the reader's `reads` must be there. */
struct book_read *book_read_alone(const struct book_job *job, const struct book_phase *phase,
                                  const struct book_attempt *reader, uint16_t edge, uint32_t task);

/* The reader has read this: notes what of, task by task. */
void book_read_note(struct book *b, struct attempt_ref reader, const struct book_read_entry *e);

/* A hash of the checksums of all that the reader has read; of what is committed now. */
uint64_t book_inputs_read(const struct book_entry *reader);
uint64_t book_inputs_now(const struct book_job *job, const struct book_phase *phase, uint32_t task);
