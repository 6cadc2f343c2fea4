/* Sequences about backups, restarts and tasks that are given up. */
#include "tests/swarm/selftest.h"

#define SLOW ":slowest_left"
#define SAVES ":duplicate_saves"

/* Three tasks with a backup each, on eight slots. */
#define THREE_EXTRA                                                                                \
    "@0 up:0:8 job:1:3 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 @1 started:1 started:1.0.1 "       \
    "started:1.0.2 backup:1.0.0.1:0 backup:1.0.1.1:0 backup:1.0.2.1:0 "

/* A backup beside an attempt, both with half of the memory. */
#define MEMORY "@0 up:0:4:2 job:1:1m " RUN("1") "backup:1.0.0.1:0 "

const struct selftest selftest_backups[] = {
    {RULE_NONE, LATE, "a backup beside an attempt",
     ONE RUN("1") "backup:1.0.0.1:0" SLOW
                  " @2 started:1.0.0.1 " WON("1.0.0.1") "kill:1:lost_race done:1 @9 killed:1 end"},
    {RULE_BACKUP, PLAIN, "a policy without backups", ONE RUN("1") "backup:1.0.0.1:0" SLOW},
    {RULE_BACKUP, LATE, "a backup of nothing", ONE "backup:1:0" SLOW},
    {RULE_BACKUP, LATE, "a second backup",
     WORLD "up:1:4 job:1:1 " RUN("1") "backup:1.0.0.1:0" SLOW " backup:1.0.0.2:0" SLOW},
    {RULE_BACKUP, LATE, "a backup beside a dying attempt",
     ONE RUN("1") "kill:1 backup:1.0.0.1:0" SLOW},
    {RULE_BACKUP, LATE, "a backup of what has finished",
     ONE RUN("1") "@2 finished:1 commit:1 backup:1.0.0.1:0" SLOW},
    {RULE_FINISHED, LATE, "a backup of what is won", ONE RUN("1") WON("1") "backup:1.0.0.1:0" SLOW},
    {RULE_SIDE_EFFECTS, LATE, "a backup where the phase says never",
     WORLD "job:1:1n " RUN("1") "backup:1.0.0.1:0" SLOW},
    {RULE_RUNNING_MAX, LATE, "a backup beyond running_max",
     WORLD "job:1:1:1 " RUN("1") "backup:1.0.0.1:0" SLOW},
    {RULE_NONE, BOTH, "a backup in a cloned phase, whose clones never came",
     WORLD "up:1:4 job:1:1 verdict:1:cloned:3 " RUN("1") "backup:1.0.0.1:0" SLOW},
    {RULE_NONE, BOTH, "... or run, and are no backups",
     WORLD "up:1:4 job:1:1 verdict:1:cloned:2 " RUN("1") "clone:1.0.0.1:0 @2 started:1.0.0.1 "
                                                         "backup:1.0.0.2:0" SLOW},
    {RULE_BACKUP, BOTH, "... and no second one",
     WORLD "up:1:4 job:1:1 verdict:1:cloned:2 " RUN("1") "clone:1.0.0.1:0 @2 started:1.0.0.1 "
                                                         "backup:1.0.0.2:0" SLOW
                                                         " backup:1.0.0.3:1" SLOW},
    {RULE_NONE, BOTH, "a backup where dolly said no is not charged to its budget",
     TWO "verdict:1:over_budget:2 launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
         "backup:1.0.0.1:0 backup:1.0.1.1:0"},
    {RULE_NONE, BOTH, "nor is one where it says yes later",
     TWO "verdict:1:wait_preempt:2 launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
         "backup:1.0.0.1:0 backup:1.0.1.1:0 @2 verdict:1:cloned:2"},

    {RULE_CAP, LATE, "one more backup than the cap",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0" SLOW
         " backup:1.0.1.1:0" SLOW},
    {RULE_CAP, LATE, "a dying backup still counts",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0" SLOW
         " @2 started:1.0.0.1 kill:1.0.0.1 backup:1.0.1.1:0" SLOW},
    {RULE_NONE, LATE, "a dead one does not",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0" SLOW
         " @2 started:1.0.0.1 kill:1.0.0.1 @3 killed:1.0.0.1 backup:1.0.1.1:0" SLOW},
    {RULE_NONE, LATE, "memory has no part in the cap",
     "@0 up:0:4:2 job:1:1m " RUN("1") "backup:1.0.0.1:0" SLOW},
    {RULE_NONE, LATE, "says that the cap is met",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0" SLOW
         " verdict:1:speculation_cap:1"},
    {RULE_CAP, LATE, "says so while there is room",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 verdict:1:speculation_cap"},

    /* Four slots for 120 us are 480, an eighth of it is 60; a step is 2 us. 6 are in store, and 54
     * in 124 us come in: a backup takes 0.5645 of the store each us, two of them for a step 3.129.
     */
    {RULE_NONE, COST, "what is held could go on for one more step",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0 @6 "
         "backup:1.0.1.1:0"},
    {RULE_COST, COST, "... and here it could not",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0 @7 "
         "backup:1.0.1.1:0"},
    {RULE_NONE, COST, "tokens are left, and a backup goes on", ONE RUN("1") "backup:1.0.0.1:0 @11"},
    {RULE_COST, COST, "none is left, and a backup goes on", ONE RUN("1") "backup:1.0.0.1:0 @12"},
    {RULE_NONE, COST, "... and is asked to end",
     ONE RUN("1") "backup:1.0.0.1:0 @11 kill:1.0.0.1:cap "
                  "@70"},
    {RULE_COST, COST, "not enough has come in for another one",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0 "
         "@2 started:1.0.0.1 @11 failed:1.0.0.1 @12 backup:1.0.1.1:0"},
    {RULE_NONE, COST, "... and here it has",
     TWO "launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 backup:1.0.0.1:0 "
         "@2 started:1.0.0.1 @11 failed:1.0.0.1 @13 backup:1.0.1.1:0"},
    /* Of the memory, 2, an eighth for 120 us is 30: 3 in store, and 0.22 come in each us. */
    {RULE_NONE, COST, "tokens are left of the other resource", MEMORY "@4"},
    {RULE_COST, COST, "the other resource has none left", MEMORY "@8"},
    {RULE_NONE, COST, "... and what uses it is asked to end", MEMORY "@8 kill:1.0.0.1:cap"},
    /* Half of eight slots: 480, of which 3.48 slots come in. Of three slots: 180 and 1.3. */
    {RULE_NONE, COST_HALF, "less is held than comes in", THREE_EXTRA "@110"},
    {RULE_COST, COST_HALF, "the limit is met, and what comes in is kept",
     THREE_EXTRA "@71 cap:0:3 kill:1.0.1.1:cap kill:1.0.2.1:cap"},
    {RULE_NONE, COST_HALF, "... and asked to end",
     THREE_EXTRA "@71 cap:0:3 kill:1.0.0.1:cap kill:1.0.1.1:cap kill:1.0.2.1:cap"},
    {RULE_NONE, COST_HALF, "the limit is not met, and what comes in is kept",
     THREE_EXTRA "@60 cap:0:3 kill:1.0.1.1:cap kill:1.0.2.1:cap"},
    {RULE_COST, PLAIN, "speaks of a cap that is not there", ONE RUN("1") "kill:1:cap"},

    {RULE_NONE, LATE, "Mantri duplicates twice",
     WORLD "up:1:4 job:1:1 " RUN("1") "backup:1.0.0.1:0" SAVES " backup:1.0.0.2:0" SAVES},
    {RULE_BACKUP, LATE, "... but not more often than it may",
     WORLD "up:1:4 job:1:1 " RUN("1") "backup:1.0.0.1:0" SAVES " backup:1.0.0.2:0" SAVES
                                      " backup:1.0.0.3:1" SAVES},
    {RULE_NONE, LATE, "a dying copy does not count",
     WORLD
     "up:1:4 job:1:1 " RUN("1") "backup:1.0.0.1:0" SAVES " backup:1.0.0.2:0" SAVES
                                " @2 started:1.0.0.1 kill:1.0.0.1:pruned backup:1.0.0.3:1" SAVES},
    {RULE_GIVEN_UP, LATE, "a copy of a task that has failed for good",
     WORLD "up:1:4 job:1:1 " RUN("1") "backup:1.0.0.1:0" SAVES
                                      " @2 started:1.0.0.1 failed:1 backup:1.0.0.2:1" SAVES},
    {RULE_LAST_COPY, LATE, "the last copy is pruned", ONE RUN("1") "kill:1:pruned"},
    {RULE_NONE, LATE, "Mantri starts a task anew", ONE RUN("1") "kill:1:restart_faster"},
    {RULE_TRIES, LATE, "... once too often",
     ONE RUN("1") "kill:1:restart_faster @2 killed:1 restart:1.0.0.1:0 @3 started:1.0.0.1 "
                  "kill:1.0.0.1:restart_faster @4 killed:1.0.0.1 restart:1.0.0.2:0 "
                  "@5 started:1.0.0.2 kill:1.0.0.2:restart_faster"},
    {RULE_SIDE_EFFECTS, LATE, "... where the phase says never",
     WORLD "job:1:1n " RUN("1") "kill:1:restart_faster"},

    /* Half of six launches are for copies; five us have to pass before Mantri starts another one.
     */
    {RULE_NONE, TRIES, "a duplicate after another has shown what it does",
     ONE RUN("1") "@5 backup:1.0.0.1:0" SAVES " @6 started:1.0.0.1 @10 backup:1.0.0.2:0" SAVES},
    {RULE_TRIES, TRIES, "... and before",
     ONE RUN("1") "@5 backup:1.0.0.1:0" SAVES " @6 started:1.0.0.1 @9 backup:1.0.0.2:0" SAVES},
    {RULE_NONE, TRIES, "one that is over hides nothing",
     ONE RUN("1") "@5 backup:1.0.0.1:0" SAVES
                  " @6 started:1.0.0.1 @7 failed:1.0.0.1 backup:1.0.0.2:0" SAVES},
    {RULE_TRIES, TRIES, "one duplicate after the other, all in vain",
     ONE RUN("1") "@5 backup:1.0.0.1:0" SAVES " @6 started:1.0.0.1 @12 kill:1.0.0.1:pruned "
                  "@13 killed:1.0.0.1 backup:1.0.0.2:0" SAVES
                  " @14 started:1.0.0.2 @19 kill:1.0.0.2:pruned "
                  "@20 killed:1.0.0.2 backup:1.0.0.3:0" SAVES},
    {RULE_NONE, TRIES_CLONES, "a clone comes back",
     ONE PAIR "@2 kill:1.0.0.1:no_idle_core @3 killed:1.0.0.1 clone:1.0.0.2:0"},
    {RULE_TRIES, TRIES_CLONES, "... and goes, again and again",
     ONE PAIR "@2 kill:1.0.0.1:no_idle_core @3 killed:1.0.0.1 clone:1.0.0.2:0 @4 started:1.0.0.2 "
              "@5 kill:1.0.0.2:no_idle_core @6 killed:1.0.0.2 clone:1.0.0.3:0"},

    {RULE_NONE, PLAIN, "a task is given up where the job allows it",
     WORLD "job:1:2f launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 "
           "@2 failed:1.0.1 verdict:1.0.1:too_many_failures:1:1 " WON("1") "done:1 end"},
    {RULE_GIVEN_UP, PLAIN, "... and nowhere else",
     TWO RUN("1") "@2 failed:1 verdict:1:too_many_failures:1:1"},
    {RULE_GIVEN_UP, PLAIN, "one more than allowed",
     WORLD "job:1:2f launch:1:0 launch:1.0.1:0 @1 started:1 started:1.0.1 @2 failed:1 failed:1.0.1 "
           "verdict:1:too_many_failures:1:1 verdict:1.0.1:too_many_failures:1:1"},
    {RULE_GIVEN_UP, PLAIN, "twice the same",
     WORLD "job:1:2f " RUN("1") "@2 failed:1 verdict:1:too_many_failures:1:1 "
                                "verdict:1:too_many_failures:1:1"},
    {RULE_GIVEN_UP, PLAIN, "while it runs",
     WORLD "job:1:1f " RUN("1") "verdict:1:too_many_launches:1:1"},
    {RULE_GIVEN_UP, PLAIN, "without reason",
     WORLD "job:1:1f " RUN("1") "@2 failed:1 verdict:1:too_many_failures:2:2"},
    {RULE_FINISHED, PLAIN, "launched after it was given up",
     WORLD "job:1:2f " RUN("1") "@2 failed:1 verdict:1:too_many_failures:1:1 restart:1.0.0.1:0"},
    {RULE_NONE, PLAIN, "all that reads a phase is given up before it is done",
     WORLD "job:1:2-1sf " RUN("1") WON("1") "launch:1.1:0 own:1.1:1 @7 launch_failed:1.1 "
                                            "verdict:1.1:too_many_failures:1:1 done:1"},
    {RULE_JOB_DONE, PLAIN, "only some of what reads it is",
     WORLD "job:1:2-1s-1f " RUN("1") WON("1") "launch:1.1:0 own:1.1:1 @7 launch_failed:1.1 done:1"},
    {RULE_JOB_DONE, PLAIN, "done with a task that is neither won nor given up",
     WORLD "job:1:2f " RUN("1") WON("1") "done:1"},
};

const uint32_t selftest_backup_count = sizeof selftest_backups / sizeof *selftest_backups;
