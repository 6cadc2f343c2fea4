/* where_file.h - saves the `--on` options of a job in its folder, so that resume can use them. */
#pragma once

#include "base/err.h"
#include "remote/coordinator/where.h"

/* Writes the options; nothing without agents. Returns 0, or -1 with *err. */
int where_file_write(const struct where_options *where, const char *path, struct err *err);

/* Reads the options; without the file, none. Texts point into *text, owned by the caller. Returns
 * 0, or -1 with *err. */
int where_file_read(struct where_options *where, char **text, const char *path, struct err *err);
