/* charge=literal: the budget pays for first attempts, too. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

/* First attempts are charged until their phase is over, or its job. */
TEST(dolly_literal_charges_end_with_the_job)
{
    struct script s;
    script_init(&s, "dolly;charge=literal", 180, 1);
    for (int round = 0; round < 3; round++) {
        struct job_id j = script_job(&s, 1, 3);
        script_decide(&s, s.now_us + 1);
        expect(script_verdict(&s, j, 0)->code == WHY_CLONED);
        script_started_all(&s);
        if (round == 1)
            script_event(&s, EV_JOB_CANCELLED, script_ref(j, 0, 0, 0));
        for (uint32_t t = 0; t < 3; t++) {
            if (round != 1)
                script_win(&s, script_ref(j, 0, t, 0));
            else
                script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, t, 0));
            for (uint16_t clone = 1; clone < 3; clone++)
                script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, t, clone));
        }
        script_decide(&s, s.now_us + 1);
    }
    script_fini(&s);
}
