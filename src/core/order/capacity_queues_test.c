#include "core/order/capacity_queues.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "tests/unit/test.h"

/* What is said about the text; "" when it is taken. */
static const char *take(struct capacity_queues *q, const char *text)
{
    static struct err err;
    err = (struct err){0};
    return capacity_queues_take(q, text, &err) == 0 ? "" : err.text;
}

static bool shows(const struct capacity_queues *q, const char *text)
{
    struct str out = {0};
    capacity_queues_show(q, &out);
    bool same = strcmp(out.text, text) == 0;
    str_free(&out);
    return same;
}

static uint32_t find(const struct capacity_queues *q, const char *name)
{
    return capacity_queues_find(q, hash_fold(hash_text(name)));
}

TEST(capacity_queues_are_read_and_written)
{
    static struct capacity_queues q;
    expect(!*take(&q, "prod:60:90,dev:33.5:100"));
    expect(q.written == 2 && q.at[0].guaranteed == 60000 && q.at[0].maximum == 90000);
    expect(strcmp(q.at[1].name, "dev") == 0 && q.at[1].guaranteed == 33500);
    expect(shows(&q, "prod:60:90,dev:33.5:100"));
    expect(!*take(&q, "a:b:33.333:33.333,c:33.333:100,d:33.334:100"));
    expect(strcmp(q.at[0].name, "a:b") == 0 && q.at[0].maximum == 33333);
    expect(shows(&q, "a:b:33.333:33.333,c:33.333:100,d:33.334:100"));
}

TEST(capacity_queues_that_are_not_there_are_default)
{
    static struct capacity_queues q;
    expect(!*take(&q, "prod:60:90,dev:15:100"));
    expect(q.count == 3 && q.fallback == 2 && q.at[2].guaranteed == 25000);
    expect(q.at[2].maximum == CAPACITY_WHOLE);
    expect(find(&q, "prod") == 0 && find(&q, "dev") == 1);
    expect(find(&q, "default") == 2 && find(&q, "Prod") == 2);
    expect(!*take(&q, "default:10:20,prod:90:100"));
    expect(q.count == 2 && find(&q, "other") == 0 && find(&q, "prod") == 1);
    expect(!*take(&q, "prod:100:100"));
    expect(q.count == 2 && q.at[1].guaranteed == 0);
}

TEST(capacity_queues_refuse_in_one_line)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "'': expected NAME:GUARANTEED:MAXIMUM in per cent, such as prod:60:90"},
        {"prod", "'prod': expected NAME:"},
        {"prod:60", "'prod:60': expected NAME:"},
        {":60:90", "':60:90': expected NAME:"},
        {"a b:60:90", "'a b:60:90': expected NAME:"},
        {"prod:60:x", "'prod:60:x': expected NAME:"},
        {"prod:-1:90", "'prod:-1:90': expected NAME:"},
        {"prod:60:101", "'prod:60:101': expected NAME:"},
        {"prod:nan:90", "'prod:nan:90': expected NAME:"},
        {"prod:60:90,", "'': expected NAME:"},
        {"prod:0:90", "prod:0:90: the guaranteed share must be"},
        {"prod:0.0004:90", "prod:0.0004:90: the guaranteed share must be"},
        {"prod:60:59", "prod:60:59: the maximum is below the guaranteed share"},
        {"a:10:20,b:1:2,a:10:20", "the queue a twice"},
        {"a:60:90,b:40.001:90", "100.001 per cent are guaranteed; expected at most 100"},
    };
    static struct capacity_queues q;
    take(&q, "a:50:50");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *said = take(&q, bad[i].text);
        if (strncmp(said, bad[i].message, strlen(bad[i].message)))
            printf("'%s' says '%s'\n", bad[i].text, said);
        expect(!strncmp(said, bad[i].message, strlen(bad[i].message)));
        expect(shows(&q, "a:50:50"));
    }
}

TEST(capacity_queues_are_at_most_so_many)
{
    static struct capacity_queues q;
    struct str text = {0};
    for (int i = 0; i < CAPACITY_QUEUES_MAX; i++)
        str_addf(&text, "%sq%d:1:1", i ? "," : "", i);
    expect(!*take(&q, text.text) && q.count == CAPACITY_QUEUES_MAX + 1);
    str_add(&text, ",more:1:1");
    expect(!strcmp(take(&q, text.text), "expected at most 64 queues"));
    str_free(&text);
}

TEST(capacity_queues_compare_by_dominant_share)
{
    static struct capacity_queues q;
    struct res_sum all = {{10000, 4096, 0, 0}}, held = {{2000, 2048, 0, 0}}, none = {{0}};
    take(&q, "prod:50:90,dev:25:100,rest:25:25");
    expect(capacity_queues_fill(&q.at[0], &held, &all) == 1); /* half the memory, half guaranteed */
    expect(capacity_queues_fill(&q.at[1], &held, &all) == 2);
    expect(capacity_queues_fill(&q.at[1], &none, &all) == 0);
    expect(capacity_queues_fill(&q.at[1], &held, &none) == 0);
    expect(isinf(capacity_queues_fill(&q.at[3], &none, &all)));
}

/* Whether a queue that holds `held` of `all` may take one more of this. */
static bool takes(const struct capacity_queue *q, struct res_sum held, struct res_sum all, int cpu,
                  int mem)
{
    struct res room = capacity_queues_allowance(q, &held, &all);
    return res_fits(&(struct res){{cpu, mem, 0, 0}}, &room);
}

TEST(capacity_queues_stay_within_their_maximum)
{
    static struct capacity_queues q;
    struct res_sum all = {{10000, 4096, 0, 0}}, held = {{4000, 1024, 0, 0}}, none = {{0}};
    take(&q, "half:50:50,tiny:1:1,whole:49:100");
    expect(takes(&q.at[0], held, all, 1000, 1024));
    expect(!takes(&q.at[0], held, all, 1001, 1024) && !takes(&q.at[0], held, all, 1000, 1025));
    /* Memory is no obstacle to those who want none. */
    held.v[RES_MEM] = 4096;
    expect(takes(&q.at[0], held, all, 1000, 0) && !takes(&q.at[0], held, all, 1000, 1));
    /* One at a time, though one is more than its maximum. */
    expect(takes(&q.at[1], none, all, 1000, 0) && !takes(&q.at[1], held, all, 1000, 0));
    /* The cluster has become smaller than what it runs; other nodes have room all the same. */
    held.v[RES_CPU] = 12000;
    expect(takes(&q.at[2], held, all, 1000, 0));
    /* As large as clusters get: a million nodes of a thousand million. */
    all.v[RES_CPU] = INT64_C(1000000) * 1000000000;
    held.v[RES_CPU] = all.v[RES_CPU] / 2 - 7;
    expect(takes(&q.at[0], held, all, 7, 0) && !takes(&q.at[0], held, all, 8, 0));
}
