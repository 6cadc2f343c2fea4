/* file_pattern.h - names of files for tasks, as in Slurm: --output log_%A_%4a.out.
 *
 *     %A  number of the run               %x  name of the command
 *     %a  index of the task               %N  name of this machine, up to its first dot
 *     %j  a number of the task's own      %u  name of the user
 *     %%  a per cent sign
 *
 * A digit between them, as in %4a, is how many digits a number has at least. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct file_pattern_facts {
    int64_t run, index;
    uint64_t seq; /* from 1; %j is run + seq */
    const char *command;
    const char *host, *user;
};

/* Returns 0, or -1 with *err if the pattern has anything else after a per cent sign. */
int file_pattern_check(const char *pattern, struct err *err);

/* Returns true if all tasks of a run get the same name. */
bool file_pattern_is_shared(const char *pattern);

/* Returns true if the name contains the host (%N). */
bool file_pattern_has_host(const char *pattern);

/* Appends the name. The pattern must be valid. */
void file_pattern_fill(const char *pattern, const struct file_pattern_facts *facts,
                       struct str *out);
