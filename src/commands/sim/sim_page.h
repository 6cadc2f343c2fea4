/* sim_page.h - `dolly sim --report`: a page about the policies that were compared.
 *
 * A page is made from journals. Where the user keeps none, they are written beside each other in a
 * folder of their own, which is gone at the end. */
#ifndef COMMANDS_SIM_SIM_PAGE_H
#define COMMANDS_SIM_SIM_PAGE_H

#include "base/err.h"
#include "commands/sim/sim_args.h"

/* Before the runs: makes sure that the page can be written, and makes room for journals. 0, or -1
 * with *err. */
int sim_page_begin(struct sim_args *a, struct err *err);

/* After the runs: writes the page. 0, or -1 with *err. */
int sim_page_write(const struct sim_args *a, struct err *err);

/* At the end, also of runs that failed. */
void sim_page_end(struct sim_args *a);

#endif
