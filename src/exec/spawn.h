/* spawn.h - one process for one attempt: a program with a clean start.
 *
 * The process leads a group of its own, dies with us (PR_SET_PDEATHSIG), has default signals, and
 * holds these descriptors and no others: 0, 1, 2, SPAWN_PROGRESS_FD and SPAWN_LOCK_FD. */
#ifndef EXEC_SPAWN_H
#define EXEC_SPAWN_H

#include <sys/resource.h>
#include <sys/types.h>

/* Progress is a single digit because dash cannot redirect to more. The lock only has to be
 * inherited, so it is out of the way of scripts, which like to use 3 to 9. */
enum { SPAWN_NULL_FD = 0, SPAWN_PROGRESS_FD = 3, SPAWN_LOCK_FD = 99 };

/* Who will call spawn_program prepares itself once: ignores the signals that are meant for the
 * coordinator, notes what attempts get instead, and occupies the two descriptors (the lock moves to
 * SPAWN_LOCK_FD). Standard input and output become /dev/null; the first is SPAWN_NULL_FD, which may
 * be the `in` of a request. 0, or -1 with errno. */
int spawn_prepare(int lock_fd, struct rlimit *files);

struct spawn_request {
    const char *program;
    char *const *argv;
    char *const *env;
    int in, out, err, progress; /* close-on-exec, none below 4 but for SPAWN_NULL_FD */
    struct rlimit files;        /* of the attempt: what we started with */
};

/* Starts it; returns when it runs its own program. The process id, or -1 with errno, and no process
 * is left then. */
pid_t spawn_program(const struct spawn_request *request);

#endif
