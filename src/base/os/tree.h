/* tree.h - folders with all that is in them. */
#ifndef BASE_OS_TREE_H
#define BASE_OS_TREE_H

/* Removes a folder, or a file, and all that is in it, as far as that can be done; follows no link.
 * 0 if nothing is left, or was there; else -1 with errno. */
int tree_remove(const char *path);

#endif
