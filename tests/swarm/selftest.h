/* selftest.h - proof that the referee can fail: every rule with a sequence that breaks it. */
#ifndef SWARM_SELFTEST_H
#define SWARM_SELFTEST_H

/* Plays every case, prints those that came out wrong and the closing line. Returns how many did. */
int selftest_run(void);

#endif
