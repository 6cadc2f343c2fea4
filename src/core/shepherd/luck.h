/* luck.h - a test, by races, of whether copies of late tasks are luckier than those.
 *
 * Each race between a late task and its copy is an experiment. Its outcomes give the chance that
 * the next copy wins, and a sequential test. A gambler starts with a stake of 1 and bets on each
 * copy at even odds, by its chance q to win: the stake is multiplied by 2 q or by 2 (1 - q). q
 * follows from the races before, within LUCK_Q_MIN and LUCK_Q_MAX. If copies win no more than half
 * of their races, the stake ever reaches LUCK_PROOF with probability 1 / LUCK_PROOF at most
 * (Ville's inequality), however often one looks. Its logarithm is bounded, so that a change is
 * noticed. */
#pragma once

#include <stdbool.h>

#define LUCK_PROOF 5.0
#define LUCK_BOUND 1000.0 /* the stake is within 1 / LUCK_BOUND and this */
#define LUCK_Q_MIN 0.5
#define LUCK_Q_MAX 0.9
#define LUCK_MEMORY 500.0 /* races that count */

/* Zeroed at the start. */
struct luck_record {
    double won, lost;
    double evidence; /* logarithm of the stake */
};

/* Adds the outcome of a race. */
void luck_add(struct luck_record *l, bool won);

/* Returns the chance that a copy wins: (won + 1) / (won + lost + 2). */
double luck_mean(const struct luck_record *l);

/* Returns true if races have shown that copies are luckier. */
bool luck_is_proven(const struct luck_record *l);
