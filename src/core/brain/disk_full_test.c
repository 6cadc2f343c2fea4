/* What a full disk keeps away; what it ends is in yield_test.c. */
#include "core/brain/disk_full.h"

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

TEST(disk_full_keeps_backups_away_for_a_minute)
{
    struct script s;

    script_init(&s, "mapreduce;backup_at=0;scan=1s", 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_RESTART) == 1);
    script_started_all(&s);
    uint32_t timer = 1; /* the first of mitigation */
    for (int64_t at = 1; at <= 70; at++) {
        int64_t now = at * 1000000 + 1;
        script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = timer});
        script_decide(&s, now);
        if (now < 60000000)
            expect(script_count(&s, DO_LAUNCH, -1) == 0);
        if (script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) > 0)
            break;
        expect(at < 70);
    }
    script_started_all(&s);
    script_decide(&s, s.now_us + 1000000);
    expect(script_count(&s, DO_KILL, -1) == 0); /* the disk has not been full since */
    script_fini(&s);
}
