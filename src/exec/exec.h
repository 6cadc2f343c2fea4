/* exec.h - body 2: real processes on this machine, in virtual nodes.
 *
 * The processes themselves belong to the guardian (exec/guardian.h), a small process of its own
 * that starts, watches and ends them, and that ends them all when we die. docs/EXEC.md tells the
 * whole story. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/body.h"
#include "engine/journal.h"
#include "trace/cluster.h"
#include "trace/workload.h"

struct exec;

struct exec_options {
    const struct cluster
        *cluster;              /* its nodes are the virtual nodes; luck and faults are not used */
    struct workload *workload; /* borrowed; every task needs a command */
    const char *dir;           /* of this run: attempts' private places, committed outputs */
    struct journal *journal;   /* borrowed; commit intents go there */
    int64_t grace_us;          /* between TERM and KILL when the run is interrupted */
    const char *shell;         /* runs the commands; NULL: /bin/sh */
};

/* Starts the guardian and the clock. NULL with *err on failure. Pass the result as the body of
 * exec_body. The calling process must have one thread and no other children: until exec_destroy it
 * catches SIGINT, SIGTERM and SIGHUP (unless ignored), and it becomes the parent of all orphans,
 * which it ends. */
struct exec *exec_create(const struct exec_options *options, struct err *err);

/* Ends every process that is left, waits for the guardian, frees. NULL is fine. */
void exec_destroy(struct exec *x);

/* After the wait of a signal has ended the run with an error. */
bool exec_interrupted(const struct exec *x);

/* One line on the first job that failed: which task, why, where its stderr is. NULL: none failed.
 */
const char *exec_failure(const struct exec *x);

extern const struct body_ops exec_body;

#endif
