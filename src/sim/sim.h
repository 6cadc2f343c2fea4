/* sim.h - body 1: a simulated cluster in virtual time.
 *
 * Besides the contract of core/model/event.h:
 *  - jobs get the ids 0, 1, 2, ... in order of submission; nodes those of their place in the
 *    cluster;
 *  - a second kill of an attempt that is dying has no answer of its own: the ending answers both;
 *  - a commit that failed for CAUSE_INJECTED leaves the output where it is and may be tried again;
 *    one commit of a task at a time;
 *  - setting a timer that is set moves it; discarding an output that is gone has no answer;
 *  - outputs of phases that no other reads are durable, and there is no output_ready for them;
 *  - without a network in the cluster reads take no time, attempts do not wait for them, and with
 *    slow start a read does not wait for tasks not yet committed;
 *  - with one (docs/inside/network-model.md) an attempt of a phase that reads others works when it
 *  has fetched
 *    every upstream task it needs, each once. A read of all (TASK_ALL) covers what the reader has
 *    not asked for yet, is one fetch_started and one fetch_done or fetch_failed, and with slow
 * start continues as outputs are committed. took_us is the time in which bytes were on their way.
 * A read that is done or under way already, or that the reader does not need, is refused; a job
 * that is over fails its fetches, and attempts that wait for input then have to be killed.
 *
 * It also checks the brain: launching more than a node holds, ordinals out of order, or job_done
 * before every task of the last phases is committed are programmer errors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/engine/body.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"
#include "sim/ideal.h"

struct sim;

/* What users and operators do, and at what time: a node drains, is suspected or is back (node) or
 * holds more or less from now on (u.node.capacity), a job is changed or cancelled (at.job), cores
 * become spare. What concerns a node that is down then, or a job that is over, does not happen; but
 * a node that holds something else does so when it is back. */
struct sim_outside {
    int64_t at_us;
    struct event event;
};

struct sim_options {
    const struct cluster *cluster; /* borrowed until sim_destroy */
    struct workload *workload;     /* borrowed; drained one job ahead of virtual time */
    uint64_t seed;
    enum ideal ideal; /* a yardstick's world */
    bool reports;     /* send progress reports; policies that never read them are faster without */
    const struct sim_outside *outside; /* in order of time; borrowed */
    uint32_t outside_count;
    bool samples; /* emit what the links between racks could still carry, as often as reports */
};

/* Creates the simulator; pass it as the body of sim_body. Destroy with sim_destroy; NULL is fine
 * there. */
struct sim *sim_create(const struct sim_options *options);
void sim_destroy(struct sim *s);

extern const struct body_ops sim_body;

/* The number of virtual events handled so far. */
uint64_t sim_event_count(const struct sim *s);

/* Returns true if any simulated time depends on the reading of recorded times (recorded.h). If not,
 * the run is the same in all of them. */
bool sim_reading_matters(const struct sim *s);
