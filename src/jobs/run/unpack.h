/* unpack.h - unpacks an archive (zip, jar, tar, compressed or not) into a folder. */
#pragma once

#include "base/err.h"

/* Unpacks the file into a folder, which is made. Never writes outside it. Returns 0, or -1 with
 * *err. */
int unpack_into(const char *path, const char *folder, struct err *err);
