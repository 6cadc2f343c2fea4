/* descendants.h - lists the children of this process, and ends them all.
 *
 * A process that is a "subreaper" becomes the parent of every descendant whose own parent died. So
 * however a descendant behaves (fork twice, setsid, change its group), the top of each living
 * branch is a direct child of this process, and the list of its children is complete. */
#pragma once

#include <sys/types.h>

#include "base/vec.h"

struct descendants {
    int list_fd; /* the kernel's list of children; -1: not offered, search all of /proc */
    pid_t self;
    VEC(pid_t) pids;
    VEC(pid_t) spared; /* children that must not be ended */
};

/* Makes this process a subreaper and prepares to list its children. The caller must have one thread
 * only: the kernel keeps such lists per thread. Returns 0, or -1 with errno. */
int descendants_init(struct descendants *t);
void descendants_fini(struct descendants *t);

/* Fills t->pids with all children, including dead ones that were not waited for. Returns 0, or -1
 * with errno. */
int descendants_list(struct descendants *t);

/* Returns the parent of any process; 0 if it has none, or is gone. */
pid_t descendants_parent(pid_t pid);

/* Marks all current children as not to be ended: this program was executed by a process that had
 * them, such as a shell with a process substitution, which reads its output. */
void descendants_spare(struct descendants *t);

/* Kills and waits for children and orphans until there are none except those that are spared. */
void descendants_end_all(struct descendants *t);
