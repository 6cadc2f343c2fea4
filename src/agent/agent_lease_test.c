/* What the supervisor does about a session that cannot end itself. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/supervisor.h"
#include "tests/test.h"

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
