/* script.c - the words of script.h.
 *
 *   events     up:N:CPU[:MEM] down:N suspect:N drain:N cap:N:CPU
 *              job:J:PHASES[:RUNNING_MAX] cancel:J max:J:N timer:ID refused:ID[:CAUSE]
 *              withdrawn:ATTEMPT output_ready:ATTEMPT[:CHECKSUM[:BYTES[:PART:PART]]]
 *              replica_done:ATTEMPT:N replica_failed:ATTEMPT:N[:CAUSE]
 *              fetch_started:READER:SOURCE fetch_done:READER:SOURCE[:BYTES]
 *              and any other event of an attempt as EVENT:ATTEMPT with the journal's name less
 *              "attempt_": started, launch_failed, finished, output_lost ...;
 * failed:ATTEMPT[:CAUSE] output_lost:ATTEMPT[:CAUSE] fetch_failed:READER:SOURCE[:CAUSE] decisions
 * launch:ATTEMPT:N clone:ATTEMPT:N restart:ATTEMPT:N backup:ATTEMPT:N[:REASON]
 * copy:ATTEMPT:N:REPLICA (an attempt in a copy of the whole job)
 *              spare:ATTEMPT:N:precompute:LOSSES:NODE replicate:ATTEMPT:N
 *              kill:ATTEMPT[:REASON] withdraw:ATTEMPT commit:ATTEMPT discard:ATTEMPT[:REASON]
 *              own:READER:SOURCE (an exclusive read) read:READER:SOURCE
 *              verdict:J.P[.T]:REASON[:NUM[:UPSTREAM]] done:J fail:J[.P.T]:REASON[:NUM[:LIMIT]]
 *              avoid:N:UNTIL[:bad_node] set:ID:AT
 *              gap (the next decision's id is one too high)
 *
 * SOURCE is an attempt, or J.P.* for all that the phase has committed. PHASES is the number of
 * tasks of each phase, joined by "-", each reading the one before it behind a barrier; letters
 * behind a number say more: "n" clone=never, "s" it starts when half of the one before is done, "o"
 * it reads one to one, "p" it reads its part (many to one), "f" one task may fail for good, "i"
 * each of its tasks reads 100 bytes from outside, "m" its tasks need one unit of memory too. Every
 * task needs one slot of cpu. */
#include "tests/swarm/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/vec.h"
#include "core/model/decision.h"
#include "core/model/event.h"

enum { SCRIPT_PHASES_MAX = 4, SCRIPT_FIELDS_MAX = 8, SCRIPT_WORD_MAX = 64, SCRIPT_JOBS_MAX = 8 };
enum { SCRIPT_PARTITIONS_MAX = 16 };

struct script_job {
    struct job_spec spec;
    struct phase_spec phases[SCRIPT_PHASES_MAX];
    struct edge_spec edges[SCRIPT_PHASES_MAX];
};

struct script {
    struct tap tap;
    int64_t now_us;
    bool turn_open;
    uint64_t id_next;
    VEC(struct event) events;
    VEC(struct decision) decisions;
    VEC(struct decision) history; /* refusals look their decision up by id */
    struct script_job jobs[SCRIPT_JOBS_MAX];
    uint32_t job_count;
    struct output_partition partitions[SCRIPT_PARTITIONS_MAX];
    uint32_t partition_count; /* of this turn */
};

struct fields {
    char *at[SCRIPT_FIELDS_MAX];
    uint32_t count;
};

static uint32_t field_number(const struct fields *f, uint32_t i)
{
    return i < f->count ? (uint32_t)strtoul(f->at[i], NULL, 10) : 0;
}

static struct attempt_ref field_ref(const struct fields *f, uint32_t i)
{
    unsigned job = 0, phase = 0, task = 0, attempt = 0;

    check(f->count > i && sscanf(f->at[i], "%u.%u.%u.%u", &job, &phase, &task, &attempt) >= 1);
    if (strchr(f->at[i], '*'))
        task = TASK_ALL;
    return (struct attempt_ref){{job}, task, (uint16_t)phase, (uint16_t)attempt};
}

static struct attempt_ref field_attempt(const struct fields *f)
{
    return field_ref(f, 1);
}

static uint8_t cause_find(const char *name)
{
    uint8_t c = 0;

    while (c < CAUSE_END && strcmp(event_cause_name(c), name))
        c++;
    check(c < CAUSE_END);
    return c;
}

static uint16_t reason_find(const char *name)
{
    uint16_t c = 0;

    while (c < WHY_CODE_END && strcmp(reason_name(c), name))
        c++;
    check(c < WHY_CODE_END);
    return c;
}

/* Fills a job from its phases' text; it lives as long as the script. */
static const struct job_spec *job_make(struct script *s, const struct fields *f)
{
    check(s->job_count < SCRIPT_JOBS_MAX);
    struct script_job *j = &s->jobs[s->job_count++];
    char *p = f->at[2];

    j->spec = (struct job_spec){.id = {field_number(f, 1)},
                                .name = "job",
                                .user = "user",
                                .queue = "queue",
                                .weight = JOB_WEIGHT_ONE,
                                .running_max = field_number(f, 3),
                                .phases = j->phases};
    while (*p) {
        uint16_t i = j->spec.phase_count++;
        struct phase_spec *phase = &j->phases[i];

        check(i < SCRIPT_PHASES_MAX);
        *phase = (struct phase_spec){.name = "phase", .demand = {{RES_SLOT, 0, 0, 0}}};
        phase->tasks = (uint32_t)strtoul(p, &p, 10);
        j->edges[i] = (struct edge_spec){.from = (uint16_t)(i - 1)};
        for (; *p && *p != '-'; p++) {
            if (*p == 'n')
                phase->clone = PHASE_CLONE_NEVER;
            else if (*p == 's')
                j->edges[i].slowstart = 50;
            else if (*p == 'o')
                j->edges[i].pattern = EDGE_ONE_TO_ONE;
            else if (*p == 'p')
                j->edges[i].pattern = EDGE_MANY_TO_ONE;
            else if (*p == 'f')
                phase->failures_allowed = 1;
            else if (*p == 'i')
                phase->input_bytes = 100;
            else if (*p == 'm')
                phase->demand.v[RES_MEM] = 1;
        }
        p += *p == '-';
        if (i > 0) {
            phase->edges = &j->edges[i];
            phase->edge_count = 1;
        }
    }
    return &j->spec;
}

/* Events that are not simply "name:attempt". False when the word is none of them. */
static bool special_event(struct script *s, const struct fields *f, struct event *e)
{
    static const struct {
        const char *word;
        uint8_t type;
    } nodes[] = {{"up", EV_NODE_UP},
                 {"down", EV_NODE_DOWN},
                 {"suspect", EV_NODE_SUSPECT},
                 {"drain", EV_NODE_DRAIN},
                 {"cap", EV_NODE_CAPACITY}};
    const char *word = f->at[0];

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (!strcmp(word, nodes[i].word)) {
            e->type = nodes[i].type;
            e->node.v = field_number(f, 1);
            e->u.node.capacity.v[RES_CPU] = (int32_t)field_number(f, 2) * RES_SLOT;
            e->u.node.capacity.v[RES_MEM] = (int32_t)field_number(f, 3);
            return true;
        }
    if (!strcmp(word, "job")) {
        e->type = EV_JOB_SUBMITTED;
        e->u.job = job_make(s, f);
        e->at.job = e->u.job->id;
    } else if (!strcmp(word, "cancel") || !strcmp(word, "max")) {
        e->type = word[0] == 'c' ? EV_JOB_CANCELLED : EV_JOB_CHANGED;
        e->at = field_attempt(f);
        e->u.change.running_max = field_number(f, 2);
    } else if (!strcmp(word, "timer")) {
        e->type = EV_TIMER;
        e->u.timer = field_number(f, 1);
    } else if (!strcmp(word, "cores")) {
        e->type = EV_CORES;
        e->u.cores.spare = (int32_t)field_number(f, 1);
        e->u.cores.each = (int32_t)field_number(f, 2);
    } else if (!strcmp(word, "pressure")) {
        e->type = EV_PRESSURE;
        e->node.v = field_number(f, 1);
        e->u.pressure.disk = (int32_t)field_number(f, 2);
        e->u.pressure.memory = (int32_t)field_number(f, 3);
    } else if (!strcmp(word, "withdrawn")) {
        e->type = EV_ATTEMPT_LAUNCH_FAILED;
        e->cause = CAUSE_WITHDRAWN;
        e->at = field_attempt(f);
    } else if (!strcmp(word, "refused")) {
        uint32_t id = field_number(f, 1);
        e->type = EV_REFUSED;
        e->u.refused.decision = id;
        for (uint32_t i = 0; i < s->history.count; i++)
            if (s->history.at[i].id == id) {
                e->at = s->history.at[i].at;
                e->u.refused.decision_type = s->history.at[i].type;
            }
        if (f->count > 2)
            e->cause = cause_find(f->at[2]);
    } else {
        return false;
    }
    return true;
}

/* The two parts of an output, whose content is as large as it is. */
static void add_parts(struct script *s, const struct fields *f, struct event *e)
{
    if (f->count < 6)
        return;
    check(s->partition_count + 2 <= SCRIPT_PARTITIONS_MAX);
    e->u.output.partitions = &s->partitions[s->partition_count];
    e->u.output.partition_count = 2;
    for (uint32_t i = 4; i < 6; i++)
        s->partitions[s->partition_count++] =
            (struct output_partition){field_number(f, i), field_number(f, i)};
}

static bool event_word(struct script *s, const struct fields *f)
{
    struct event e = {.node = NODE_NONE};

    if (!special_event(s, f, &e)) {
        for (uint8_t type = EV_ATTEMPT_STARTED; type < EV_TYPE_END; type++) {
            const char *name = event_name(type);
            size_t skip = strncmp(name, "attempt_", 8) ? 0 : 8;
            if (!strcmp(name + skip, f->at[0]))
                e.type = type;
        }
        if (!e.type)
            return false;
        e.at = field_attempt(f);
        if (e.type == EV_ATTEMPT_LAUNCH_FAILED || e.type == EV_ATTEMPT_FAILED)
            e.cause = f->count > 2 ? cause_find(f->at[2]) : CAUSE_INJECTED;
        if (e.type == EV_OUTPUT_LOST && f->count > 2)
            e.cause = cause_find(f->at[2]);
        if ((e.type == EV_FETCH_FAILED || e.type == EV_REPLICA_FAILED) && f->count > 3)
            e.cause = cause_find(f->at[3]);
        if (e.type == EV_OUTPUT_READY) {
            e.u.output.checksum = field_number(f, 2);
            e.u.output.bytes = field_number(f, 3);
            add_parts(s, f, &e);
        }
        if (e.type == EV_REPLICA_DONE || e.type == EV_REPLICA_FAILED)
            e.node.v = field_number(f, 2);
        if (e.type >= EV_FETCH_STARTED && e.type <= EV_FETCH_FAILED)
            e.u.fetch.source = field_ref(f, 2);
        if (e.type == EV_FETCH_DONE)
            e.u.fetch.bytes = field_number(f, 3);
    }
    check(s->decisions.count == 0); /* events come before decisions */
    vec_push(&s->events, e);
    return true;
}

/* Where the word has a reason, and its numbers behind it. */
static void decision_reason(struct decision *d, const struct fields *f)
{
    bool must = d->type == DO_VERDICT || d->type == DO_JOB_FAILED;
    bool may = d->type == DO_KILL || d->type == DO_DISCARD_OUTPUT || d->type == DO_LAUNCH;
    uint32_t at = d->type == DO_LAUNCH ? 3 : 2;

    check(!must || f->count > at);
    if ((!must && !may) || f->count <= at)
        return;
    d->why.code = reason_find(f->at[at]);
    d->why.num[0] = field_number(f, at + 1);
    d->why.num[1] = d->why.num[3] = field_number(f, at + 2);
    d->why.num[4] = field_number(f, at + 3);
}

static void decision_word(struct script *s, const struct fields *f)
{
    static const struct {
        const char *word;
        uint8_t type, kind;
    } words[] = {{"launch", DO_LAUNCH, LAUNCH_FIRST},
                 {"clone", DO_LAUNCH, LAUNCH_CLONE},
                 {"restart", DO_LAUNCH, LAUNCH_RESTART},
                 {"backup", DO_LAUNCH, LAUNCH_BACKUP},
                 {"spare", DO_LAUNCH, LAUNCH_RECOMPUTE},
                 {"replicate", DO_REPLICATE, 0},
                 {"copy", DO_LAUNCH, LAUNCH_CLONE},
                 {"kill", DO_KILL, 0},
                 {"withdraw", DO_WITHDRAW, 0},
                 {"commit", DO_COMMIT, 0},
                 {"own", DO_ASSIGN_READ, 0},
                 {"read", DO_ASSIGN_READ, 0},
                 {"discard", DO_DISCARD_OUTPUT, 0},
                 {"verdict", DO_VERDICT, 0},
                 {"done", DO_JOB_DONE, 0},
                 {"fail", DO_JOB_FAILED, 0},
                 {"avoid", DO_AVOID_NODE, 0},
                 {"fault", DO_AVOID_NODE, 0},
                 {"set", DO_SET_TIMER, 0}};
    struct decision d = {.id = s->id_next++, .node = NODE_NONE};
    bool known = false;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, f->at[0])) {
            d.type = words[i].type;
            d.kind = words[i].kind;
            known = true;
        }
    check(known);
    if (d.type == DO_AVOID_NODE) {
        d.node.v = field_number(f, 1);
        d.u.until_us = field_number(f, 2);
        d.why.code = f->at[0][0] == 'f' ? WHY_NODE_FAULT : WHY_NONE;
    } else if (d.type == DO_SET_TIMER) {
        d.u.timer.id = field_number(f, 1);
        d.u.timer.at_us = field_number(f, 2);
    } else {
        d.at = field_attempt(f);
    }
    if (d.type == DO_LAUNCH || d.type == DO_REPLICATE)
        d.node.v = field_number(f, 2);
    if (!strcmp(f->at[0], "copy")) {
        d.job_copy = (uint16_t)field_number(f, 3);
        d.kind = d.job_copy > 1 ? LAUNCH_CLONE : LAUNCH_FIRST;
        vec_push(&s->decisions, d);
        vec_push(&s->history, d);
        return;
    }
    if (d.type == DO_ASSIGN_READ) {
        d.u.read.source = field_ref(f, 2);
        d.u.read.exclusive = f->at[0][0] == 'o';
    }
    decision_reason(&d, f);
    if (d.type == DO_AVOID_NODE && f->count > 3)
        d.why.code = WHY_BAD_NODE;
    vec_push(&s->decisions, d);
    vec_push(&s->history, d);
}

static int turn_close(struct script *s, struct err *err)
{
    struct turn turn = {s->now_us,       s->events.at,       s->decisions.at,
                        s->events.count, s->decisions.count, NULL};
    int rc = s->turn_open ? s->tap.turn(s->tap.ctx, &turn, err) : 0;

    vec_clear(&s->events);
    s->partition_count = 0;
    vec_clear(&s->decisions);
    s->turn_open = false;
    return rc;
}

static int word_play(struct script *s, struct referee *referee, char *word, struct err *err)
{
    struct fields f = {0};

    if (word[0] == '@') {
        int rc = turn_close(s, err);
        s->now_us = strtoll(word + 1, NULL, 10);
        s->turn_open = true;
        return rc;
    }
    if (!strcmp(word, "end"))
        return turn_close(s, err) < 0 ? -1 : referee_finish(referee, err);
    if (!strcmp(word, "gap")) {
        s->id_next++;
        return 0;
    }
    char *rest = NULL;
    for (char *at = strtok_r(word, ":", &rest); at; at = strtok_r(NULL, ":", &rest)) {
        check(f.count < SCRIPT_FIELDS_MAX);
        f.at[f.count++] = at;
    }
    check(s->turn_open && f.count > 0);
    if (!event_word(s, &f))
        decision_word(s, &f);
    return 0;
}

int script_play(const char *text, struct referee *referee, struct err *err)
{
    struct script s = {.tap = referee_tap(referee), .id_next = 1};
    char *copy = mem_strdup(text), *rest = NULL;
    int rc = 0;

    for (char *w = strtok_r(copy, " ", &rest); w && rc == 0; w = strtok_r(NULL, " ", &rest))
        rc = word_play(&s, referee, w, err);
    if (rc == 0)
        rc = turn_close(&s, err);
    vec_free(&s.events);
    vec_free(&s.decisions);
    vec_free(&s.history);
    mem_free(copy);
    return rc;
}
