/* pieces.h - the inputs of a job: files, folders and patterns, cut into pieces for mappers. */
#ifndef DATAJOB_PIECES_H
#define DATAJOB_PIECES_H

#include <stdint.h>

#include "base/err.h"
#include "task/plan.h"

/* Adds the files that `pattern` stands for: a file, a folder with its files (not those whose names
 * begin with . or _, nor folders), or a pattern of the shell. Each is one piece so far. -1: there
 * is none, or one cannot be read. */
int pieces_add(struct task_plan *p, const char *pattern, struct err *err);

/* Cuts the files into pieces of about `bytes`, those of a file equally long; 0: as suits their size
 * and `slots` mappers at once. An empty file is one piece, and so is one that has to be unpacked.
 */
void pieces_cut(struct task_plan *p, uint64_t bytes, uint32_t slots);

/* The same after every `lines` lines. -1: an input cannot be read, or that would be too many. */
int pieces_cut_lines(struct task_plan *p, uint64_t lines, struct err *err);

#endif
