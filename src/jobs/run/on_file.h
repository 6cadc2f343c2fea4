/* on_file.h - on which nodes a job runs, kept in its folder for whoever goes on with it. */
#ifndef JOBS_RUN_ON_FILE_H
#define JOBS_RUN_ON_FILE_H

#include "base/err.h"
#include "remote/coordinator/on.h"

/* Writes what the user has asked for; nothing if that is no agents. -1 with *err. */
int on_file_write(const struct on_options *on, const char *path, struct err *err);

/* Reads it; no file: no agents. Texts point into *text, the caller's. -1 with *err. */
int on_file_read(struct on_options *on, char **text, const char *path, struct err *err);

#endif
