#include "remote/wire/badge_clerk.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "exec/process/sys.h"
#include "tests/test.h"

/* Judges by the text, as no munged would. */
static bool clerk_plays(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                        char why[BADGE_WHY], bool *wrong, char reply[BADGE_CLERK_TEXT])
{
    if (strcmp(text, "hang") == 0)
        pause();
    *wrong = strcmp(text, "forged") == 0;
    snprintf(why, BADGE_WHY, "%s of %s, %s", text, (const char *)number, (const char *)ctx);
    snprintf(reply, BADGE_CLERK_TEXT, "ours");
    return strcmp(text, "good") == 0;
}

TEST(badge_clerk_judges_one_after_the_other)
{
    const unsigned char number[TLS_NUMBER] = "seven";
    struct badge_clerk c = {.judge = clerk_plays, .ctx = "play", .epoll_fd = -1};
    struct badge_answer a;

    expect(!badge_clerk_hear(&c, &a)); /* nothing was asked */
    expect(badge_clerk_ask(&c, "good", number));
    badge_clerk_wait(&c, &a);
    expect(a.good && !a.wrong && strcmp(a.why, "good of seven, play") == 0);
    expect(strcmp(a.reply, "ours") == 0);
    pid_t first = c.pid;
    expect(badge_clerk_ask(&c, "forged", number));
    badge_clerk_wait(&c, &a);
    expect(!a.good && a.wrong && c.pid == first);
    /* Killed while it does nothing, it is replaced. */
    kill(c.pid, SIGKILL);
    while (read(c.fd, &a, sizeof a) > 0)
        ;
    expect(!badge_clerk_hear(&c, &a) && c.pid == 0);
    expect(badge_clerk_ask(&c, "good", number) && c.pid != first);
    badge_clerk_wait(&c, &a);
    expect(a.good);
    badge_clerk_close(&c);
    badge_clerk_close(&c);
}

TEST(badge_clerk_who_hangs_is_replaced)
{
    const unsigned char number[TLS_NUMBER] = "seven";
    struct badge_clerk c = {.judge = clerk_plays, .ctx = "", .epoll_fd = -1};
    struct badge_answer a;

    expect(badge_clerk_ask(&c, "hang", number) && !badge_clerk_hear(&c, &a));
    c.until_us = 0; /* its time is over */
    expect(badge_clerk_hear(&c, &a) && !a.good && !a.wrong && strstr(a.why, "does not answer"));
    expect(badge_clerk_ask(&c, "hang", number));
    kill(c.pid, SIGKILL);
    badge_clerk_wait(&c, &a);
    expect(!a.good && !a.wrong && strstr(a.why, "was killed"));
    expect(badge_clerk_ask(&c, "good", number));
    badge_clerk_wait(&c, &a);
    expect(a.good);
    char text[BADGE_CLERK_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    expect(!badge_clerk_ask(&c, text, number)); /* longer than any badge */
    badge_clerk_close(&c);
}

/* Whatever it lacks, it says what that was, and leaves no process. */
TEST(badge_clerk_that_cannot_start_says_why)
{
    static const char *const calls[] = {"fork", "epoll_ctl", "send"};
    const unsigned char number[TLS_NUMBER] = "seven";
    int epoll_fd = sys_epoll_create();

    for (int i = 0; i < 3; i++) {
        struct badge_clerk c = {.judge = clerk_plays, .ctx = "", .epoll_fd = epoll_fd, .source = 9};
        struct badge_answer a;
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = calls[i]};
        sys_plan_set(&plan);
        errno = 0;
        bool asked = badge_clerk_ask(&c, "good", number);
        int error = errno;
        sys_plan_set(NULL);
        /* A question that did not get through is asked again, by another one. */
        expect(count > 0 && asked == (i == 2) && (asked || (error == ENOMEM && c.pid == 0)));
        expect(asked || badge_clerk_ask(&c, "good", number));
        struct epoll_event e;
        expect(epoll_wait(epoll_fd, &e, 1, 60000) == 1 && e.data.u64 == 9);
        expect(badge_clerk_hear(&c, &a) && a.good);
        badge_clerk_close(&c);
    }
    close(epoll_fd);
}
