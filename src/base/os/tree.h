/* tree.h - folders with their contents. */
#pragma once

/* Removes a folder with its contents, or a file, as far as that can be done; follows no link.
 * Returns 0 if nothing is left, or did not exist; else -1 with errno. */
int tree_remove(const char *path);
