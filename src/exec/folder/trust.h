/* trust.h - checks that the files in the folder of a run can only have been written by its user.
 *
 * Resuming a run executes the contents of its folder as the resuming user: commands, paths, a
 * folder to run in. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Returns 0 if the folder and everything directly in it belong to this user, no other user may
 * write there and nothing is a link except the entry of this name (NULL: none); or -1 with *err,
 * which names the entry. */
int trust_folder(const char *dir, const char *link, struct err *err);

/* Returns true if the file exists and belongs to another user, stored in *owner. */
bool trust_is_foreign(const char *path, uid_t *owner);
