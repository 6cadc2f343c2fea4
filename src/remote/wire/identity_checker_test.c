#include "remote/wire/identity_checker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

/* Judges by the text, as no munged would. */
static bool checker_plays(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                          char why[IDENTITY_WHY], bool *wrong, char reply[IDENTITY_CHECKER_TEXT])
{
    if (strcmp(text, "hang") == 0)
        pause();
    *wrong = strcmp(text, "forged") == 0;
    snprintf(why, IDENTITY_WHY, "%s of %s, %s", text, (const char *)number, (const char *)ctx);
    snprintf(reply, IDENTITY_CHECKER_TEXT, "ours");
    return strcmp(text, "good") == 0;
}

TEST(identity_checker_judges_one_after_the_other)
{
    const unsigned char number[TLS_NUMBER] = "seven";
    struct identity_checker c = {.judge = checker_plays, .ctx = "play", .epoll_fd = -1};
    struct identity_answer a;

    expect(!identity_checker_hear(&c, &a)); /* nothing was asked */
    expect(identity_checker_ask(&c, "good", number));
    identity_checker_wait(&c, &a);
    expect(a.good && !a.wrong && strcmp(a.why, "good of seven, play") == 0);
    expect(strcmp(a.reply, "ours") == 0);
    pid_t first = c.pid;
    expect(identity_checker_ask(&c, "forged", number));
    identity_checker_wait(&c, &a);
    expect(!a.good && a.wrong && c.pid == first);
    /* Killed while it does nothing, it is replaced. */
    kill(c.pid, SIGKILL);
    while (read(c.fd, &a, sizeof a) > 0)
        ;
    expect(!identity_checker_hear(&c, &a) && c.pid == 0);
    expect(identity_checker_ask(&c, "good", number) && c.pid != first);
    identity_checker_wait(&c, &a);
    expect(a.good);
    identity_checker_close(&c);
    identity_checker_close(&c);
}

/* Nobody is left who would end it. */
TEST(identity_checker_ends_with_its_parent)
{
    const unsigned char number[TLS_NUMBER] = "seven";
    int fds[2], status;
    pid_t checker = 0;

    expect(pipe(fds) == 0);
    pid_t parent = fork();
    if (parent == 0) {
        struct identity_checker c = {.judge = checker_plays, .ctx = "", .epoll_fd = -1};
        struct identity_answer a;
        if (!identity_checker_ask(&c, "good", number))
            _exit(1);
        identity_checker_wait(&c, &a); /* by now it has begun */
        if (!identity_checker_ask(&c, "hang", number))
            _exit(1);
        pid_t pid = c.pid;
        ssize_t ignored = write(fds[1], &pid, sizeof pid);
        (void)ignored;
        pause();
    }
    expect(read(fds[0], &checker, sizeof checker) == sizeof checker);
    struct pollfd end = {.fd = sys_pidfd_open(checker), .events = POLLIN};
    expect(end.fd >= 0 && poll(&end, 1, 0) == 0);
    kill(parent, SIGKILL);
    expect(waitpid(parent, &status, 0) == parent);
    bool ended = poll(&end, 1, 10000) == 1;
    expect(ended);
    if (!ended)
        kill(checker, SIGKILL);
    close(end.fd);
    close(fds[0]);
    close(fds[1]);
}

TEST(identity_checker_who_hangs_is_replaced)
{
    const unsigned char number[TLS_NUMBER] = "seven";
    struct identity_checker c = {.judge = checker_plays, .ctx = "", .epoll_fd = -1};
    struct identity_answer a;

    expect(identity_checker_ask(&c, "hang", number) && !identity_checker_hear(&c, &a));
    c.until_us = 0; /* its time is over */
    expect(identity_checker_hear(&c, &a) && !a.good && !a.wrong &&
           strstr(a.why, "does not answer"));
    expect(c.pid == 0 && !c.busy && !identity_checker_hear(&c, &a));
    expect(identity_checker_ask(&c, "hang", number));
    kill(c.pid, SIGKILL);
    identity_checker_wait(&c, &a);
    expect(!a.good && !a.wrong && strstr(a.why, "was killed") && c.pid == 0 && !c.busy);
    expect(identity_checker_ask(&c, "good", number));
    identity_checker_wait(&c, &a);
    expect(a.good);
    char text[IDENTITY_CHECKER_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    errno = 0; /* longer than any credential */
    expect(!identity_checker_ask(&c, text, number) && errno == EMSGSIZE && !c.busy);
    text[sizeof text - 2] = '\0'; /* as long as one may be */
    int64_t before_us = clock_now_us();
    expect(identity_checker_ask(&c, text, number) && c.busy);
    expect(c.until_us >= before_us + IDENTITY_CHECKER_US);
    expect(c.until_us <= clock_now_us() + IDENTITY_CHECKER_US);
    identity_checker_wait(&c, &a);
    expect(!a.good && !c.busy && a.why[0] == 'x');
    identity_checker_close(&c);
}

/* Whatever it lacks, it says what that was, and leaves no process. */
TEST(identity_checker_that_cannot_start_says_why)
{
    static const char *const calls[] = {"fork", "epoll_ctl", "send"};
    const unsigned char number[TLS_NUMBER] = "seven";
    int epoll_fd = sys_epoll_create();

    for (int i = 0; i < 3; i++) {
        struct identity_checker c = {
            .judge = checker_plays, .ctx = "", .epoll_fd = epoll_fd, .epoll_tag = 9};
        struct identity_answer a;
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = calls[i]};
        sys_plan_set(&plan);
        errno = 0;
        bool asked = identity_checker_ask(&c, "good", number);
        int error = errno;
        sys_plan_set(NULL);
        /* A question that did not get through is asked again, by another one. */
        expect(count > 0 && asked == (i == 2) && (asked || (error == ENOMEM && c.pid == 0)));
        expect(asked || identity_checker_ask(&c, "good", number));
        struct epoll_event e;
        expect(epoll_wait(epoll_fd, &e, 1, 60000) == 1 && e.data.u64 == 9);
        expect(identity_checker_hear(&c, &a) && a.good);
        identity_checker_close(&c);
    }
    close(epoll_fd);
}
