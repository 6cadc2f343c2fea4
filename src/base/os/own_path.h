/* own_path.h - the path of the running program. */
#pragma once

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* Writes the path of the program to `path`. Returns 0, or -1 with *err and `path` set to "". */
static inline int own_path(char path[PATH_MAX], struct err *err)
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : err_system(err, "/proc/self/exe cannot be read: %s", strerror(errno));
}
