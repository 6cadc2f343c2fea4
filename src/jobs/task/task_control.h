/* task_control.h - an attempt's end of its control socket (exec/process/packet.h): receives where
 * to read its inputs, and reports about them. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "exec/process/packet.h"

struct task_control;

/* Takes the descriptor, which commands do not inherit. Returns NULL if it is not a socket. */
struct task_control *task_control_open(int fd);
void task_control_close(struct task_control *c); /* NULL is fine */

/* Sends a packet, and waits until all of it is written. Returns 0, or -1 with *err if the peer has
 * closed the socket. */
int task_control_send(struct task_control *c, const struct packet *m, struct err *err);

/* Waits for a packet until this time (clock.h; INT64_MAX: for ever). Returns 1 with the packet,
 * valid until the next call; 0 if none arrived in time; -1 with *err if the peer has closed the
 * socket. */
int task_control_receive(struct task_control *c, int64_t until_us, struct packet *m,
                         struct err *err);
