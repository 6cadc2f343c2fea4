/* Chaos.
 *
 * Each kind of trouble draws from a stream of its own, keyed by the attempt, or by the node and how
 * often it has changed: one kind more or less moves no other, and a resumed run meets the trouble
 * that it would have met. Slow nodes are not drawn. They are the first ones, so that a user can
 * have exactly one. */
#include "exec/chaos.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

enum { CHAOS_SLOW, CHAOS_KILL, CHAOS_NODE, CHAOS_LOSE, CHAOS_FETCH, CHAOS_LOSE_COPY };

static struct rng chaos_attempt(const struct chaos *c, struct attempt_ref at, uint32_t what)
{
    return rng_stream(c->seed, RNG_CHAOS, what, at.job.v, (uint64_t)at.phase << 32 | at.task,
                      at.attempt);
}

uint32_t chaos_slow_milli(const struct chaos *c, struct attempt_ref at, struct node_id node)
{
    struct rng r = chaos_attempt(c, at, CHAOS_SLOW);
    double factor = rng_unit(&r) < c->slow_p ? c->slow_factor : 1;

    return (uint32_t)(1000 * factor * (node.v < c->slow_nodes ? c->slow_nodes_factor : 1));
}

int64_t chaos_kill_us(const struct chaos *c, struct attempt_ref at)
{
    struct rng r = chaos_attempt(c, at, CHAOS_KILL);
    if (rng_unit(&r) >= c->kill_p)
        return -1;
    return (int64_t)rng_below(&r, (uint64_t)c->kill_within_us + 1);
}

int64_t chaos_node_us(const struct chaos *c, struct node_id node, uint32_t k)
{
    struct rng r = rng_stream(c->seed, RNG_CHAOS, CHAOS_NODE, node.v, k, 0);
    double mean = (double)(k % 2 ? c->node_repair_us : c->node_mtbf_us);

    return c->node_mtbf_us ? 1 + (int64_t)(rng_exponential(&r) * mean) : INT64_MAX;
}

int64_t chaos_fetch_us(const struct chaos *c, struct attempt_ref reader, struct attempt_ref source)
{
    struct rng r = rng_stream(c->seed, RNG_CHAOS, (uint64_t)reader.job.v << 8 | CHAOS_FETCH,
                              (uint64_t)reader.phase << 32 | reader.task, reader.attempt,
                              (uint64_t)source.task << 16 | source.attempt);

    return rng_unit(&r) < c->fetch_p ? c->fetch_us : 0;
}

bool chaos_loses(const struct chaos *c, struct attempt_ref at)
{
    struct rng r = chaos_attempt(c, at, CHAOS_LOSE);

    return rng_unit(&r) < c->lose_p;
}

bool chaos_loses_copy(const struct chaos *c, struct attempt_ref at, struct node_id node)
{
    struct rng r =
        rng_stream(c->seed, RNG_CHAOS, CHAOS_LOSE_COPY, (uint64_t)at.job.v << 32 | node.v,
                   (uint64_t)at.phase << 32 | at.task, at.attempt);

    return rng_unit(&r) < c->lose_p;
}

/* ---- the option ---- */

enum { CHAOS_SECOND_US = 1000000, CHAOS_FACTOR_MAX = 1000 };

/* *why: what is wrong with a number that was understood. */
static bool chaos_share(const char *text, double *value, const char **why)
{
    if (!text_real(text, value))
        return false;
    if (*value < 0 || *value > 1)
        *why = "the share must be between 0 and 1";
    return !*why;
}

/* The factor of "0.2x8", the end of which is cut off. */
static bool chaos_factor(char *text, double *factor, const char **why)
{
    char *x = strchr(text, 'x');

    if (!x)
        return false;
    *x = 0;
    if (!text_real(x + 1, factor))
        return false;
    if (*factor < 1 || *factor > CHAOS_FACTOR_MAX)
        *why = "the factor must be between 1 and 1000";
    return !*why;
}

/* The share and the time of "0.2x3s". */
static bool chaos_share_of_time(char *text, double *share, int64_t *time_us, const char **why)
{
    char *x = strchr(text, 'x');

    if (!x)
        return false;
    *x = 0;
    return chaos_share(text, share, why) && text_duration(x + 1, time_us) && *time_us > 0;
}

static bool chaos_one(char *key, struct chaos *c, const char **why)
{
    char *value = strchr(key, '=');

    if (!value)
        return false;
    *value++ = 0;
    if (strcmp(key, "slow") == 0)
        return chaos_factor(value, &c->slow_factor, why) && chaos_share(value, &c->slow_p, why);
    if (strcmp(key, "slow_nodes") == 0)
        return chaos_factor(value, &c->slow_nodes_factor, why) && text_int(value, &c->slow_nodes) &&
               c->slow_nodes >= 0;
    if (strcmp(key, "kill") == 0)
        return chaos_share(value, &c->kill_p, why);
    if (strcmp(key, "kill_within") == 0)
        return text_duration(value, &c->kill_within_us) && c->kill_within_us > 0;
    if (strcmp(key, "node_mtbf") == 0)
        return text_duration(value, &c->node_mtbf_us) && c->node_mtbf_us > 0;
    if (strcmp(key, "node_repair") == 0)
        return text_duration(value, &c->node_repair_us) && c->node_repair_us > 0;
    if (strcmp(key, "lose_outputs") == 0)
        return chaos_share(value, &c->lose_p, why);
    if (strcmp(key, "slow_fetch") == 0)
        return chaos_share_of_time(value, &c->fetch_p, &c->fetch_us, why);
    return false;
}

int chaos_parse(const char *text, uint64_t seed, struct chaos *c, struct err *err)
{
    *c = (struct chaos){.seed = seed,
                        .slow_factor = 1,
                        .kill_within_us = CHAOS_SECOND_US,
                        .node_repair_us = 5 * CHAOS_SECOND_US,
                        .lose_p = 1};
    do {
        char item[64];
        size_t length = strcspn(text, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : 0), text);
        const char *why = NULL;
        bool fine = chaos_one(item, c, &why);
        if (why)
            return err_set(err, "--chaos %.*s: %s", (int)length, text, why);
        if (!fine)
            return err_set(err,
                           "--chaos: expected a list of slow=SHARExFACTOR, "
                           "slow_nodes=NUMBERxFACTOR, kill=SHARE, kill_within=TIME, "
                           "node_mtbf=TIME, node_repair=TIME, lose_outputs=SHARE, "
                           "slow_fetch=SHARExTIME, not '%.*s'",
                           (int)(length < 100 ? length : 100), text);
        text += length;
    } while (*text++ == ',');
    return 0;
}
