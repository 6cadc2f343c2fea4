/* snapshot_json.h - a snapshot as JSON: what `dolly top --json` prints and /api/v1 answers.
 * docs/reference/json.md lists the keys. Names are text, as the journal has them. */
#pragma once

#include <jansson.h>

#include "commands/watch/snapshot.h"

/* Returns the run: state, counts of tasks, the expected end, phases, and under "explain" the object
 * of `dolly explain --json` for the journal up to this turn. */
json_t *snapshot_json_run(const struct snapshot *s, const struct followed_run *f);

/* Returns only what changes all the time: the members of `run` without "explain" and the texts. */
json_t *snapshot_json_sums(const struct snapshot *s, const struct followed_run *f);

/* Returns the attempts that run, those to worry about first, at most `limit` of them. */
json_t *snapshot_json_attempts(const struct snapshot *s, const struct followed_run *f,
                               uint32_t limit);

/* Returns the tasks that failed for good. */
json_t *snapshot_json_failures(const struct snapshot *s, const struct followed_run *f);

/* Returns the nodes, and the verdicts by reason. */
json_t *snapshot_json_nodes(const struct snapshot *s, const struct followed_run *f);
json_t *snapshot_json_verdicts(const struct followed_run *f);
