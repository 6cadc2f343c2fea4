#include "core/estimate/phase_set.h"

#include "core/model/job.h"
#include "tests/unit/test.h"

TEST(phase_set_holds_what_was_added)
{
    static const uint16_t some[] = {0, 1, 63, 64, 127, 128, JOB_PHASES_MAX - 1};
    enum { N = sizeof some / sizeof *some };
    struct phase_set s = {0};
    for (int i = 0; i < N; i++) {
        expect(!phase_set_has(&s, some[i]));
        phase_set_remove(&s, some[i]); /* nothing is there yet */
        phase_set_add(&s, some[i]);
        for (int k = 0; k < N; k++)
            expect(phase_set_has(&s, some[k]) == (k <= i));
    }
    expect(!phase_set_has(&s, 2) && !phase_set_has(&s, 65));
    for (int i = 0; i < N; i++) {
        phase_set_remove(&s, some[i]);
        for (int k = 0; k < N; k++)
            expect(phase_set_has(&s, some[k]) == (k > i));
    }
    phase_set_remove(&s, UINT16_MAX); /* no phase of any job */
    phase_set_fini(&s);
    expect(!phase_set_has(&s, 64));
}
