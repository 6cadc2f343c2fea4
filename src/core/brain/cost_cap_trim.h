/* cost_cap_trim.h - ends extra attempts that cost more than the cap allows. */
#ifndef CORE_BRAIN_COST_CAP_TRIM_H
#define CORE_BRAIN_COST_CAP_TRIM_H

struct brain;

/* Ends the extra attempts that the cap does not allow any more, the newest first. Those that were
 * asked to end before count as gone. */
void cost_cap_trim(struct brain *b);

#endif
