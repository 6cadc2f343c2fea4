/* peak - how long a command takes and how much memory it needs at most, for `make bench`.
 *
 *     peak COMMAND [ARGUMENT...]      prints seconds and KiB to stderr when the command is done
 *
 * The memory is that of the largest single process: of the command, or of one that it has waited
 * for. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec a, b;
    struct rusage use;
    int status;

    if (argc < 2) {
        fprintf(stderr, "usage: peak COMMAND [ARGUMENT...]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &a);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
        perror("peak");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    fprintf(stderr, "%.6f %ld\n",
            (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9, use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
