#include "report/attempt_log.h"

#include <stdlib.h>

#include "model/decision.h"

void attempt_log_fini(struct attempt_log *l)
{
    vec_free(&l->open);
    vec_free(&l->closed);
    vec_free(&l->free);
}

uint32_t attempt_log_open(struct attempt_log *l, const struct attempt_row_shown *row)
{
    uint32_t place = vec_take(&l->open, &l->free);

    l->open.at[place] = *row;
    return place;
}

void attempt_log_read(struct attempt_row_shown *r, const struct attempt_read *read)
{
    uint32_t at = r->reads < ATTEMPT_LOG_READS ? r->reads : ATTEMPT_LOG_READS;

    r->reads++;
    if (at == ATTEMPT_LOG_READS && r->longest[at - 1].took_s >= read->took_s)
        return;
    at -= at == ATTEMPT_LOG_READS;
    for (; at > 0 && r->longest[at - 1].took_s < read->took_s; at--)
        r->longest[at] = r->longest[at - 1];
    r->longest[at] = *read;
}

static bool is_telling(const struct attempt_row_shown *r)
{
    return r->kind == LAUNCH_CLONE || r->kind == LAUNCH_BACKUP || r->fate == FATE_FAILED ||
           r->fate == FATE_LOST;
}

static int64_t length_us(const struct attempt_row_shown *r)
{
    return r->ended_us - r->launched_us;
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Leaves out the shorter half, telling ones only when there is no other way. */
static void thin(struct attempt_log *l)
{
    VEC(int64_t) lengths = {0};
    uint32_t plain = 0, kept = 0;

    for (uint32_t i = 0; i < l->closed.count; i++)
        plain += !is_telling(&l->closed.at[i]);
    bool all = plain < l->closed.count / 4;
    for (uint32_t i = 0; i < l->closed.count; i++)
        if (all || !is_telling(&l->closed.at[i]))
            vec_push(&lengths, length_us(&l->closed.at[i]));
    qsort(lengths.at, lengths.count, sizeof *lengths.at, by_length);
    int64_t limit_us = lengths.at[lengths.count / 2];
    vec_free(&lengths);
    if (limit_us + 1 > l->shortest_us)
        l->shortest_us = limit_us + 1;
    for (uint32_t i = 0; i < l->closed.count; i++) {
        const struct attempt_row_shown *r = &l->closed.at[i];
        if (length_us(r) >= l->shortest_us || (!all && is_telling(r)))
            l->closed.at[kept++] = *r;
    }
    l->closed.count = kept;
}

void attempt_log_close(struct attempt_log *l, uint32_t place)
{
    const struct attempt_row_shown *r = &l->open.at[place];

    l->count++;
    if (length_us(r) >= l->shortest_us || is_telling(r))
        vec_push(&l->closed, *r);
    vec_push(&l->free, place);
    if (l->closed.count > (l->max ? l->max : ATTEMPT_LOG_MAX))
        thin(l);
}
