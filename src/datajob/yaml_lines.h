/* yaml_lines.h - a job file in YAML as lines with keys and values (config/line.h).
 *
 * The file is a mapping, which becomes a line `job NAME key=value ...`; its `phases`, a list of
 * mappings, become lines `phase NAME key=value ...` behind it. NAME is the value of `name`. A list
 * of words gives its key again for each of them, and a mapping of words gives it with KEY=VALUE.
 * So whatever reads lines says what is wrong with a value, and where. Anchors, aliases and tags are
 * refused. */
#ifndef DATAJOB_YAML_LINES_H
#define DATAJOB_YAML_LINES_H

#include "base/err.h"
#include "base/vec.h"
#include "config/line.h"

/* Zero-initialise; free with yaml_lines_fini. */
struct yaml_lines {
    VEC(struct line) lines; /* the job, and then its phases */
    struct line_file *file; /* for messages */
    VEC(char *) texts;      /* what lines point to */
};

/* -1 with *err as "file:line: what is wrong". */
int yaml_lines_read(struct yaml_lines *y, const char *path, struct err *err);
void yaml_lines_fini(struct yaml_lines *y);

#endif
