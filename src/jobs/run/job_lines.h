/* job_lines.h - a job file as lines with keys and values (inputs/config/line.h).
 *
 * One line is the job, `job NAME key=value ...`, and behind it come its phases,
 * `phase NAME key=value ...`. People write a job like that, as in a workload file, or in YAML,
 * which becomes such lines (yaml_lines.h); so the reader of lines reports wrong values with
 * their line. */
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "inputs/config/line.h"

/* Zero-initialise; free with job_lines_fini. */
struct job_lines {
    VEC(struct line) lines; /* the job, and then its phases */
    struct line_file *file; /* for messages; lines of a workload file point into it */
    VEC(char *) texts;      /* lines of YAML point to these */
};

/* Reads a file. One whose first word is `job` consists of lines, any other is YAML. Returns 0, or
 * -1 with *err as "file:line: error". */
int job_lines_read(struct job_lines *l, const char *path, struct err *err);
void job_lines_fini(struct job_lines *l);
