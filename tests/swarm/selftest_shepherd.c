/* Sequences about what shepherd promises. A reason is rescue:LEFT:WON:RACES; a race is lost as soon
 * as its copy has run. */
#include "tests/swarm/selftest.h"

/* Seven tasks that run, on so many slots. */
#define SEVEN_ON(slots)                                                                            \
    "@0 up:0:" slots " job:1:7 verdict:1:watched:3 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 "      \
    "launch:1.0.3:0 launch:1.0.4:0 launch:1.0.5:0 launch:1.0.6:0 @1 started:1 started:1.0.1 "      \
    "started:1.0.2 started:1.0.3 started:1.0.4 started:1.0.5 started:1.0.6 "

/* The copy of task t is made at 10 x at, after `before`, and wins, or is beaten. */
#define COPIED(t, at, before)                                                                      \
    "@" at "2 clone:1.0." t ".1:0:rescue:9:" before " @" at "3 started:1.0." t ".1 "
#define WINS(t, at, before)                                                                        \
    COPIED(t, at, before)                                                                          \
    "@" at "5 finished:1.0." t ".1 commit:1.0." t ".1 @" at "6 committed:1.0." t ".1 kill:1.0." t  \
    ":lost_race @" at "7 killed:1.0." t " "
#define LOSES(t, at, before)                                                                       \
    COPIED(t, at, before)                                                                          \
    "@" at "5 finished:1.0." t " commit:1.0." t " @" at "6 committed:1.0." t " kill:1.0." t        \
    ".1:lost_race @" at "7 killed:1.0." t ".1 "
#define FOUR_WON_ON(slots)                                                                         \
    SEVEN_ON(slots)                                                                                \
    WINS("0", "1", "0:0") WINS("1", "2", "1:1") WINS("2", "3", "2:2") WINS("3", "4", "3:3")
#define FIVE_WON_ON(slots) FOUR_WON_ON(slots) WINS("4", "5", "4:4")
#define FOUR_WON FOUR_WON_ON("16")
#define FIVE_WON FIVE_WON_ON("16")

/* A copy that stays, and another one of the same task. */
#define STAYS "@60 backup:1.0.5.1:0:rescue:9:5:5 @61 started:1.0.5.1 "
#define ANOTHER "backup:1.0.5.2:0:rescue:9:5:5"

/* Eleven tasks, of which five have been copied and were beaten. */
#define FIVE_OF_ELEVEN                                                                             \
    "@0 up:0:32 job:1:11 verdict:1:watched:3 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 "            \
    "launch:1.0.3:0 launch:1.0.4:0 launch:1.0.5:0 launch:1.0.6:0 launch:1.0.7:0 launch:1.0.8:0 "   \
    "launch:1.0.9:0 launch:1.0.10:0 @1 started:1 started:1.0.1 started:1.0.2 started:1.0.3 "       \
    "started:1.0.4 started:1.0.5 started:1.0.6 started:1.0.7 started:1.0.8 started:1.0.9 "         \
    "started:1.0.10 " WINS("0", "1", "0:0") WINS("1", "2", "1:1") WINS("2", "3", "2:2")            \
        WINS("3", "4", "3:3") WINS("4", "5", "4:4")

/* The copy has not run yet when it is beaten. */
#define BEATEN(t, at)                                                                              \
    "@" at "2 clone:1.0." t ".1:0:rescue:9:5:5 @" at "3 started:1.0." t ".1 finished:1.0." t       \
    " commit:1.0." t " @" at "6 committed:1.0." t " kill:1.0." t ".1:lost_race @" at               \
    "7 killed:1.0." t ".1 "
#define FOUR_BEATEN BEATEN("5", "7") BEATEN("6", "8") BEATEN("7", "9") BEATEN("8", "10")
#define STAYS_LAST "backup:1.0.10.1:0:rescue:9:5:5"
#define PRECEDES "@120 job:2:1 " STAYS_LAST
#define OF_A_LATER_JOB                                                                             \
    "@119 job:2:1 verdict:2:watched:3 launch:2:0 @120 started:2 failed:1.0.9 "                     \
    "backup:2.0.0.1:0:rescue:9:5:5"

/* A task and its copy on two slots, and another one that waits for eight turns. */
#define HELD                                                                                       \
    "@0 up:0:2 job:1:1 verdict:1:watched:3 " RUN("1") "clone:1.0.0.1:0:hedge @2 "                  \
                                                      "started:1.0.0.1 "
#define WAITS "@3 job:2:1 @4 max:2:9 @5 max:2:9 @6 max:2:9 @7 max:2:9 @8 max:2:9 @9 max:2:9 "
#define ONE_WATCHED ONE "verdict:1:watched:3 " RUN("1")

const struct selftest selftest_shepherds[] = {
    {RULE_NONE, SHEPHERD, "a copy that stays after five races were won",
     FIVE_WON "@60 backup:1.0.5.1:0:rescue:9:5:5"},
    {RULE_HARM, SHEPHERD, "... and after four", FOUR_WON "@60 backup:1.0.5.1:0:rescue:9:4:4"},
    {RULE_HARM, SHEPHERD, "... which are called five",
     FOUR_WON "@60 backup:1.0.5.1:0:rescue:9:5:5"},
    {RULE_HARM, SHEPHERD, "... also where the copy yields",
     FOUR_WON "@60 clone:1.0.5.1:0:rescue:9:5:5"},
    {RULE_HARM, SHEPHERD, "a race was lost since",
     FIVE_WON LOSES("5", "6", "5:5") "@70 backup:1.0.6.1:0:rescue:9:5:6"},
    {RULE_HARM, SHEPHERD, "... which the policy does not know",
     FIVE_WON LOSES("5", "6", "5:5") "@70 backup:1.0.6.1:0:rescue:9:5:5"},
    {RULE_NONE, SHEPHERD, "... and the copy yields",
     FIVE_WON LOSES("5", "6", "5:5") "@70 clone:1.0.6.1:0:rescue:9:5:6"},

    {RULE_NONE, SHEPHERD, "two copies of a task that stay, where 2 % of the slots are one",
     FIVE_WON_ON("25") STAYS ANOTHER},
    {RULE_HARM, SHEPHERD, "... and where they are none", FIVE_WON_ON("24") STAYS ANOTHER},
    {RULE_NONE, SHEPHERD, "... and the first was asked to end",
     FIVE_WON_ON("24") STAYS "kill:1.0.5.1:no_idle_core " ANOTHER},

    {RULE_NONE, SHEPHERD, "a copy that stays, while a task waits", FIVE_OF_ELEVEN PRECEDES},
    {RULE_NONE, SHEPHERD, "... and four late tasks ended sooner than their copies",
     FIVE_OF_ELEVEN FOUR_BEATEN PRECEDES},
    {RULE_HARM, SHEPHERD, "... and five", FIVE_OF_ELEVEN FOUR_BEATEN BEATEN("9", "11") PRECEDES},
    {RULE_NONE, SHEPHERD, "... and none waits",
     FIVE_OF_ELEVEN FOUR_BEATEN BEATEN("9", "11") "@120 " STAYS_LAST},
    {RULE_NONE, SHEPHERD, "a copy precedes a task of an earlier job",
     FIVE_OF_ELEVEN OF_A_LATER_JOB},
    {RULE_HARM, SHEPHERD_FIFO, "... in order of arrival", FIVE_OF_ELEVEN OF_A_LATER_JOB},
    {RULE_NONE, SHEPHERD_FIFO, "... or of a later one", FIVE_OF_ELEVEN PRECEDES},

    {RULE_NONE, SHEPHERD, "as many copies as it may have",
     FIVE_WON "@60 clone:1.0.5.1:0:hedge backup:1.0.5.2:0:rescue:9:5:5"},
    {RULE_BACKUP, SHEPHERD, "... and one more",
     FIVE_WON "@60 clone:1.0.5.1:0:hedge clone:1.0.5.2:0:hedge backup:1.0.5.3:0:rescue:9:5:5"},
    {RULE_COPIES, SHEPHERD, "... which yields",
     ONE_WATCHED "clone:1.0.0.1:0:hedge clone:1.0.0.2:0:hedge clone:1.0.0.3:0:hedge"},
    {RULE_COPIES, SHEPHERD, "more copies than it may have are promised", ONE "verdict:1:watched:4"},

    {RULE_HARM, SHEPHERD, "a copy of a task that has failed",
     ONE_WATCHED "@2 failed:1 launch:1.0.0.1:0 @3 started:1.0.0.1 clone:1.0.0.2:0:hedge"},
    {RULE_NONE, SHEPHERD, "... of one whose node has failed",
     WORLD "up:1:4 job:1:1 verdict:1:watched:3 " RUN(
         "1") "@2 down:0 lost:1 launch:1.0.0.1:1 @3 started:1.0.0.1 clone:1.0.0.2:1:hedge"},

    {RULE_HARM, SHEPHERD, "a first attempt ends for its copy",
     ONE_WATCHED "clone:1.0.0.1:0:hedge @2 started:1.0.0.1 kill:1:pruned"},
    {RULE_HARM, SHEPHERD, "... for want of a core",
     ONE_WATCHED "clone:1.0.0.1:0:hedge @2 started:1.0.0.1 kill:1:no_idle_core"},
    {RULE_NONE, SHEPHERD, "... or the copy does",
     ONE_WATCHED "clone:1.0.0.1:0:hedge @2 started:1.0.0.1 kill:1.0.0.1:no_idle_core"},

    {RULE_HARM, SHEPHERD, "a copy does not yield", HELD WAITS "@10 max:2:9 @11 max:2:9"},
    {RULE_NONE, SHEPHERD, "... until reports alone have come",
     HELD WAITS "@10 max:2:9 @11 progress:1"},
    {RULE_NONE, SHEPHERD, "... and then does", HELD WAITS "@10 kill:1.0.0.1:yield @11 max:2:9"},
    {RULE_NONE, SHEPHERD, "... and is all that its task has",
     "@0 up:0:1 up:1:1 job:1:1 verdict:1:watched:3 " RUN(
         "1") "clone:1.0.0.1:1:hedge @2 started:1.0.0.1 down:0 lost:1 " WAITS
              "@10 max:2:9 @11 max:2:9"},
};
const uint32_t selftest_shepherd_count = sizeof selftest_shepherds / sizeof *selftest_shepherds;
