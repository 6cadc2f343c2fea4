#include "exec/process/slowdown.h"

#include "exec/process/sys.h"
#include "tests/unit/test.h"

static bool has(pid_t pid, int what)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, what | WNOHANG) == 0 && info.si_pid == pid;
}

/* Signals arrive at once, but the child's parent learns it a little later. */
static bool soon(pid_t pid, int what)
{
    for (int i = 0; i < 20000; i++) {
        if (has(pid, what))
            return true;
        usleep(1000);
    }
    return false;
}

TEST(slowdown_gives_a_slow_attempt_its_share_of_the_time)
{
    struct process_table w = {0};
    pid_t pid = fork();

    if (pid == 0) {
        setpgid(0, 0);
        for (;;)
            pause();
    }
    setpgid(pid, pid);
    struct process *p = process_add(&w, 1);
    process_enter(&w, p, pid);
    p->slow_milli = 4000;

    expect(slowdown_all(&w, 0) == 25000);
    expect(slowdown_all(&w, 24999) == 25000 && !p->stopped);
    expect(slowdown_all(&w, 26000) == 104000 && soon(pid, WSTOPPED)); /* it got 26 ms: a quarter */
    expect(slowdown_all(&w, 103999) == 104000 && p->stopped);
    expect(slowdown_all(&w, 104000) == 129000 && soon(pid, WCONTINUED));

    p->killed = true; /* an attempt that is to die is left alone */
    expect(slowdown_all(&w, 999000) == INT64_MAX && !has(pid, WSTOPPED));
    p->killed = false;
    p->slow_milli = 1000; /* no slower than others */
    expect(slowdown_all(&w, 999000) == INT64_MAX);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    process_table_fini(&w);
}

TEST(slowdown_waits_until_there_is_something_to_stop)
{
    struct process_table w = {0};
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    struct process *p = process_add(&w, 1);
    process_enter(&w, p, pid);
    p->slow_milli = 4000;

    expect(slowdown_all(&w, 30000) == 55000 && !p->stopped); /* it has no group of its own yet */
    expect(setpgid(pid, pid) == 0);
    expect(slowdown_all(&w, 55000) == 100000 && soon(pid, WSTOPPED));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    process_table_fini(&w);
}
