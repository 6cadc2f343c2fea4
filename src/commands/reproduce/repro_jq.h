/* repro_jq.h - runs jq, in which the formulas of experiment files are written. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"

/* Runs a program, and returns the value that it prints; release it with json_decref. `library` is
 * the folder that its `include` looks in, `args` are further arguments of jq, $input[0] in the
 * program is `input` unless that is NULL. Returns NULL with *err: jq's message, of kind ERR_INPUT
 * if jq does not understand the program. */
json_t *repro_jq_run(const char *library, const char *program, char *const *args, uint32_t count,
                     const json_t *input, struct err *err);
