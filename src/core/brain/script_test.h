/* script_test.h - a hand-driven body for tests of the brain and of policies: give events, decide,
 * check the decisions. Everything else is as in a perfect world. */
#pragma once

#include <stdint.h>

#include "core/brain/brain.h"
#include "core/brain/seam.h"
#include "core/brain/world.h"

struct script {
    struct policy *policy;
    struct brain *brain;
    int64_t now_us;
    struct decision_list out; /* of the last decide */
    uint32_t jobs;
};

/* Creates the brain with a policy as for policy_create, and `nodes` nodes of `slots` slots, which
 * are up. */
void script_init(struct script *s, const char *policy, uint32_t nodes, int32_t slots);
void script_fini(struct script *s);

/* Adds an event of this instant; decide ends the instant. */
void script_tell(struct script *s, struct event e);
void script_decide(struct script *s, int64_t now_us);

/* Submits a job of `phases` phases in a chain, `tasks` tasks of one slot each. Returns its id. */
struct job_id script_job(struct script *s, uint16_t phases, uint32_t tasks);
/* Submits a job with tasks[k] tasks in phase k; `edges[k]` leads into phase k + 1. */
struct job_id script_chain(struct script *s, uint16_t phases, const uint32_t *tasks,
                           const struct edge_spec *edges);
/* Submits a job of one phase; a demand of nothing is replaced by one slot. */
struct job_id script_phase(struct script *s, struct phase_spec phase);
/* Submits a job of `tasks` tasks of `slots` slots each to a queue. */
struct job_id script_queued(struct script *s, const char *queue, uint32_t tasks, int32_t slots);
/* Submits a job from a spec; its id is set. */
struct job_id script_submit(struct script *s, struct job_spec *spec);

struct attempt_ref script_ref(struct job_id job, uint16_t phase, uint32_t task, uint16_t attempt);
void script_event(struct script *s, enum event_type type, struct attempt_ref at);
void script_started_all(struct script *s); /* every launch of the last decide has started */
/* Reports finished, decides, reports committed, decides. */
void script_win(struct script *s, struct attempt_ref at);
/* Reports output_ready, then finished. */
void script_output(struct script *s, struct attempt_ref at, int64_t bytes, uint64_t checksum);
void script_progress(struct script *s, struct attempt_ref at, int64_t done, int64_t total);
void script_node_up(struct script *s, uint32_t node, int32_t slots, uint32_t rack);
void script_timer(struct script *s, uint32_t timer, int64_t now_us); /* fires; decide */

/* The number of decisions of the last decide of this type (and, for launches, kind; -1: any). */
uint32_t script_count(const struct script *s, enum decision_type type, int kind);
const struct decision *script_find(const struct script *s, enum decision_type type,
                                   struct attempt_ref at);
/* The verdict about a phase in the last decide, or NULL. */
const struct reason *script_verdict(const struct script *s, struct job_id job, uint16_t phase);
