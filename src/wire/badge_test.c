#include "wire/badge.h"

#include <string.h>

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
