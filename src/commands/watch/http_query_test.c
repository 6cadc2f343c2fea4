#include "commands/watch/http_query.h"

#include <string.h>

#include "tests/unit/test.h"

/* Takes "key=value" as the only part of a query. */
static bool takes(enum http_route route, const char *key, const char *value, struct http_query *q)
{
    http_query_init(q);
    return http_query_take(q, route, key, value);
}

TEST(http_query_takes_the_keys_of_its_route)
{
    struct http_query q;

    expect(takes(ROUTE_JOBS, "state", "open", &q) && strcmp(q.state, "open") == 0);
    expect(takes(ROUTE_TASKS, "state", "running", &q) && strcmp(q.state, "running") == 0);
    expect(takes(ROUTE_TASKS, "after", "12", &q) && q.after == 12 && q.limit == HTTP_QUERY_LIMIT);
    expect(takes(ROUTE_JOBS, "limit", "10000", &q) && q.limit == 10000 && q.after == -1);
    expect(takes(ROUTE_STDERR, "tail", "3", &q) && q.tail == 3);
    expect(takes(ROUTE_SERIES, "from", "1.5", &q) && q.from_us == 1500000 && q.to_us == INT64_MAX);
    expect(takes(ROUTE_SERIES, "to", "0", &q) && q.to_us == 0);
    expect(takes(ROUTE_SERIES, "steps", "2048", &q) && q.steps == 2048);
    expect(takes(ROUTE_EVENTS, "only", "sums", &q) && strcmp(q.only, "sums") == 0);
}

TEST(http_query_refuses_what_it_does_not_understand)
{
    static const struct {
        enum http_route route;
        const char *key, *value;
    } wrong[] = {
        {ROUTE_JOBS, "state", "running"},
        {ROUTE_TASKS, "state", "open"},
        {ROUTE_JOBS, "state", "Open"},
        {ROUTE_JOBS, "state", NULL},
        {ROUTE_JOBS, "State", "open"},
        {ROUTE_JOBS, "after", "-1"},
        {ROUTE_JOBS, "after", "1x"},
        {ROUTE_JOBS, "after", "99999999999999999999"},
        {ROUTE_JOBS, "limit", "0"},
        {ROUTE_JOBS, "limit", "10001"},
        {ROUTE_STDERR, "tail", "21"},
        {ROUTE_STDERR, "tail", ""},
        {ROUTE_SERIES, "from", "-1"},
        {ROUTE_SERIES, "from", "nan"},
        {ROUTE_SERIES, "to", "inf"},
        {ROUTE_SERIES, "to", "1e300"},
        {ROUTE_SERIES, "steps", "2049"},
        {ROUTE_EVENTS, "only", "attempts"},
        {ROUTE_RUN, "state", "open"},
        {ROUTE_JOBS, "tail", "3"},
        {ROUTE_JOBS, "", ""},
        {ROUTE_PAGE, "limit", "1"},
    };
    struct http_query q;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect(!takes(wrong[i].route, wrong[i].key, wrong[i].value, &q));
    http_query_init(&q);
    expect(http_query_take(&q, ROUTE_JOBS, "limit", "1"));
    expect(!http_query_take(&q, ROUTE_JOBS, "limit", "2")); /* twice */
}
