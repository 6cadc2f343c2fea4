/* results_table.h - writes all outputs to one table: --results FILE.csv, .tsv or .json. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/os/write_all.h"
#include "jobs/args/options.h"
#include "jobs/args/template.h"
#include "jobs/streams/joblog.h"

struct results_table {
    FILE *file; /* NULL: none */
    enum options_table kind;
    bool has_header;
    uint32_t columns;               /* number of columns for arguments */
    struct write_all_stream stream; /* for stdout */
};

/* Opens the table at this path; -.csv and the like are stdout. *t must not move until its file is
 * closed. Returns 0, or -1 with *err. */
int results_table_open(struct results_table *t, const char *path, enum options_table kind,
                       struct err *err);

/* Adds a finished task, with its arguments, their names (possibly none) and the files of its
 * outputs. Returns 0, or -1 with errno. */
int results_table_add(struct results_table *t, const struct joblog_entry *e,
                      struct fields arguments, struct fields names, const char *out,
                      const char *err);
