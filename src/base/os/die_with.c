#include "base/os/die_with.h"

#include <sys/prctl.h>
#include <unistd.h>

void die_with(pid_t parent, int sig)
{
    prctl(PR_SET_PDEATHSIG, sig, 0, 0, 0);
    if (getppid() != parent) /* it died before that took effect */
        _exit(1);
}
