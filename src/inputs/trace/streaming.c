/* streaming.c - jobs in order of arrival, without a spool.
 *
 * Jobs of one instant are handed out by name, as from the spool; so those of one instant are held
 * until the first later one is read. A line out of order is left out. Two lines are the same job if
 * they are the same line: only those of one instant have to be remembered to see that. */
#include "inputs/trace/streaming.h"

#include "base/hash.h"
#include "base/mem.h"

static int stream_row(void *ctx, const struct row *row, struct err *err)
{
    struct streaming *s = ctx;
    (void)err;
    if (s->bundle.rows.count == 0)
        s->line_us = INT64_MAX;
    if (row->submit_us != ROW_UNKNOWN && row->submit_us < s->line_us)
        s->line_us = row->submit_us;
    bundle_add(&s->bundle, row);
    return 0;
}

void streaming_init(struct streaming *s, const struct import_options *options,
                    struct trouble *trouble, struct draft_context context)
{
    *s = (struct streaming){
        .trouble = trouble, .held_us = -1, .seen_us = -1, .memory = options->memory / 4};
    s->feed = feed_create(options, trouble, NULL, stream_row, s);
    s->assemble = assemble_create(context);
}

void streaming_fini(struct streaming *s)
{
    feed_destroy(s->feed);
    assemble_destroy(s->assemble);
    bundle_fini(&s->bundle);
    vec_free(&s->bytes.at);
    for (uint32_t i = s->next; i < s->held.count; i++)
        mem_free(s->held.at[i].packed);
    mem_free(s->ahead.packed);
    vec_free(&s->held);
    lookup_fini(&s->seen);
    vec_free(&s->hashes);
}

static int by_name(const void *a, const void *b)
{
    const struct streaming_job *x = a, *y = b;
    uint32_t n = x->key < y->key ? x->key : y->key;
    int c = memcmp(x->packed, y->packed, n);
    return c ? c : (x->key > y->key) - (x->key < y->key);
}

/* Whether a job with this key has come at this time already. */
static bool is_again(struct streaming *s, int64_t at_us, const struct row_bytes *key)
{
    uint64_t hash = hash_bytes(HASH_START, key->at.at, key->at.count);
    if (at_us != s->seen_us) {
        for (uint32_t i = 0; i < s->hashes.count; i++)
            lookup_remove(&s->seen, s->hashes.at[i]);
        vec_clear(&s->hashes);
        s->seen_us = at_us;
    }
    if (lookup_get(&s->seen, hash) != LOOKUP_NONE)
        return true;
    lookup_put(&s->seen, hash, 1);
    vec_push(&s->hashes, hash);
    return false;
}

/* The line at hand is left out, with all its rows. */
static void drop_line(struct streaming *s, enum trouble_kind kind, uint64_t where)
{
    for (uint32_t i = 0; i < s->bundle.rows.count; i++)
        trouble_add(s->trouble, kind, where, true);
    bundle_clear(&s->bundle);
}

/* The job of the next line that has one, in order: 1, 0 at the end, -1 with *err. */
static int read_job(struct streaming *s, struct streaming_job *job, int64_t *arrived_us,
                    struct err *err)
{
    for (int got = 1; got > 0;) {
        got = s->is_over ? 0 : feed_step(s->feed, err);
        if (got < 0)
            return -1;
        s->is_over = got == 0;
        if (s->bundle.rows.count == 0)
            continue;
        bundle_sort(&s->bundle);
        struct row first = bundle_first(&s->bundle);
        vec_clear(&s->bytes.at);
        row_job_key(&first, &s->bytes);
        uint32_t key = s->bytes.at.count;
        if (s->line_us < s->held_us) {
            drop_line(s, TROUBLE_ORDER, first.where);
            continue;
        }
        if (is_again(s, s->line_us, &s->bytes)) {
            drop_line(s, TROUBLE_DUPLICATE, first.where);
            continue;
        }
        if (!bundle_job(&s->bundle, s->assemble, &s->bytes, arrived_us))
            continue;
        *job = (struct streaming_job){mem_copy(s->bytes.at.at, s->bytes.at.count, 1),
                                      s->bytes.at.count, key};
        return 1;
    }
    return 0;
}

/* Fills `held` with the jobs of the next arrival. -1 with *err. */
static int gather(struct streaming *s, struct err *err)
{
    vec_clear(&s->held);
    s->next = 0;
    s->held_bytes = 0;
    if (s->ahead.packed) {
        vec_push(&s->held, s->ahead);
        s->held_us = s->ahead_us;
        s->ahead.packed = NULL;
    }
    while (!s->ahead.packed) {
        struct streaming_job job;
        int64_t us;
        int got = read_job(s, &job, &us, err);
        if (got <= 0)
            return got;
        if (s->held.count == 0)
            s->held_us = us;
        if (us == s->held_us) {
            vec_push(&s->held, job);
            s->held_bytes += job.length;
        } else {
            s->ahead = job;
            s->ahead_us = us;
        }
        s->is_crowded = s->held.count > 1 && s->held_bytes > s->memory;
        if (s->is_crowded)
            return err_set(err, "more jobs arrive at one time than fit into --memory");
    }
    return 0;
}

int streaming_next(struct streaming *s, struct streaming_job *out, struct err *err)
{
    if (s->next == s->held.count) {
        if (gather(s, err) < 0)
            return -1;
        vec_sort(&s->held, by_name);
    }
    if (s->next == s->held.count)
        return 0;
    *out = s->held.at[s->next++];
    return 1;
}
