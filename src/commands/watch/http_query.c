/* http_query.c - see http_query.h. Each route has a set of keys; each key of the set may be given
 * once, and its value is within bounds, or the whole request is refused. A value that is refused
 * changes nothing. */
#include "commands/watch/http_query.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands/report/series.h"

#define BIT(key) (1u << (key))

void http_query_init(struct http_query *q)
{
    *q = (struct http_query){
        .after = -1, .limit = HTTP_QUERY_LIMIT, .tail = HTTP_QUERY_TAIL, .to_us = INT64_MAX};
}

static unsigned keys_of(enum http_route route)
{
    switch (route) {
    case ROUTE_JOBS:
    case ROUTE_TASKS:
        return BIT(KEY_STATE) | BIT(KEY_AFTER) | BIT(KEY_LIMIT);
    case ROUTE_STDERR:
        return BIT(KEY_TAIL);
    case ROUTE_SERIES:
        return BIT(KEY_FROM) | BIT(KEY_TO) | BIT(KEY_STEPS);
    case ROUTE_EVENTS:
        return BIT(KEY_ONLY);
    default:
        return 0;
    }
}

static bool take_state(struct http_query *q, enum http_route route, const char *value)
{
    static const char *const of_jobs[] = {"open", "done", "failed", NULL}, *const of_tasks[] = {
                                                                               "waiting", "running",
                                                                               "done", "failed",
                                                                               NULL};
    const char *const *word = route == ROUTE_JOBS ? of_jobs : of_tasks;

    while (*word && strcmp(*word, value) != 0)
        word++;
    if (*word)
        memcpy(q->state, value, strlen(value) + 1);
    return *word != NULL;
}

static bool take_count(const char *value, int64_t max, uint32_t *to)
{
    int64_t number;

    if (!text_int(value, &number) || number < 1 || number > max)
        return false;
    *to = (uint32_t)number;
    return true;
}

static bool take_after(const char *value, int64_t *to)
{
    int64_t number;

    if (!text_int(value, &number) || number < 0)
        return false;
    *to = number;
    return true;
}

static bool take_seconds(const char *value, int64_t *to_us)
{
    double seconds;

    if (!text_real(value, &seconds) || !(seconds >= 0 && seconds < 1e12))
        return false;
    *to_us = (int64_t)llround(seconds * 1e6);
    return true;
}

static bool take_value(struct http_query *q, enum http_route route, enum http_key key,
                       const char *value)
{
    switch (key) {
    case KEY_STATE:
        return take_state(q, route, value);
    case KEY_AFTER:
        return take_after(value, &q->after);
    case KEY_LIMIT:
        return take_count(value, HTTP_QUERY_LIMIT_MAX, &q->limit);
    case KEY_TAIL:
        return take_count(value, HTTP_QUERY_TAIL, &q->tail);
    case KEY_FROM:
        return take_seconds(value, &q->from_us);
    case KEY_TO:
        return take_seconds(value, &q->to_us);
    case KEY_STEPS:
        return take_count(value, SERIES_POINTS, &q->steps);
    case KEY_ONLY:
        q->only_sums = strcmp(value, "sums") == 0;
        return q->only_sums;
    }
    return false;
}

bool http_query_take(struct http_query *q, enum http_route route, const char *key,
                     const char *value)
{
    static const char *const names[] = {"state", "after", "limit", "tail",
                                        "from",  "to",    "steps", "only"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], key) != 0)
            continue;
        if (!(keys_of(route) & BIT(i)) || (q->given & BIT(i)) || !value)
            return false;
        bool valid = take_value(q, route, (enum http_key)i, value);
        q->given |= valid ? BIT(i) : 0;
        return valid;
    }
    return false;
}
