/* synth_file.h - models of generated workloads from files (docs/reference/workload-models.md,
 * "Model files"). */
#pragma once

#include "base/err.h"
#include "inputs/config/key.h"
#include "inputs/models/synth_model.h"

/* Reads a model. The path of its cluster file is relative to the model's folder. Returns NULL with
 * *err as "file:line: error; expected value". Free with synth_file_free. */
struct synth_model *synth_file_read(const char *path, struct err *err);
void synth_file_free(struct synth_model *m); /* NULL is fine */

/* The kinds of lines, for the test that compares the page with them. */
enum {
    MODEL_MODEL,
    MODEL_ARRIVALS,
    MODEL_JOBS,
    MODEL_PHASES,
    MODEL_TASKS,
    MODEL_DATA,
    MODEL_MIX,
    MODEL_PUBLISHED,
    MODEL_KINDS,
};
extern const struct key_kind synth_file_kinds[MODEL_KINDS];
