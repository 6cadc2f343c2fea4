/* sync_files.h - has the bytes of several files on the disk, in hardly more time than one takes. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct sync_entry {
    char *path; /* owned */
    int error;  /* out: errno of what failed, or 0 */
};

/* Zero-initialise. */
struct sync_files {
    VEC(struct sync_entry) at;
};

/* Adds a file; the path is copied. */
void sync_files_add(struct sync_files *s, const char *path);

/* Syncs all of them, and notes in each how that went. Returns when all is over. */
void sync_files_all(struct sync_files *s);

/* Forgets them, and may be filled again. */
void sync_files_clear(struct sync_files *s);

void sync_files_fini(struct sync_files *s);
