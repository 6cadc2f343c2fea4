/* exec_commit.h - makes an output the result of its task, permanently and atomically. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/decision.h"
#include "exec/folder/sync_files.h"

struct exec;

struct exec_commits {
    uint32_t *at; /* handles to commit together */
    uint32_t count, cap;
    struct sync_files files;  /* while they are: outputs whose bytes are not on the disk yet */
    int64_t last_us, took_us; /* when the last group was committed, and how long that took */
    uint64_t made;            /* the phase whose folders were made last, + 1; 0: none */
};

/* Notes that the output of the attempt is to be committed. */
void exec_commit(struct exec *x, const struct decision *d, uint32_t handle);

/* Commits those that were asked for, as one group. */
void exec_commit_all(struct exec *x);

/* The same if it is time. Returns when it will be; INT64_MAX: none was asked for. */
int64_t exec_commit_due(struct exec *x, int64_t now_us);

/* Discards the output of the attempt, committed or not. */
void exec_commit_discard(struct exec *x, const struct decision *d, uint32_t handle);

/* Does step 3 and 4 of a commit whose intent is in the journal of an earlier run. Returns false if
 * its output is not there, neither in its private folder nor in its final one. */
bool exec_commit_redo(struct exec *x, uint32_t handle);
