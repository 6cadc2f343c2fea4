/* fetch_store.h - outputs that are kept by the agent whose attempts wrote them: DIR/kept/HANDLE.
 *
 * An output is named by the handle of its attempt, a number, so a reader cannot ask for any other
 * file in the folder or outside it. */
#pragma once

#include <stdint.h>

#include "base/os/path.h"
#include "exec/process/packet.h"

/* Creates the folder, empty. Returns 0, or -1 with errno. */
int fetch_store_make(const char *dir);

/* Returns the path of an output. */
struct path fetch_store_path(const char *dir, uint32_t output);

/* Moves the file at `from` into the store as this output. Returns 0, or -1 with errno. */
int fetch_store_keep(const char *dir, uint32_t output, const char *from);

/* Deletes the output. */
void fetch_store_forget(const char *dir, uint32_t output);

/* The part of an output that only its readers need: all of it, or, of a sorted file, its
 * partitions.
 */
struct fetch_hole {
    int64_t from, to;
};

/* Finds the hole of an open output. Returns 0, or -1 with errno (EBADMSG: not a sorted file). */
int fetch_store_hole(int fd, bool is_run, struct fetch_hole *hole);

/* Opens an output to read a partition of it, or PACKET_WHOLE. Returns the descriptor and fills in
 * *found and the offset in the file; or returns -1 with found->error. */
int fetch_store_find(const char *dir, uint32_t output, uint32_t partition,
                     struct packet_partition *found, int64_t *offset);
