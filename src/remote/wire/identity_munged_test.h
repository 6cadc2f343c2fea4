/* identity_munged_test.h - a munged in a folder of its own, for tests of credentials. Include
 * tests/unit/test.h before it. */
#pragma once

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct munged {
    char dir[TEST_FOLDER];
    char socket[TEST_FOLDER + 16];
    pid_t pid;
};

/* Kills munged: from now on nothing answers on its socket. */
static inline void munged_kill(struct munged *m)
{
    if (m->pid > 0) {
        kill(m->pid, SIGKILL);
        waitpid(m->pid, NULL, 0);
    }
    m->pid = 0;
}

static inline void munged_close(struct munged *m)
{
    char command[TEST_FOLDER + 16];

    munged_kill(m);
    snprintf(command, sizeof command, "rm -rf %s", m->dir);
    expect(system(command) == 0);
}

/* Starts munged. Returns true once it answers; else skips the test, and there is nothing to close.
 */
static inline bool munged_open(struct munged *m)
{
    static const char script[] =
        "PATH=$PATH:/usr/sbin:/sbin; cd \"$0\" && (umask 077; head -c 128 /dev/urandom >key) &&"
        " exec munged --force --foreground --key-file=\"$0/key\" --socket=\"$0/socket\""
        " --pid-file=\"$0/pid\" --log-file=\"$0/log\" --seed-file=\"$0/seed\" >out 2>&1 </dev/null";
    bool there = false, over = false;

    *m = (struct munged){0};
    test_folder(m->dir);
    snprintf(m->socket, sizeof m->socket, "%s/socket", m->dir);
    m->pid = fork();
    if (m->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        execl("/bin/sh", "sh", "-c", script, m->dir, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 60000 && !there && !over; i++) {
        usleep(1000);
        there = access(m->socket, F_OK) == 0;
        over = waitpid(m->pid, NULL, WNOHANG) != 0;
    }
    if (there && !over)
        return true;
    m->pid = over ? 0 : m->pid;
    munged_close(m);
    test_skip("there is no munged");
    return false;
}

static bool munged_other_user; /* make credentials as another user, which needs root */

/* Returns the output of the command munge with these options; "" if it fails. */
static inline const char *munged_makes(const struct munged *m, const char *options)
{
    static char text[4096]; /* valid until the next call */
    char command[512];

    snprintf(command, sizeof command, "%s munge --socket=%s %s 2>/dev/null",
             munged_other_user ? "setpriv --reuid=65534 --clear-groups" : "", m->socket, options);
    FILE *f = popen(command, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (f)
        pclose(f);
    return text;
}
