/* dolly_journal.c - journals of dolly as traces: the times of attempts, without decisions.
 * docs/reference/formats/journal.md
 *
 * The event of an attempt's end has its duration, so running attempts need no state. Jobs of
 * different runs have the same numbers; their names begin with a hash of the run's description, so
 * that several journals can be one trace, and a journal that is given twice counts once. */
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_reader.h"

struct journal_state {
    struct journal_reader *reader;
    uint64_t job_hash; /* the hash */
    VEC(char *) nodes; /* their names by number; NULL: not known */
    bool is_bad;
};

static int detect(const char *at, size_t length, bool is_all)
{
    (void)is_all;
    bool is = length >= JOURNAL_MAGIC_BYTES && !memcmp(at, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES);
    return is ? 100 : 0;
}

static struct row_text text_of(const char *text)
{
    return (struct row_text){text ? text : "", text ? strlen(text) : 0};
}

static struct row_text job_name(const struct journal_state *s, struct table_text *to,
                                struct job_id id)
{
    int n = snprintf(to->at, sizeof to->at, "%016llx.%u", (unsigned long long)s->job_hash, id.v);
    return (struct row_text){to->at, (size_t)n};
}

/* What a node is called, or what clusters without names call it. */
static struct row_text node_name(const struct journal_state *s, struct table_text *to,
                                 struct node_id id)
{
    const char *name = id.v < s->nodes.count ? s->nodes.at[id.v] : NULL;
    return name ? text_of(name) : table_number(to, "n", id.v);
}

static void keep_name(struct journal_state *s, struct node_id id, const char *name)
{
    if (!name || !*name || id.v >= NODES_MAX)
        return;
    while (s->nodes.count <= id.v)
        vec_push(&s->nodes, NULL);
    mem_free(s->nodes.at[id.v]);
    s->nodes.at[id.v] = mem_strdup(name);
}

/* ---- jobs ---- */

/* What tasks read, and on which nodes it lies. */
static void give_inputs(struct feed_reader *r, const struct journal_state *s,
                        const struct row *phase, const struct phase_spec *p)
{
    struct table_text number, node;
    struct row_bytes hosts = {0};
    for (uint32_t t = 0; t < p->tasks; t++) {
        struct row row = row_blank(ROW_TASK, phase->job);
        row.phase = phase->phase;
        row.task = table_number(&number, "", t);
        if (p->input_each)
            row.input_bytes = p->input_each[t];
        vec_clear(&hosts.at);
        for (uint32_t i = p->replica_from ? p->replica_from[t] : 0;
             p->replica_from && i < p->replica_from[t + 1]; i++) {
            struct row_text host = node_name(s, &node, p->replicas[i]);
            row_bytes_put(&hosts, host.at, host.length);
            row_bytes_put(&hosts, "\n", 1);
        }
        row.hosts = (struct row_text){hosts.at.at, hosts.at.count};
        feed_row(r, &row);
    }
    vec_free(&hosts.at);
}

static void give_phase(struct feed_reader *r, const struct journal_state *s, struct row_text job,
                       const struct job_spec *spec, uint16_t index)
{
    const struct phase_spec *p = &spec->phases[index];
    struct table_text number, parent;
    struct row_bytes parents = {0};
    struct row row = row_blank(ROW_PHASE, job);
    row.phase = table_number(&number, "", index);
    row.name = text_of(p->name);
    row.tasks = p->tasks;
    row.cpu = (double)p->demand.v[RES_CPU] / RES_SLOT;
    if (p->demand.v[RES_MEM] > 0)
        row.mem = (double)p->demand.v[RES_MEM] * (1 << 20);
    if (!p->input_each && p->input_bytes > 0 && p->input_bytes <= INT64_MAX / p->tasks)
        row.input_bytes = p->input_bytes * p->tasks;
    for (uint16_t e = 0; e < p->edge_count; e++) {
        struct row_text from = table_number(&parent, "", p->edges[e].from);
        row_bytes_put(&parents, from.at, from.length);
        row_bytes_put(&parents, "\n", 1);
    }
    row.parents = (struct row_text){parents.at.at, parents.at.count};
    feed_row(r, &row);
    if (p->input_each || p->replica_from)
        give_inputs(r, s, &row, p);
    vec_free(&parents.at);
}

static void give_job(struct feed_reader *r, const struct journal_state *s, int64_t now_us,
                     const struct job_spec *spec)
{
    struct table_text name;
    struct row row = row_blank(ROW_JOB, job_name(s, &name, spec->id));
    row.name = text_of(spec->name);
    row.app = text_of(spec->app);
    row.user = text_of(spec->user);
    row.queue = text_of(spec->queue);
    row.submit_us = spec->arrived_us >= 0 ? spec->arrived_us : now_us;
    feed_row(r, &row);
    for (uint16_t p = 0; p < spec->phase_count; p++)
        give_phase(r, s, row.job, spec, p);
}

/* ---- attempts and nodes ---- */

static enum row_end end_of(uint8_t type)
{
    switch (type) {
    case EV_ATTEMPT_FINISHED:
        return ROW_DONE;
    case EV_ATTEMPT_FAILED:
        return ROW_FAILED;
    case EV_ATTEMPT_KILLED:
        return ROW_KILLED;
    default:
        return ROW_LOST;
    }
}

static void give_attempt(struct feed_reader *r, const struct journal_state *s, int64_t now_us,
                         const struct event *e)
{
    struct table_text job, phase, task, node;
    struct row row = row_blank(ROW_ATTEMPT, job_name(s, &job, e->at.job));
    if (!feed_check(r, e->u.use.wall_us >= 0 && e->u.use.wall_us <= now_us, TROUBLE_NUMBER))
        return;
    row.phase = table_number(&phase, "", e->at.phase);
    row.task = table_number(&task, "", e->at.task);
    row.node = table_number(&node, "", e->node.v);
    row.attempt = e->at.attempt;
    row.start_us = now_us - e->u.use.wall_us;
    row.end_us = now_us;
    row.end = end_of(e->type);
    if (row.end == ROW_DONE && e->u.use.written_bytes >= 0)
        row.output_bytes = e->u.use.written_bytes;
    feed_row(r, &row);
}

static void give_node(struct feed_reader *r, struct journal_state *s, const struct event *e)
{
    struct table_text number;
    const struct res *has = &e->u.node.capacity;
    keep_name(s, e->node, e->u.node.name);
    feed_machine(r, node_name(s, &number, e->node), (double)has->v[RES_CPU] / RES_SLOT,
                 has->v[RES_MEM] > 0 ? (double)has->v[RES_MEM] * (1 << 20) : -1);
    feed_rack(r, table_number(&number, "", e->u.node.rack));
}

/* ---- records ---- */

static void take_record(struct feed_reader *r, struct journal_state *s, const struct record *record)
{
    const struct event *e = &record->u.event;
    if (record->type == RECORD_RUN) {
        s->job_hash = hash_bytes(HASH_START, &record->u.run.seed, sizeof record->u.run.seed);
        s->job_hash ^= hash_text(record->u.run.policy) + 3 * hash_text(record->u.run.about);
    }
    if (record->type != RECORD_EVENT)
        return;
    feed_at(r, journal_reader_byte(s->reader));
    if (e->type == EV_JOB_SUBMITTED)
        give_job(r, s, record->now_us, e->u.job);
    else if (event_is_ending(e->type))
        give_attempt(r, s, record->now_us, e);
    else if (e->type == EV_NODE_UP)
        give_node(r, s, e);
}

static void take_bytes(struct feed_reader *r, void *state, const char *at, size_t length)
{
    struct journal_state *s = state;
    struct record record;
    struct err err;
    int got;
    if (s->is_bad)
        return;
    if (!s->reader)
        s->reader = journal_reader_open_fed("");
    journal_reader_feed(s->reader, at, length);
    while ((got = journal_reader_next(s->reader, &record, &err)) > 0)
        take_record(r, s, &record);
    if (got < 0) {
        feed_at(r, journal_reader_byte(s->reader));
        feed_bad(r, TROUBLE_RECORD);
        s->is_bad = true;
    }
}

static void end_part(struct feed_reader *r, void *state)
{
    struct journal_state *s = state;
    if (s->reader && !s->is_bad && journal_reader_unread(s->reader) > 0) {
        feed_at(r, journal_reader_byte(s->reader));
        feed_bad(r, TROUBLE_RECORD);
    }
    journal_reader_close(s->reader);
    vec_free_each(&s->nodes);
}

const struct import_format dolly_journal_format = {
    .name = "journal",
    .help = "journals of dolly, of simulated and real runs",
    .detect = detect,
    .state = sizeof(struct journal_state),
    .bytes = take_bytes,
    .end = end_part,
};
