/* trace_files.h - the files of a trace, from the files and folders that users name. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct trace_files {
    VEC(char *) at; /* owned */
};

/* Lists the files of these paths. A folder gives the files in it, by name, except those that begin
 * with . or _ and Spark's application status (appstatus_), and the logs of Spark in folders of
 * their own. Files of one rolled log of Spark are adjacent and in order. Returns -1 with *err. Free
 * with vec_free_each(&to->at) in every case. */
int trace_files_list(const char *const *paths, uint32_t count, struct trace_files *to,
                     struct err *err);
