/* cost_cap_trim.h - ends extra attempts that cost more than the cap allows. */
#ifndef CORE_BRAIN_COST_CAP_TRIM_H
#define CORE_BRAIN_COST_CAP_TRIM_H

struct brain;

/* Ends what the cap does not allow to go on, the newest first. What was asked to end before counts
 * as gone, so that only what is wanted beyond the limit ends. */
void cost_cap_trim(struct brain *b);

#endif
