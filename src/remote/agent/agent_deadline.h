/* agent_deadline.h - a process that ends what another has started when its time is over.
 *
 * The attempts of an agent must not outlive its lease (remote/wire/lease.h), even if neither the
 * session that started them nor the supervisor above it can act, because both are stopped. So there
 * is a third, which does nothing else, in a session of its own: attempts die with the lease unless
 * someone stops all three and not the attempts. */
#ifndef REMOTE_AGENT_AGENT_DEADLINE_H
#define REMOTE_AGENT_AGENT_DEADLINE_H

#include <stdint.h>
#include <sys/types.h>

/* Starts it as a child of the calling process, which has a supervisor above it, and no other
 * children yet. Once the time in *until_us has passed (CLOCK_BOOTTIME; 0: there is none; memory
 * shared by all), it kills every descendant of the supervisor, and the calling process last. It
 * leaves when both of them are gone. Its process id, or -1 with errno. */
pid_t agent_deadline_start(const volatile int64_t *until_us);

#endif
