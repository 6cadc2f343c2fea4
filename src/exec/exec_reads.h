/* exec_reads.h - reads of attempts that are sent the places of their inputs (options.data). */
#pragma once

#include <stdint.h>

#include "core/model/decision.h"
#include "exec/process/packet.h"

struct exec;

struct exec_read {
    uint32_t handle; /* of the reader */
    struct attempt_ref source;
    int64_t took_us; /* until it failed */
};

struct exec_read_list {
    struct exec_read *at;
    uint32_t count, cap;
};

struct exec_reads {
    struct exec_read_list told;  /* of attempts that have not started yet; they may be sent again */
    struct exec_read_list again; /* failed and sent again; the brain is not informed of these */
};

/* Sends the attempt an input to read. */
void exec_reads_assign(struct exec *x, const struct decision *d, uint32_t handle);

/* Sends an attempt whose launch was sent, perhaps again, all its reads. */
void exec_reads_launched(struct exec *x, uint32_t handle);

/* Forgets the reads of the attempt, whose launch was answered for good. */
void exec_reads_forget(struct exec *x, uint32_t handle);

/* Handles an attempt's report about a read. */
void exec_reads_on_packet(struct exec *x, const struct packet *p);
