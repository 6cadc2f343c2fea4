/* What an agent makes of promises, and the supervisor of a session that cannot end itself. */
#include "remote/agent/agent_lease.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/supervisor.h"
#include "remote/wire/lease.h"
#include "tests/unit/test.h"

/* In a process of its own, as supervisors catch signals: 0 if a session that is stopped with an
 * old lease, and its child, are dead at the end. */
static int stopped_session(void)
{
    static char *leave[] = {"true", NULL};
    volatile int64_t *until_us =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile pid_t *child = (volatile pid_t *)(until_us + 1);
    struct err err;
    int status;

    supervisor_hold(until_us);
    int side = supervisor_enter(leave, &status, &err);
    if (side == 0) {
        pid_t pid = fork();
        if (pid > 0) {
            *child = pid;
            *until_us = 1; /* long ago */
        }
        for (;;)
            raise(SIGSTOP);
    }
    return side == 1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && *child > 0 &&
                   kill(*child, 0) < 0
               ? 0
               : 1;
}

TEST(agent_lease_of_a_stopped_session_is_ended_by_its_supervisor)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0)
        _exit(stopped_session());
    expect(waitpid(pid, &status, 0) == pid && status == 0);
}

TEST(agent_lease_the_last_promise_counts_unless_it_is_over)
{
    volatile int64_t shared = 0;
    struct agent_lease l = {.shared_us = &shared};
    int64_t now = clock_boot_us(), second = 1000000;

    expect(agent_lease_answered(&l, now - second, LEASE_US));
    expect(l.until_us == now - second + LEASE_US - LEASE_MARGIN_US);
    expect(shared == l.until_us + SUPERVISOR_LOOK_US / 2 && l.answered_us == now - second);
    /* Longer, and shorter again. */
    expect(agent_lease_answered(&l, l.answered_us, LEASE_HELD_US));
    expect(l.until_us == now - second + LEASE_HELD_US - LEASE_MARGIN_US);
    int64_t longer = l.until_us;
    expect(agent_lease_answered(&l, now - second + 1, LEASE_US) && l.until_us < longer);
    /* What lay in a buffer for too long, or was overtaken, is none. */
    expect(agent_lease_answered(&l, now, LEASE_HELD_US));
    longer = l.until_us;
    expect(agent_lease_answered(&l, now - LEASE_US, LEASE_US) && l.until_us == longer);
    expect(agent_lease_answered(&l, now - 1, LEASE_US) && l.until_us == longer);
    /* Nobody promises these. */
    expect(!agent_lease_answered(&l, now + 60 * second, LEASE_US));
    expect(!agent_lease_answered(&l, now, LEASE_US_MIN - 1));
    expect(!agent_lease_answered(&l, now, LEASE_US_MAX + 1));
    expect(l.until_us == longer);
}
