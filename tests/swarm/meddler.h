/* meddler.h - a body around a body: users and operators who interfere.
 *
 * The simulator never cancels a job, changes its weight, drains a node or shrinks one, and its
 * disks are never full. A meddler passes everything through, adds such events to batches at random,
 * keyed by the number of the turn, and blames disks for failures. What it takes away from a node it
 * gives back later, at the latest in the first turn after an hour, or when nothing else can happen
 * any more. */
#pragma once

#include <stdint.h>

#include "core/engine/body.h"
#include "inputs/cluster/cluster.h"

/* Probabilities per turn; all 0: the meddler only passes through. */
struct meddler_habits {
    double cancel_p;   /* cancel a job */
    double change_p;   /* change weight and running_max of a job */
    double withhold_p; /* suspect or drain a node; as often, take it back */
    double shrink_p;   /* shrink a node; as often, take it back */
    double cores_p;    /* tell of busy or idle cores */
    double pressure_p; /* tell of a busy or idle disk, or of memory, of a node */
    double full_p;     /* per failure of an attempt or launch: blame the node or its disk */
};

struct meddler;

/* Borrows the inner body and the cluster until meddler_destroy. Pass the result as the body of
 * meddler_body. */
struct meddler *meddler_create(const struct meddler_habits *habits, uint64_t seed,
                               const struct cluster *cluster, const struct body_ops *inner,
                               void *inner_body);
void meddler_destroy(struct meddler *m); /* NULL is fine */

extern const struct body_ops meddler_body;
