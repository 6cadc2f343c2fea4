#include "remote/wire/identity.h"

#include "tests/unit/test.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "remote/wire/identity_checker.h"
#include "remote/wire/identity_munged_test.h"

#define NUMBER "0123456789abcdef0123456789ABCDEF"

TEST(badges_cannot_be_had_or_judged_without_munged)
{
    const unsigned char number[TLS_NUMBER] = "number";
    char why[IDENTITY_WHY] = "";
    bool wrong = false;

    struct identity *b = identity_open("/no/such/socket", why);
    if (!b) { /* nor without libmunge */
        expect(why[0]);
        return;
    }
    expect(!identity_make(b, IDENTITY_AGENT, number, why) && strncmp(why, "MUNGE: ", 7) == 0);
    expect(!identity_check(b, IDENTITY_AGENT, "MUNGE:abc:", number, why, &wrong) && !wrong);
    expect(strncmp(why, "MUNGE: ", 7) == 0);
    expect(!identity_check(b, IDENTITY_AGENT, "", number, why, &wrong) && wrong);
    expect(strstr(why, "no MUNGE credential") != NULL);
    identity_close(b);
}

/* Whether the credential is good for an agent in the conversation with that number. */
static bool identity_is_good(struct identity *b, const char *text, char why[IDENTITY_WHY],
                             bool *wrong)
{
    return identity_check(b, IDENTITY_AGENT, text, (const unsigned char *)NUMBER, why, wrong);
}

TEST(identity_is_good_once_at_one_end_of_one_conversation)
{
    const unsigned char *number = (const unsigned char *)NUMBER;
    const unsigned char other[TLS_NUMBER + 1] = "0123456789abcdef0123456789ABCDEf";
    struct munged m;
    char why[IDENTITY_WHY] = "";
    bool wrong = true;

    if (!munged_open(&m))
        return;
    struct identity *b = identity_open(m.socket, why);
    expect(b != NULL);
    char *credential = identity_make(b, IDENTITY_AGENT, number, why);
    expect(credential && identity_is_good(b, credential, why, &wrong));
    expect(!identity_is_good(b, credential, why, &wrong) && wrong &&
           strncmp(why, "MUNGE: ", 7) == 0);
    mem_free(credential);
    credential = identity_make(b, IDENTITY_COORDINATOR, number, why);
    expect(!identity_is_good(b, credential, why, &wrong) && wrong &&
           strstr(why, "another connection"));
    mem_free(credential);
    credential = identity_make(b, IDENTITY_AGENT, other, why);
    expect(!identity_is_good(b, credential, why, &wrong) && wrong &&
           strstr(why, "another connection"));
    mem_free(credential);
    /* Others than us can make credentials, too. */
    expect(identity_is_good(b, munged_makes(&m, "-s " NUMBER "a"), why, &wrong));
    expect(!identity_is_good(b, munged_makes(&m, "-s " NUMBER), why, &wrong) && wrong);
    expect(!identity_is_good(b, munged_makes(&m, "-s " NUMBER "ab"), why, &wrong) && wrong);
    expect(!identity_is_good(b, munged_makes(&m, "-n"), why, &wrong) && wrong);
    expect(strstr(why, "another connection"));
    expect(!identity_is_good(b, "MUNGE:abc:", why, &wrong) && wrong);
    munged_kill(&m);
    expect(!identity_is_good(b, "MUNGE:abc:", why, &wrong) && !wrong);
    identity_close(b);
    munged_close(&m);
}

/* From a pipe, by the munged that listens there. */
static int read_key_at(struct secret *key, const char *text, const char *socket, struct err *err)
{
    int fds[2];

    expect(pipe(fds) == 0 && write(fds[1], text, strlen(text)) == (ssize_t)strlen(text));
    close(fds[1]);
    int result = identity_read_key(key, fds[0], socket, err);
    close(fds[0]);
    return result;
}

/* Seals of our user, which no other user can read. */
TEST(identity_is_of_our_user_alone)
{
    struct munged m;
    char why[IDENTITY_WHY] = "";
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
    const char *credential = munged_makes(&m, "-s " NUMBER "a");
    if (!*credential) {
        munged_close(&m);
        test_skip("other users cannot reach the folders of tests");
        return;
    }
    struct identity *b = identity_open(m.socket, why);
    expect(!identity_is_good(b, credential, why, &wrong) && wrong);
    expect(strstr(why, "MUNGE: it belongs to another user (65534)"));
    credential = munged_makes(&m, "-s " NUMBER); /* as long as a key */
    expect(read_key_at(&key, credential, m.socket, &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: MUNGE: not a key of this run"));
    munged_other_user = false;
    char *own = identity_make(b, IDENTITY_AGENT, (const unsigned char *)NUMBER, why);
    pid_t child = fork();
    if (child == 0) {
        bool other = setresuid(65534, 65534, 65534) == 0;
        bool read = other && identity_is_good(b, own, why, &wrong);
        /* Not even for what it says. */
        _exit(!other ? 3 : read ? 2 : !wrong || strstr(why, "another user") ? 1 : 0);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0);
    mem_free(own);
    identity_close(b);
    munged_close(&m);
}

TEST(identity_checker_answers_a_badge_with_its_own)
{
    const unsigned char *number = (const unsigned char *)NUMBER;
    const unsigned char other[TLS_NUMBER + 1] = "other";
    static char reply[IDENTITY_CHECKER_TEXT];
    struct munged m;
    char why[IDENTITY_WHY] = "";
    bool wrong = true;

    if (!munged_open(&m))
        return;
    struct identity *b = identity_open(m.socket, why);
    expect(identity_checker_munge(b, IDENTITY_CHECKER_TRY, number, why, &wrong, reply) && *reply);
    char *credential = identity_make(b, IDENTITY_AGENT, number, why);
    expect(identity_checker_munge(b, credential, number, why, &wrong, reply));
    expect(identity_check(b, IDENTITY_COORDINATOR, reply, number, why, &wrong));
    mem_free(credential);
    credential = identity_make(b, IDENTITY_AGENT, number, why);
    expect(!identity_checker_munge(b, credential, other, why, &wrong, reply) && wrong);
    mem_free(credential);
    credential = identity_make(b, IDENTITY_COORDINATOR, number, why);
    expect(!identity_checker_munge(b, credential, number, why, &wrong, reply) && wrong);
    mem_free(credential);
    credential = identity_make(b, IDENTITY_AGENT, number, why);
    munged_kill(&m);
    expect(!identity_checker_munge(b, credential, number, why, &wrong, reply) && !wrong);
    expect(!identity_checker_munge(b, IDENTITY_CHECKER_TRY, number, why, &wrong, reply) && !wrong);
    mem_free(credential);
    identity_close(b);
    munged_close(&m);
}

static int read_key(struct secret *key, const char *text, struct err *err)
{
    return read_key_at(key, text, "/no/such/socket", err);
}

TEST(identity_reads_keys_that_are_sealed_or_not)
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
    static char far[5000]; /* longer than any */
    memset(far, 'a', sizeof far - 1);
    expect(read_key(&got, far, &err) < 0 && strstr(err.text, "64 hexadecimal digits"));
    memcpy(far, "MUNGE:", 6);
    expect(read_key(&got, far, &err) < 0 && strstr(err.text, "cannot open the sealed key: "));
    expect(read_key(&got, "MUNGE:AwQDAAA=:", &err) < 0);
    expect(strstr(err.text, "cannot open the sealed key: "));
    expect(identity_read_key(&got, -1, NULL, &err) < 0 && strstr(err.text, "cannot read the key"));
}

TEST(identity_opens_sealed_keys_again_and_whenever)
{
    struct secret key, got = {{0}};
    struct munged m;
    char why[IDENTITY_WHY] = "", text[4096];
    struct err err;

    if (!munged_open(&m))
        return;
    memset(key.bytes, 0x5a, sizeof key.bytes);
    struct identity *b = identity_open(m.socket, why);
    char *sealed = identity_seal(b, &key, why);
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
    identity_close(b);
    munged_close(&m);
}
