/* trust.h - whether what stands in the folder of a run can only have been written by its user.
 *
 * Resuming a run does what its folder contains, as the user who resumes: commands, paths, a folder
 * to run in. */
#ifndef EXEC_FOLDER_TRUST_H
#define EXEC_FOLDER_TRUST_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* 0 if the folder and everything directly in it belong to us, no other user may write there and
 * nothing is a link but the entry of this name (NULL: none), or -1 with *err, which names what is
 * not so. */
int trust_folder(const char *dir, const char *link, struct err *err);

/* Whether the file is there and is another user's, who is in *owner. */
bool trust_is_foreign(const char *path, uid_t *owner);

#endif
