/* yaml_lines.h - a job file in YAML as lines with keys and values.
 *
 * The file is a mapping, which becomes a line `job NAME key=value ...`; its `phases`, a list of
 * mappings, become lines `phase NAME key=value ...` behind it. NAME is the value of `name`. A list
 * of words gives its key again for each of them, and a mapping of words gives it with KEY=VALUE.
 * Anchors, aliases and tags are refused. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "jobs/run/job_lines.h"

/* Reads the lines. Returns 0, or -1 with *err as "file:line: error", where the file is called
 * `path`. */
int yaml_lines_read(struct job_lines *l, FILE *f, const char *path, struct err *err);
