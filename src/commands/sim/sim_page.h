/* sim_page.h - `dolly sim --report`: a page about the compared policies.
 *
 * A page is made from journals. If the user keeps none, they are written to a temporary folder,
 * which is removed at the end. */
#pragma once

#include "base/err.h"
#include "commands/sim/sim_args.h"

/* Checks that the page can be written, and prepares the journals. Call before the runs. Returns 0,
 * or -1 with *err. */
int sim_page_begin(struct sim_args *a, struct err *err);

/* Writes the page. Call after the runs. Returns 0, or -1 with *err. */
int sim_page_write(const struct sim_args *a, struct err *err);

/* Removes the temporary folder. Call at the end, also of runs that failed. */
void sim_page_end(struct sim_args *a);
