/* http_query.c - see http_query.h. A table has the keys of each route; each of them may be given
 * once, and its value is within bounds, or the whole request is refused. A value that is refused
 * changes nothing. */
#include "commands/watch/http_query.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "commands/report/series.h"

#define BIT(number) (1u << (number))

struct http_key {
    const char *name;
    unsigned routes; /* a bit for each that takes the key */
    /* Reads the value into the member at `offset`. Returns false if it is not valid. */
    bool (*take)(const struct http_key *key, const char *value, void *member);
    size_t offset;
    int64_t max;
    const char *words; /* that are valid, between bars */
};

static bool take_word(const struct http_key *key, const char *value, void *member)
{
    size_t length = strlen(value);

    for (const char *word = key->words; *word; word += *word == '|') {
        size_t n = strcspn(word, "|");
        if (n == length && strncmp(word, value, n) == 0) {
            memcpy(member, value, n + 1);
            return true;
        }
        word += n;
    }
    return false;
}

static bool take_after(const struct http_key *key, const char *value, void *member)
{
    int64_t number;

    (void)key;
    if (!text_int(value, &number) || number < 0)
        return false;
    *(int64_t *)member = number;
    return true;
}

static bool take_count(const struct http_key *key, const char *value, void *member)
{
    int64_t number;

    if (!text_int(value, &number) || number < 1 || number > key->max)
        return false;
    *(uint32_t *)member = (uint32_t)number;
    return true;
}

static bool take_seconds(const struct http_key *key, const char *value, void *member)
{
    double seconds;

    (void)key;
    if (!text_real(value, &seconds) || !(seconds >= 0 && seconds < 1e12))
        return false;
    *(int64_t *)member = (int64_t)llround(seconds * 1e6);
    return true;
}

#define MEMBER(name) offsetof(struct http_query, name)
#define LISTS (BIT(ROUTE_JOBS) | BIT(ROUTE_TASKS))

static const struct http_key keys[] = {
    {"state", BIT(ROUTE_JOBS), take_word, MEMBER(state), 0, "open|done|failed"},
    {"state", BIT(ROUTE_TASKS), take_word, MEMBER(state), 0, "waiting|running|done|failed"},
    {"after", LISTS, take_after, MEMBER(after), 0, NULL},
    {"limit", LISTS, take_count, MEMBER(limit), HTTP_QUERY_LIMIT_MAX, NULL},
    {"tail", BIT(ROUTE_STDERR), take_count, MEMBER(tail), HTTP_QUERY_TAIL, NULL},
    {"from", BIT(ROUTE_SERIES), take_seconds, MEMBER(from_us), 0, NULL},
    {"to", BIT(ROUTE_SERIES), take_seconds, MEMBER(to_us), 0, NULL},
    {"steps", BIT(ROUTE_SERIES), take_count, MEMBER(steps), SERIES_POINTS, NULL},
    {"only", BIT(ROUTE_EVENTS), take_word, MEMBER(only), 0, "sums"},
};

void http_query_init(struct http_query *q)
{
    *q = (struct http_query){
        .after = -1, .limit = HTTP_QUERY_LIMIT, .tail = HTTP_QUERY_TAIL, .to_us = INT64_MAX};
}

bool http_query_take(struct http_query *q, enum http_route route, const char *key,
                     const char *value)
{
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct http_key *k = &keys[i];
        if (strcmp(k->name, key) != 0 || !(k->routes & BIT(route)))
            continue;
        if ((q->given & BIT(i)) || !value || !k->take(k, value, (char *)q + k->offset))
            return false;
        q->given |= BIT(i);
        return true;
    }
    return false;
}
