/* streaming_args.h - Hadoop Streaming's command line, as far as it means something here.
 *
 * What Hadoop has and dolly does not is refused by name, with the way to do it if there is one. */
#ifndef STREAMING_STREAMING_ARGS_H
#define STREAMING_STREAMING_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"
#include "task/plan.h"

struct streaming_args {
    struct task_plan plan; /* without its pieces; reducer NULL: none was given */
    VEC(const char *) inputs;
    const char *output;
    const char *policy, *chaos; /* dolly's own: -policy, -chaos */
    uint32_t slots;             /* -slots; 0: a slot for each core */
    uint64_t piece_bytes;       /* 0: as suits the inputs */
    bool once;                  /* tasks must not run twice at once */
    bool verbose, help;
};

/* Reads argv behind argv[0]. -1: what is wrong, and which argument. Free with streaming_args_fini
 * in both cases. */
int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err);
void streaming_args_fini(struct streaming_args *a);

#endif
