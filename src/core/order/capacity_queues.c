/* capacity_queues.c - queues from text and back, and how they compare.
 *
 * Per cents are kept in thousandths, as whole numbers: three queues of 33.333 are not more than
 * 100. */
#include "core/order/capacity_queues.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

#define FALLBACK "default"
#define FORM "expected NAME:GUARANTEED:MAXIMUM in per cent, such as prod:60:90"

enum { MILLI = 1000 };

/* ---- text ---- */

static bool read_percent(const char *text, int32_t *value)
{
    double percent;
    if (!text_real(text, &percent) || !(percent >= 0 && percent <= 100))
        return false;
    *value = (int32_t)lround(percent * MILLI);
    return true;
}

/* Cuts the last ":..." off and returns what stands behind the colon; NULL: there is none. */
static const char *cut_last(char *text)
{
    char *colon = strrchr(text, ':'); /* names may have colons, too */
    if (!colon)
        return NULL;
    *colon = '\0';
    return colon + 1;
}

static int read_queue(struct capacity_queue *q, const char *text, struct err *err)
{
    char copy[sizeof q->name + 64];
    if (strlen(text) >= sizeof copy)
        return err_set(err, "%.40s...: " FORM, text);
    memcpy(copy, text, strlen(text) + 1);
    const char *maximum = cut_last(copy), *guaranteed = maximum ? cut_last(copy) : NULL;
    if (!guaranteed || !field_name_ok(copy) || !read_percent(guaranteed, &q->guaranteed) ||
        !read_percent(maximum, &q->maximum))
        return err_set(err, "'%s': " FORM, text);
    if (q->guaranteed == 0)
        return err_set(err, "%s: the guaranteed share must be at least 0.001 per cent", text);
    if (q->maximum < q->guaranteed)
        return err_set(err, "%s: the maximum is below the guaranteed share", text);
    memcpy(q->name, copy, strlen(copy) + 1);
    q->hash = hash_fold(hash_text(copy));
    return 0;
}

static bool is_there(const struct capacity_queues *queues, const struct capacity_queue *q)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if (queues->at[i].hash == q->hash)
            return true;
    return false;
}

/* What the others leave goes to `default` where that was not written. */
static void add_fallback(struct capacity_queues *queues, int32_t left)
{
    struct capacity_queue q = {FALLBACK, hash_fold(hash_text(FALLBACK)), left, CAPACITY_WHOLE};
    queues->written = queues->count;
    if (!is_there(queues, &q))
        queues->at[queues->count++] = q;
    queues->fallback = 0;
    while (queues->at[queues->fallback].hash != q.hash)
        queues->fallback++;
}

static int read_all(struct capacity_queues *queues, char *rest, struct err *err)
{
    int32_t sum = 0;
    for (char *text; (text = strsep(&rest, ","));) {
        struct capacity_queue *q = &queues->at[queues->count];
        if (queues->count == CAPACITY_QUEUES_MAX)
            return err_set(err, "expected at most %d queues", CAPACITY_QUEUES_MAX);
        if (read_queue(q, text, err) < 0)
            return -1;
        if (is_there(queues, q))
            return err_set(err, "the queue %s twice", q->name);
        sum += q->guaranteed;
        queues->count++;
    }
    if (sum > CAPACITY_WHOLE)
        return err_set(err, "%.6g per cent are guaranteed; expected at most 100",
                       (double)sum / MILLI);
    add_fallback(queues, CAPACITY_WHOLE - sum);
    return 0;
}

int capacity_queues_take(void *member, const char *text, struct err *err)
{
    struct capacity_queues *queues = mem_zalloc(1, sizeof *queues);
    char *copy = mem_strdup(text);
    int result = read_all(queues, copy, err);
    if (result == 0)
        memcpy(member, queues, sizeof *queues);
    mem_free(copy);
    mem_free(queues);
    return result;
}

void capacity_queues_show(const void *member, struct str *out)
{
    const struct capacity_queues *queues = member;
    for (uint32_t i = 0; i < queues->written; i++) {
        const struct capacity_queue *q = &queues->at[i];
        str_addf(out, "%s%s:%.6g:%.6g", i ? "," : "", q->name, (double)q->guaranteed / MILLI,
                 (double)q->maximum / MILLI);
    }
}

/* ---- shares ---- */

uint32_t capacity_queues_find(const struct capacity_queues *queues, uint32_t hash)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if (queues->at[i].hash == hash)
            return i;
    return queues->fallback;
}

double capacity_queues_fill(const struct capacity_queue *q, const struct res_sum *held,
                            const struct res_sum *all)
{
    double share = 0;
    for (int i = 0; i < RES_COUNT; i++)
        if (held->v[i] > 0 && all->v[i] > 0)
            share = fmax(share, (double)held->v[i] / (double)all->v[i]);
    return q->guaranteed > 0 ? share * CAPACITY_WHOLE / q->guaranteed : INFINITY;
}

/* A share of a number, rounded down. In two steps, since the product may not fit. */
static int64_t share_of(int64_t all, int32_t share)
{
    return all / CAPACITY_WHOLE * share + all % CAPACITY_WHOLE * share / CAPACITY_WHOLE;
}

struct res capacity_queues_allowance(const struct capacity_queue *q, const struct res_sum *held,
                                     const struct res_sum *all)
{
    struct res allowance;
    bool limited = q->maximum < CAPACITY_WHOLE, empty = true;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t left = share_of(all->v[i], q->maximum) - held->v[i];
        empty &= held->v[i] == 0;
        allowance.v[i] = (int32_t)(left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : left);
    }
    /* Without a maximum, what is held may be more than what is there: nodes get smaller. */
    for (int i = 0; i < RES_COUNT && (empty || !limited); i++)
        allowance.v[i] = INT32_MAX;
    return allowance;
}
