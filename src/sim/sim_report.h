/* sim_report.h - private to src/sim: progress reports (sim_report.c). */
#ifndef SIM_SIM_REPORT_H
#define SIM_SIM_REPORT_H

#include "sim/sim_state.h"

void sim_report_init(struct sim *s);

/* Plans the first report of an attempt that has just started. */
void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan);

/* Reports of one attempt, or of all members of a round, are due; a late one arrives. */
void sim_report_due(struct sim *s, uint32_t i);
void sim_report_round_due(struct sim *s, uint32_t round);
void sim_report_arrives(struct sim *s, uint32_t flying);

/* A reader that was silent reports again. */
void sim_report_resume(struct sim *s, uint32_t i);

#endif
