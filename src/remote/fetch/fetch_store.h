/* fetch_store.h - outputs that stay with the agent whose attempts have left them: DIR/kept/HANDLE.
 *
 * An output is known by the handle of its attempt, a number, so whoever asks for one cannot ask for
 * anything else in the folder or out of it. */
#ifndef REMOTE_FETCH_FETCH_STORE_H
#define REMOTE_FETCH_FETCH_STORE_H

#include <limits.h>
#include <stdint.h>

#include "exec/process/packet.h"

/* Makes the folder, empty. 0, or -1 with errno. */
int fetch_store_make(const char *dir);

void fetch_store_path(const char *dir, uint32_t output, char path[PATH_MAX]);

/* Takes the file at `from` as this output. 0, or -1 with errno. */
int fetch_store_keep(const char *dir, uint32_t output, const char *from);
/* Nobody will ask for it. */
void fetch_store_forget(const char *dir, uint32_t output);

/* What of an output nobody but its readers needs: all of it, or, of a run file, its partitions. */
struct fetch_hole {
    int64_t from, to;
};
/* Finds it in an output that is open. 0, or -1 with errno: EBADMSG, it is no run file. */
int fetch_store_hole(int fd, bool is_run, struct fetch_hole *hole);

/* Opens an output for whoever wants a partition of it, or PACKET_WHOLE. Fills in what it is, and
 * where in the file it lies; -1, and part->error says why. */
int fetch_store_find(const char *dir, uint32_t output, uint32_t partition, struct packet_part *part,
                     int64_t *offset);

#endif
