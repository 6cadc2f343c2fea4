/* sim_read.h - private to src/sim: reads, and what makes them take time.
 *
 *     attempt --> sim_reader --> sim_upstream (one for each phase above): its needs
 *                     |
 *                   fetch, fetch, ...   one for each assign_read that is under way
 *                     |
 *                   read                its batch, on the network
 *
 * None of it exists in a run without a network, where s->reads is NULL. */
#pragma once

#include "sim/network/network.h"
#include "sim/sim_state.h"

/* A phase above as one of its readers sees it. */
struct sim_upstream {
    const struct edge_spec *edge;
    uint32_t from, to; /* the tasks that it needs: from .. to - 1 */
    uint32_t got;      /* how many of them it has */
    uint32_t shares;   /* it reads one of this many equal partitions of an output */
    uint64_t *have;    /* which it has: bit t - from; NULL: none or all */
};

struct sim_reader {
    uint32_t attempt;
    uint32_t first;     /* fetch */
    uint32_t flowing;   /* fetches whose bytes are on their way */
    bool ready;         /* its start-up is over */
    bool starved;       /* ready, and nothing on its way */
    bool silent;        /* it sends no reports until it is fed */
    int64_t compute_us; /* when it had everything and began to work; -1: not yet */
    int64_t need_bytes; /* of all that it reads */
    int64_t had_bytes;  /* by fetches that are over */
    uint16_t missing;   /* upstreams of which it has not all; 1: of the job's input (sim_input.c) */
    uint16_t upstream_count;
    bool input;                      /* it reads the job's input, and no phase */
    uint32_t input_flow, input_from; /* and this is on its way, from that node; or FLOW_NONE */
    struct sim_upstream upstreams[];
};

enum fetch_state {
    FETCH_PENDING, /* until the reader is ready */
    FETCH_FLOWING,
    FETCH_IDLE, /* slow start: until there is more to read */
};

#define FETCH_NONE 0 /* fetch 0 is never used */

struct fetch {
    struct attempt_ref source; /* task TASK_ALL: committed outputs, in one batch or several */
    uint32_t reader;           /* attempt */
    uint16_t upstream;         /* of the reader */
    uint8_t state;             /* enum fetch_state */
    bool started;              /* fetch_started was emitted */
    uint32_t read;             /* of the network; READ_NONE: none */
    uint64_t *batch;           /* tasks on their way: bit t - from; NULL: one, or all there are */
    uint32_t batch_count;
    uint32_t seen;       /* commits of the phase when the batch began */
    uint32_t wake;       /* FETCH_IDLE: look again after that many */
    int64_t bytes;       /* of all batches begun */
    int64_t began_us;    /* the present batch */
    int64_t took_us;     /* earlier ones */
    uint32_t prev, next; /* of the reader */
    uint32_t job_prev, job_next;
};

/* The purpose of a flow of the network that is not part of a read; by its number. */
struct sim_flow {
    uint32_t reader; /* attempt that gets a job's input; NO_ATTEMPT: it is a copy */
    uint32_t copy;   /* index into `copies` */
    double bytes;
};

/* The locations of outputs, by rack and node. */
struct source_place {
    uint32_t rack, node;
    uint32_t count; /* outputs there */
};

struct source_rack {
    uint32_t from, to; /* its places */
    uint32_t count;    /* outputs in it */
    uint32_t spread;   /* of its places, in the network; SPREAD_UNKNOWN: not made yet */
};
#define SPREAD_UNKNOWN UINT32_MAX

struct source_list {
    VEC(struct source_place) places;
    VEC(struct source_rack) racks;
    bool shared; /* by all readers of a phase: its racks are worth a spread of the network */
};

/* An output on its way to become a replica. */
struct sim_copy {
    struct attempt_ref at;
    uint32_t from, to; /* nodes */
    uint32_t flow;
};

struct sim_reads {
    struct network *network;
    VEC(struct sim_reader *) readers; /* by attempt; NULL: it reads nothing */
    VEC(struct fetch) fetches;
    VEC(uint32_t) fetches_free;
    VEC(struct sim_flow) flows;
    VEC(uint32_t) read_of;          /* fetch, by read of the network */
    VEC(struct network_part) parts; /* scratch: of a read */
    VEC(struct sim_copy) copies;    /* under way, in no order */
    uint32_t *on_node;              /* scratch: outputs by node, all 0 between uses */
    struct source_list list;        /* scratch */
};

/* ---- the decision (sim_read.c) ---- */

void sim_read_init(struct sim *s);
void sim_read_fini(struct sim *s);
void sim_read_assign(struct sim *s, const struct decision *d);

/* ---- readers (sim_reader.c) ---- */

/* The reader of an attempt; NULL for one of a phase that reads nothing, and for all of them without
 * a network. Made at the launch and dropped at the end of the attempt. */
static inline struct sim_reader *sim_reader_of(const struct sim *s, uint32_t i)
{
    return s->reads && i < s->reads->readers.count ? s->reads->readers.at[i] : NULL;
}
void sim_reader_create(struct sim *s, uint32_t i);
void sim_reader_drop(struct sim *s, uint32_t i);

/* Ends a fetch without an event. */
void sim_reader_drop_fetch(struct sim *s, uint32_t i);

/* Stops what a fetch has on its way. */
void sim_reader_stop(struct sim *s, uint32_t i);

/* Returns how many bytes have arrived; 0 for attempts that do not read. */
int64_t sim_reader_bytes(const struct sim *s, uint32_t i);

/* ---- readers are fed (sim_feed.c) ---- */

/* Notes that the reader has these upstream tasks: those of the batch, or with NULL all of them; or
 * one. */
void sim_feed_got(struct sim *s, struct sim_reader *r, struct sim_upstream *in,
                  const uint64_t *batch);
void sim_feed_got_one(struct sim *s, struct sim_reader *r, struct sim_upstream *in, uint32_t task);

/* Notes that all of its job's input has arrived. */
void sim_feed_input(struct sim *s, struct sim_reader *r);

/* Looks, after its fetches have changed, whether the reader is starved, or has everything and
 * begins to work. */
void sim_feed_update(struct sim *s, struct sim_reader *r);

/* ---- fetches (sim_fetch.c) ---- */

/* Adds a fetch to a reader, which begins as soon as the reader is ready. */
void sim_fetch_add(struct sim *s, uint32_t reader, uint16_t upstream, struct attempt_ref source);

/* Begins a pending fetch. */
void sim_fetch_begin(struct sim *s, uint32_t i);

/* Begins all fetches of a reader whose start-up is over. */
void sim_fetch_ready(struct sim *s, uint32_t reader);

/* Continues a fetch whose batch has arrived. */
void sim_fetch_read_ended(struct sim *s, uint32_t i);

/* Begins the next batch of fetches that waited for the phase to reach read_wake. */
void sim_fetch_wake(struct sim *s, struct attempt_ref upstream);

/* The loss of an output that is being fetched. */
enum source_loss {
    SOURCE_REPLICA,   /* another replica is left */
    SOURCE_LOST,      /* it was the last one */
    SOURCE_DISCARDED, /* the brain does not want it, nor its replicas */
};
/* Ends, or redirects, the fetches from an output that does not exist any more. A reader keeps the
 * part that has arrived, unless it was discarded. */
void sim_fetch_source_gone(struct sim *s, const struct sim_attempt *gone, enum source_loss loss);

/* Lets all fetches of the job fail. */
void sim_fetch_job_over(struct sim *s, const struct sim_job *job);

/* ---- the batch of a fetch (sim_batch.c) ---- */

/* The number of upstream tasks that have neither arrived nor been requested by another fetch. */
uint32_t sim_batch_open(const struct sim *s, const struct fetch *f);

/* Begins the flows of the next batch: of the single output, or of all that exist. Returns false if
 * there is nothing to read. There may be no flows: of nothing but empty outputs. */
bool sim_batch_begin(struct sim *s, uint32_t i);

/* Ends a batch that has arrived. */
void sim_batch_end(struct sim *s, uint32_t i);

/* The bytes of the batch that have arrived, of sources from which nothing more will come. */
double sim_batch_over(const struct sim *s, const struct fetch *f);

/* Gives the reader the tasks that have arrived by flows that are over. */
void sim_batch_keep(struct sim *s, uint32_t i);

/* ---- locations of outputs (sim_source.c) ---- */

/* The node from which this reader's node reads an output, the nearest of its replicas; NODE_NONE.v
 * if there is none. `attempt` is that of the output. */
uint32_t sim_source_node(const struct sim *s, const struct sim_task *task, uint16_t attempt,
                         uint32_t reader_node);

/* The attempt whose output is the committed one of a committed task. */
uint16_t sim_source_attempt(const struct sim *s, const struct sim_task *task);

/* The locations of the committed outputs of a phase whose tasks are all committed. Valid until one
 * of them is lost. */
struct source_list *sim_source_all(struct sim *s, struct sim_phase *phase);

/* The locations for the tasks of a batch (bit t - from), as near to the node as possible. Valid
 * until the next call. */
struct source_list *sim_source_batch(struct sim *s, const struct sim_phase *phase,
                                     const uint64_t *batch, uint32_t from, uint32_t to,
                                     uint32_t reader_node);

/* The number of outputs on a node of the rack. */
uint32_t sim_source_count(const struct source_list *list, const struct source_rack *rack,
                          uint32_t node);

/* The spread of the network for a wide flow of this rack. */
uint32_t sim_source_spread(struct sim *s, struct source_list *list, struct source_rack *rack);

/* Forgets the locations of the outputs of the phase. */
void sim_source_forget(struct sim *s, struct sim_phase *phase);

/* ---- the input of jobs (sim_input.c) ---- */

/* Returns true if attempts of this task read input of their own over the network. */
bool sim_input_reads(const struct sim *s, const struct phase_spec *spec, uint32_t task);

/* Begins to read the input of a reader whose start-up is over. */
void sim_input_begin(struct sim *s, struct sim_reader *r);

/* Stops the flow of a reader's input, if there is one. */
void sim_input_stop(struct sim *s, struct sim_reader *r);

/* Redirects attempts elsewhere that read a job's input from a node that is down. */
void sim_input_node_down(struct sim *s, uint32_t node);

/* ---- links between racks (sim_sample.c) ---- */

void sim_sample_init(struct sim *s);
void sim_sample_wake(struct sim *s); /* after a sleep */

/* Writes a link_sample for each rack's link that has changed, and does so again later. */
void sim_sample_due(struct sim *s);

/* ---- fetches, their readers and their phases ---- */

static inline bool bit_get(const uint64_t *bits, uint32_t i)
{
    return bits && (bits[i / 64] >> (i % 64) & 1);
}

static inline void bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline uint32_t bit_words(uint32_t count)
{
    return count / 64 + 1;
}

static inline struct fetch *fetch_at(const struct sim *s, uint32_t i)
{
    return &s->reads->fetches.at[i];
}

static inline struct sim_reader *fetch_reader(const struct sim *s, const struct fetch *f)
{
    return s->reads->readers.at[f->reader];
}

static inline struct sim_upstream *fetch_upstream(const struct sim *s, const struct fetch *f)
{
    return &fetch_reader(s, f)->upstreams[f->upstream];
}

/* The phase it reads from. */
static inline struct sim_phase *fetch_phase(const struct sim *s, const struct fetch *f)
{
    return sim_phase_of(s, f->source);
}

static inline bool fetch_is_all(const struct fetch *f)
{
    return f->source.task == TASK_ALL;
}

static inline bool sim_upstream_has(const struct sim_upstream *in, uint32_t task)
{
    return in->got == in->to - in->from || bit_get(in->have, task - in->from);
}

/* Sets the purpose of a flow. */
static inline void sim_flow_set(struct sim *s, uint32_t flow, struct sim_flow is)
{
    while (s->reads->flows.count <= flow)
        vec_push(&s->reads->flows, ((struct sim_flow){0}));
    s->reads->flows.at[flow] = is;
}
