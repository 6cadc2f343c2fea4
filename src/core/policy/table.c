#include "core/policy/table.h"

#include "core/parts/parts.h"

static const struct policy_part *const order_parts[] = {
    &order_fifo.part,    &order_fair.part,   &capacity_order.part,
    &smallest_srpt.part, &smallest_svf.part, &drf_order.part,
    &dollymp_order.part, &tetris_order.part, &carbyne_order.part};
static const struct policy_part *const within_parts[] = {&within_index.part, &within_largest.part};
static const struct policy_part *const place_parts[] = {&place_any.part,      &best_fit_place.part,
                                                        &locality_place.part, &network_place.part,
                                                        &tetris_place.part,   &graphene_place.part};
static const struct policy_part *const mitigate_parts[] = {
    &none_mitigate.part,    &hadoop_mitigate.part,   &endgame_mapreduce.part,
    &endgame_dryad.part,    &late_mitigate.part,     &mantri_mitigate.part,
    &dolly_mitigate.part,   &hotcloud_mitigate.part, &job_clone_mitigate.part,
    &dollymp_mitigate.part, &shepherd_mitigate.part,
};
static const struct policy_part *const shuffle_parts[] = {&shuffle_cc.part, &shuffle_cac.part,
                                                          &shuffle_delay.part, &shuffle_deal.part};
static const struct policy_part *const protect_parts[] = {&none_protect.part, &protect_mantri.part};
static const struct policy_part *const screen_parts[] = {&none_screen.part, &blacklist_screen.part};

#define SEAM(name, parts)                                                                          \
    {                                                                                              \
        name, parts, sizeof parts / sizeof *parts                                                  \
    }

const struct table_seam table_seams[SEAM_COUNT] = {
    [SEAM_ORDER] = SEAM("order", order_parts),
    [SEAM_WITHIN] = SEAM("within", within_parts),
    [SEAM_PLACE] = SEAM("place", place_parts),
    [SEAM_MITIGATE] = SEAM("mitigate", mitigate_parts),
    [SEAM_SHUFFLE] = SEAM("shuffle", shuffle_parts),
    [SEAM_PROTECT] = SEAM("protect", protect_parts),
    [SEAM_SCREEN] = SEAM("screen", screen_parts),
};

#define DOLLYMP "order=dollymp,place=best-fit,mitigate=dollymp,shuffle=deal"

/* The first one is the base of all others. */
const struct recipe table_recipes[] = {
    {"none", "fair shares, no mitigation",
     "order=fair,within=index,place=any,mitigate=none,shuffle=cc,protect=none,screen=none"},
    {"shepherd", "copies by the time that they save, within 5 % of the cluster",
     "mitigate=shepherd;cap=0.05"},
    {"shepherd-svf", "shepherd's copies, and the job with the smallest volume left is next",
     "order=svf,mitigate=shepherd;cap=0.05"},
    {"fifo", "jobs in order of arrival, no mitigation", "order=fifo"},
    {"srpt", "the job with the shortest time left, no mitigation", "order=srpt"},
    {"svf", "the job with the smallest volume left, no mitigation", "order=svf"},
    {"drf", "dominant resource fairness, no mitigation", "order=drf"},
    {"carbyne", "fair shares; jobs that are nearly done get the resources that others can spare",
     "order=carbyne"},
    {"graphene", "nodes take what suits them and what a job's best plan begins with",
     "order=tetris,place=graphene"},
    {"capacity", "queues with guaranteed shares, and Hadoop's own speculation",
     "order=capacity,mitigate=hadoop"},
    {"tetris", "servers take what fits them best and has little left, no mitigation",
     "order=tetris,place=tetris"},
    {"hadoop", "Hadoop's own speculation, before LATE", "mitigate=hadoop"},
    {"mapreduce", "backups when a phase is nearly done", "mitigate=mapreduce"},
    {"dryad", "backups of tasks past the 75th percentile", "mitigate=dryad"},
    {"late", "backups of the slow tasks that will end last", "mitigate=late"},
    {"late+bl", "LATE, and bad nodes are avoided", "mitigate=late,screen=blacklist"},
    {"mantri", "restarts and duplicates by expected gain, largest tasks first",
     "mitigate=mantri,within=largest-first"},
    {"mantri-full", "Mantri with its placement of readers and its protection of outputs",
     "mitigate=mantri,within=largest-first,place=network-aware,protect=mantri"},
    {"mantri+bl", "Mantri, and bad nodes are avoided",
     "mitigate=mantri,within=largest-first,screen=blacklist"},
    {"dolly", "budgeted cloning of small jobs", "mitigate=dolly,shuffle=delay"},
    {"dolly+late", "budgeted cloning of small jobs, LATE for the others; bad nodes are avoided",
     "mitigate=dolly+late,shuffle=delay,screen=blacklist"},
    {"dolly-hotcloud", "Dolly's first form: clones by each node's own record, yielding to others",
     "mitigate=dolly-hotcloud"},
    {"job-clone", "whole jobs run several times, the first copy to end counts",
     "mitigate=job-clone"},
    {"dollymp0", "DollyMP's ranks and placement, without clones", DOLLYMP ";clones=0"},
    {"dollymp1", "DollyMP with up to one clone of a task", DOLLYMP ";clones=1"},
    {"dollymp2", "DollyMP: up to two clones of a task, once nothing else can start",
     DOLLYMP ";clones=2"},
    {"dollymp3", "DollyMP with up to three clones of a task", DOLLYMP ";clones=3"},
    {"dolly+mantri", "budgeted cloning of small jobs, Mantri for the others; bad nodes are avoided",
     "mitigate=dolly+mantri,within=largest-first,shuffle=delay,screen=blacklist"},
};

const uint32_t table_recipe_count = sizeof table_recipes / sizeof *table_recipes;
