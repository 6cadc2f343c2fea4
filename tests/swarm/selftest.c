/* selftest.c - legal and illegal turn sequences for every rule of the referee.
 *
 * A referee that never objects proves nothing, so each rule has sequences that keep it just barely
 * and sequences that break it by one step; the run at the end also demands that no rule of the enum
 * was left without a sequence that breaks it. The words are those of script.h. Cases share short
 * beginnings, given as macros, so that a line shows little besides the step that matters. */
#include "tests/swarm/selftest.h"

#include <stdio.h>

#include "base/check.h"
#include "tests/swarm/policy_draw.h"
#include "tests/swarm/script.h"

/* A task that may have four copies, on two nodes of four slots. */
#define EIGHT "@0 up:0:4 up:1:4 job:1:1 verdict:1:cloned:4 launch:1:0 @1 started:1 "

/* A task and its clone, on two nodes that they fill. */
#define APART_LAUNCH CLONED2 "launch:1:0 clone:1.0.0.1:1 @1 started:1 started:1.0.0.1 "
#define APART "job:1:1 " APART_LAUNCH
#define FULL "@0 up:0:1 up:1:1 " APART

static const struct referee_rules presets[] = {
    [PLAIN] = {.beta = 1, .tau = 1},
    [CLUSTER] = {.clones = true, .beta = 1, .tau = 1},
    [TIGHT] = {.clones = true, .beta = 0.25, .tau = 1}, /* one of four slots */
    [LEAST] = {.clones = true, .beta = 0.25, .tau = 1, .least = 2},
    [IDLE] = {.clones = true, .budget_idle = true, .beta = 0, .tau = 1},
    [OFFERS] = {.clones = true, .offers = true, .copies_max = 3, .beta = 1e9, .tau = 1e9},
    [LOW_TAU] = {.clones = true, .beta = 1, .tau = 0.5}, /* two of four slots */
    [SHORT] = {.beta = 1, .tau = 1, .turns_max = 6, .instant_turns_max = 3, .time_us_max = 100},
    [LATE] =
        {.backups = true, .cap = 0.25, .duplicates_max = 3, .restarts_max = 2, .failures_max = 1},
    [CAREFUL] = {.backups = true, .backups_yield = true, .cap = 1},
    [TRIES] = {.backups = true, .duplicates_max = 4, .duplicate_after_us = 5, .launches_max = 6},
    [TRIES_CLONES] = {.clones = true, .budget_idle = true, .tau = 1, .launches_max = 6},
    [BOTH] = {.clones = true, .beta = 0.25, .tau = 1, .backups = true, .cap = 1},
    [CAC] =
        {.clones = true, .beta = 1, .tau = 1, .omega_us = REFEREE_OMEGA_NEVER, .reuse_off = true},
    [DELAY] = {.clones = true, .beta = 1, .tau = 1, .omega_us = 10},
    [DELAY_OFF] = {.clones = true, .beta = 1, .tau = 1, .omega_us = 10, .reuse_off = true},
    [AUTO] = {.clones = true, .beta = 1, .tau = 1, .omega_us = REFEREE_OMEGA_AUTO},
    [COST] = {.backups = true, .cap = 1, .cost = 0.125, .cost_window_us = 120}, /* 60 of 480 */
    [COST_HALF] = {.backups = true, .cap = 1, .cost = 0.5, .cost_window_us = 120},
    [JOB_CLONE] = {.clones = true, .job_clone = true, .beta = 1e9, .tau = 1},
    [PROTECT] = {.protects = true, .replicate = 0.1, .precompute = 0.5},
    [WORK] = {.beta = 1, .tau = 1, .work_turns = 1},
    [QUEUES] = {.queues = true, .work_turns = 1, .queue_most = {1, 1, 1, 1, 0.5}},
    [TICK] = {.beta = 1, .tau = 1, .work_turns = 1, .tick_us = 5},
    [ROOM] = {.clones = true,
              .budget_idle = true,
              .tau = 1,
              .queues = true,
              .queue_most = {1, 1, 1, 1, 0.5}},
    [SHEPHERD] = {.clones = true,
                  .budget_idle = true,
                  .shepherd = true,
                  .copies_max = 3,
                  .backups = true,
                  .tau = 1},
    [SHEPHERD_FIFO] = {.clones = true,
                       .budget_idle = true,
                       .shepherd = true,
                       .fifo = true,
                       .copies_max = 3,
                       .backups = true,
                       .tau = 1},
    [DISKS] = {.clones = true, .beta = 1, .tau = 1, .disks_own = true},
    [DOUBT] = {.beta = 1, .tau = 1, .work_turns = 1, .doubt_us = 5},
    [NETWORK] = {.clones = true, .beta = 1, .tau = 1, .network = true},
};

static const struct selftest general[] = {
    /* Whole lives that are legal. */
    {RULE_NONE, PLAIN, "a task runs and wins",
     ONE RUN("1") "@3 progress:1 @4 output_ready:1 finished:1 commit:1 @5 committed:1 done:1 end"},
    {RULE_NONE, PLAIN, "a launch fails and is repeated",
     ONE "launch:1:0 @1 launch_failed:1 restart:1.0.0.1:0 @2 started:1.0.0.1 " WON(
         "1.0.0.1") "done:1 end"},
    {RULE_NONE, CLUSTER, "a pair races and the loser is killed",
     ONE PAIR WON("1.0.0.1") "kill:1 done:1 @9 killed:1 end"},
    {RULE_NONE, CLUSTER, "the loser finishes before its kill arrives",
     ONE PAIR WON("1.0.0.1") "kill:1 done:1 @9 finished:1 @10 refused:5:already_ended end"},
    {RULE_NONE, PLAIN, "a lost output is made again for the phase below",
     CHAIN RUN("1") WON("1") "@7 output_lost:1 restart:1.0.0.1:0 @8 started:1.0.0.1 "
                             "@9 finished:1.0.0.1 commit:1.0.0.1 @10 committed:1.0.0.1 "
                             "launch:1.1:0 own:1.1:1.0.* @11 fetch_done:1.1:1.0.* started:1.1 "
                             "@12 finished:1.1 commit:1.1 @13 committed:1.1 done:1 end"},
    {RULE_NONE, PLAIN, "an output lost after its last reader is not missed",
     CHAIN RUN("1") WON("1") "launch:1.1:0 own:1.1:1.0.* @7 fetch_done:1.1:1.0.* started:1.1 "
                             "output_lost:1 @8 finished:1.1 "
                             "commit:1.1 @9 committed:1.1 done:1 end"},

    {RULE_NONE, WORK, "each task runs as soon as it can",
     CHAIN RUN("1") WON("1") "launch:1.1:0 own:1.1:1.0.* @7 started:1.1"},
    {RULE_WORK, WORK, "a task waits beside an empty node", ONE "@1"},
    {RULE_NONE, WORK, "... but all slots are taken",
     "@0 up:0:1 job:1:2 launch:1:0 @1 started:1 @2"},
    {RULE_NONE, WORK, "... but the other resource is taken",
     "@0 up:0:4:1 job:1:2m launch:1:0 @1 started:1 @2"},
    {RULE_NONE, WORK, "... but its job may have one attempt",
     WORLD "job:1:2:1 launch:1:0 @1 started:1 @2"},
    {RULE_NONE, WORK, "... but the node is avoided", ONE "avoid:0:9 set:1:9 @1"},
    {RULE_WORK, WORK, "the next phase waits", CHAIN RUN("1") WON("1") "@7"},
    {RULE_WORK, WORK, "a lost output is never made again",
     CHAIN RUN("1") WON("1") "launch:1.1:0 own:1.1:1.0.* @7 output_lost:1 launch_failed:1.1 @8"},
    {RULE_NONE, WORK, "... but its reader may have it",
     CHAIN RUN("1") WON("1") "launch:1.1:0 own:1.1:1.0.* @7 output_lost:1 started:1.1 @8"},

    {RULE_NONE, TICK, "a task waits for the next tick", "@1 up:0:4 job:1:1 @4 @5 launch:1:0"},
    {RULE_TICK, TICK, "a launch between ticks", "@1 up:0:4 job:1:1 @4 launch:1:0"},
    {RULE_WORK, TICK, "a tick is missed", "@1 up:0:4 job:1:1 @4 @5 @6"},

    {RULE_UNKNOWN, PLAIN, "an event for no attempt", ONE "@1 started:1"},
    {RULE_UNKNOWN, PLAIN, "an event for no job", ONE "@1 cancel:2"},
    {RULE_UNKNOWN, PLAIN, "a node goes down that never came", ONE "@1 down:1"},
    {RULE_UNKNOWN, PLAIN, "a launch for no task", ONE "launch:1.0.1.0:0"},
    {RULE_UNKNOWN, PLAIN, "a launch on no node", ONE "launch:1:1"},
    {RULE_UNKNOWN, PLAIN, "a kill for no attempt", ONE "kill:1"},
    {RULE_UNKNOWN, PLAIN, "a verdict on no phase", ONE "verdict:1.1:no_need"},
    {RULE_UNKNOWN, PLAIN, "a refusal of a later decision", ONE "launch:1:0 @1 refused:2"},

    {RULE_ONE_ANSWER, PLAIN, "started twice", ONE RUN("1") "@2 started:1"},
    {RULE_ONE_ANSWER, PLAIN, "failed to launch after it started",
     ONE RUN("1") "@2 launch_failed:1"},
    {RULE_ONE_ANSWER, PLAIN, "finished before it started", ONE "launch:1:0 @1 finished:1"},
    {RULE_ONE_ANSWER, PLAIN, "progress before it started", ONE "launch:1:0 @1 progress:1"},
    {RULE_ONE_ANSWER, PLAIN, "two endings", ONE RUN("1") "@2 failed:1 @3 lost:1"},
    {RULE_ONE_ANSWER, PLAIN, "a launch refused", ONE "launch:1:0 @1 refused:1:no_room"},
    {RULE_ONE_ANSWER, PLAIN, "committed though nobody asked",
     ONE RUN("1") "@2 finished:1 committed:1"},
    {RULE_ONE_ANSWER, PLAIN, "committed twice", ONE RUN("1") WON("1") "@7 committed:1"},
    {RULE_ONE_ANSWER, PLAIN, "an output lost that never was", ONE RUN("1") "@2 output_lost:1"},
    {RULE_ONE_ANSWER, PLAIN, "an output lost twice",
     ONE RUN("1") "@2 finished:1 @3 output_lost:1 @4 output_lost:1"},
    {RULE_ONE_ANSWER, PLAIN, "an output after the end",
     ONE RUN("1") "@2 finished:1 @3 output_ready:1"},
    {RULE_ONE_ANSWER, PLAIN, "a commit refused twice",
     ONE RUN("1") "@2 finished:1 commit:1 @3 refused:2:output_gone @4 refused:2:output_gone"},
    {RULE_ONE_ANSWER, PLAIN, "job ids fall", WORLD "job:2:1 job:1:1"},

    {RULE_ORDINAL, PLAIN, "an ordinal is left out", ONE "launch:1.0.0.1:0"},
    {RULE_ORDINAL, PLAIN, "an ordinal is used again",
     ONE "launch:1:0 @1 launch_failed:1 restart:1:0"},

    {RULE_NONE, PLAIN, "a node is filled to the brim",
     WORLD "job:1:5 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 launch:1.0.3:0"},
    {RULE_CAPACITY, PLAIN, "one more than the node holds",
     WORLD "job:1:5 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 launch:1.0.3:0 launch:1.0.4:0"},
    {RULE_CAPACITY, PLAIN, "a second dimension is full",
     "@0 up:0:4:1 job:1:2m launch:1:0 launch:1.0.1:0"},
    {RULE_CAPACITY, PLAIN, "a kill that is asked for frees nothing",
     "@0 up:0:1 job:1:2 " RUN("1") "kill:1 launch:1.0.1:0"},
    {RULE_NONE, PLAIN, "a kill that is confirmed does",
     "@0 up:0:1 job:1:2 " RUN("1") "kill:1 @2 killed:1 launch:1.0.1:0"},
    {RULE_CAPACITY, PLAIN, "a node shrank", TWO RUN("1") "@2 cap:0:1 launch:1.0.1:0"},

    {RULE_NODE_STATE, PLAIN, "a launch on a node that is down", ONE "@1 down:0 launch:1:0"},
    {RULE_NODE_STATE, PLAIN, "... suspect", ONE "@1 suspect:0 launch:1:0"},
    {RULE_NODE_STATE, PLAIN, "... draining", ONE "@1 drain:0 launch:1:0"},
    {RULE_NODE_STATE, PLAIN, "... avoided", ONE "avoid:0:10 @9 launch:1:0"},
    {RULE_NONE, PLAIN, "the time to avoid it is over", ONE "avoid:0:10 @10 launch:1:0"},
    {RULE_NONE, PLAIN, "the node came back", ONE "@1 down:0 @2 up:0:4 launch:1:0"},

    {RULE_NONE, PLAIN, "one of two nodes makes stragglers",
     "@0 up:0:4 up:1:4 job:1:3 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 @1 avoid:0:9:bad_node"},
    {RULE_SCREEN, PLAIN, "... and so does the other",
     "@0 up:0:4 up:1:4 avoid:0:9:bad_node avoid:1:9:bad_node"},
    {RULE_SCREEN, PLAIN, "... and the other cannot carry what runs",
     "@0 up:0:4 up:1:4 job:1:4 launch:1:0 launch:1.0.1:0 launch:1.0.2:0 launch:1.0.3:0 "
     "@1 avoid:0:9:bad_node"},

    {RULE_NONE, PLAIN, "as many as running_max", WORLD "job:1:3:2 launch:1:0 launch:1.0.1:0"},
    {RULE_RUNNING_MAX, PLAIN, "one more than running_max",
     WORLD "job:1:3:2 launch:1:0 launch:1.0.1:0 launch:1.0.2:0"},
    {RULE_NONE, QUEUES, "a queue up to its maximum", WORLD "job:1:3 launch:1:0 launch:1.0.1:0"},
    {RULE_QUEUE, QUEUES, "... and beyond",
     WORLD "job:1:3 launch:1:0 launch:1.0.1:0 launch:1.0.2:0"},
    {RULE_WORK, QUEUES, "a queue that waits below its maximum", WORLD "job:1:3 launch:1:0"},
    {RULE_NONE, QUEUES, "a queue that holds nothing takes one",
     "@0 up:0:1 job:1:2 launch:1:0 @1 started:1"},
    {RULE_NONE, PLAIN, "equal ranks, and then a worse one",
     WORLD "job:1:2 job:2:1 launch:1:0:standing:1 launch:1.0.1:0:standing:1 launch:2:0:standing:3"},
    {RULE_RANK, PLAIN, "a better rank after a worse one",
     WORLD "job:1:1 job:2:1 launch:1:0:standing:2 launch:2:0:standing:1"},
    {RULE_RANK, PLAIN, "a worse rank where a better one fits",
     WORLD "job:1:2 job:2:1 launch:1:0:standing:1 launch:2:0:standing:2"},
    {RULE_NONE, PLAIN, "... which does not fit there",
     "@0 up:0:4 up:1:4:1 job:1:2m job:2:1 launch:1:1:standing:1 launch:2:0:standing:2"},
    {RULE_NONE, PLAIN, "... on another node, or later",
     WORLD "up:1:4 job:1:1 job:2:2 launch:1:0:standing:2 launch:2:1:standing:1 @1 started:1 "
           "launch:2.0.1:0:standing:1"},
    {RULE_RUNNING_MAX, PLAIN, "running_max was lowered", TWO RUN("1") "@2 max:1:1 launch:1.0.1:0"},

    {RULE_NONE, TIGHT, "the budget is met exactly",
     TWO CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0"},
    {RULE_BUDGET, TIGHT, "one clone more than the budget",
     TWO CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0 clone:1.0.1.1:0"},
    {RULE_NONE, LEAST, "two clones fit into any budget",
     TWO CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0 clone:1.0.1.1:0"},
    {RULE_BUDGET, LEAST, "... and no third one",
     EIGHT "clone:1.0.0.1:0 clone:1.0.0.2:0 clone:1.0.0.3:0"},
    {RULE_BUDGET, TIGHT, "a dying clone is still charged",
     TWO PAIR "launch:1.0.1:0 kill:1.0.0.1 clone:1.0.1.1:0"},
    {RULE_NONE, TIGHT, "a dead clone is not",
     TWO PAIR "launch:1.0.1:0 kill:1.0.0.1 @3 killed:1.0.0.1 clone:1.0.1.1:0"},
    {RULE_BUDGET, TIGHT, "the sibling of a finished attempt is extra",
     TWO PAIR "launch:1.0.1:0 @2 finished:1 commit:1 clone:1.0.1.1:0"},
    {RULE_NONE, TIGHT, "... and needed again when the commit fails",
     TWO PAIR "launch:1.0.1:0 @2 finished:1 commit:1 @3 commit_failed:1 clone:1.0.1.1:0"},
    {RULE_NONE, TIGHT, "a shrinking node breaks nothing by itself", ONE PAIR "@2 cap:0:2"},
    {RULE_NONE, TIGHT, "a node that goes down breaks nothing by itself",
     EIGHT "clone:1.0.0.1:0 clone:1.0.0.2:0 @2 down:1"},
    {RULE_NONE, TIGHT, "the budget is a share of the nodes that are not down",
     EIGHT "@2 down:1 clone:1.0.0.1:0"},
    {RULE_BUDGET, TIGHT, "... and not of one that is",
     EIGHT "@2 down:1 clone:1.0.0.1:0 clone:1.0.0.2:0"},
    {RULE_BUDGET, TIGHT, "... even if its capacity changes meanwhile",
     EIGHT "@2 down:1 cap:1:8 clone:1.0.0.1:0 clone:1.0.0.2:0"},
    {RULE_NONE, TIGHT, "... until it is back",
     EIGHT "@2 down:1 @3 up:1:4 clone:1.0.0.1:0 clone:1.0.0.2:0"},
    {RULE_NONE, TIGHT, "a node that drains or is suspect counts",
     EIGHT "@2 drain:1 clone:1.0.0.1:0 @3 suspect:1 clone:1.0.0.2:0"},
    {RULE_BUDGET, TIGHT, "the second dimension counts as well",
     "@0 up:0:8:4 job:1:2m " CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0 clone:1.0.1.1:0"},

    {RULE_NONE, DOUBT, "an end counts when its node has lived on",
     ONE RUN("1") "@2 ended:1 @7 output_ready:1 finished:1 commit:1 @8 committed:1 done:1 end"},
    {RULE_NONE, DOUBT, "... and so does a failure",
     ONE RUN("1") "@2 ended:1 @7 failed:1 restart:1.0.0.1:0"},
    {RULE_NONE, DOUBT, "its room is free at once",
     "@0 up:0:1 job:1:2 launch:1:0 @1 started:1 @2 ended:1 launch:1.0.1:0"},
    {RULE_WORK, DOUBT, "... and is used",
     "@0 up:0:1 job:1:2 launch:1:0 @1 started:1 @2 ended:1 @3 timer:1"},
    {RULE_NONE, DOUBT, "its node goes down first",
     ONE RUN("1") "@2 ended:1 @6 down:0 lost:1 @7 up:0:4 restart:1.0.0.1:0"},
    {RULE_DOUBT, DOUBT, "an end counts at once", ONE RUN("1") "@2 finished:1"},
    {RULE_DOUBT, DOUBT, "... or a failure", ONE RUN("1") "@2 failed:1"},
    {RULE_DOUBT, DOUBT, "... or too early", ONE RUN("1") "@2 ended:1 @6 finished:1"},
    {RULE_DOUBT, DOUBT, "... or in a node that went down",
     ONE RUN("1") "@2 ended:1 @6 down:0 @7 up:0:4 finished:1"},
    {RULE_ONE_ANSWER, PLAIN, "an attempt ends twice", ONE RUN("1") "@2 ended:1 @3 ended:1"},
    {RULE_COPIES, DOUBT, "a second attempt beside one in doubt",
     ONE RUN("1") "@2 ended:1 restart:1.0.0.1:0"},

    {RULE_NONE, DISKS, "a node with a full disk is avoided for a minute",
     EIGHT "@2 failed:1:disk_full avoid:0:60000002 restart:1.0.0.1:1"},
    {RULE_DISK, DISKS, "... and not for less", EIGHT "@2 failed:1:disk_full avoid:0:60000001"},
    {RULE_DISK, DISKS, "... nor not at all", EIGHT "@2 failed:1:disk_full @3 avoid:0:60000003"},
    {RULE_DISK, DISKS, "... nor another one", EIGHT "@2 failed:1:disk_full avoid:1:60000002"},
    {RULE_DISK, DISKS, "... also if it could not even start",
     "@0 up:0:4 job:1:1 verdict:1:no_need:1 launch:1:0 @1 launch_failed:1:disk_full"},
    {RULE_NONE, DISKS, "a node that could not do its part rests, too",
     EIGHT "@2 failed:1:node_fault fault:0:60000002"},
    {RULE_DISK, DISKS, "... or it is at fault", EIGHT "@2 failed:1:node_fault @3"},
    {RULE_NONE, DISKS, "... and gets one attempt then",
     "@0 up:0:4 up:1:4 job:1:3 verdict:1:no_need launch:1:0 @1 started:1 @2 failed:1:node_fault "
     "fault:0:60000002 @60000002 launch:1.0.1:0"},
    {RULE_NODE_STATE, DISKS, "... and no second one",
     "@0 up:0:4 up:1:4 job:1:3 verdict:1:no_need launch:1:0 @1 started:1 @2 failed:1:node_fault "
     "fault:0:60000002 @60000002 launch:1.0.1:0 launch:1.0.2:0"},
    {RULE_NONE, DISKS, "... until that has ended in its own way",
     "@0 up:0:4 up:1:4 job:1:4 verdict:1:no_need launch:1:0 @1 started:1 @2 failed:1:node_fault "
     "fault:0:60000002 @60000002 launch:1.0.1:0 @60000003 started:1.0.1 "
     "@60000004 failed:1.0.1:exit launch:1.0.2:0 launch:1.0.3:0"},
    {RULE_NONE, DISKS, "any other failure is no trouble of the node", EIGHT "@2 failed:1:exit"},
    {RULE_NONE, DISKS, "its clones go",
     EIGHT "clone:1.0.0.1:0 clone:1.0.0.2:1 @2 started:1.0.0.1 started:1.0.0.2 "
           "@3 failed:1:disk_full avoid:0:60000003 kill:1.0.0.1:disk_full"},
    {RULE_DISK, DISKS, "... and no others",
     EIGHT "clone:1.0.0.1:0 clone:1.0.0.2:1 @2 started:1.0.0.1 started:1.0.0.2 "
           "@3 failed:1:disk_full avoid:0:60000003 kill:1.0.0.2:disk_full"},
    {RULE_DISK, DISKS, "a first attempt is ended for a full disk",
     EIGHT "clone:1.0.0.1:0 @2 started:1.0.0.1 "
           "@3 failed:1.0.0.1:disk_full avoid:0:60000003 kill:1:disk_full"},

    {RULE_IDLE, IDLE, "a clone while a first attempt waits",
     "@0 up:0:2 job:1:2 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "a clone after the last first attempt",
     "@0 up:0:3 job:1:2 " CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "what waits does not fit the place",
     "@0 up:0:2 job:1:1 job:2:1m " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "what waits is behind a barrier",
     "@0 up:0:2 job:1:1-1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "a clone with three quarters of a core",
     "@0 up:0:2 cores:750:1000 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_IDLE, IDLE, "a clone with less",
     "@0 up:0:2 cores:749:1000 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "a clone that mostly waits",
     "@0 up:0:2 cores:0:0 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},

    {RULE_NONE, IDLE, "a clone on a node whose disk is nearly free",
     "@0 up:0:2 pressure:0:99:99 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_PRESSURE, IDLE, "a clone on a node with a busy disk",
     "@0 up:0:2 pressure:0:100:0 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_PRESSURE, IDLE, "... or short of memory",
     "@0 up:0:2 pressure:0:0:100 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_PRESSURE, IDLE, "... which is less busy now",
     "@0 up:0:2 pressure:0:100:0 @1 pressure:0:50:0 @9000000 job:1:1 " CLONED2
     "launch:1:0 clone:1.0.0.1:0"},
    {RULE_PRESSURE, IDLE, "... or is free since just now",
     "@0 up:0:2 pressure:0:100:0 @1 pressure:0:49:49 @2000000 job:1:1 " CLONED2
     "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "a clone when it has been free for two seconds",
     "@0 up:0:2 pressure:0:100:0 @1 pressure:0:49:49 @2000001 job:1:1 " CLONED2
     "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, CLUSTER, "clones with a share of their own do not ask",
     "@0 up:0:2 pressure:0:900:0 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, IDLE, "a clone ends on a node with a busy disk",
     "@0 up:0:2 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0 @1 started:1 started:1.0.0.1 "
     "@2 pressure:0:100:0 kill:1.0.0.1:pressure"},
    {RULE_PRESSURE, IDLE, "... or does not",
     "@0 up:0:2 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0 @2 pressure:0:100:0 @3"},
    {RULE_PRESSURE, IDLE, "... and a first attempt does",
     "@0 up:0:2 job:1:1 " CLONED2 "launch:1:0 clone:1.0.0.1:0 @1 started:1 started:1.0.0.1 "
     "@2 pressure:0:100:0 kill:1.0.0.1:pressure kill:1:pressure"},
    {RULE_PRESSURE, IDLE, "... or it ends where the disk is free",
     "@0 up:0:2 job:1:1 " CLONED2
     "launch:1:0 clone:1.0.0.1:0 @1 started:1 started:1.0.0.1 @2 kill:1.0.0.1:pressure"},

    {RULE_IDLE, OFFERS, "an offered clone while a first attempt waits that fits",
     "@0 up:0:2 job:1:2 verdict:1:offered:3 launch:1:0 clone:1.0.0.1:0"},
    {RULE_NONE, OFFERS, "what waits does not fit the place of an offered clone",
     "@0 up:0:2 job:1:1 job:2:1m verdict:1:offered:3 launch:1:0 clone:1.0.0.1:0"},
    {RULE_COPIES, OFFERS, "an offer above the limit", ONE "verdict:1:offered:4"},
    {RULE_COPIES, OFFERS, "more copies than were offered",
     ONE "verdict:1:offered:2 launch:1:0 clone:1.0.0.1:0 clone:1.0.0.2:0"},

    {RULE_NONE, LOW_TAU, "a clone up to tau", ONE CLONED2 "launch:1:0 clone:1.0.0.1:0"},
    {RULE_TAU, LOW_TAU, "a clone above tau",
     TWO CLONED2 "launch:1:0 launch:1.0.1:0 clone:1.0.0.1:0"},
    {RULE_NONE, LOW_TAU, "first attempts above tau",
     WORLD "job:1:3 " CLONED2 "launch:1:0 launch:1.0.1:0 launch:1.0.2:0"},

    {RULE_SIDE_EFFECTS, CLUSTER, "a clone where the phase says never",
     WORLD "job:1:1n verdict:1:side_effects launch:1:0 clone:1.0.0.1:0"},
    {RULE_SIDE_EFFECTS, PLAIN, "a restart beside a dying attempt",
     WORLD "job:1:1n " RUN("1") "kill:1 restart:1.0.0.1:0"},
    {RULE_NONE, PLAIN, "a restart after its death",
     WORLD "job:1:1n " RUN("1") "kill:1 @2 killed:1 restart:1.0.0.1:0"},

    {RULE_COPIES, CLUSTER, "more copies than the verdict said",
     ONE CLONED2 "launch:1:0 clone:1.0.0.1:0 clone:1.0.0.2:0"},
    {RULE_COPIES, CLUSTER, "a clone though the verdict was no",
     ONE "verdict:1:over_budget:2 launch:1:0 clone:1.0.0.1:0"},
    {RULE_COPIES, PLAIN, "a restart beside a live attempt", ONE RUN("1") "restart:1.0.0.1:0"},
    {RULE_COPIES, PLAIN, "a policy without clones says cloned", ONE CLONED2},
    {RULE_COPIES, CLUSTER, "a clone after it was preempted",
     ONE CLONED2 "launch:1:0 verdict:1:preempted clone:1.0.0.1:0"},
    {RULE_COPIES, CLUSTER, "more copies than the phase above",
     CHAIN "verdict:1:no_need launch:1:0 verdict:1.1:cloned:2"},
    {RULE_NONE, CLUSTER, "as many copies as the phase above",
     CHAIN CLONED2 "launch:1:0 verdict:1.1:upstream_copies:3:2"},
    {RULE_COPIES, CLUSTER, "the limit from above is the limit of launches",
     CHAIN PAIR WON("1") "kill:1.0.0.1 verdict:1.1:upstream_copies:3:2 launch:1.1:0 own:1.1:1 "
                         "clone:1.1.0.1:0 read:1.1.0.1:1 clone:1.1.0.2:0"},
    {RULE_NONE, CLUSTER, "... which may be reached",
     CHAIN PAIR WON("1") "kill:1.0.0.1 verdict:1.1:upstream_copies:3:2 launch:1.1:0 own:1.1:1 "
                         "clone:1.1.0.1:0 read:1.1.0.1:1"},
    {RULE_COPIES, CLUSTER, "copies below a phase that never got its clones",
     CHAIN CLONED2 RUN("1") WON("1") "verdict:1.1:cloned:2"},

    {RULE_VERDICT, CLUSTER, "a phase starts without an answer", ONE "launch:1:0"},
    {RULE_VERDICT, CLUSTER, "a phase is settled twice", ONE "verdict:1:no_need verdict:1:over_tau"},
    {RULE_NONE, CLUSTER, "waits for a preemption, then is settled",
     ONE "verdict:1:wait_preempt:2 launch:1:0 @1 " CLONED2},
    {RULE_VERDICT, CLUSTER, "waits after it was settled", ONE CLONED2 "verdict:1:wait_preempt:2"},
    {RULE_NONE, PLAIN, "policies without dolly owe no answer", ONE "launch:1:0"},

    {RULE_COMMIT, PLAIN, "a running attempt", ONE RUN("1") "commit:1"},
    {RULE_COMMIT, PLAIN, "a failed attempt", ONE RUN("1") "@2 failed:1 commit:1"},
    {RULE_COMMIT, PLAIN, "asked twice", ONE RUN("1") "@2 finished:1 commit:1 commit:1"},
    {RULE_COMMIT, PLAIN, "asked again after it was done", ONE RUN("1") WON("1") "commit:1"},
    {RULE_COMMIT, CLUSTER, "both of a pair",
     ONE PAIR "@2 finished:1 finished:1.0.0.1 commit:1 commit:1.0.0.1"},
    {RULE_NONE, CLUSTER, "the second when the first one failed",
     ONE PAIR "@2 finished:1 finished:1.0.0.1 commit:1 @3 commit_failed:1 commit:1.0.0.1"},
    {RULE_COMMIT, PLAIN, "a lost output", ONE RUN("1") "@2 finished:1 @3 output_lost:1 commit:1"},
    {RULE_COMMIT, PLAIN, "an output that failed to commit before",
     ONE RUN("1") "@2 finished:1 commit:1 @3 commit_failed:1 commit:1"},
    {RULE_COMMIT, PLAIN, "a discarded output", ONE RUN("1") "@2 finished:1 discard:1 commit:1"},
    {RULE_COMMIT, PLAIN, "the winner's output is discarded", ONE RUN("1") WON("1") "discard:1"},
    {RULE_COMMIT, PLAIN, "committed after it was told lost",
     ONE RUN("1") "@2 finished:1 commit:1 @3 output_lost:1 @4 committed:1"},

    {RULE_BARRIER, PLAIN, "a reader before the phase above is committed",
     CHAIN RUN("1") "@2 finished:1 commit:1 launch:1.1:0"},
    {RULE_BARRIER, PLAIN, "a reader after an output was lost",
     CHAIN RUN("1") WON("1") "@7 output_lost:1 launch:1.1:0"},
    {RULE_NONE, PLAIN, "a reader in time", CHAIN RUN("1") WON("1") "launch:1.1:0 own:1.1:1.0.*"},
    {RULE_NONE, PLAIN, "half is enough for a slow start",
     WORLD "job:1:2-1s " RUN("1") WON("1") "launch:1.1:0 own:1.1:1"},
    {RULE_BARRIER, PLAIN, "less than half is not",
     WORLD "job:1:3-1s " RUN("1") WON("1") "launch:1.1:0 own:1.1:1"},

    {RULE_FINISHED, PLAIN, "a launch for a task that is won",
     TWO RUN("1") WON("1") "restart:1.0.0.1:0"},

    {RULE_JOB_DONE, PLAIN, "done with a task missing", TWO RUN("1") WON("1") "done:1"},
    {RULE_JOB_DONE, PLAIN, "done before the commit is confirmed",
     ONE RUN("1") "@2 finished:1 commit:1 done:1"},
    {RULE_JOB_DONE, PLAIN, "done with a result that was lost",
     ONE RUN("1") WON("1") "@7 output_lost:1 done:1"},

    {RULE_NONE, PLAIN, "failed: cancelled", ONE "@1 cancel:1 fail:1:cancelled"},
    {RULE_JOB_FAILED, PLAIN, "failed as cancelled, but nobody did", ONE "fail:1:cancelled"},
    {RULE_NONE, PLAIN, "failed: fits nowhere", WORLD "job:1:1m fail:1:unsatisfiable"},
    {RULE_JOB_FAILED, PLAIN, "failed as if it fitted nowhere", ONE "fail:1:unsatisfiable"},
    {RULE_NONE, PLAIN, "failed: too often",
     ONE RUN("1") "@2 failed:1 fail:1:too_many_failures:1:1"},
    {RULE_JOB_FAILED, PLAIN, "failed with failures that were not",
     ONE RUN("1") "@2 failed:1 fail:1:too_many_failures:2:1"},
    {RULE_JOB_FAILED, PLAIN, "failed before the limit",
     ONE RUN("1") "@2 failed:1 fail:1:too_many_failures:1:2"},
    {RULE_JOB_FAILED, PLAIN, "failed for a task that did not",
     TWO RUN("1") "@2 failed:1 fail:1.0.1:too_many_failures:1:1"},
    {RULE_NONE, PLAIN, "failed: launched too often",
     ONE RUN("1") "@2 lost:1 fail:1:too_many_launches:1:1"},
    {RULE_JOB_FAILED, PLAIN, "failed with launches that were not",
     ONE RUN("1") "@2 lost:1 fail:1:too_many_launches:2:2"},
    {RULE_JOB_FAILED, PLAIN, "failed before the last launch",
     ONE RUN("1") "@2 lost:1 fail:1:too_many_launches:1:2"},
    {RULE_JOB_FAILED, PLAIN, "failed for no input that was lost", ONE "fail:1:hopeless_input"},
    {RULE_JOB_FAILED, PLAIN, "failed for no reason", ONE "fail:1:runnable"},

    {RULE_JOB_OVER, PLAIN, "done twice", ONE RUN("1") WON("1") "done:1 done:1"},
    {RULE_JOB_OVER, PLAIN, "failed after done", ONE RUN("1") WON("1") "done:1 fail:1:cancelled"},
    {RULE_JOB_OVER, PLAIN, "a launch for a dead job",
     TWO "@1 cancel:1 fail:1:cancelled @2 launch:1:0"},
    {RULE_JOB_OVER, PLAIN, "a commit for a dead job",
     ONE RUN("1") "@2 cancel:1 kill:1 fail:1:cancelled @3 finished:1 commit:1"},
    {RULE_JOB_OVER, PLAIN, "a read for a dead job",
     ONE RUN("1") "@2 cancel:1 kill:1 fail:1:cancelled own:1:1.0.*"},
    {RULE_JOB_OVER, CLUSTER, "a verdict on a dead job",
     ONE "@1 cancel:1 fail:1:cancelled verdict:1:no_need"},

    {RULE_LOSERS, CLUSTER, "the loser of a pair lives on", ONE PAIR WON("1")},
    {RULE_LOSERS, PLAIN, "an attempt outlives its job",
     ONE RUN("1") "@2 cancel:1 fail:1:cancelled"},
    {RULE_NONE, PLAIN, "the kill comes after the end of the job, in the same turn",
     ONE RUN("1") "@2 cancel:1 fail:1:cancelled kill:1"},
    {RULE_NONE, PLAIN, "a launch is withdrawn with its job",
     ONE "launch:1:0 @2 cancel:1 withdraw:1 fail:1:cancelled @3 withdrawn:1 end"},
    {RULE_NONE, PLAIN, "a withdrawal that came too late becomes a kill",
     ONE "launch:1:0 @2 cancel:1 withdraw:1 fail:1:cancelled @3 started:1 "
         "@4 refused:2:already_started kill:1 @5 killed:1 end"},
    {RULE_LOSERS, PLAIN, "a withdrawal that came too late is left at that",
     ONE "launch:1:0 @2 cancel:1 withdraw:1 fail:1:cancelled @3 started:1 "
         "@4 refused:2:already_started"},
    {RULE_KILL, CLUSTER, "a clone is preempted in the turn of its launch",
     ONE CLONED2 "launch:1:0 clone:1.0.0.1:0 verdict:1:preempted withdraw:1.0.0.1:preempted"},
    {RULE_NONE, CLUSTER, "... or later",
     ONE CLONED2 "launch:1:0 clone:1.0.0.1:0 @1 verdict:1:preempted withdraw:1.0.0.1:preempted"},
    {RULE_NONE, IDLE, "a clone yields to a task", FULL "@2 job:2:1 kill:1.0.0.1:yield"},
    {RULE_ROOM, IDLE, "a clone yields to nobody", FULL "@2 kill:1.0.0.1:yield"},
    {RULE_NONE, IDLE, "... to one that fits there and nowhere else",
     "@0 up:0:1 up:1:1:1 " APART "@2 job:2:1m kill:1.0.0.1:yield"},
    {RULE_ROOM, IDLE, "... to one that fits elsewhere, where nobody yields",
     "@0 up:0:1:1 up:1:1 " APART "@2 job:2:1m kill:1.0.0.1:yield"},
    {RULE_ROOM, IDLE, "... to one that is behind a barrier",
     "@0 up:0:1 up:1:1 job:1:1-1 " APART_LAUNCH "@2 kill:1.0.0.1:yield"},
    {RULE_LAST_COPY, IDLE, "both of a pair yield",
     FULL "@2 job:2:1 kill:1:yield kill:1.0.0.1:yield"},
    {RULE_LAST_COPY, CLUSTER, "the last attempt is preempted",
     ONE PAIR "@2 failed:1 kill:1.0.0.1:preempted"},
    {RULE_LAST_COPY, CLUSTER, "the last attempt goes with the budget",
     ONE PAIR "@2 failed:1 kill:1.0.0.1:budget_shrank"},

    {RULE_KILL, PLAIN, "a kill for what has ended", ONE RUN("1") "@2 failed:1 kill:1"},
    {RULE_KILL, PLAIN, "a withdrawal of what has started", ONE RUN("1") "withdraw:1"},
    {RULE_KILL, PLAIN, "launched and withdrawn in one turn", ONE "launch:1:0 withdraw:1"},
    {RULE_KILL, PLAIN, "killed unasked", ONE RUN("1") "@2 killed:1"},
    {RULE_KILL, PLAIN, "withdrawn unasked", ONE "launch:1:0 @1 withdrawn:1"},

    {RULE_DECISION_ID, PLAIN, "a decision id is left out", TWO "launch:1:0 gap launch:1.0.1:0"},
    {RULE_TIME, PLAIN, "time falls", ONE "@2 launch:1:0 @1 started:1"},
    {RULE_NONE, PLAIN, "a timer in time", ONE "set:7:10 @10 timer:7"},
    {RULE_TIME, PLAIN, "a timer too early", ONE "set:7:10 @9 timer:7"},
    {RULE_TIME, PLAIN, "a timer twice", ONE "set:7:10 @10 timer:7 @11 timer:7"},
    {RULE_TIME, PLAIN, "a timer that was moved", ONE "set:7:10 set:7:12 @10 timer:7"},

    {RULE_NONE, SHORT, "as many turns at an instant as allowed", "@1 @1 @1 @2 @2 @2"},
    {RULE_HANG, SHORT, "too many turns at an instant", "@1 @1 @1 @1"},
    {RULE_HANG, SHORT, "too many turns", "@1 @2 @3 @4 @5 @6 @7"},
    {RULE_NONE, SHORT, "as late as allowed", "@100"},
    {RULE_HANG, SHORT, "too late", "@101"},

    {RULE_END, PLAIN, "a job is not over", ONE "end"},
    {RULE_END, PLAIN, "an attempt has no ending",
     ONE RUN("1") "@2 cancel:1 kill:1 fail:1:cancelled end"},
};

/* True when the case came out as it says. */
static bool case_passes(const struct selftest *c)
{
    struct referee *r = referee_create(&presets[c->preset]);
    struct err err = {0};
    int rc = script_play(c->words, r, &err);
    enum rule broken = referee_broken(r);

    check((rc < 0) == (broken != RULE_NONE));
    referee_destroy(r);
    if (broken == c->broken)
        return true;
    printf("selftest: %s\n  expected %s, got %s%s%s\n", c->what, referee_rule_name(c->broken),
           referee_rule_name(broken), err.text[0] ? ": " : "", err.text);
    return false;
}

int selftest_run(void)
{
    bool shown[RULE_COUNT] = {false};
    int passed = 0, failed = 0;

    const struct {
        const struct selftest *at;
        uint32_t count;
    } tables[] = {
        {general, sizeof general / sizeof *general},  {selftest_reads, selftest_read_count},
        {selftest_backups, selftest_backup_count},    {selftest_replicas, selftest_replica_count},
        {selftest_copies, selftest_copy_count},       {selftest_rooms, selftest_room_count},
        {selftest_shepherds, selftest_shepherd_count}};

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (uint32_t i = 0; i < tables[k].count; i++) {
            bool ok = case_passes(&tables[k].at[i]);
            passed += ok;
            failed += !ok;
            shown[tables[k].at[i].broken] = true;
        }
    for (enum rule rule = RULE_NONE; rule < RULE_COUNT; rule++)
        if (!shown[rule]) {
            printf("selftest: no case breaks rule %s\n", referee_rule_name(rule));
            failed++;
        }
    uint32_t missing = policy_draw_missing();
    failed += (int)missing;
    passed += !missing;
    printf("%d passed, %d failed\n", passed, failed);
    return failed;
}
