/* pieces.h - the inputs of a job: files, folders and patterns, cut into pieces for mappers. */
#ifndef JOBS_RUN_PIECES_H
#define JOBS_RUN_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/task/plan.h"

/* How inputs are found. Zero: as docs/reference/job-file.md has it. */
struct pieces_how {
    bool recursive;       /* folders in folders are read, too, ... */
    bool refuses_folders; /* ... or are an error; else they are left out */
    bool commas;          /* a pattern may be several, with commas between them */
    bool may_be_empty;    /* a folder may be without files */
};

/* Adds the files that `pattern` stands for: a file, a folder with its files, or a pattern of the
 * shell. Names that begin with . or _ are left out, unless they are written out. Each file is one
 * piece so far. -1: there is none, or one cannot be read. */
int pieces_add(struct task_plan *p, const char *pattern, const struct pieces_how *how,
               struct err *err);

/* Cuts the files into pieces of about `bytes`, those of a file equally long; 0: as suits their size
 * and `slots` mappers at once. An empty file is one piece, and so is one that has to be unpacked.
 */
void pieces_cut(struct task_plan *p, uint64_t bytes, uint32_t slots);

/* The same after every `lines` lines. -1: an input cannot be read, or that would be too many. */
int pieces_cut_lines(struct task_plan *p, uint64_t lines, struct err *err);

/* Whether the inputs of a plan that was read are what they were when they were cut, by size and
 * time. -1 with *err: one is not, or is gone. */
int pieces_check(const struct task_plan *p, struct err *err);

#endif
