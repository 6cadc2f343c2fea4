/* script.h - turn sequences written as words, for testing the referee without a brain or a body.
 *
 *     "@0 up:0:4 job:1:2 launch:1.0.0.0:0 @5 started:1.0.0.0 @9 finished:1.0.0.0 commit:1.0.0.0"
 *
 * @T begins a turn at T microseconds; events and decisions follow in the order in which they are
 * judged; `end` says that the body called the run complete. Attempts are job.phase.task.attempt;
 * trailing zeros may be left out. script.c has the list of words. */
#pragma once

#include "base/err.h"
#include "tests/swarm/referee.h"

/* Plays the words to the referee until a rule is broken or they are all said. Returns 0, or -1 with
 * the referee's *err. A word that does not exist is a programmer error and aborts. */
int script_play(const char *text, struct referee *referee, struct err *err);
