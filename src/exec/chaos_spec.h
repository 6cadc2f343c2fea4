/* chaos_spec.h - trouble on request: `slow=0.2x8,kill=0.05,node_mtbf=60s`. */
#ifndef ARGS_CHAOS_SPEC_H
#define ARGS_CHAOS_SPEC_H

#include <stdint.h>

#include "base/err.h"

struct chaos_spec {
    double slow_p, slow_factor; /* this share of attempts runs so many times slower */
    double kill_p;              /* this share is killed ... */
    int64_t kill_within_us;     /* ... at a time drawn evenly from 0 to here */
    int64_t node_mtbf_us;       /* mean time between failures of a virtual node; 0: never */
    int64_t node_repair_us;     /* mean time until it returns */
};

/* 0, or -1 with *err. */
int chaos_spec_parse(const char *text, struct chaos_spec *c, struct err *err);

#endif
