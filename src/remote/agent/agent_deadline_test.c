/* Descendants of a process whose time is over, and that cannot act. */
#include "remote/agent/agent_deadline.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "tests/unit/test.h"

/* What the processes of a test share. */
struct agent_deadline_scene {
    volatile int64_t until_us;
    volatile pid_t session, child, far;
};

static bool scene_waits(volatile pid_t *pid, bool alive)
{
    for (int64_t until_us = clock_now_us() + 60 * 1000000; clock_now_us() < until_us; usleep(1000))
        if (*pid > 0 && (kill(*pid, 0) == 0) == alive)
            return true;
    return false;
}

/* The session: a deadline, and a child whose own child has another group. */
static void scene_session(struct agent_deadline_scene *s)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (agent_deadline_start(&s->until_us) < 0)
        _exit(1);
    pid_t child = fork();
    if (child == 0) {
        pid_t far = fork();
        if (far == 0)
            setsid();
        if (far > 0)
            s->far = far;
        for (;;)
            pause();
    }
    s->child = child;
    for (;;)
        pause();
}

TEST(agent_deadline_ends_what_stopped_processes_have_started)
{
    struct agent_deadline_scene *s =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t top = fork(); /* the supervisor */
    int status;

    if (top == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        pid_t session = fork();
        if (session == 0)
            scene_session(s);
        s->session = session;
        for (;;)
            pause();
    }
    expect(scene_waits(&s->far, true) && scene_waits(&s->child, true));
    kill(s->session, SIGSTOP);
    kill(top, SIGSTOP);
    s->until_us = 1; /* long ago */
    /* Dead, and waited for by nobody while those above are stopped. */
    bool dead = false;
    for (int64_t until_us = clock_now_us() + 60 * 1000000; !dead && clock_now_us() < until_us;) {
        char path[64], state[3] = "";
        int found = 0;
        const pid_t all[] = {s->far, s->child, s->session};
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "/proc/%d/stat", (int)all[i]);
            FILE *f = fopen(path, "re");
            if (!f || fscanf(f, "%*d (%*[^)]) %2s", state) != 1 || state[0] == 'Z')
                found++;
            if (f)
                fclose(f);
        }
        dead = found == 3;
        usleep(2000);
    }
    expect(dead);
    kill(top, SIGKILL);
    expect(waitpid(top, &status, 0) == top);
    munmap(s, 4096);
}

/* The runner spares this process, of all that run below the session. */
TEST(agent_deadline_is_known_by_its_process)
{
    static const int64_t never;
    int status = -1;
    pid_t session = fork();

    if (session == 0) {
        pid_t pid = agent_deadline_start(&never);
        _exit(pid > 1 && pid != getpid() && kill(pid, 0) == 0 && kill(pid, SIGKILL) == 0 &&
                      waitpid(pid, NULL, 0) == pid
                  ? 0
                  : 1);
    }
    expect(waitpid(session, &status, 0) == session && status == 0);
}
