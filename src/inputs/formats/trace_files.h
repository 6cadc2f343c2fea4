/* trace_files.h - the files of a trace, from what users name: files and folders. */
#ifndef INPUTS_FORMATS_TRACE_FILES_H
#define INPUTS_FORMATS_TRACE_FILES_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct trace_files {
    VEC(char *) at; /* owned */
};

/* Fills the list with the files that these paths stand for: a folder for the files in it, by name,
 * without those that begin with . or _ or say how applications of Spark are (appstatus_), and for
 * logs of Spark in folders of their own. Files of one rolled log of Spark are neighbours and in
 * order. -1 with *err. Free with trace_files_fini in every case. */
int trace_files_list(const char *const *paths, uint32_t count, struct trace_files *to,
                     struct err *err);
void trace_files_fini(struct trace_files *files);

#endif
