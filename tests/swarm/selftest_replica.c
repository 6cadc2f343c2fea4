/* Sequences about jobs that are cloned as a whole. */
#include "tests/swarm/selftest.h"

/* Two copies of a job of two tasks: 0 and 1 are those of replica 1, the others of replica 2. */
#define COPIES                                                                                     \
    TWO CLONED2 "copy:1:0:1 copy:1.0.1:0:1 copy:1.0.0.1:0:2 copy:1.0.1.1:0:2 "                     \
                "@1 started:1 started:1.0.1 started:1.0.0.1 started:1.0.1.1 "
/* Two copies of a chain; its first task has finished in both. */
#define CHAINS                                                                                     \
    CHAIN CLONED2 "verdict:1.1:cloned:2 copy:1:0:1 copy:1.0.0.1:0:2 @1 started:1 started:1.0.0.1 " \
                  "@2 finished:1 finished:1.0.0.1 "

/* Two copies of a chain. In the first one the last task has read what the first task had made,
 * which was lost afterwards. */
#define LOST_CHAINS                                                                                \
    CHAIN CLONED2 "verdict:1.1:cloned:2 copy:1:0:1 copy:1.0.0.1:0:2 @1 started:1 started:1.0.0.1 " \
                  "@2 output_ready:1:7 finished:1 copy:1.1:0:1 own:1.1:1 "                         \
                  "@3 started:1.1 fetch_done:1.1:1 @4 output_lost:1 "
#define LOST_CHAINS_WON                                                                            \
    "finished:1.1 kill:1.0.0.1:replica_lost commit:1.1 @8 committed:1.1 done:1 "                   \
    "@9 killed:1.0.0.1 end"

/* The same with two last tasks. The copy has won, but one of them cannot be committed: it starts
 * again, and needs what was lost, which comes out as another one (AGAIN: its checksum). */
#define LOST_AND_WON(again)                                                                        \
    "@0 up:0:8 job:1:1-2 " CLONED2 "verdict:1.1:cloned:2 copy:1:0:1 copy:1.0.0.1:0:2 "             \
    "@1 started:1 started:1.0.0.1 @2 output_ready:1:7 finished:1 copy:1.1:0:1 own:1.1:1 "          \
    "copy:1.1.1:0:1 own:1.1.1:1 @3 started:1.1 started:1.1.1 fetch_done:1.1:1 fetch_done:1.1.1:1 " \
    "@4 output_lost:1 @5 finished:1.1 finished:1.1.1 kill:1.0.0.1:replica_lost commit:1.1 "        \
    "commit:1.1.1 @6 killed:1.0.0.1 committed:1.1 commit_failed:1.1.1 restart:1.0.0.2:0 "          \
    "@7 started:1.0.0.2 @8 output_ready:1.0.0.2:" again " finished:1.0.0.2 commit:1.0.0.2 "        \
    "@9 committed:1.0.0.2 discard:1.1:input_changed"

const struct selftest selftest_replicas[] = {
    {RULE_NONE, JOB_CLONE, "the second copy ends first, and the other is killed",
     COPIES "@2 finished:1.0.0.1 @3 finished:1.0.1.1 kill:1:replica_lost kill:1.0.1:replica_lost "
            "commit:1.0.0.1 commit:1.0.1.1 @4 committed:1.0.0.1 committed:1.0.1.1 done:1 "
            "@5 killed:1 killed:1.0.1 end"},
    {RULE_REPLICA, JOB_CLONE, "a commit before the copy has ended",
     COPIES "@2 finished:1.0.0.1 commit:1.0.0.1"},
    {RULE_REPLICA, JOB_CLONE, "tasks of two copies do not make a whole one",
     COPIES "@2 finished:1.0.0.1 finished:1.0.1 commit:1.0.0.1"},
    {RULE_REPLICA, JOB_CLONE, "a commit of the copy that did not win",
     COPIES "@2 finished:1.0.0.1 finished:1.0.1.1 finished:1.0.1 kill:1 commit:1.0.0.1 "
            "commit:1.0.1"},
    {RULE_LOSERS, JOB_CLONE, "the other copy lives on",
     COPIES "@2 finished:1.0.0.1 finished:1.0.1.1 kill:1 commit:1.0.0.1 commit:1.0.1.1 @3"},
    {RULE_REPLICA, JOB_CLONE, "killed for a copy that has not ended",
     COPIES "@2 finished:1.0.0.1 kill:1:replica_lost kill:1.0.1:replica_lost @3"},
    {RULE_REPLICA, JOB_CLONE, "a launch in no copy", TWO CLONED2 "launch:1:0"},
    {RULE_REPLICA, JOB_CLONE, "a copy of a job that is not cloned",
     TWO "verdict:1:no_need copy:1:0:1"},
    {RULE_REPLICA, JOB_CLONE, "a third copy of two", TWO CLONED2 "copy:1:0:1 copy:1.0.0.1:0:3"},
    {RULE_REPLICA, JOB_CLONE, "twice in the same copy",
     TWO CLONED2 "copy:1:0:1 copy:1.0.0.1:0:2 @1 launch_failed:1 copy:1.0.0.2:0:2"},
    {RULE_TAU, JOB_CLONE, "more copies than fit below the ceiling",
     WORLD "job:1:3 verdict:1:cloned:2"},
    {RULE_NONE, JOB_CLONE, "as many as fit", TWO CLONED2},

    {RULE_NONE, JOB_CLONE, "each copy reads its own output",
     CHAINS "copy:1.1:0:1 own:1.1:1 copy:1.1.0.1:0:2 own:1.1.0.1:1.0.0.1"},
    {RULE_REPLICA, JOB_CLONE, "a copy reads that of the other",
     CHAINS "copy:1.1:0:1 own:1.1:1.0.0.1"},
    {RULE_REPLICA, JOB_CLONE, "a copy reads what is committed",
     CHAINS "copy:1.1:0:1 own:1.1:1.0.*"},
    {RULE_BARRIER, JOB_CLONE, "a copy goes on with the output of the other",
     CHAIN CLONED2 "verdict:1.1:cloned:2 copy:1:0:1 copy:1.0.0.1:0:2 @1 started:1 "
                   "@2 finished:1 copy:1.1:0:2"},
    {RULE_WAIT, JOB_CLONE, "a reader is not told to read", CHAINS "copy:1.1:0:1 @3"},
    {RULE_REPLICA, JOB_CLONE, "the phase below is committed first",
     CHAINS "copy:1.1:0:1 own:1.1:1 @3 started:1.1 fetch_done:1.1:1 @4 finished:1.1 commit:1.1"},
    {RULE_NONE, JOB_CLONE, "the phases are committed from the top",
     CHAINS "copy:1.1:0:1 own:1.1:1 @3 started:1.1 fetch_done:1.1:1 @4 finished:1.1 "
            "discard:1.0.0.1:replica_lost commit:1 @5 committed:1 commit:1.1 @6 committed:1.1 "
            "done:1 end"},

    {RULE_NONE, JOB_CLONE, "an output that was lost behind its last reader is not missed",
     LOST_CHAINS "@5 " LOST_CHAINS_WON},
    {RULE_MIX, JOB_CLONE, "... but it was made again, and was another one",
     LOST_CHAINS "copy:1.0.0.2:0:1 @5 started:1.0.0.2 @6 output_ready:1.0.0.2:8 finished:1.0.0.2 "
                 "@7 output_lost:1.0.0.2 " LOST_CHAINS_WON},
    {RULE_NONE, JOB_CLONE, "... and so it was after the copy had won", LOST_AND_WON("8")},
    {RULE_MIX, JOB_CLONE, "... or it was the same", LOST_AND_WON("7")},
};

const uint32_t selftest_replica_count = sizeof selftest_replicas / sizeof *selftest_replicas;
