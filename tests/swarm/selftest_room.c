/* Sequences about attempts that make room for tasks that wait. */
#include "tests/swarm/selftest.h"

/* Eight slots, of which the queue may have four: two tasks on node 0 and their clones on node 1,
 * which takes no more. Node 2 has room. */
#define QUEUE_FULL                                                                                 \
    "@0 up:0:2 up:1:2 up:2:4 job:1:2 " CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:1 "        \
    "clone:1.0.1.1:1 @1 started:1 started:1.0.0.1 started:1.0.1.1 drain:1 "
/* One task has won: three. */
#define QUEUE_ALMOST "@2 finished:1 commit:1 @3 committed:1 kill:1.0.0.1 "

/* A job with a map that is done and one that waits, and a reader, which fills node 1. */
#define READER                                                                                     \
    "@0 up:0:2 up:1:1 job:1:2-1s launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "            \
    "@2 finished:1 commit:1 @3 committed:1 launch:1.1:1 own:1.1:1 @4 started:1.1 failed:1.0.1 "

/* Two such jobs with readers on nodes 3 and 1, which they fill. Node 0 is gone: a map of job 1
 * waits. Those of job 2 need memory, which node 2 has alone. */
#define READERS                                                                                    \
    "@0 up:0:2 up:1:1 up:2:2:2 up:3:1 job:1:2-1s job:2:2m-1s launch:1:0 launch:1.0.1:0 "           \
    "launch:2:2 launch:2.0.1:2 @1 started:1 started:1.0.1 started:2 started:2.0.1 "                \
    "@2 finished:1 finished:2 commit:1 commit:2 @3 committed:1 committed:2 "                       \
    "launch:1.1:3 own:1.1:1 launch:2.1:1 own:2.1:2 @4 started:1.1 started:2.1 "                    \
    "down:0 lost:1.0.1 "

/* A task and its backup, which fills node 1. */
#define BACKED                                                                                     \
    "@0 up:0:1 up:1:1:1 job:1:1 launch:1:0 @1 started:1 backup:1.0.0.1:1 @2 started:1.0.0.1 "

const struct selftest selftest_rooms[] = {
    {RULE_NONE, CAREFUL, "a backup yields to a task", BACKED "@3 job:2:1 kill:1.0.0.1:yield"},
    {RULE_NONE, CAREFUL, "... that its node alone can run",
     BACKED "@3 job:2:1m kill:1.0.0.1:yield"},
    {RULE_ROOM, CAREFUL, "... of which there is none", BACKED "@3 kill:1.0.0.1:yield"},
    {RULE_ROOM, CAREFUL, "... on a node that takes no more",
     BACKED "@3 drain:1 job:2:1 kill:1.0.0.1:yield"},
    {RULE_LAST_COPY, CAREFUL, "... and is the last of its own",
     BACKED "@3 failed:1 job:2:1 job:3:1 launch:2:0 kill:1.0.0.1:yield"},
    {RULE_ROOM, LATE, "... of a policy whose backups do not",
     BACKED "@3 job:2:1 kill:1.0.0.1:yield"},
    {RULE_IDLE, CAREFUL, "a backup starts where a task waits",
     "@0 up:0:1 up:1:1 job:1:1 launch:1:0 @1 started:1 job:2:1 backup:1.0.0.1:1"},
    {RULE_NONE, LATE, "... which others do not mind",
     "@0 up:0:1 up:1:1 job:1:1 launch:1:0 @1 started:1 job:2:1 backup:1.0.0.1:1"},
    {RULE_NONE, CAREFUL, "... that could not use it",
     "@0 up:0:1 up:1:1 job:1:1 launch:1:0 @1 started:1 job:2:1m backup:1.0.0.1:1"},
    {RULE_NONE, ROOM, "a clone anywhere yields to a task of its queue",
     QUEUE_FULL "@2 job:2:1 kill:1.0.0.1:yield"},
    {RULE_ROOM, ROOM, "... for which no node has room then",
     QUEUE_FULL "@2 job:2:1m kill:1.0.0.1:yield"},
    {RULE_ROOM, ROOM, "... which the queue lets start without that",
     QUEUE_FULL QUEUE_ALMOST "@5 job:2:1 kill:1.0.1.1:yield"},
    {RULE_NONE, ROOM, "... but not the second one like it",
     QUEUE_FULL QUEUE_ALMOST "@5 job:2:2 kill:1.0.1.1:yield"},
    {RULE_NONE, ROOM, "... nor that of another job",
     QUEUE_FULL QUEUE_ALMOST "@5 job:2:1 job:3:1 kill:1.0.1.1:yield"},
    {RULE_ROOM, ROOM, "... for which no node has room beside the first",
     QUEUE_FULL QUEUE_ALMOST "@5 drain:0 drain:2 up:3:1 job:2:2 kill:1.0.1.1:yield"},
    {RULE_ROOM, ROOM, "... which its own job's limit forbids",
     QUEUE_FULL QUEUE_ALMOST "@5 job:2:2:1 kill:1.0.1.1:yield"},

    {RULE_NONE, PLAIN, "a reader yields to a task above it", READER "down:0 kill:1.1:yield"},
    {RULE_ROOM, PLAIN, "... on a node that takes no more", READER "down:0 drain:1 kill:1.1:yield"},
    {RULE_NONE, PLAIN, "... anywhere, for their job's limit",
     READER "drain:1 max:1:1 kill:1.1:yield"},
    {RULE_ROOM, PLAIN, "... which is not in the way", READER "drain:1 max:1:2 kill:1.1:yield"},
    {RULE_ROOM, PLAIN, "... but there is no node for the task then",
     READER "drain:0 drain:1 max:1:1 kill:1.1:yield"},
    {RULE_NONE, PLAIN, "readers of two jobs that both wait in vain make room together",
     READERS "drain:3 down:2 lost:2.0.1 kill:2.1:yield"},
    {RULE_ROOM, PLAIN, "... although the other one's own would do",
     READERS "down:2 lost:2.0.1 kill:2.1:yield"},
    {RULE_ROOM, PLAIN, "... although its own job waits for nothing but time",
     READERS "drain:2 drain:3 kill:2.1:yield"},
    {RULE_ROOM, PLAIN, "... or not in vain", READERS "drain:3 failed:2.0.1 kill:2.1:yield"},
    {RULE_ROOM, ROOM, "a clone yields for its job's limit",
     "@0 up:0:4 up:1:4 job:1:2:2 " CLONED2 "launch:1:0 clone:1.0.0.1:1 "
     "@1 started:1.0.0.1 drain:1 kill:1.0.0.1:yield"},
};
const uint32_t selftest_room_count = sizeof selftest_rooms / sizeof *selftest_rooms;
