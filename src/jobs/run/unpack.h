/* unpack.h - an archive of the user's (zip, jar, tar, packed or not) as a folder. */
#ifndef JOBS_RUN_UNPACK_H
#define JOBS_RUN_UNPACK_H

#include "base/err.h"

/* Unpacks the file into a folder, which is made. Nothing is written outside of it, whatever the
 * archive says. -1 with *err. */
int unpack_into(const char *path, const char *folder, struct err *err);

#endif
