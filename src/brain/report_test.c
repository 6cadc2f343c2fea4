#include "brain/script_test.h"
#include "tests/test.h"

/* A row of reports told at once: of jobs, tasks and attempts that there are, and of such that there
 * are not (any more). */
TEST(brain_takes_reports_in_rows)
{
    struct script s;
    script_init(&s, "hadoop;scan=1s", 40, 1);
    struct job_id a = script_job(&s, 1, 2), b = script_job(&s, 1, 20);
    script_decide(&s, 0);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(b, 0, 5, 0));
    script_decide(&s, 10);
    script_started_all(&s); /* the second attempt of task 5 */
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(b, 0, 6, 0));
    script_decide(&s, 20);
    static const struct {
        uint16_t phase, attempt;
        uint32_t job, task;
        int64_t done, total;
    } said[] = {
        {0, 0, 0, 0, 1, 4},  {0, 0, 0, 1, 2, 4}, {0, 0, 1, 0, 3, 4},   {0, 1, 1, 5, 4, 4},
        {0, 0, 1, 5, 1, 4},  {0, 0, 1, 6, 1, 4}, {0, 0, 1, 99, 1, 4},  {9, 0, 1, 0, 1, 4},
        {0, 0, 77, 0, 1, 4}, {0, 7, 1, 0, 1, 4}, {0, 0, 1, 19, 8, 4},  {0, 0, 1, 18, 1, 4},
        {0, 0, 1, 18, 0, 0}, {0, 0, 0, 1, 3, 4}, {0, 0, 1, 17, 1, -1}, {0, 0, 1, 16, 0, 4},
    };
    enum { SAID = sizeof said / sizeof *said };
    struct event events[SAID];
    for (uint32_t i = 0; i < SAID; i++)
        events[i] = (struct event){
            .type = EV_ATTEMPT_PROGRESS,
            .at = script_ref((struct job_id){said[i].job == 0   ? a.v
                                             : said[i].job == 1 ? b.v
                                                                : 77},
                             said[i].phase, said[i].task, said[i].attempt),
            .u.progress = {.done = said[i].done, .total = said[i].total, .cpu_us = -1}};
    brain_apply_all(s.brain, 30, events, SAID);
    const struct world *w = brain_world(s.brain);
    double score[2][20] = {{0}};
    uint32_t reported = 0;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *x = world_attempt(w, i);
        reported += x->reported;
        if (x->reported)
            score[x->job->id.v == b.v][x->task] = x->score;
    }
    expect(w->now_us == 30 && reported == 6);
    expect(score[0][0] == 0.25 && score[0][1] == 0.75 && score[1][0] == 0.75);
    expect(score[1][5] == 1 && score[1][19] == 2 && score[1][16] == 0);
    script_fini(&s);
}
