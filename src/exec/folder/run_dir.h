/* run_dir.h - the paths of the files of a run.
 *
 *     DIR/journal                          the truth of the run
 *     DIR/lock                             held by the run and by every process of it
 *     DIR/turns                            how long turns took (exec/folder/turn_times.h)
 *     DIR/attempts/JOB.PHASE.TASK.ATTEMPT  private folder of an attempt: stdout, stderr, tmp/
 *     DIR/out/JOB/PHASE/TASK               committed outputs; PHASE is a name, the others numbers
 *
 * DIR is checked once to be short enough for all of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os/path.h"
#include "core/model/id.h"
#include "core/model/job.h"

/* Makes the folder of a new run, for this user alone. It may exist if it is empty and belongs to
 * this user. Returns 0, or -1 with *err. */
int run_dir_create(const char *dir, struct err *err);

/* Returns the folder's absolute path, after making attempts/ and out/ in it and taking its lock,
 * whose descriptor is in *lock_fd (unless there is one already: it was taken with
 * exec/folder/run_lock.h). Returns NULL with *err on failure. Free with mem_free. */
char *run_dir_open(const char *dir, int *lock_fd, struct err *err);

struct path run_dir_attempt(const char *dir, struct attempt_ref at);
struct path run_dir_job(const char *dir, struct job_id job);
struct path run_dir_phase(const char *dir, const struct job_spec *job, uint16_t phase);
struct path run_dir_output(const char *dir, const struct job_spec *job, struct attempt_ref at);

/* Removes folders in `in` whose names begin like this and which killed processes of dolly have
 * left: their locks are free (run_lock_is_stale). On a disk that machines share it does nothing, as
 * locks of other machines may not be visible. */
void run_dir_sweep(const char *in, const char *beginning);

/* Returns true if the folder holds only these names, a list that ends with NULL. */
bool run_dir_holds_only(const char *dir, const char *const *names);

/* Returns the bytes that may still be written to the disk; 0 if no file can be made; INT64_MAX: not
 * known. */
int64_t run_dir_free_bytes(const char *dir);
struct statvfs;
int64_t run_dir_room_of(const struct statvfs *fs);

/* Returns true if a disk with this much space is practically full, so that a command may have
 * failed of it. */
bool run_dir_is_full(int64_t free_bytes);

/* Returns true if there is so little space left that only necessary files should be written. */
bool run_dir_is_low(const char *dir);

/* Returns the XXH3 checksum of a file without bytes. */
uint64_t run_dir_checksum_of_nothing(void);

/* Computes size and XXH3 checksum of a file. Returns 0, or -1 with errno. */
int run_dir_checksum(const char *path, int64_t *bytes, uint64_t *checksum);

/* Does the same for an open file, from where it is. */
int run_dir_checksum_of(int fd, int64_t *bytes, uint64_t *checksum);
