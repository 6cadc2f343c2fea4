#include "record/journal/journal_sample_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "record/journal/journal_decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_play.h"

void journal_sample_init(struct journal_sample *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->rng = rng_stream(seed, RNG_TEST, 0, 0, 0, 0);
}

/* Short and long numbers alike, and both ends of the range. */
static uint64_t draw(struct journal_sample *s, uint64_t max)
{
    switch (rng_below(&s->rng, 8)) {
    case 0:
        return 0;
    case 1:
        return max;
    default:
        return (rng_u64(&s->rng) >> rng_below(&s->rng, 64)) & max;
    }
}

static int64_t draw_int(struct journal_sample *s)
{
    uint64_t v = draw(s, UINT64_MAX);
    int64_t signed_v;
    memcpy(&signed_v, &v, sizeof v);
    return signed_v;
}

static int32_t draw_i32(struct journal_sample *s)
{
    return (int32_t)(draw(s, UINT32_MAX) ^ 0x80000000u) ^ INT32_MIN;
}

static struct attempt_ref draw_at(struct journal_sample *s)
{
    struct attempt_ref at = {.job = {(uint32_t)draw(s, UINT32_MAX)}};
    at.phase = (uint16_t)draw(s, UINT16_MAX);
    at.task = (uint32_t)draw(s, UINT32_MAX);
    at.attempt = (uint16_t)draw(s, UINT16_MAX);
    return at;
}

static struct node_id draw_node(struct journal_sample *s)
{
    uint32_t v = (uint32_t)draw(s, NODES_MAX);
    return v == NODES_MAX ? NODE_NONE : (struct node_id){v};
}

static struct res draw_res(struct journal_sample *s)
{
    struct res r;
    for (int i = 0; i < RES_COUNT; i++)
        r.v[i] = draw_i32(s);
    return r;
}

static const char *draw_name(struct journal_sample *s)
{
    static const char *const names[] = {
        NULL,
        "",
        "a",
        "word count",
        "\xc3\xa4\xf0\x9f\x90\x91",
        "a name of more than one hundred and twenty-seven bytes, so that the length of the record "
        "that holds it takes two bytes instead of one byte"};
    return names[rng_below(&s->rng, 6)];
}

static void draw_phase(struct journal_sample *s, uint16_t index)
{
    struct phase_spec *p = &s->phases[index];
    *p = (struct phase_spec){.name = draw_name(s), .demand = draw_res(s)};
    p->tasks = 1 + (uint32_t)rng_below(&s->rng, SAMPLE_TASKS);
    p->clone = (uint8_t)rng_below(&s->rng, 2);
    p->failures_allowed = rng_below(&s->rng, 2) ? (uint32_t)draw(s, UINT32_MAX) : 0;
    p->past_count = rng_below(&s->rng, 2) ? (uint32_t)rng_below(&s->rng, JOB_PAST_MAX + 1) : 0;
    for (uint32_t i = 0; i < p->past_count; i++)
        s->past_us[index][i] = draw_int(s);
    p->past_us = p->past_count ? s->past_us[index] : NULL;
    p->past_seen = rng_below(&s->rng, 2) ? (uint32_t)draw(s, UINT32_MAX) : 0;
    p->past_straggled = (uint32_t)draw(s, p->past_seen);
    p->expect_us = rng_below(&s->rng, 2) ? draw_int(s) : 0;
    p->expect_dev_us = rng_below(&s->rng, 2) ? draw_int(s) : 0;
    p->input_bytes = draw_int(s);
    p->edge_count = (uint16_t)rng_below(&s->rng, index + 1u);
    for (uint16_t i = 0; i < p->edge_count; i++)
        s->edges[index][i] =
            (struct edge_spec){(uint16_t)rng_below(&s->rng, index), (uint8_t)rng_below(&s->rng, 3),
                               (uint8_t)rng_below(&s->rng, 101)};
    p->edges = p->edge_count ? s->edges[index] : NULL;
    if (rng_below(&s->rng, 2)) {
        for (int t = 0; t < SAMPLE_TASKS; t++)
            s->input_each[t] = draw_int(s);
        p->input_each = s->input_each;
    }
    if (rng_below(&s->rng, 2)) {
        for (int t = 0; t < SAMPLE_TASKS; t++)
            s->replica_from[t + 1] = s->replica_from[t] + (uint32_t)rng_below(&s->rng, 4);
        for (int i = 0; i < 3 * SAMPLE_TASKS; i++)
            s->replicas[i] = draw_node(s);
        p->replica_from = s->replica_from;
        p->replicas = s->replicas;
    }
}

static const struct job_spec *draw_job(struct journal_sample *s)
{
    struct job_spec *j = &s->job;
    *j = (struct job_spec){.id = {(uint32_t)draw(s, UINT32_MAX)}};
    j->name = draw_name(s);
    j->user = draw_name(s);
    j->queue = draw_name(s);
    j->app = draw_name(s);
    j->weight = 1 + (uint32_t)draw(s, UINT32_MAX - 1);
    j->running_max = (uint32_t)draw(s, UINT32_MAX);
    j->arrived_us = draw_int(s);
    j->wrapup_us = draw_int(s);
    j->phase_count = (uint16_t)(1 + rng_below(&s->rng, SAMPLE_PHASES));
    j->phases = s->phases;
    for (uint16_t i = 0; i < j->phase_count; i++)
        draw_phase(s, i);
    return j;
}

static void draw_output(struct journal_sample *s, struct event *e)
{
    e->u.output.bytes = draw_int(s);
    e->u.output.checksum = draw(s, UINT64_MAX);
    e->u.output.partition_count = (uint32_t)draw(s, UINT32_MAX);
    e->u.output.partitions = NULL;
    if (rng_below(&s->rng, 2)) {
        e->u.output.partition_count = 1 + (uint32_t)rng_below(&s->rng, SAMPLE_PARTITIONS);
        for (int i = 0; i < SAMPLE_PARTITIONS; i++)
            s->partitions[i] = (struct output_partition){draw_int(s), draw(s, UINT64_MAX)};
        e->u.output.partitions = s->partitions;
    }
}

static void draw_event_own(struct journal_sample *s, struct event *e)
{
    if (e->type == EV_NODE_UP || e->type == EV_NODE_CAPACITY)
        e->u.node.capacity = draw_res(s);
    if (e->type == EV_NODE_UP) {
        e->u.node.rack = (uint32_t)draw(s, UINT32_MAX);
        e->u.node.name = draw_name(s);
    } else if (e->type == EV_JOB_SUBMITTED) {
        e->u.job = draw_job(s);
        e->at = (struct attempt_ref){.job = e->u.job->id};
    } else if (e->type == EV_JOB_CHANGED) {
        e->u.change.weight = (uint32_t)draw(s, UINT32_MAX);
        e->u.change.running_max = (uint32_t)draw(s, UINT32_MAX);
    } else if (e->type == EV_ATTEMPT_STARTED && rng_below(&s->rng, 2)) {
        e->u.late_us = (int64_t)draw(s, INT64_MAX);
    } else if (e->type == EV_ATTEMPT_PROGRESS) {
        e->u.progress.done = draw_int(s);
        e->u.progress.total = draw_int(s);
        e->u.progress.cpu_us = draw_int(s);
        e->u.progress.stage = (uint8_t)draw(s, UINT8_MAX);
    } else if (event_is_ending(e->type)) {
        e->u.use = (struct usage){draw_int(s), draw_int(s), draw_int(s), draw_int(s), draw_int(s)};
    } else if (e->type == EV_OUTPUT_READY) {
        draw_output(s, e);
    } else if (e->type >= EV_FETCH_STARTED && e->type <= EV_FETCH_FAILED) {
        e->u.fetch.source = draw_at(s);
        e->u.fetch.bytes = draw_int(s);
        e->u.fetch.took_us = draw_int(s);
    } else if (e->type == EV_LINK_SAMPLE) {
        e->u.link.to = draw_node(s);
        e->u.link.bytes = draw_int(s);
        e->u.link.took_us = draw_int(s);
    } else if (e->type == EV_REFUSED) {
        e->u.refused.decision = draw(s, UINT64_MAX);
        e->u.refused.decision_type = (uint8_t)rng_below(&s->rng, DO_TYPE_END);
    } else if (e->type == EV_TIMER) {
        e->u.timer = (uint32_t)draw(s, UINT32_MAX);
    } else if (e->type == EV_CORES) {
        e->u.cores.spare = draw_i32(s);
        e->u.cores.each = draw_i32(s);
    } else if (e->type == EV_PRESSURE) {
        e->u.pressure.disk = draw_i32(s);
        e->u.pressure.memory = draw_i32(s);
    } else if (e->type == EV_RESOURCE) {
        e->u.resource.which = (uint8_t)rng_below(&s->rng, RES_COUNT);
        e->u.resource.kind = (uint8_t)rng_below(&s->rng, RES_KIND_END);
        e->u.resource.name = draw_name(s);
    }
}

struct event journal_sample_event(struct journal_sample *s, uint8_t type)
{
    struct event e = {.type = type, .node = NODE_NONE};
    unsigned has = journal_event_fields(type);
    if (has & JOURNAL_AT)
        e.at = draw_at(s);
    if (has & JOURNAL_JOB)
        e.at.job.v = (uint32_t)draw(s, UINT32_MAX);
    if (has & JOURNAL_NODE)
        e.node = draw_node(s);
    if (has & JOURNAL_CAUSE)
        e.cause = (uint8_t)rng_below(&s->rng, CAUSE_END);
    if (e.cause)
        e.detail = draw_i32(s);
    draw_event_own(s, &e);
    return e;
}

static double draw_number(struct journal_sample *s)
{
    uint64_t bits = rng_u64(&s->rng);
    double any;
    memcpy(&any, &bits, sizeof any);
    switch (rng_below(&s->rng, 3)) {
    case 0:
        return any; /* NaN and infinity now and then */
    case 1:
        return (double)(draw_int(s) >> 11);
    default:
        return rng_unit(&s->rng);
    }
}

struct decision journal_sample_decision(struct journal_sample *s, uint8_t type)
{
    struct decision d = {.type = type, .id = draw(s, UINT64_MAX), .node = NODE_NONE};
    unsigned has = journal_decision_fields(type);
    if (has & JOURNAL_AT)
        d.at = draw_at(s);
    if (has & JOURNAL_JOB)
        d.at.job.v = (uint32_t)draw(s, UINT32_MAX);
    if (has & JOURNAL_NODE)
        d.node = draw_node(s);
    if (type == DO_LAUNCH) {
        d.kind = (uint8_t)rng_below(&s->rng, LAUNCH_KIND_END);
        d.job_copy = (uint16_t)draw(s, UINT16_MAX);
    } else if (type == DO_KILL) {
        d.u.grace_us = draw_int(s);
    } else if (type == DO_ASSIGN_READ) {
        d.u.read.source = draw_at(s);
        d.u.read.exclusive = (uint8_t)rng_below(&s->rng, 2);
    } else if (type == DO_AVOID_NODE) {
        d.u.until_us = draw_int(s);
    } else if (type == DO_SET_TIMER) {
        d.u.timer.id = (uint32_t)draw(s, UINT32_MAX);
        d.u.timer.at_us = draw_int(s);
    }
    d.why.code = (uint16_t)rng_below(&s->rng, WHY_CODE_END);
    d.why.count = (uint8_t)rng_below(&s->rng, REASON_NUMBERS_MAX + 1);
    for (int i = 0; i < d.why.count; i++)
        d.why.num[i] = draw_number(s);
    return d;
}

uint8_t journal_sample_decision_type(uint32_t i)
{
    uint8_t type = (uint8_t)(1 + i % (DO_TYPE_END - 1));
    return decision_is_type(type) ? type : DO_LAUNCH;
}

void journal_sample_path(char *path, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, SAMPLE_PATH_MAX, "%s/dolly-test-%ld-%s", folder ? folder : "/tmp",
             (long)getpid(), name);
    unlink(path);
}

uint64_t journal_sample_write(const char *path, size_t buffer_bytes, uint64_t seed, uint32_t turns)
{
    struct journal_options options = {.path = path, .buffer_bytes = buffer_bytes};
    struct err err;
    struct journal_sample s;
    struct journal *j = journal_create(&options, seed, "dolly;beta=0.05", "sim", &err);
    check(j);
    journal_sample_init(&s, seed);
    struct tap tap = journal_tap(j);
    int64_t now_us = 0;
    for (uint32_t i = 0; i < turns; i++) {
        struct event e = journal_sample_event(&s, (uint8_t)(1 + i % (EV_TYPE_END - 1)));
        struct decision d = journal_sample_decision(&s, journal_sample_decision_type(i));
        struct turn turn = {now_us, &e, &d, 1, 1, NULL};
        check(tap.turn(tap.ctx, &turn, &err) == 0);
        if (i % 3 == 0)
            check(journal_intent(j, d.at, rng_u64(&s.rng), i, &err) == 0);
        now_us += (int64_t)rng_below(&s.rng, 1000000);
    }
    uint64_t digest = journal_digest(j);
    check(journal_close(j, true, &err) == 0);
    return digest;
}

size_t journal_sample_load(const char *path, unsigned char *out)
{
    FILE *f = fopen(path, "rb");
    check(f);
    size_t n = fread(out, 1, SAMPLE_FILE_MAX, f);
    check(n < SAMPLE_FILE_MAX);
    fclose(f);
    return n;
}

void journal_sample_store(const char *path, const unsigned char *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    check(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
}

/* By hand goes what stands before the first turn: a RUN without a last string, which is empty. The
 * rest is continued. */
void journal_sample_age(const char *path, uint32_t version)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    char old[SAMPLE_PATH_MAX];
    struct err err;
    journal_sample_load(path, bytes);
    unsigned char *run = bytes + JOURNAL_HEADER_BYTES;
    size_t length = run[0] -= 2;
    journal_file_header(bytes, version);
    unsigned char *end = wire_put_fixed32(run + 1 + length, journal_file_checksum(run + 1, length));
    journal_sample_path(old, "aged");
    journal_sample_store(old, bytes, (size_t)(end - bytes));

    struct journal_reader *r = journal_reader_open(old, NULL, &err);
    check(r && journal_play_on(r, &(struct journal_play){0}, NULL, &err) == 0);
    struct journal *j = journal_continue(&(struct journal_options){.path = old}, r, &err);
    journal_reader_close(r);
    check(j);
    struct tap tap = journal_tap(j);
    check(journal_play(path, &(struct journal_play){.taps = &tap, .tap_count = 1}, NULL, &err) ==
          0);
    check(journal_close(j, true, &err) == 0 && rename(old, path) == 0);
}
