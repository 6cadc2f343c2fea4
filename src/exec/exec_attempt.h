/* exec_attempt.h - from requests to packets, and from packets to events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/decision.h"
#include "exec/attempt_table.h"
#include "exec/process/packet.h"

struct exec;

/* Kills the attempt as the brain decided. */
void exec_attempt_kill(struct exec *x, const struct decision *d, uint32_t handle);

/* Takes the launch of the attempt back as the brain decided, if it is not too late. */
void exec_attempt_withdraw(struct exec *x, const struct decision *d, uint32_t handle);

/* Has the attempt's runner kill it. */
void exec_attempt_end(struct exec *x, uint32_t handle, int64_t grace_us);

/* Emits that the launch or commit of an attempt has failed. Returns false if the brain does not
 * learn of it. */
bool exec_attempt_fail(struct exec *x, struct attempt_row *e, uint8_t type, uint8_t cause,
                       int error);

/* Loses an attempt that has gone with its node, at this time of the run, in its launch or after. */
void exec_attempt_lose(struct exec *x, struct attempt_row *e, int64_t now_us);

/* Handles the end of an attempt that has ended by itself, and of which no process is left. */
void exec_attempt_exited(struct exec *x, struct attempt_row *e, const struct packet_end *end);

/* Notes that an attempt has ended by itself, or from outside; its report follows. */
void exec_attempt_left(struct exec *x, const struct packet *p);

/* Turns a report of a runner, which was judged to fit, into events. */
void exec_attempt_on_packet(struct exec *x, const struct packet *p);
