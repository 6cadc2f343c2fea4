/* spark_files.h - names of Spark's rolled event logs: eventlog_v2_APP/events_N_APP, followed by the
 * name of a codec and, if events of earlier files were packed into one, compact. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/trace/row.h"

struct spark_file {
    int64_t number;
    bool is_compact;             /* it contains all files up to its number */
    struct row_text folder, log; /* log: APP */
};

/* Returns true if the path is that of such a file; *file then points into it. */
bool spark_files_is(const char *path, struct spark_file *file);

/* Returns true if both belong to one log. */
bool spark_files_same(const struct spark_file *a, const struct spark_file *b);

/* Implements import_format.follows. */
int spark_files_follow(const char *before, const char *name, struct err *err);
