/* cost_cap_trim.h - ends extra attempts that cost more than the cap allows. */
#pragma once

struct brain;

/* Ends the extra attempts that the cap does not allow any more, the newest first. Those that were
 * asked to end before count as gone. */
void cost_cap_trim(struct brain *b);
