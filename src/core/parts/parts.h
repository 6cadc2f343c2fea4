/* parts.h - all parts. A new one is a file of its own, a line here and a line in table.c. */
#pragma once

#include "core/brain/seam.h"
#include "core/parts/param.h"

extern const struct order_ops order_fifo, order_fair, tetris_order, capacity_order, smallest_srpt,
    smallest_svf, drf_order, dollymp_order, carbyne_order;
extern const struct within_ops within_index, within_largest;
extern const struct place_ops place_any, tetris_place, best_fit_place, locality_place,
    network_place, graphene_place;
extern const struct mitigate_ops none_mitigate, dolly_mitigate, late_mitigate, hadoop_mitigate,
    endgame_mapreduce, endgame_dryad, mantri_mitigate, dollymp_mitigate, hotcloud_mitigate,
    job_clone_mitigate, shepherd_mitigate;
extern const struct shuffle_ops shuffle_cc, shuffle_cac, shuffle_delay, shuffle_deal;
extern const struct protect_ops none_protect, protect_mantri;
extern const struct screen_ops none_screen, blacklist_screen;
