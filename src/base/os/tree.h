/* tree.h - folders with their contents. */
#pragma once

#include <sys/types.h>

/* Removes a folder with its contents, or a file, as far as that can be done; follows no link.
 * Returns 0 if nothing is left, or did not exist; else -1 with errno. */
int tree_remove(const char *path);

/* Makes the folders above a path, with this mode less the umask, as far as they do not exist and
 * can be made. Slashes at its end do not count. */
void tree_make_above(const char *path, mode_t mode);
