/* Sequences about replicas of outputs and attempts of tasks that are done. */
#include "tests/swarm/selftest.h"

/* Two nodes; a task that has read 100 bytes is committed on node 0 with 10 bytes; ids up to 2. */
#define MADE                                                                                       \
    "@0 up:0:4 up:1:4 job:1:2i-1 launch:1:0 @1 started:1 "                                         \
    "@2 output_ready:1:7:10 finished:1 commit:1 @3 committed:1 "
#define COPIED MADE "replicate:1:1 @4 replica_done:1:1 "
#define SPARE MADE "@9 spare:1.0.0.1:1:precompute:1:0 "

const struct selftest selftest_copies[] = {
    {RULE_NONE, PROTECT, "a replica, then one copy is lost and then the other",
     COPIED "@5 replica_failed:1:0 @6 output_lost:1"},
    {RULE_NONE, PROTECT, "the replica is the one that is lost", COPIED "@5 replica_failed:1:1"},
    {RULE_NONE, PROTECT, "a copy does not arrive, and the output is lost",
     MADE "replicate:1:1 @4 replica_failed:1:1 output_lost:1"},
    {RULE_NONE, PROTECT, "a copy finds the output gone",
     MADE "replicate:1:1 @4 replica_failed:1:1:output_gone output_lost:1:output_gone"},
    {RULE_COPY, PROTECT, "... but it is there",
     MADE "replicate:1:1 @4 replica_failed:1:1:output_gone"},
    {RULE_NONE, PROTECT, "... or it was lost with its node",
     MADE "replicate:1:1 @4 output_lost:1:node_down replica_failed:1:1:output_gone"},
    {RULE_FETCH, PROTECT, "an output is gone, but neither read nor copied",
     MADE "@4 output_lost:1:output_gone"},
    {RULE_FETCH, PROTECT, "... and the copy has failed for another reason",
     MADE "replicate:1:1 @4 replica_failed:1:1:node_down output_lost:1:output_gone"},
    {RULE_FETCH, PROTECT, "... and another one is copied",
     MADE "launch:1.0.1:0 @4 started:1.0.1 @5 output_ready:1.0.1:7:10 finished:1.0.1 "
          "commit:1.0.1 @6 committed:1.0.1 replicate:1:1 @7 replica_failed:1:1:output_gone "
          "output_lost:1:output_gone output_lost:1.0.1:output_gone"},
    {RULE_NONE, PROTECT, "what was refused may be asked for again",
     MADE "replicate:1:1 @4 refused:3:system replicate:1:1"},
    {RULE_COPY, PLAIN, "a policy that does not protect", MADE "replicate:1:1"},
    {RULE_COPY, PROTECT, "a copy of what is not committed",
     "@0 up:0:4 up:1:4 job:1:2i-1 launch:1:0 @1 started:1 replicate:1:1"},
    {RULE_COPY, PROTECT, "a copy of what nobody reads",
     "@0 up:0:4 up:1:4 job:1:1i launch:1:0 @1 started:1 @2 finished:1 commit:1 @3 committed:1 "
     "replicate:1:1"},
    {RULE_COPY, PROTECT, "a copy to where it is", MADE "replicate:1:0"},
    {RULE_COPY, PROTECT, "asked for twice", MADE "replicate:1:1 replicate:1:1"},
    {RULE_COPY, PROTECT, "a copy to a node that is down", MADE "@4 down:1 replicate:1:1"},
    {RULE_UNKNOWN, PROTECT, "a copy to a node that never was", MADE "replicate:1:7"},
    {RULE_COPY, PROTECT, "lost although there is a copy", COPIED "@5 output_lost:1"},
    {RULE_COPY, PROTECT, "answered twice", COPIED "replica_done:1:1"},
    {RULE_COPY, PROTECT, "done elsewhere", MADE "replicate:1:1 @4 replica_done:1:0"},
    {RULE_COPY, PROTECT, "done unasked", MADE "@4 replica_done:1:1"},
    {RULE_COPY, PROTECT, "gone where it never was", COPIED "@5 replica_failed:1:3"},
    {RULE_JOB_OVER, PROTECT, "a copy for a dead job",
     MADE "@4 cancel:1 fail:1:cancelled replicate:1:1"},

    /* 10 of 100 bytes are a tenth; then 12 more of another 100 are too many. */
    {RULE_TOKENS, PROTECT, "more copies than a tenth of what was read",
     MADE "replicate:1:1 launch:1.0.1:0 @4 started:1.0.1 @5 output_ready:1.0.1:7:12 "
          "finished:1.0.1 commit:1.0.1 @6 committed:1.0.1 replicate:1.0.1:1"},
    {RULE_NONE, PROTECT, "a tenth",
     MADE "replicate:1:1 launch:1.0.1:0 @4 started:1.0.1 @5 output_ready:1.0.1:7:10 "
          "finished:1.0.1 commit:1.0.1 @6 committed:1.0.1 replicate:1.0.1:1"},

    {RULE_NONE, PROTECT, "a spare, which is needed and wins",
     SPARE "@10 started:1.0.0.1 @11 finished:1.0.0.1 @12 output_lost:1 commit:1.0.0.1 "
           "@13 committed:1.0.0.1"},
    {RULE_NONE, PROTECT, "a spare that comes too late",
     SPARE "@10 started:1.0.0.1 output_lost:1 @11 finished:1.0.0.1 commit:1.0.0.1"},
    {RULE_SPARE, PLAIN, "a policy without spares", SPARE},
    {RULE_SPARE, PROTECT, "a spare where the output is", MADE "@9 spare:1.0.0.1:0:precompute:1:0"},
    {RULE_SPARE, PROTECT, "a spare because of another node",
     MADE "@9 spare:1.0.0.1:1:precompute:1:1"},
    {RULE_SPARE, PROTECT, "a spare beside a replica", COPIED "@9 spare:1.0.0.1:1:precompute:1:0"},
    {RULE_SPARE, PROTECT, "a second spare", SPARE "spare:1.0.0.2:1:precompute:1:0"},
    {RULE_SPARE, PROTECT, "a spare of what is not won",
     "@0 up:0:4 up:1:4 job:1:2i-1 spare:1:0:precompute:1:0"},
    {RULE_FINISHED, PROTECT, "a recompute of what is won, for another reason",
     MADE "@9 spare:1.0.0.1:1:output_lost"},
    {RULE_COMMIT, PROTECT, "a spare is committed beside the winner",
     SPARE "@10 started:1.0.0.1 @11 finished:1.0.0.1 commit:1.0.0.1"},
    {RULE_LOSERS, PROTECT, "a spare outlives its job",
     SPARE "@10 started:1.0.0.1 @11 cancel:1 fail:1:cancelled"},
};

const uint32_t selftest_copy_count = sizeof selftest_copies / sizeof *selftest_copies;
