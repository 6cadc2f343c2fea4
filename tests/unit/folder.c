/* folder.c - folders for unit tests; see test.h.
 *
 * All are in one folder of this process. A process that is no child of ours (tests wait for any
 * child) and in no group or session of ours (what stops us does not stop it) waits for our end,
 * whichever it is, and removes that folder. */
#include "tests/unit/folder.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "tests/unit/test.h"

/* What tests append to the path of ours: "/123456". */
enum { OWN = 7 };

static char all[TEST_FOLDER - OWN];

/* Waits for the end of a process, and becomes the rm of its folder. */
static void sweep(int process)
{
    struct pollfd end = {.fd = process, .events = POLLIN};
    int nowhere = open("/dev/null", O_RDWR);

    setsid();
    for (int fd = 0; fd < 3; fd++)
        dup2(nowhere, fd); /* whoever reads what we print must see its end */
    while (poll(&end, 1, -1) < 0)
        ;
    execlp("rm", "rm", "-rf", all, (char *)NULL);
    _exit(1);
}

/* In TMPDIR; else where syncing costs nothing, if there is such a place: tests sync a thousand
 * times. */
static bool make_in(const char *place)
{
    static const char name[] = "/dolly-unit-XXXXXX";

    if (!place || place[0] != '/' || strlen(place) + sizeof name > sizeof all)
        return false;
    snprintf(all, sizeof all, "%s%s", place, name);
    return mkdtemp(all) != NULL;
}

void test_folders_open(void)
{
    int process = pidfd_open(getpid(), 0), status;

    check(process >= 0);
    check(make_in(getenv("TMPDIR")) || make_in("/dev/shm") || make_in("/tmp"));
    pid_t child = fork();
    check(child >= 0);
    if (!child) {
        if (fork() == 0)
            sweep(process);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child);
    close(process);
}

void test_folder(char path[TEST_FOLDER])
{
    snprintf(path, TEST_FOLDER, "%s/XXXXXX", all);
    expect(mkdtemp(path) != NULL);
}
