/* coordinator_files.h - the files in the folder of a run by which agents and coordinators find and
 * trust each other, also when one coordinator follows another:
 *
 *     agents.key     the key, for the next coordinator, and for batch jobs without MUNGE; mode 0600
 *     agents.sealed  the key, sealed by MUNGE for this user, where there is one: for batch jobs
 *     agents.at      HOST:PORT where the coordinator listens; agents that lost theirs look here
 *     agents.probe   a random word, by which agents find out whether they see the folder
 *     agents.held    until when (seconds since 1970) agents may hold an extended promise, because
 *                    the coordinator was about to be stopped (remote/wire/lease.h)
 *
 * A coordinator removes all but the probe at its end, so they are found only after one was killed.
 */
#pragma once

#include "base/err.h"

struct coordinator;

/* Takes the key that an earlier coordinator has left, and its port, if that may be free again; or
 * makes a key. Opens the log. Returns 0, or -1 with *err. */
int coordinator_files_open(struct coordinator *a, struct err *err);

/* Writes agents.sealed. Returns 0, or -1 with *err. */
int coordinator_files_seal(struct coordinator *a, struct err *err);

/* Writes the address of this coordinator to agents.at. Returns 0, or -1 with *err. */
int coordinator_files_tell(struct coordinator *a, struct err *err);

/* Records for the next coordinator that agents are promised LEASE_HELD_US from now. */
void coordinator_files_hold(const struct coordinator *a);

/* Removes the files by which agents find the run. Call when it needs no agents any more. */
void coordinator_files_close(struct coordinator *a);
