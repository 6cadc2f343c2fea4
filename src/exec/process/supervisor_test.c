#include "exec/process/supervisor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* In a process of its own: below a supervisor waits for a signal, prints a byte before, and exits
 * with what came. */
static int watched(int fd)
{
    static char *leave[] = {"true", NULL};
    struct err err;
    sigset_t all;
    int status, signo = 0;
    int side = supervisor_enter(leave, &status, &err);

    if (side != 0)
        return side == 1 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    sigprocmask(SIG_SETMASK, NULL, &all);
    if (sigisemptyset(&all) != 1)
        return 98;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (write(fd, "x", 1) != 1)
        return 97;
    do
        signo = sigwaitinfo(&all, NULL);
    while (signo == SIGTSTP || signo == SIGCONT);
    return signo;
}

/* A signal that comes while the supervisor is not waiting for one is handed on as well. */
TEST(supervisor_hands_on_what_comes_while_it_is_stopped)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int fds[2], status = 0;
        char byte;
        expect(pipe(fds) == 0);
        pid_t pid = fork();
        if (pid == 0)
            _exit(watched(fds[1]));
        close(fds[1]);
        expect(read(fds[0], &byte, 1) == 1);
        kill(pid, SIGTSTP);
        expect(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
        kill(pid, signals[i]);
        kill(pid, SIGCONT);
        expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        expect(WEXITSTATUS(status) == signals[i]);
        close(fds[0]);
    }
}
