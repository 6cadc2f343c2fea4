/* journal_sample_test.h - made-up events, decisions and journals for the tests of the journal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"
#include "core/engine/engine.h"
#include "record/journal/journal.h"
#include "record/journal/journal_reader.h"

enum { SAMPLE_PHASES = 4, SAMPLE_TASKS = 8, SAMPLE_PARTITIONS = 5 };

/* Draws, and the memory that the pointers of the last draw lead to. */
struct journal_sample {
    struct rng rng;
    struct job_spec job;
    struct phase_spec phases[SAMPLE_PHASES];
    struct edge_spec edges[SAMPLE_PHASES][SAMPLE_PHASES];
    int64_t input_each[SAMPLE_TASKS];
    int64_t past_us[SAMPLE_PHASES][JOB_PAST_MAX];
    uint32_t replica_from[SAMPLE_TASKS + 1];
    struct node_id replicas[3 * SAMPLE_TASKS];
    struct output_partition partitions[SAMPLE_PARTITIONS];
};

void journal_sample_init(struct journal_sample *s, uint64_t seed);

/* An event or decision of the type with every field that the type carries drawn anew, often at the
 * end of its range. Pointers are good until the next draw. */
struct event journal_sample_event(struct journal_sample *s, uint8_t type);
struct decision journal_sample_decision(struct journal_sample *s, uint8_t type);
uint8_t journal_sample_decision_type(uint32_t i);

/* Equal in every field that the type carries, behind pointers too; numbers of reasons to the bit.
 */
bool journal_sample_event_equal(const struct event *a, const struct event *b);
bool journal_sample_decision_equal(const struct decision *a, const struct decision *b);

/* A path for a test's file that does not exist yet; the test removes the file. */
enum { SAMPLE_PATH_MAX = 256 };
void journal_sample_path(char *path, const char *name);

/* Writes `turns` drawn turns with one event and one decision each, intents in between, and END.
 * Returns the digest. path NULL: only the digest. */
uint64_t journal_sample_write(const char *path, size_t buffer_bytes, uint64_t seed, uint32_t turns);

/* Rewrites the journal of a run without applications and expectations as an older version, from 2
 * on, would have written it. */
void journal_sample_age(const char *path, uint32_t version);

/* Whole files. */
enum { SAMPLE_FILE_MAX = 1 << 16 };
size_t journal_sample_load(const char *path, unsigned char *out);
void journal_sample_store(const char *path, const unsigned char *bytes, size_t length);
