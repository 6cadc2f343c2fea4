/* exec_reads.h - reads of attempts that are told what to read (options.data). */
#ifndef EXEC_EXEC_READS_H
#define EXEC_EXEC_READS_H

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
    struct exec_read_list told;  /* of attempts that have not started yet; they may be told again */
    struct exec_read_list again; /* failed and told again; the brain knows nothing of these */
};

/* Tells the attempt what to read. */
void exec_reads_assign(struct exec *x, const struct decision *d, uint32_t handle);

/* Tells the attempt what not to read any more. */
void exec_reads_revoke(struct exec *x, const struct decision *d, uint32_t handle);

/* Tells an attempt whose launch was sent, perhaps not for the first time, all that it reads. */
void exec_reads_launched(struct exec *x, uint32_t handle);

/* Forgets what the attempt was told; its launch was answered, for good. */
void exec_reads_forget(struct exec *x, uint32_t handle);

/* Handles the report of an attempt on how a read goes. */
void exec_reads_on_packet(struct exec *x, const struct packet *p);

#endif
