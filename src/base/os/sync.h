/* sync.h - has files and names on the disk, so that a loss of power leaves them there. */
#pragma once

/* Each returns 0, or -1 with errno. Some file systems cannot sync folders. */

/* The bytes of a file. */
int sync_file(const char *path);

/* The names in a folder. */
int sync_folder(const char *path);

/* All files below a folder, and all names in it and below it. */
int sync_tree(const char *path);

/* The name of a file or folder, in the folder above it. */
int sync_name(const char *path);
