/* parts.h - every part there is. A new one is a file of its own, a line here and a line in table.c.
 */
#ifndef POLICY_PARTS_H
#define POLICY_PARTS_H

#include "brain/seam.h"

extern const struct order_ops order_fifo, order_fair;
extern const struct within_ops within_index, within_largest;
extern const struct place_ops place_any, place_locality, place_network;
extern const struct mitigate_ops mitigate_none, mitigate_dolly, mitigate_late, mitigate_hadoop,
    mitigate_mapreduce, mitigate_dryad, mitigate_mantri, mitigate_hotcloud, mitigate_job_clone;
extern const struct shuffle_ops shuffle_cc, shuffle_cac, shuffle_delay;
extern const struct protect_ops protect_none, protect_mantri;
extern const struct screen_ops screen_none, screen_blacklist;

#endif
