/* agent_deadline.h - a process that kills the attempts of an agent when its lease is over.
 *
 * The attempts of an agent must not outlive its lease (remote/wire/lease.h), even if neither the
 * session that started them nor the supervisor above it can act, because both are stopped. So a
 * third process does only this, in a session of its own: attempts die with the lease unless all
 * three processes are stopped and the attempts are not. */
#ifndef REMOTE_AGENT_AGENT_DEADLINE_H
#define REMOTE_AGENT_AGENT_DEADLINE_H

#include <stdint.h>
#include <sys/types.h>

/* Starts the process as a child of the calling process, which has a supervisor above it, and no
 * other children yet. Once the time in *until_us has passed (CLOCK_BOOTTIME; 0: none; memory shared
 * by all three), it kills every descendant of the supervisor, and the calling process last. It
 * exits when both of them are gone. Returns its process id, or -1 with errno. */
pid_t agent_deadline_start(const volatile int64_t *until_us);

#endif
