/* Sequences about reading: what may be assigned, shared, waited for and answered. */
#include "tests/swarm/selftest.h"

/* Two phases of one task, both cloned once; attempt 0 above has won with output 7, attempt 1 runs.
 */
#define ABOVE                                                                                      \
    "@0 up:0:8 job:1:1-1 " CLONED2 "launch:1:0 clone:1.0.0.1:0 @1 started:1 started:1.0.0.1 "      \
    "@5 output_ready:1:7 finished:1 commit:1 @6 committed:1 "
#define STOP "kill:1.0.0.1:lost_race " /* of the loser above */
#define BELOW "verdict:1.1:cloned:2 launch:1.1:0 "
#define SECOND "clone:1.1.0.1:0 "
#define NEXT "output_ready:1.0.0.1:7 finished:1.0.0.1 " /* the other attempt above ends as well */

/* One phase of one reader behind a phase of two tasks, not cloned; both have won. */
#define PLAIN2                                                                                     \
    "@0 up:0:8 job:1:2-1 verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "  \
    "@5 finished:1 finished:1.0.1 commit:1 commit:1.0.1 @6 committed:1 committed:1.0.1 "           \
    "verdict:1.1:no_need launch:1.1:0 "

/* A map that is read by the first of two reduces, lost, and made again with another result while
 * that reduce is committed. */
#define CHANGED                                                                                    \
    "@0 up:0:8 job:1:1-2 launch:1:0 @1 started:1 @2 output_ready:1:7 finished:1 commit:1 "         \
    "@3 committed:1 launch:1.1:0 own:1.1:1.0.* @4 started:1.1 fetch_done:1.1:1.0.* "               \
    "@5 output_lost:1 restart:1.0.0.1:0 @6 started:1.0.0.1 finished:1.1 commit:1.1 "               \
    "@7 committed:1.1 output_ready:1.0.0.1:8 finished:1.0.0.1 commit:1.0.0.1 @8 "                  \
    "committed:1.0.0.1 "
#define OTHER "launch:1.1.1:0 own:1.1.1:1.0.* @9 started:1.1.1 fetch_done:1.1.1:1.0.* "
#define OTHER_WINS "@10 finished:1.1.1 commit:1.1.1 @11 committed:1.1.1 "

/* A chain of three: the first is made again with another result while the last runs. */
#define STALE                                                                                      \
    "@0 up:0:8 job:1:1-1-1f launch:1:0 @1 started:1 @2 output_ready:1:7 finished:1 commit:1 "      \
    "@3 committed:1 launch:1.1:0 own:1.1:1.0.* @4 started:1.1 fetch_done:1.1:1.0.* "               \
    "@5 output_ready:1.1:9 finished:1.1 commit:1.1 @6 committed:1.1 launch:1.2:0 own:1.2:1.1.* "   \
    "@7 started:1.2 fetch_done:1.2:1.1.* output_lost:1 restart:1.0.0.1:0 @8 started:1.0.0.1 "      \
    "output_ready:1.0.0.1:8 finished:1.0.0.1 commit:1.0.0.1 @9 committed:1.0.0.1 "

/* A reader that waits for the second of two tasks, which runs on another node. */
#define SLOW_START(other)                                                                          \
    "@0 up:0:1 up:" other " job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:1 @1 started:1 "  \
    "started:1.0.1 @5 finished:1 commit:1 @6 committed:1 verdict:1.1:no_need launch:1.1:0 "        \
    "own:1.1:1 @7 started:1.1 fetch_done:1.1:1 "

/* A map with two readers of its two parts, one of whom reads. */
#define PARTS(output, reads)                                                                       \
    "@0 up:0:8 job:1:1-2 launch:1:0 @1 started:1 @2 output_ready:1:" output " finished:1 "         \
    "commit:1 @3 committed:1 launch:1.1:0 launch:1.1.1:0 own:1.1:1.0.* own:1.1.1:1.0.* "           \
    "@4 started:1.1 started:1.1.1 " reads

const struct selftest selftest_reads[] = {
    /* Parts of outputs. */
    {RULE_NONE, PLAIN, "each reads its own part",
     PARTS("7:100:90:10", "fetch_done:1.1:1.0.*:90 fetch_done:1.1.1:1.0.*:10")},
    {RULE_PARTS, PLAIN, "... and no more",
     PARTS("7:100:90:10", "fetch_done:1.1:1.0.*:90 fetch_done:1.1.1:1.0.*:11")},
    {RULE_PARTS, PLAIN, "parts are more than all", PARTS("7:100:91:10", "")},
    {RULE_PARTS, PLAIN, "there are more parts than readers",
     "@0 up:0:8 job:1:1-1 launch:1:0 @1 started:1 @2 output_ready:1:7:100:90:10 finished:1"},
    {RULE_PARTS, PLAIN, "the same parts make another output",
     PARTS("7:100:90:10", "output_lost:1 restart:1.0.0.1:0 @5 started:1.0.0.1 "
                          "output_ready:1.0.0.1:8:100:90:10 finished:1.0.0.1")},
    {RULE_PARTS, PLAIN, "other parts make the same output",
     PARTS("7:100:90:10", "output_lost:1 restart:1.0.0.1:0 @5 started:1.0.0.1 "
                          "output_ready:1.0.0.1:7:100:80:20 finished:1.0.0.1")},

    /* Outputs that are gone. */
    {RULE_NONE, PLAIN, "a reader finds its part gone, and the other has its own",
     PARTS("7:100:90:10", "fetch_done:1.1:1.0.*:90 output_lost:1:output_gone "
                          "fetch_failed:1.1.1:1.0.*:output_gone restart:1.0.0.1:0 kill:1.1.1")},
    {RULE_FETCH, PLAIN, "nobody reads what is found to be gone",
     PARTS("7:100:90:10", "fetch_done:1.1:1.0.*:90 fetch_done:1.1.1:1.0.*:10 @5 "
                          "output_lost:1:output_gone")},
    {RULE_FETCH, CLUSTER, "another one than what is read is gone",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 fetch_done:1.1:1 @8 output_lost:1:output_gone"},
    {RULE_NONE, CLUSTER, "two of what is read as a whole are gone",
     PLAIN2 "own:1.1:1.0.* @7 output_lost:1:output_gone fetch_failed:1.1:1.0.*:output_gone "
            "output_lost:1.0.1:output_gone restart:1.0.0.1:0 restart:1.0.1.1:0 kill:1.1"},
    {RULE_FETCH, CLUSTER, "... the second when the read has failed long ago",
     PLAIN2 "own:1.1:1.0.* @7 output_lost:1:output_gone fetch_failed:1.1:1.0.*:output_gone "
            "restart:1.0.0.1:0 kill:1.1 @8 output_lost:1.0.1:output_gone"},
    {RULE_FETCH, CLUSTER, "a read fails, but what it reads is there",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 fetch_failed:1.1:1:output_gone"},
    {RULE_FETCH, CLUSTER, "... all of it",
     PLAIN2 "own:1.1:1.0.* @7 fetch_failed:1.1:1.0.*:output_gone"},

    /* Outputs that change when they are made again. */
    {RULE_MIX, PLAIN, "one reader has the old output, the other the new one",
     CHANGED OTHER OTHER_WINS "done:1 end"},
    {RULE_NONE, PLAIN, "what was made from the old output is made again",
     CHANGED "discard:1.1:input_changed restart:1.1.0.1:0 own:1.1.0.1:1.0.* " OTHER
             "started:1.1.0.1 fetch_done:1.1.0.1:1.0.* finished:1.1.0.1 commit:1.1.0.1 " OTHER_WINS
             "committed:1.1.0.1 done:1 end"},
    {RULE_NONE, PLAIN, "what was made from the old output and is in no result",
     STALE "failed:1.2 verdict:1.2:too_many_failures:1:1 done:1"},
    {RULE_MIX, PLAIN, "... but somebody won with it",
     STALE "finished:1.2 commit:1.2 @10 committed:1.2 done:1"},
    {RULE_MIX, PLAIN, "nothing has changed",
     "@0 up:0:8 job:1:1-1 launch:1:0 @1 started:1 @2 output_ready:1:7 finished:1 commit:1 "
     "@3 committed:1 launch:1.1:0 own:1.1:1.0.* @4 started:1.1 kill:1.1:input_changed"},
    {RULE_COMMIT, PLAIN, "a winner is thrown away for no reason", CHANGED "discard:1.1"},

    /* What may be assigned. */
    {RULE_NONE, CLUSTER, "a reader reads all that is committed", PLAIN2 "own:1.1:1.0.*"},
    {RULE_NONE, CLUSTER, "... or task by task", PLAIN2 "own:1.1:1 own:1.1:1.0.1"},
    {RULE_READ, CLUSTER, "... but not both", PLAIN2 "own:1.1:1 own:1.1:1.0.*"},
    {RULE_READ, CLUSTER, "... in neither order", PLAIN2 "own:1.1:1.0.* own:1.1:1"},
    {RULE_READ, CLUSTER, "... nor the same twice", PLAIN2 "own:1.1:1 own:1.1:1"},
    {RULE_READ, CLUSTER, "... nor again after it was read",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 fetch_done:1.1:1 own:1.1:1"},
    {RULE_NONE, CLUSTER, "a read that failed is assigned again",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 fetch_failed:1.1:1 own:1.1:1"},
    {RULE_NONE, CLUSTER, "a read that was refused is assigned again",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 refused:8:output_gone own:1.1:1"},
    {RULE_UNKNOWN, CLUSTER, "a reader that does not exist", PLAIN2 "own:1.1.0.1:1.0.*"},
    {RULE_UNKNOWN, CLUSTER, "a source that does not exist", PLAIN2 "own:1.1:1.0.1.1"},
    {RULE_READ, CLUSTER, "a reader that has ended",
     PLAIN2 "own:1.1:1.0.* @7 launch_failed:1.1 own:1.1:1.0.*"},
    {RULE_READ, CLUSTER, "a reader that was asked to end",
     PLAIN2 "own:1.1:1.0.* @7 fetch_failed:1.1:1.0.* withdraw:1.1 own:1.1:1.0.*"},
    {RULE_READ, CLUSTER, "a phase that it does not read", PLAIN2 "own:1.1:1.1.*"},
    {RULE_READ, CLUSTER, "a phase of another job",
     "@0 up:0:8 job:1:1-1 job:2:1-1 verdict:1:no_need verdict:2:no_need launch:1:0 launch:2:0 "
     "@1 started:1 started:2 @5 finished:1 finished:2 commit:1 commit:2 @6 committed:1 committed:2 "
     "verdict:1.1:no_need launch:1.1:0 own:1.1:2.0.*"},
    {RULE_READ, CLUSTER, "a task that it does not need",
     "@0 up:0:8 job:1:2-2o verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
     "@5 finished:1 finished:1.0.1 commit:1 commit:1.0.1 @6 committed:1 committed:1.0.1 "
     "verdict:1.1:no_need launch:1.1:0 own:1.1:1.0.1"},
    {RULE_NONE, CLUSTER, "a slow start reads its part as soon as that is there",
     "@0 up:0:8 job:1:4-2ps verdict:1:no_need launch:1:0 launch:1.0.1:0 launch:1.0.2:0 "
     "launch:1.0.3:0 @1 started:1 started:1.0.1 @5 finished:1 finished:1.0.1 commit:1 commit:1.0.1 "
     "@6 committed:1 committed:1.0.1 verdict:1.1:no_need launch:1.1:0 own:1.1:1 own:1.1:1.0.1 "
     "launch:1.1.1:0"},
    {RULE_READ, CLUSTER, "a whole phase before all that is needed is there",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 "
     "@5 finished:1 commit:1 @6 committed:1 verdict:1.1:no_need launch:1.1:0 own:1.1:1.0.*"},
    {RULE_READ, CLUSTER, "a task that is not committed",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
     "@5 finished:1 commit:1 @6 committed:1 finished:1.0.1 commit:1.0.1 verdict:1.1:no_need "
     "launch:1.1:0 own:1.1:1.0.1"},
    {RULE_READ, CAC, "an attempt that has not finished", ABOVE BELOW "own:1.1:1.0.0.1"},
    {RULE_NONE, CAC, "another attempt of the task, equal to the winner",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1"},
    {RULE_READ, CAC, "another attempt that differs",
     ABOVE "@7 output_ready:1.0.0.1:8 finished:1.0.0.1 " BELOW "own:1.1:1.0.0.1"},
    {RULE_READ, CAC, "an output that was discarded",
     ABOVE "@7 " NEXT "discard:1.0.0.1 " BELOW "own:1.1:1.0.0.1"},
    {RULE_READ, CAC, "an output that was lost",
     ABOVE "@7 " NEXT "@8 output_lost:1.0.0.1 " BELOW "own:1.1:1.0.0.1"},
    {RULE_READ, CAC, "an output is thrown away while it is read",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1 discard:1.0.0.1"},
    {RULE_NONE, CAC, "... after it was read",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1 @8 fetch_done:1.1:1.0.0.1 discard:1.0.0.1"},
    {RULE_NONE, CAC, "... with its job",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1 @8 cancel:1 discard:1.0.0.1 withdraw:1.1 "
           "fail:1:cancelled"},
    {RULE_COMMIT, CAC, "discarded as different though it is equal",
     ABOVE "@7 " NEXT "discard:1.0.0.1:nondeterministic"},
    {RULE_NONE, CAC, "discarded as different",
     ABOVE "@7 output_ready:1.0.0.1:8 finished:1.0.0.1 discard:1.0.0.1:nondeterministic"},

    /* Sharing. */
    {RULE_NONE, CLUSTER, "cc: siblings share the winner",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1"},
    {RULE_SHARE, CLUSTER, "a shared read is called exclusive",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "own:1.1.0.1:1"},
    {RULE_SHARE, CLUSTER, "an exclusive read is called shared", ABOVE STOP BELOW "read:1.1:1"},
    {RULE_SHARE, CLUSTER, "an exclusive read of a whole phase is called shared",
     PLAIN2 "read:1.1:1.0.*"},
    {RULE_NONE, CLUSTER, "siblings share a whole phase",
     ABOVE STOP BELOW "own:1.1:1.0.* " SECOND "read:1.1.0.1:1.0.*"},
    {RULE_SHARE, CLUSTER, "... and must not be called exclusive",
     ABOVE STOP BELOW "own:1.1:1.0.* " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_NONE, CLUSTER, "a task of a phase that a sibling reads as a whole",
     ABOVE STOP BELOW "own:1.1:1.0.* " SECOND "read:1.1.0.1:1"},
    {RULE_SHARE, CLUSTER, "... must not be called exclusive",
     ABOVE STOP BELOW "own:1.1:1.0.* " SECOND "own:1.1.0.1:1"},
    {RULE_NONE, CAC, "... unless it is not the committed output",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.* " SECOND "own:1.1.0.1:1.0.0.1"},
    {RULE_SHARE, CAC, "... and must not be called shared then",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.* " SECOND "read:1.1.0.1:1.0.0.1"},
    {RULE_NONE, CLUSTER, "a whole phase of which a sibling reads a task",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1.0.*"},
    {RULE_SHARE, CLUSTER, "... must not be called exclusive",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_NONE, CAC, "... unless that is not the committed output",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1 " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_SHARE, CAC, "... and must not be called shared then",
     ABOVE "@7 " NEXT BELOW "own:1.1:1.0.0.1 " SECOND "read:1.1.0.1:1.0.*"},
    {RULE_NONE, CAC, "a whole phase is free again when its reader is done, with and without reuse",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 fetch_done:1.1:1.0.* " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_SHARE, CAC, "... and must not be called shared then",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 fetch_done:1.1:1.0.* " SECOND "read:1.1.0.1:1.0.*"},
    {RULE_NONE, CLUSTER, "... when its read failed",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 fetch_failed:1.1:1.0.* withdraw:1.1 " SECOND
                      "own:1.1.0.1:1.0.*"},
    {RULE_NONE, CLUSTER, "... was refused",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 refused:8:output_gone withdraw:1.1 " SECOND
                      "own:1.1.0.1:1.0.*"},
    {RULE_NONE, CLUSTER, "... or when its reader is dead",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 launch_failed:1.1 " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_SHARE, CLUSTER, "... but not while it is only asked to end",
     ABOVE STOP BELOW "own:1.1:1.0.* @7 withdraw:1.1 " SECOND "own:1.1.0.1:1.0.*"},
    {RULE_NONE, CLUSTER, "free again when its reader is done",
     ABOVE STOP BELOW "own:1.1:1 @7 fetch_done:1.1:1 " SECOND "own:1.1.0.1:1"},
    {RULE_NONE, CLUSTER, "free again when its reader is dead",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1 @7 launch_failed:1.1 "
                      "@8 fetch_failed:1.1.0.1:1 own:1.1.0.1:1"},
    {RULE_NONE, DELAY_OFF, "without reuse it is not free again",
     ABOVE STOP BELOW "own:1.1:1 @7 fetch_done:1.1:1 " SECOND "read:1.1.0.1:1"},
    {RULE_SHARE, DELAY_OFF, "... and must not be called so",
     ABOVE STOP BELOW "own:1.1:1 @7 fetch_done:1.1:1 " SECOND "own:1.1.0.1:1"},
    {RULE_SHARE, CAC, "cac: shares though another may come",
     ABOVE BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1"},
    {RULE_NONE, CAC, "cac: shares when none can come",
     ABOVE BELOW "own:1.1:1 " SECOND "@7 failed:1.0.0.1 read:1.1.0.1:1"},
    {RULE_NONE, CAC, "cac: shares when the last one is asked to end",
     ABOVE BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1 " STOP},
    {RULE_NONE, CAC, "cac: each its own",
     ABOVE BELOW "own:1.1:1 " SECOND "@7 " NEXT "own:1.1.0.1:1.0.0.1"},
    {RULE_SHARE, DELAY, "delay: shares before omega",
     ABOVE BELOW "own:1.1:1 " SECOND "@15 read:1.1.0.1:1 " STOP},
    {RULE_NONE, DELAY, "delay: shares at omega",
     ABOVE BELOW "own:1.1:1 " SECOND "@16 read:1.1.0.1:1 " STOP},
    {RULE_NONE, AUTO, "a chosen omega may be anything",
     ABOVE BELOW "own:1.1:1 " SECOND "read:1.1.0.1:1"},

    /* Waiting. */
    {RULE_WAIT, CLUSTER, "a reader is not told what to read", PLAIN2},
    {RULE_WAIT, CLUSTER, "... or only half of it", PLAIN2 "own:1.1:1"},
    {RULE_WAIT, CLUSTER, "a read that failed is left at that",
     PLAIN2 "own:1.1:1.0.* @7 fetch_failed:1.1:1.0.*"},
    {RULE_NONE, CLUSTER, "... or its reader makes room",
     PLAIN2 "own:1.1:1.0.* @7 fetch_failed:1.1:1.0.* withdraw:1.1"},
    {RULE_NONE, CLUSTER, "a reader waits for what was lost",
     PLAIN2 "own:1.1:1.0.* @7 output_lost:1 fetch_failed:1.1:1.0.* withdraw:1.1"},
    {RULE_WAIT, CLUSTER, "cc: nobody waits", ABOVE STOP BELOW "own:1.1:1 " SECOND},
    {RULE_WAIT, CAC, "cac: waits though an output is free", ABOVE BELOW},
    {RULE_NONE, CAC, "cac: waits for the next", ABOVE BELOW "own:1.1:1 " SECOND},
    {RULE_WAIT, CAC, "cac: waits for nobody", ABOVE BELOW "own:1.1:1 " SECOND "@7 failed:1.0.0.1"},
    {RULE_WAIT, CAC, "cac: waits for one that is asked to end",
     ABOVE BELOW "own:1.1:1 " SECOND "@7 kill:1.0.0.1"},
    {RULE_NONE, DELAY, "delay: waits until just before omega",
     ABOVE BELOW "own:1.1:1 " SECOND "set:1:15 @15 timer:1"},
    {RULE_WAIT, DELAY, "delay: waits at omega",
     ABOVE BELOW "own:1.1:1 " SECOND "set:1:16 @16 timer:1 " STOP},
    {RULE_NONE, DELAY, "delay: waits for a sibling to be done",
     ABOVE STOP BELOW "own:1.1:1 " SECOND},
    {RULE_WAIT, DELAY, "delay: waits though the sibling is done",
     ABOVE STOP BELOW "own:1.1:1 " SECOND "@7 fetch_done:1.1:1"},
    {RULE_WAIT, DELAY_OFF, "without reuse there is nothing to wait for",
     ABOVE STOP "@7 killed:1.0.0.1 " BELOW "own:1.1:1 " SECOND},
    {RULE_NONE, CLUSTER, "a slow start waits for what is not there yet",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 "
     "@5 finished:1 commit:1 @6 committed:1 verdict:1.1:no_need launch:1.1:0 own:1.1:1"},
    {RULE_WAIT, CLUSTER, "... and reads it when it is",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
     "@5 finished:1 commit:1 @6 committed:1 verdict:1.1:no_need launch:1.1:0 own:1.1:1 "
     "@7 finished:1.0.1 commit:1.0.1 @8 committed:1.0.1"},

    /* Answers. */
    {RULE_NONE, NETWORK, "read, then finished",
     PLAIN2 "own:1.1:1.0.* @7 started:1.1 fetch_started:1.1:1.0.* @8 fetch_done:1.1:1.0.* "
            "finished:1.1 commit:1.1 @9 committed:1.1 done:1 end"},
    {RULE_FETCH, CLUSTER, "an answer that nobody waits for",
     PLAIN2 "own:1.1:1 own:1.1:1.0.1 @7 fetch_done:1.1:1.0.*"},
    {RULE_FETCH, CLUSTER, "an answer about another source",
     ABOVE STOP "@7 " NEXT BELOW "own:1.1:1 @8 fetch_done:1.1:1.0.0.1"},
    {RULE_FETCH, CLUSTER, "two answers",
     PLAIN2 "own:1.1:1.0.* @7 fetch_done:1.1:1.0.* @8 fetch_done:1.1:1.0.*"},
    {RULE_FETCH, CLUSTER, "begun after it was done",
     PLAIN2 "own:1.1:1.0.* @7 fetch_done:1.1:1.0.* @8 fetch_started:1.1:1.0.*"},
    {RULE_FETCH, CLUSTER, "an answer after the reader's end",
     PLAIN2 "own:1.1:1.0.* @7 launch_failed:1.1 fetch_done:1.1:1.0.*"},
    {RULE_FETCH, CLUSTER, "what was lost cannot be read",
     ABOVE STOP BELOW "own:1.1:1 @7 output_lost:1 fetch_done:1.1:1"},
    {RULE_FETCH, CLUSTER, "finished with a read unanswered",
     PLAIN2 "own:1.1:1.0.* @7 started:1.1 @8 finished:1.1"},
    {RULE_NONE, CAC, "finished without having read, where reading takes no time",
     ABOVE BELOW "own:1.1:1 " SECOND "@7 fetch_done:1.1:1 started:1.1.0.1 @8 finished:1.1.0.1"},
    {RULE_FETCH, NETWORK, "... where it takes time",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
     "@5 finished:1 commit:1 @6 committed:1 verdict:1.1:no_need launch:1.1:0 own:1.1:1 "
     "@7 started:1.1 fetch_done:1.1:1 @8 finished:1.1"},

    /* What becomes of the losers above. */
    {RULE_LOSERS, CLUSTER, "cc: the loser lives on", ABOVE},
    {RULE_NONE, DELAY, "delay: the loser lives on until omega", ABOVE "@15"},
    {RULE_LOSERS, DELAY, "... and no longer", ABOVE "@16"},
    {RULE_NONE, DELAY, "... then it is asked to end", ABOVE "@16 " STOP},
    {RULE_NONE, CAC, "cac: the loser may finish", ABOVE "@1000 " NEXT},
    {RULE_NONE, AUTO, "a chosen omega: the loser may finish", ABOVE "@1000 " NEXT},
    {RULE_LOSERS, CAC, "nobody reads the phase", ONE PAIR WON("1")},
    {RULE_LOSERS, CAC, "the job is over", ABOVE "@7 cancel:1 fail:1:cancelled"},
    {RULE_KILL, CLUSTER, "killed as a loser while nobody has won",
     ONE PAIR "kill:1.0.0.1:lost_race"},

    /* Slow start. */
    {RULE_NONE, CLUSTER, "a waiting reader yields, though it is the last of its task",
     SLOW_START("1:1") "@8 down:1 lost:1.0.1 kill:1.1:yield"},
    {RULE_ROOM, CLUSTER, "... but not when nothing above waits for room",
     SLOW_START("1:1") "kill:1.1:yield"},
    {RULE_ROOM, CLUSTER, "... nor where that does not fit",
     SLOW_START("1:2") "@8 failed:1.0.1 drain:0 kill:1.1:yield"},
    {RULE_NONE, CLUSTER, "... unless it is the job's own limit that it waits for",
     SLOW_START("1:2") "@8 max:1:1 failed:1.0.1 kill:1.1:yield"},
    {RULE_LAST_COPY, CLUSTER, "... but not when all above is done",
     "@0 up:0:8 job:1:2-1s verdict:1:no_need launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
     "@5 finished:1 finished:1.0.1 commit:1 commit:1.0.1 @6 committed:1 committed:1.0.1 "
     "verdict:1.1:no_need launch:1.1:0 own:1.1:1 own:1.1:1.0.1 @7 started:1.1 kill:1.1:yield"},
};

const uint32_t selftest_read_count = sizeof selftest_reads / sizeof *selftest_reads;
