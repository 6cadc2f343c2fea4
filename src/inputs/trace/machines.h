/* machines.h - the machines that a trace names together with their capacities, and its racks. */
#pragma once

#include "base/lookup.h"
#include "base/vec.h"
#include "inputs/trace/row.h"

struct machine {
    char *name;
    double cpu, mem; /* cores and bytes; mem < 0: unknown */
};

/* Zero-initialise; free with machines_fini. */
struct machines {
    VEC(struct machine) at;
    struct lookup by_hash;
    struct lookup racks; /* hashes of their names */
};

void machines_fini(struct machines *m);

/* Adds a rack of this name, unless it is known already. */
void machines_add_rack(struct machines *m, struct row_text name);

/* Adds a machine of this name, unless it is known already. Ignores one without cores, without a
 * name, or beyond the limits of a cluster. */
void machines_add(struct machines *m, struct row_text name, double cpu, double mem);
