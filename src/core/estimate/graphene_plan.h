/* graphene_plan.h - in which order the phases of a job pack best: the offline half of Graphene
 * (Grandl et al., OSDI'16).
 *
 * Some phases are troublesome, because they are long or because they pack badly. They are placed
 * first, into an empty space of resources and time; their ancestors are placed backward
 * from there, their descendants forward, and the rest where there is room. Which phases
 * are troublesome, and in which order the groups are placed, is tried out; the shortest plan
 * counts.
 *
 *     LongScore   time / longest time of a phase
 *     FragScore   least time in which the cluster could do the phase, over the time it takes alone
 *     T           the phases with LongScore >= l or FragScore <= f, for l and f of 0, 0.1 .. 0.9,
 *                 and those on a path between two of them
 *     P, C, S     their ancestors, their descendants, the others
 *     priScore    of a phase: 1 for the earliest start in the best plan, less for later ones
 *
 * As in dag_plan.h the tasks of a phase stand in lanes and waves, side by side. A plan in which a
 * phase would start before one that it waits for is dropped. */
#pragma once

#include "core/estimate/dag_plan.h"

enum { GRAPHENE_PHASES_MAX = 64 }; /* more phases than this are scored by index */

/* Plans the job on a cluster of 1 of each resource and fills score[0..count-1], each in (0, 1].
 * Returns the length of the best plan; 0 for a job with too many phases. Phases without tasks take
 * no time. */
double graphene_plan(const struct dag_phase *phases, uint16_t count, double *score);
