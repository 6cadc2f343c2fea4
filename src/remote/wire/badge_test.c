#include "remote/wire/badge.h"

#include <string.h>
#include <unistd.h>

#include "tests/test.h"

/* With munged, badges are tested on a cluster (tests/slurm.sh). */
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

static int read_key(struct secret *key, const char *text, struct err *err)
{
    int fds[2];

    expect(pipe(fds) == 0 && write(fds[1], text, strlen(text)) == (ssize_t)strlen(text));
    close(fds[1]);
    int result = badge_read_key(key, fds[0], "/no/such/socket", err);
    close(fds[0]);
    return result;
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
