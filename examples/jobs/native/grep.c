/* Grep in C: a job of one phase. Variables of the job file are in the environment, read once in
 * `begin`. It counts what it found, in a counter of the job. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>

#include <dolly.h>

static int begin(struct dolly_task *t)
{
    t->state = getenv("PATTERN");
    return t->state ? 0 : dolly_fail(t, "the variable PATTERN is missing");
}

static int map(struct dolly_task *t, struct dolly_bytes line)
{
    const char *pattern = (const char *)t->state;

    if (memmem(line.at, line.length, pattern, strlen(pattern))) {
        dolly_print(t, line);
        dolly_count(t, "grep", "found", 1);
    }
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .begin = begin, .map = map};
