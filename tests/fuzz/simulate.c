/* Small simulations whose journals are changed: together they have most kinds of events. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"
#include "tests/fuzz/fuzz.h"

#define WORKLOAD "tests/fuzz/seeds/workload/phases"
#define NETWORK "tests/fuzz/seeds/cluster/network"
#define CALM "tests/fuzz/seeds/cluster/calm"

static const struct {
    const char *cluster, *policy;
} runs[] = {
    {CALM, "none"},
    {CALM, "dolly;budget=idle"},
    {NETWORK, "dolly+late,shuffle=delay,screen=blacklist;beta=0.5;late.floor=1s"},
    {NETWORK, "mantri-full;delta=1s"},
    {NETWORK, "job-clone;tau=1"},
    {NETWORK, "dolly-hotcloud,order=fifo,shuffle=cac;tau=1"},
    {NETWORK, "dryad,place=locality;scan=500ms"},
};

int fuzz_simulate(unsigned i, const char *path)
{
    int status;

    if (i >= sizeof runs / sizeof *runs)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        const char *words[] = {"sim",          "--workload",    WORKLOAD,
                               "--cluster",    runs[i].cluster, "--policy",
                               runs[i].policy, "--journal",     path};
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null < 0 || dup2(null, 1) < 0)
            _exit(9);
        exit(cmd_sim(9, (char **)(uintptr_t)words));
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}
