/* task_control.h - an attempt's end of its control socket (exec/process/packet.h): what it is told
 * to read, and what it says about that. */
#ifndef JOBS_TASK_TASK_CONTROL_H
#define JOBS_TASK_TASK_CONTROL_H

#include <stdint.h>

#include "base/err.h"
#include "exec/process/packet.h"

struct task_control;

/* Takes the descriptor, which commands do not inherit. NULL: it is no socket. */
struct task_control *task_control_open(int fd);
void task_control_close(struct task_control *c); /* NULL is fine */

/* Waits until all is on its way. 0, or -1 with *err: nobody listens any more. */
int task_control_send(struct task_control *c, const struct packet *m, struct err *err);

/* Waits for a packet until then (of clock.h; INT64_MAX: for ever). 1 and the packet, valid until
 * the next call; 0: none came; -1 with *err: none will. */
int task_control_receive(struct task_control *c, int64_t until_us, struct packet *m,
                         struct err *err);

#endif
