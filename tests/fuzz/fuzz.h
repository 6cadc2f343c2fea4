/* fuzz.h - every parser of dolly as a function of arbitrary bytes.
 *
 * A target reads its bytes as the program would and throws the result away. Whatever they are, it
 * returns: no crash, no failed check, no leak, no long computation. libfuzzer.c looks for bytes
 * that break this (`make fuzz`), seeds.c runs the bytes that are kept in tests/fuzz/seeds
 * (`./check`). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void fuzz_run(const uint8_t *at, size_t length);

struct fuzz_target {
    const char *name; /* also of its folder in tests/fuzz/seeds */
    fuzz_run *run;
};

/* The last one has no name. */
extern const struct fuzz_target fuzz_targets[];

/* NULL when there is none of this name. */
const struct fuzz_target *fuzz_target(const char *name);

/* Path of a file with these bytes; both are there until the next call. */
const char *fuzz_file(const uint8_t *at, size_t length);

/* The bytes as a string, which ends at the first zero; free with mem_free. */
char *fuzz_text(const uint8_t *at, size_t length);

/* A copy of the bytes, a journal, in which every checksum is right; free with mem_free. Accidents
 * are found by checksums: what is behind them must hold by itself. */
uint8_t *fuzz_signed(const uint8_t *at, size_t length);

/* Whether the journal is read to its end, and closed; the reason to stderr if not. */
bool fuzz_is_whole(const uint8_t *at, size_t length);

/* Writes a change of the journal to `out`, which has room for `room` bytes: numbers are changed,
 * and records are left out, doubled and exchanged. The same seed gives the same change. Checksums
 * are right again. Returns its length. */
size_t fuzz_mutate_journal(const uint8_t *at, size_t length, uint64_t seed, uint8_t *out,
                           size_t room);

/* Writes the journal of the i-th of some small simulations to the path: a process of its own runs
 * it. -1: there are no more, or it failed. */
int fuzz_simulate(unsigned i, const char *path);

fuzz_run fuzz_workload, fuzz_cluster, fuzz_model, fuzz_policy, fuzz_history, fuzz_joblog,
    fuzz_packet, fuzz_array, fuzz_chaos, fuzz_halt, fuzz_slots, fuzz_request, fuzz_template,
    fuzz_inputs, fuzz_options, fuzz_resume, fuzz_experiment, fuzz_journal, fuzz_verify,
    fuzz_explain, fuzz_report, fuzz_replay, fuzz_whatif, fuzz_frames, fuzz_hello, fuzz_fetch,
    fuzz_job, fuzz_plan, fuzz_counters, fuzz_sorted_file;

fuzz_run fuzz_trace_any, fuzz_trace_google_attempts, fuzz_trace_google_events,
    fuzz_trace_alibaba2018_task, fuzz_trace_alibaba2018_instance, fuzz_trace_alibaba2018_dag,
    fuzz_trace_alibaba2017_task, fuzz_trace_alibaba2017_instance, fuzz_trace_swim,
    fuzz_trace_coflow, fuzz_trace_hawk, fuzz_trace_swf, fuzz_trace_nextflow, fuzz_trace_spark,
    fuzz_trace_wfcommons, fuzz_trace_rumen, fuzz_trace_journal, fuzz_rows, fuzz_spool, fuzz_blocks;
