/* assume.c - the one table of assumptions. */
#include "inputs/trace/assume.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"

#define ROW(key, type, member, least, most) FIELD_ROW(key, type, struct assume, member, least, most)

#define TIB (1024.0 * 1024 * 1024 * 1024)

const struct field assume_table[ASSUME_KEYS + 1] = {
    [ASSUME_BLOCK] = {ROW("block", FIELD_BYTES, block, 1, TIB), .fallback = "64M",
                      .help = "bytes that one task reads, where only those of its phase are known"},
    [ASSUME_SHUFFLE_BLOCK] = {ROW("shuffle_block", FIELD_BYTES, shuffle_block, 1, TIB),
                              .fallback = "256M",
                              .help = "the same in a phase that reads another one"},
    [ASSUME_RATE] = {ROW("rate", FIELD_BYTES, rate, 1, TIB), .fallback = "10M",
                     .help = "bytes that a task works off in a second, where no times are known"},
    [ASSUME_BASE] = {ROW("base", FIELD_TIME, base_us, 1e-6, 86400), .fallback = "1s",
                     .help = "time that such a task takes in addition"},
    [ASSUME_SPAN] = {ROW("span", FIELD_REAL, span, 0.001, 1), .fallback = "1",
                     .help = "share of its phase's span that a task takes, where only that is "
                             "known"},
    [ASSUME_CPU] = {ROW("cpu", FIELD_REAL, cpu, 0.001, 1e6), .fallback = "1",
                    .help = "cores of an attempt whose demand is not known"},
    [ASSUME_MACHINE_CPU] = {ROW("machine_cpu", FIELD_REAL, machine_cpu, 0.001, 1e6),
                            .fallback = "32",
                            .help = "cores of the largest machine, where demands are shares of it"},
    [ASSUME_MACHINE_MEM] = {ROW("machine_mem", FIELD_BYTES, machine_mem, 1 << 20, 1024 * TIB),
                            .fallback = "128G", .help = "and its memory"},
    [ASSUME_FAILED] = {ROW("failed", FIELD_CHOICE, failed, 0, 0), .choices = "drop|censored|time",
                       .fallback = "drop",
                       .help = "failed attempts: left out where the task has others and else cut "
                               "short, always cut short, or as long as it took"},
    [ASSUME_TAIL] = {ROW("tail", FIELD_REAL, tail, 0.1, 100), .fallback = "1.8",
                     .help = "tail exponent of times that were cut short, where the phase has "
                             "fewer than 10 to fit"},
    [ASSUME_TAIL_MAX] = {ROW("tail_max", FIELD_REAL, tail_max, 1, 1000), .fallback = "20",
                         .help = "at most this many times the largest value seen"},
    [ASSUME_LOAD] = {ROW("load", FIELD_REAL, load, 0.01, 1), .fallback = "0.5",
                     .help = "load of the cluster that is made for the trace or its window"},
    [ASSUME_NODE_CPU] = {ROW("node_cpu", FIELD_REAL, node_cpu, 1, 1e6), .fallback = "16",
                         .help = "cores of each of its nodes, unless a task needs more"},
    [ASSUME_STRAGGLERS] = {ROW("stragglers", FIELD_CHOICE, stragglers, 0, 0),
                           .choices = "facebook|none", .fallback = "facebook",
                           .help = "luck of attempts in that cluster, where tasks have no times of "
                                   "their own"},
    [ASSUME_SINGLE] = {ROW("single", FIELD_CHOICE, single, 0, 0), .choices = "same|trace",
                       .fallback = "same",
                       .help = "times of copies of a task that is alone in its phase, where luck "
                               "decides: the same, or spread as tasks of other phases are"},
    [ASSUME_REPLICAS] =
        {ROW("replicas", FIELD_COUNT, replicas, 0, ASSUME_REPLICAS_MAX), .fallback = "3",
         .help = "nodes that hold the input of a task, where the trace names no hosts; 0: none"},
    [ASSUME_HOSTS] = {ROW("hosts", FIELD_CHOICE, hosts, 0, 0), .choices = "hash|drawn",
                      .fallback = "hash",
                      .help =
                          "hosts that hold inputs and after which no node of the cluster is "
                          "named: a hash of the name chooses the node, or they are left out and "
                          "replicas are drawn"},
    [ASSUME_GANG] = {ROW("gang", FIELD_CHOICE, gang, 0, 0), .choices = "tasks|whole",
                     .fallback = "tasks",
                     .help = "processes of a parallel job: tasks that need not run at the same "
                             "time, or one task that asks for all of their processors"},
    [ASSUME_KEYS] = {0},
};

static void *member(struct assume *a, const struct field *f)
{
    return (char *)a + f->offset;
}

struct assume assume_defaults(void)
{
    struct assume a = {0};
    for (const struct field *f = assume_table; f->name; f++)
        check(field_read(f, f->fallback, member(&a, f)) == FIELD_FINE);
    return a;
}

int assume_set(struct assume *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return err_set(err, "--assume '%s' has no value; expected KEY=VALUE", text);
    char *key = mem_copy(text, (size_t)(equals - text) + 1, 1);
    key[equals - text] = '\0';
    const struct field *f = field_find(assume_table, key);
    int bad = 0;
    if (!f) {
        const char *nearest = field_nearest(assume_table, key);
        bad = err_set(err, "--assume: unknown key '%s'%s%s%s", key,
                      nearest ? ", did you mean '" : "; `dolly trace formats` lists them",
                      nearest ? nearest : "", nearest ? "'?" : "");
    } else if (field_read(f, equals + 1, member(a, f)) != FIELD_FINE) {
        struct str want = {0};
        field_want(f, &want);
        bad = err_set(err, "--assume %s must be %s, not '%s'", key, want.text, equals + 1);
        str_free(&want);
    }
    mem_free(key);
    return bad;
}

const char *assume_noun(enum assume_key key, uint64_t count)
{
    switch (key) {
    case ASSUME_FAILED:
    case ASSUME_TAIL:
    case ASSUME_TAIL_MAX:
        return count == 1 ? "attempt or phase" : "attempts and phases";
    case ASSUME_LOAD:
        return count == 1 ? "cluster" : "clusters";
    case ASSUME_NODE_CPU:
        return count == 1 ? "node" : "nodes";
    case ASSUME_HOSTS:
        return count == 1 ? "host" : "hosts";
    default:
        return count == 1 ? "phase" : "phases";
    }
}

void assume_value(const struct assume *a, enum assume_key key, struct str *out)
{
    const struct field *f = &assume_table[key];
    const void *at = (const char *)a + f->offset;
    if (f->type == FIELD_CHOICE) {
        field_text(f, a, out);
    } else if (f->type == FIELD_REAL) {
        str_addf(out, "%.15g", *(const double *)at);
    } else if (f->type == FIELD_COUNT) {
        str_addf(out, "%" PRIu32, *(const uint32_t *)at);
    } else if (f->type == FIELD_TIME && *(const int64_t *)at < 100) { /* 5e-05s */
        str_addf(out, "%" PRId64 "us", *(const int64_t *)at);
    } else if (f->type == FIELD_TIME) {
        str_addf(out, "%.15gs", (double)*(const int64_t *)at / 1e6);
    } else {
        str_add_size(out, *(const int64_t *)at);
    }
}
