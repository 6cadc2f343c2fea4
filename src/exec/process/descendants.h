/* descendants.h - the children of this process, and how to be rid of them all.
 *
 * A process that is a "subreaper" becomes the parent of every descendant whose own parent died. So
 * whatever a descendant does (fork twice, setsid, change its group), the top of each living branch
 * is a direct child of ours, and a list of our children is complete. */
#ifndef EXEC_PROCESS_DESCENDANTS_H
#define EXEC_PROCESS_DESCENDANTS_H

#include <sys/types.h>

#include "base/vec.h"

struct descendants {
    int list_fd; /* the kernel's list of our children; -1: not offered, look through all of /proc */
    pid_t self;
    VEC(pid_t) pids;
    VEC(pid_t) spared; /* children that are not ours to end */
};

/* Makes this process a subreaper and prepares to list its children. 0, or -1 with errno. The caller
 * must have one thread only: the kernel keeps such lists per thread. */
int descendants_init(struct descendants *t);
void descendants_fini(struct descendants *t);

/* Fills t->pids with all children, dead ones that were not waited for included. 0, or -1 with
 * errno. */
int descendants_list(struct descendants *t);

/* Whatever children there are now are not ours to end: our program was executed by a process that
 * had them, such as a shell with a process substitution, which reads what we print. */
void descendants_spare(struct descendants *t);

/* Kills and waits for children and orphans until there are none but those that are spared; returns
 * then only. */
void descendants_end_all(struct descendants *t);

#endif
