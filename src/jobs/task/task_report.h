/* task_report.h - what an attempt tells of itself: counters, its status, and that it lives.
 *
 * Commands tell it on standard error, as Hadoop Streaming has it: lines reporter:counter:GROUP,
 * NAME,N, reporter:status:TEXT, and any other line that begins with reporter:. What does not begin
 * so goes on to our own standard error. */
#ifndef JOBS_TASK_TASK_REPORT_H
#define JOBS_TASK_TASK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "jobs/task/counters.h"

struct task_control;

enum { TASK_REPORT_STATUS = 200 };
/* How the line begins that an attempt which has failed leaves on standard error. */
#define TASK_REPORT_LAST "dolly: its last status: "

/* Zero-initialise; free with task_report_fini. */
struct task_report {
    struct counters counters;
    char status[TASK_REPORT_STATUS]; /* the last one */
    VEC(char) line;                  /* the beginning of one that may be ours */
    VEC(char) rest;                  /* of standard error, to be passed on */
    bool passing;                    /* in a line that is not ours */
    bool told;                       /* that there are too many counters */
    struct task_control *control;    /* where the status is told; NULL: nowhere. Borrowed */
    int64_t told_us;                 /* when the statuses that were told are paid for */
    bool untold;                     /* the last one was not told yet */
};

void task_report_fini(struct task_report *r);

void task_report_count(struct task_report *r, const char *group, const char *name, int64_t n);
/* Tells it soon; of many that follow one another closely, not all are told. */
void task_report_status(struct task_report *r, const char *text);

/* Tells a status that was to wait, if it has waited long enough; in how many milliseconds it wants
 * to be asked again, or -1. */
int task_report_due_ms(struct task_report *r);

/* Says what the status was last, if there was any. */
void task_report_say_status(const struct task_report *r);

/* What a command wrote to standard error. */
void task_report_note(struct task_report *r, const char *at, size_t count);
/* It writes no more. */
void task_report_note_end(struct task_report *r);

/* Leaves the counters, if there are any, in this file; makes its folder. */
int task_report_leave(const struct task_report *r, const char *path, struct err *err);

/* Something moves. */
extern volatile bool task_report_alive;
static inline void task_report_beat(void)
{
    task_report_alive = true;
}

#endif
