/* run_dir.h - where the files of a run are.
 *
 *     DIR/journal                          the truth of the run
 *     DIR/lock                             held by the run and by every process of it
 *     DIR/attempts/JOB.PHASE.TASK.ATTEMPT  private folder of an attempt: stdout, stderr, tmp/
 *     DIR/out/JOB/PHASE/TASK               committed outputs; PHASE is a name, the others numbers
 *
 * Functions that make a path write it to a buffer of PATH_MAX bytes; DIR is checked once to be
 * short enough. */
#ifndef EXEC_FOLDER_RUN_DIR_H
#define EXEC_FOLDER_RUN_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/id.h"
#include "core/model/job.h"

/* Makes the folder of a new run, for us alone. It may exist if it is empty and ours. 0, or -1 with
 * *err. */
int run_dir_create(const char *dir, struct err *err);

/* The folder's absolute path, after making attempts/ and out/ in it and taking its lock, whose
 * descriptor is in *lock_fd (unless there is one already: it was taken with
 * exec/folder/run_lock.h). NULL with *err. Free with mem_free. */
char *run_dir_open(const char *dir, int *lock_fd, struct err *err);

void run_dir_attempt(const char *dir, struct attempt_ref at, char path[PATH_MAX]);
void run_dir_job(const char *dir, struct job_id job, char path[PATH_MAX]);
void run_dir_phase(const char *dir, const struct job_spec *job, uint16_t phase,
                   char path[PATH_MAX]);
void run_dir_output(const char *dir, const struct job_spec *job, struct attempt_ref at,
                    char path[PATH_MAX]);

/* Removes folders of ours in `in` whose names begin like this and which killed processes have left:
 * nobody holds their locks (run_lock_is_stale). On a disk that machines share it does nothing, as
 * locks of other machines may not be seen. */
void run_dir_sweep(const char *in, const char *beginning);

/* Whether all that a folder holds is among the names, a list that ends with NULL. */
bool run_dir_holds_only(const char *dir, const char *const *names);

/* The bytes that we may still write to the disk; 0 when no file can be made; INT64_MAX: not known.
 */
int64_t run_dir_room(const char *dir);
struct statvfs;
int64_t run_dir_room_of(const struct statvfs *fs);

/* Whether a disk with this much room is as good as full, so that a command may have failed of it.
 */
bool run_dir_is_full(int64_t room);

/* Whether there is so little room left that nothing should be written that is not needed. */
bool run_dir_is_low(const char *dir);

/* Size and XXH3 checksum of a file. 0, or -1 with errno. */
int run_dir_checksum(const char *path, int64_t *bytes, uint64_t *checksum);

#endif
