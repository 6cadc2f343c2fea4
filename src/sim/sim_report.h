/* sim_report.h - private to src/sim: progress reports (sim_report.c). */
#pragma once

#include "sim/sim_state.h"

void sim_report_init(struct sim *s);

/* Plans the first report of an attempt that has just started. */
void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan);

/* Sends the report of one attempt that is due. */
void sim_report_due(struct sim *s, uint32_t i);
/* Sends the reports of all members of a round. */
void sim_report_round_due(struct sim *s, uint32_t round);
/* Delivers a late report. */
void sim_report_arrives(struct sim *s, uint32_t flying);

/* Resumes the reports of a reader that was silent. */
void sim_report_resume(struct sim *s, uint32_t i);
