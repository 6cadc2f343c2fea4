/* kin.h - whose is this process? Tells the attempt an orphan descends from.
 *
 * Every attempt starts with a mark in its environment that its descendants inherit: DOLLY_LINEAGE,
 * a list "RUN.HANDLE:" with one entry per dolly above it, so that runs inside runs keep their kin
 * apart. Descendants that cleaned their environment are known by a descriptor they were born with.
 */
#ifndef EXEC_KIN_H
#define EXEC_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { KIN_RUN_CHARS = 16, KIN_LINEAGE_MAX = 4096 };

struct kin {
    char run[KIN_RUN_CHARS + 1];     /* random, in hex */
    char above[KIN_LINEAGE_MAX + 1]; /* the lineage we were started with, mostly empty */
};

/* Draws a new run mark and takes over the lineage of our own environment. 0, or -1 with errno. */
int kin_init(struct kin *k);

/* Writes "DOLLY_LINEAGE=..." for an attempt. */
enum { KIN_ENV_BYTES = KIN_LINEAGE_MAX + 64 };
void kin_env(const struct kin *k, uint32_t handle, char out[KIN_ENV_BYTES]);

/* Reads the mark of a process. 1 with *handle; 0 when it has none; -1 when nothing could be read:
 * it is dead, is just being executed, is not ours to read, or has no environment at all. */
int kin_of(const struct kin *k, pid_t pid, uint32_t *handle);

/* Whether the process holds the pipe with this inode. */
bool kin_holds_pipe(pid_t pid, uint64_t inode);

#endif
