/* task_report.h - reports of an attempt: counters, its status, and signs of life.
 *
 * Commands report on standard error, as in Hadoop Streaming: lines reporter:counter:GROUP,NAME,N,
 * reporter:status:TEXT, and any other line that begins with reporter:. All other lines are passed
 * on to this process's standard error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "jobs/task/counters.h"

struct task_control;

enum { TASK_REPORT_STATUS = 200 };
/* Start of the line that a failed attempt prints on standard error. */
#define TASK_REPORT_LAST "dolly: its last status: "

/* Zero-initialise; free with task_report_fini. */
struct task_report {
    struct counters counters;
    char status[TASK_REPORT_STATUS]; /* the last one */
    VEC(char) line;                  /* the beginning of a line that may be a report */
    VEC(char) rest;                  /* of standard error, to be passed on */
    bool passing;                    /* in a line that is not a report */
    bool told;                       /* it was printed that there are too many counters */
    struct task_control *control;    /* statuses are sent there; NULL: nowhere. Borrowed */
    int64_t told_us;                 /* before this time no further status is sent */
    bool untold;                     /* the last status was not sent yet */
};

void task_report_fini(struct task_report *r);

void task_report_count(struct task_report *r, const char *group, const char *name, int64_t n);
/* Sends the status soon; of many in quick succession, sends only some. */
void task_report_status(struct task_report *r, const char *text);

/* Sends a delayed status, if its time has come. Returns in how many milliseconds to call again, or
 * -1. */
int task_report_due_ms(struct task_report *r);

/* Prints the last status on standard error, if there was any. */
void task_report_say_status(const struct task_report *r);

/* Takes bytes that a command wrote to standard error. */
void task_report_note(struct task_report *r, const char *at, size_t count);
/* Takes the end of the command's standard error. */
void task_report_note_end(struct task_report *r);

/* Writes the counters, if there are any, to this file; makes its folder. Returns 0, or -1 with
 * *err. */
int task_report_leave(const struct task_report *r, const char *path, struct err *err);

/* Set whenever the attempt makes progress. */
extern volatile bool task_report_alive;
static inline void task_report_beat(void)
{
    task_report_alive = true;
}
