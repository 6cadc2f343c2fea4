/* pieces.h - the inputs of a job: files, folders and patterns, cut into pieces for mappers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/task/plan.h"

/* How inputs are found. Zero: as in docs/reference/job-file.md. */
struct pieces_how {
    bool recursive;       /* read folders in folders, too, ... */
    bool refuses_folders; /* ... or refuse them; else they are skipped */
    bool commas;          /* a pattern may be several, with commas between them */
    bool may_be_empty;    /* a folder may have no files */
};

/* Adds the files of `pattern`: a file, a folder with its files, or a pattern of the shell. Skips
 * names that begin with . or _, unless they are written out. Each file is one piece so far. Returns
 * 0, or -1 with *err if there is none, or one cannot be read. */
int pieces_add(struct task_plan *p, const char *pattern, const struct pieces_how *how,
               struct err *err);

/* Cuts the files into pieces of about `bytes`, equally long within a file; 0: chosen by their size
 * and `slots` mappers at once. An empty file is one piece, and so is one that has to be unpacked.
 */
void pieces_cut(struct task_plan *p, uint64_t bytes, uint32_t slots);

/* Cuts the files after every `lines` lines. Returns 0, or -1 with *err if an input cannot be read,
 * or there would be too many. */
int pieces_cut_lines(struct task_plan *p, uint64_t lines, struct err *err);

/* Returns 0 if the inputs of a plan that was read are unchanged since they were cut, by size and
 * time; or -1 with *err if one has changed, or is gone. */
int pieces_check(const struct task_plan *p, struct err *err);
