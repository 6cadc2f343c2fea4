#include "remote/wire/badge.h"

#include "tests/test.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "remote/wire/badge_clerk.h"
#include "remote/wire/badge_munged_test.h"

#define NUMBER "0123456789abcdef0123456789ABCDEF"

TEST(badges_cannot_be_had_or_judged_without_munged)
{
    const unsigned char number[TLS_NUMBER] = "number";
    char why[BADGE_WHY] = "";
    bool wrong = false;

    struct badge *b = badge_open("/no/such/socket", why);
    if (!b) { /* nor without libmunge */
        expect(why[0]);
        return;
    }
    expect(!badge_make(b, BADGE_AGENT, number, why) && strncmp(why, "MUNGE: ", 7) == 0);
    expect(!badge_check(b, BADGE_AGENT, "MUNGE:abc:", number, why, &wrong) && !wrong);
    expect(strncmp(why, "MUNGE: ", 7) == 0);
    expect(!badge_check(b, BADGE_AGENT, "", number, why, &wrong) && wrong);
    expect(strstr(why, "no credential") != NULL);
    badge_close(b);
}

/* Whether the badge is good for an agent in the conversation with that number. */
static bool badge_is_good(struct badge *b, const char *text, char why[BADGE_WHY], bool *wrong)
{
    return badge_check(b, BADGE_AGENT, text, (const unsigned char *)NUMBER, why, wrong);
}

TEST(badge_is_good_once_at_one_end_of_one_conversation)
{
    const unsigned char *number = (const unsigned char *)NUMBER;
    const unsigned char other[TLS_NUMBER] = "0123456789abcdef0123456789ABCDEf";
    struct munged m;
    char why[BADGE_WHY] = "";
    bool wrong = true;

    if (!munged_open(&m))
        return;
    struct badge *b = badge_open(m.socket, why);
    expect(b != NULL);
    char *badge = badge_make(b, BADGE_AGENT, number, why);
    expect(badge && badge_is_good(b, badge, why, &wrong));
    expect(!badge_is_good(b, badge, why, &wrong) && wrong && strncmp(why, "MUNGE: ", 7) == 0);
    mem_free(badge);
    badge = badge_make(b, BADGE_COORDINATOR, number, why);
    expect(!badge_is_good(b, badge, why, &wrong) && wrong && strstr(why, "another conversation"));
    mem_free(badge);
    badge = badge_make(b, BADGE_AGENT, other, why);
    expect(!badge_is_good(b, badge, why, &wrong) && wrong && strstr(why, "another conversation"));
    mem_free(badge);
    /* Others than us can make badges, too. */
    expect(badge_is_good(b, munged_makes(&m, "-s " NUMBER "a"), why, &wrong));
    expect(!badge_is_good(b, munged_makes(&m, "-s " NUMBER), why, &wrong) && wrong);
    expect(!badge_is_good(b, munged_makes(&m, "-s " NUMBER "ab"), why, &wrong) && wrong);
    expect(!badge_is_good(b, munged_makes(&m, "-n"), why, &wrong) && wrong);
    expect(strstr(why, "another conversation"));
    expect(!badge_is_good(b, "MUNGE:abc:", why, &wrong) && wrong);
    munged_kill(&m);
    expect(!badge_is_good(b, "MUNGE:abc:", why, &wrong) && !wrong);
    badge_close(b);
    munged_close(&m);
}

/* From a pipe, by the munged that listens there. */
static int read_key_at(struct secret *key, const char *text, const char *socket, struct err *err)
{
    int fds[2];

    expect(pipe(fds) == 0 && write(fds[1], text, strlen(text)) == (ssize_t)strlen(text));
    close(fds[1]);
    int result = badge_read_key(key, fds[0], socket, err);
    close(fds[0]);
    return result;
}

/* Seals of our user, which no other user can read. */
TEST(badge_is_of_our_user_alone)
{
    struct munged m;
    char why[BADGE_WHY] = "";
    bool wrong = false;
    struct secret key;
    struct err err;

    if (geteuid() != 0) {
        test_skip("only root can be another user");
        return;
    }
    if (!munged_open(&m))
        return;
    char above[sizeof m.dir + 4];
    snprintf(above, sizeof above, "%s/..", m.dir);
    expect(chmod(m.dir, 0711) == 0 && chmod(above, 0711) == 0);
    munged_other_user = true;
    const char *badge = munged_makes(&m, "-s " NUMBER "a");
    if (!*badge) {
        munged_close(&m);
        test_skip("other users cannot reach the folders of tests");
        return;
    }
    struct badge *b = badge_open(m.socket, why);
    expect(!badge_is_good(b, badge, why, &wrong) && wrong);
    expect(strstr(why, "MUNGE: it is of another user (65534)"));
    badge = munged_makes(&m, "-s " NUMBER); /* as long as a key */
    expect(read_key_at(&key, badge, m.socket, &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: MUNGE: not a key of this run"));
    munged_other_user = false;
    char *own = badge_make(b, BADGE_AGENT, (const unsigned char *)NUMBER, why);
    pid_t child = fork();
    if (child == 0) {
        bool other = setresuid(65534, 65534, 65534) == 0;
        bool read = other && badge_is_good(b, own, why, &wrong);
        /* Not even for what it says. */
        _exit(!other ? 3 : read ? 2 : !wrong || strstr(why, "another user") ? 1 : 0);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0);
    mem_free(own);
    badge_close(b);
    munged_close(&m);
}

TEST(badge_clerk_answers_a_badge_with_its_own)
{
    const unsigned char *number = (const unsigned char *)NUMBER;
    const unsigned char other[TLS_NUMBER] = "other";
    static char reply[BADGE_CLERK_TEXT];
    struct munged m;
    char why[BADGE_WHY] = "";
    bool wrong = true;

    if (!munged_open(&m))
        return;
    struct badge *b = badge_open(m.socket, why);
    expect(badge_clerk_munge(b, BADGE_CLERK_TRY, number, why, &wrong, reply) && *reply);
    char *badge = badge_make(b, BADGE_AGENT, number, why);
    expect(badge_clerk_munge(b, badge, number, why, &wrong, reply));
    expect(badge_check(b, BADGE_COORDINATOR, reply, number, why, &wrong));
    mem_free(badge);
    badge = badge_make(b, BADGE_AGENT, number, why);
    expect(!badge_clerk_munge(b, badge, other, why, &wrong, reply) && wrong);
    mem_free(badge);
    badge = badge_make(b, BADGE_COORDINATOR, number, why);
    expect(!badge_clerk_munge(b, badge, number, why, &wrong, reply) && wrong);
    mem_free(badge);
    badge = badge_make(b, BADGE_AGENT, number, why);
    munged_kill(&m);
    expect(!badge_clerk_munge(b, badge, number, why, &wrong, reply) && !wrong);
    expect(!badge_clerk_munge(b, BADGE_CLERK_TRY, number, why, &wrong, reply) && !wrong);
    mem_free(badge);
    badge_close(b);
    munged_close(&m);
}

static int read_key(struct secret *key, const char *text, struct err *err)
{
    return read_key_at(key, text, "/no/such/socket", err);
}

TEST(badge_reads_keys_that_are_sealed_or_not)
{
    struct secret key, got = {{0}};
    char text[SECRET_TEXT + 1] = "";
    struct err err;

    memset(key.bytes, 0x5a, sizeof key.bytes);
    secret_print(&key, text);
    expect(read_key(&got, text, &err) == 0 && memcmp(&got, &key, sizeof key) == 0);
    text[4] = 'x';
    expect(read_key(&got, text, &err) < 0 && strstr(err.text, "hexadecimal digits"));
    expect(read_key(&got, "", &err) < 0 && strstr(err.text, "hexadecimal digits"));
    expect(read_key(&got, "MUNGE:AwQDAAA=:", &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: "));
    expect(badge_read_key(&got, -1, NULL, &err) < 0 && strstr(err.text, "cannot read the key"));
}

TEST(badge_opens_sealed_keys_again_and_whenever)
{
    struct secret key, got = {{0}};
    struct munged m;
    char why[BADGE_WHY] = "", text[4096];
    struct err err;

    if (!munged_open(&m))
        return;
    memset(key.bytes, 0x5a, sizeof key.bytes);
    struct badge *b = badge_open(m.socket, why);
    char *sealed = badge_seal(b, &key, why);
    expect(sealed && strncmp(sealed, "MUNGE:", 6) == 0);
    for (int i = 0; i < 2; i++) { /* each agent of a host opens it */
        memset(&got, 0, sizeof got);
        expect(read_key_at(&got, sealed, m.socket, &err) == 0);
        expect(memcmp(&got, &key, sizeof key) == 0);
    }
    mem_free(sealed);
    snprintf(text, sizeof text, "%s", munged_makes(&m, "-t 1 -s " NUMBER));
    for (time_t then = time(NULL); time(NULL) < then + 3;) /* jobs wait in queues */
        usleep(10000);
    expect(read_key_at(&got, text, m.socket, &err) == 0 && memcmp(&got, NUMBER, sizeof got) == 0);
    expect(read_key_at(&got, munged_makes(&m, "-s short"), m.socket, &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: MUNGE: not a key of this run"));
    expect(read_key_at(&got, munged_makes(&m, "-n"), m.socket, &err) < 0);
    expect(strstr(err.text, "not a key of this run"));
    expect(read_key_at(&got, "MUNGE:AwQDAAA=:", m.socket, &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: MUNGE: ") && !strstr(err.text, "no key"));
    badge_close(b);
    munged_close(&m);
}
