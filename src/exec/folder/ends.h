/* ends.h - the ends of attempts, noted by a guardian, which outlives a coordinator that is killed.
 *
 * A line for each life of the run, and one for each attempt that has ended by itself in it, in
 * DIR/ends:
 *
 *     boot NAME
 *     JOB.PHASE.TASK.ATTEMPT STATUS WALL_US CPU_US PEAK_RSS_KIB READ_BYTES TOLD LEFT
 *
 * TOLD is 1 if it has announced its output, as `dolly task` does, else 0. LEFT is an enum
 * packet_left; lines of older runs do not have it. Ends count only as long as the machine has not
 * booted since: neither they nor the outputs are synced, and a disk may have kept the end of an
 * attempt and lost its output.
 * The journal is the truth of a run; but what ended in the last moments before the coordinator was
 * killed may not be there yet, and must not run again for that. */
#pragma once

#include "base/err.h"
#include "core/model/id.h"
#include "exec/process/packet.h"

/* Opens the file in the folder of a run, to add to it. Returns the descriptor, or -1 with *err. */
int ends_open(const char *dir, struct err *err);

/* Notes the end of the attempt whose private folder has this path, or would have it. Not on a full
 * disk: then the attempt is not believed. An end that cannot be written counts as not seen. */
void ends_note(int fd, const char *dir, const struct packet_end *end);

/* Has the end of this attempt, which is noted in the folder, not count: the attempt exited well and
 * is not believed. Needs no space. */
void ends_retract(const char *dir, struct attempt_ref at);

/* Calls `found` for each end that is noted in the folder and counts. Returns true if the machine
 * has not booted since the life before this one began; this one has called ends_open. */
bool ends_read(const char *dir,
               void (*found)(void *ctx, struct attempt_ref at, const struct packet_end *end),
               void *ctx);
