/* survey.c - counts, and samples of bounded size.
 *
 * A sample keeps the values whose ticket is below a limit. When it is full the limit is halved, and
 * about half of the values are dropped. Tickets are hashes of names, so the sample does not depend
 * on the order of arrival. Up to SAMPLE_MAX values it has all of them. */
#include "inputs/trace/survey.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/stat.h"

enum { SAMPLE_MAX = 1 << 18, NODES_MAX_KNOWN = 1 << 22, GROUP_MIN = 4 };

struct survey *survey_create(void)
{
    struct survey *s = mem_zalloc(1, sizeof *s);
    s->first_us = INT64_MAX;
    s->last_us = s->trace_end_us = INT64_MIN;
    return s;
}

void survey_destroy(struct survey *s)
{
    if (!s)
        return;
    struct survey_sample *all[] = {&s->ratios,      &s->spread,      &s->span_ratios, &s->job_tasks,
                                   &s->job_phases,  &s->phase_tasks, &s->first_tasks, &s->times,
                                   &s->job_shuffle, &s->job_input};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vec_free(all[i]);
    lookup_fini(&s->nodes);
    lookup_fini(&s->hosts);
    vec_free(&s->host_hashes);
    mem_free(s);
}

struct workload_cut survey_cut(const struct survey *s)
{
    return (struct workload_cut){s->work_us, s->censored_us, s->censored + s->phases_drawn};
}

/* Spreads the bits of a hash over the whole range. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9fb21c651e98df25);
    return x ^ x >> 28;
}

void survey_put(struct survey_sample *s, uint64_t ticket, double value)
{
    ticket = mix(ticket);
    if (s->limit > 0 && ticket >= s->limit)
        return;
    while (s->count == SAMPLE_MAX) {
        uint32_t kept = 0;
        s->limit = s->limit ? s->limit / 2 : UINT64_C(1) << 63;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->at[i].ticket < s->limit)
                s->at[kept++] = s->at[i];
        s->count = kept;
        if (ticket >= s->limit)
            return;
    }
    vec_push(s, ((struct survey_value){ticket, value}));
}

void survey_group(struct survey *s, const double *times, uint32_t count, uint64_t ticket)
{
    if (count < GROUP_MIN)
        return;
    double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    uint32_t slow = 0;
    while (slow < count && times[count - 1 - slow] > 2 * median)
        slow++;
    s->groups++;
    s->groups_slow += slow > 0;
    s->group_tasks += count;
    s->group_tasks_slow += slow;
    if (median <= 0)
        return;
    survey_put(&s->ratios, ticket, times[count - 1] / median);
    for (uint32_t i = 0; i < count; i++)
        if (times[i] > 0)
            survey_put(&s->spread, ticket + i * UINT64_C(0x9e3779b97f4a7c15), times[i] / median);
}

void survey_bytes(struct survey *s, const int64_t *bytes, uint32_t count)
{
    if (count < GROUP_MIN)
        return;
    double *sorted = mem_zalloc(count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (double)bytes[i];
    stat_sort(sorted, count);
    s->byte_groups++;
    s->byte_groups_slow += sorted[count - 1] > sorted[(count - 1) / 2] + sorted[count / 2];
    mem_free(sorted);
}

void survey_node(struct survey *s, struct row_text name)
{
    if (name.length == 0 || s->nodes.count >= NODES_MAX_KNOWN)
        return;
    lookup_put(&s->nodes, hash_bytes(HASH_START, name.at, name.length), 1);
}

void survey_host(struct survey *s, uint64_t hash)
{
    if (s->hosts.count >= NODES_MAX_KNOWN || lookup_get(&s->hosts, hash) != LOOKUP_NONE)
        return;
    lookup_put(&s->hosts, hash, s->host_hashes.count);
    vec_push(&s->host_hashes, hash);
}

double *survey_values(const struct survey_sample *s)
{
    double *at = mem_zalloc(s->count, sizeof *at);
    for (uint32_t i = 0; i < s->count; i++)
        at[i] = s->at[i].value;
    stat_sort(at, s->count);
    return at;
}

double survey_quantile(const struct survey_sample *s, double q)
{
    if (s->count == 0)
        return NAN;
    double *at = survey_values(s), value = at[stat_rank(s->count, q)];
    mem_free(at);
    return value;
}

double survey_hill(const struct survey_sample *s, double share)
{
    double *at = survey_values(s);
    size_t zeros = 0;
    while (zeros < s->count && at[zeros] <= 0)
        zeros++;
    size_t n = s->count - zeros, top = (size_t)((double)n * share);
    double hill = top > 0 ? stat_hill(at + zeros, n, n - top) : NAN;
    mem_free(at);
    return hill;
}

double survey_share(const struct survey_sample *s, double most)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += s->at[i].value <= most;
    return s->count ? (double)n / s->count : NAN;
}
