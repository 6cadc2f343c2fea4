#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

/* What is said of phase map, of which so many clones were launched and so many tasks are done. */
static bool says(struct told *t, struct reason r, uint32_t clones, uint32_t done,
                 const char *expected)
{
    t->phases[0].cloning.why = told_why(t, r);
    t->phases[0].launched[LAUNCH_CLONE] = clones;
    t->phases[0].committed = done;
    explain_cloning(&t->x, 0, &t->out);
    return told_is(t, expected);
}

TEST(explain_cloning_has_a_sentence_for_each_verdict)
{
    static const struct {
        struct reason why;
        uint32_t clones;
        const char *text;
    } rows[] = {
        {{WHY_NO_NEED, 3, {1, 4, 0.15}},
         0,
         "was not cloned: with 4 tasks at p=0.15 one attempt of each is safe enough."},
        {{WHY_SIDE_EFFECTS, 0, {0}},
         0,
         "was not cloned: it has clone=never, because its tasks have side effects."},
        {{WHY_JOB_NOT_ADMITTED, 0, {0}},
         0,
         "was not cloned: the job as a whole was not admitted when it began."},
        {{WHY_OFFERED, 2, {3, 4}},
         2,
         "was offered clones: up to 3 attempts of each task, once no first attempt fits anywhere."},
        {{WHY_OFFERED, 2, {1, 4}}, 0, "was not cloned: one attempt of each task is enough."},
        {{WHY_WATCHED, 4, {5, 4, 0.2, 12}},
         0,
         "was watched: tasks get copies as far as that pays, up to 5 attempts of each; 20 % of "
         "attempts straggle, and a healthy attempt takes about 12 s."},
        {{WHY_WATCHED, 4, {5, 4, 0.1, 0}},
         2,
         "was watched: tasks get copies as far as that pays, up to 5 attempts of each; 10 % of "
         "attempts straggle."},
        {{WHY_UNSAFE_NODES, 3, {0.25, 0.01, 0}},
         0,
         "was to be cloned task by task: each gets clones until all its nodes straggle together "
         "with probability 0.01 at most; one node does with 0.25."},
        {{WHY_UNSAFE_NODES, 3, {0.25, 0.01, 0}},
         1,
         "was cloned task by task: each gets clones until all its nodes straggle together with "
         "probability 0.01 at most; one node does with 0.25."},
        {{WHY_CLONED, 6, {3, 4, 0.15, 8, 12, 90}},
         8,
         "was cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; the clone budget is 90 "
         "slots and 12 were in use."},
        {{WHY_CLONED, 6, {2, 1, 0.5, 1, 1, 2}},
         0,
         "was to be cloned: 1 task at p=0.5 wants 2 attempts, 1 more slot; the clone budget is 2 "
         "slots and 1 was in use."},
        {{WHY_CLONED, 6, {3, 4, 0.15, 8, 82.5, 90}},
         8,
         "was cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; they were not held to "
         "the clone budget of 90 slots, of which 82.5 were in use."},
        {{WHY_CLONED, 6, {3, 4, 0.15, 0, 0, 0}},
         8,
         "was cloned: 4 tasks at p=0.15 want 3 attempts each, as was decided when the job began."},
        {{WHY_CLONED, 6, {3, 4, 0.15, 8, 0, 0}},
         8,
         "was cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; they were not held to "
         "the clone budget of 0 slots, of which 0 were in use."},
        {{WHY_CLONED, 6, {1, 4, 0.15, 0, 5, 90}},
         8,
         "was cloned: 4 tasks at p=0.15 want 1 attempt each, 0 more slots; the clone budget is 90 "
         "slots and 5 were in use."},
        {{WHY_OVER_BUDGET, 6, {3, 4, 0.15, 8, 88, 90}},
         0,
         "was not cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; the clone budget "
         "is 90 slots and 88 were in use."},
        {{WHY_OVER_BUDGET, 6, {3, 4, 0.15, 8, 88, 90}},
         1,
         "was not cloned when it began: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; the "
         "clone budget is 90 slots and 88 were in use."},
        {{WHY_OVER_TAU, 6, {1, 4, 0.15, 1, 88, 90}},
         0,
         "was not cloned: not even one clone fitted, 1 more slot; with clones the "
         "cluster may be filled to 90 slots (tau) and 88 were in use."},
        {{WHY_PARTIAL, 6, {2, 3, 4, 4, 86, 90}},
         4,
         "was cloned in part: 3 attempts each were wanted, and only 2 fitted, 4 more slots; the "
         "clone budget is 90 slots and 86 were in use."},
        {{WHY_WAIT_PREEMPT, 6, {3, 4, 0.15, 8, 88, 90}},
         0,
         "was not cloned at once: 4 tasks at p=0.15 want 3 attempts each, and clones of larger "
         "jobs had to make room for them first."},
        {{WHY_CAP, 3, {5, 9, RES_CPU}},
         0,
         "was not cloned: extra attempts cost more than the cap allows: they had used 5 "
         "slot-seconds within an hour, of 9 for the whole of it."},
        {{WHY_CLOCK, 0, {0}}, 0, "got a verdict: clock."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        struct str text = {0};
        told_init(&t);
        str_addf(&text, "Phase map %s\n", rows[i].text);
        expect(says(&t, rows[i].why, rows[i].clones, 3, text.text));
        str_free(&text);
        told_fini(&t);
    }
}

TEST(explain_cloning_knows_which_resource_was_tightest)
{
    static const struct {
        double charge;
        const char *more, *limit;
    } rows[] = {
        {4096, "4096 more MiB of memory", "90 MiB of memory"}, /* of all clones */
        {6144, "6144 more MiB of memory", "90 MiB of memory"}, /* of all attempts */
        {2048, "2048 more MiB of memory", "90 MiB of memory"}, /* of one attempt of each task */
        {512, "512 more MiB of memory", "90 MiB of memory"},   /* of one attempt */
        {8, "8 more slots", "90 slots"},
        {12, "12 more slots", "90 slots"},
        {4, "4 more slots", "90 slots"},
        {1, "1 more slot", "90 slots"},
        {56, "56 more units of gpu", "90 units of gpu"},
        {7, "7 more units of gpu", "90 units of gpu"},
        {1234, "1234 more slots", "90 slots"}, /* no resource gives this */
    };
    struct told t;
    told_init(&t);
    t.phases[0].demand.v[RES_X] = 7;
    t.run.resources[RES_X] = (char *)(uintptr_t) "gpu";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str text = {0};
        str_addf(&text,
                 "Phase map was not cloned: 4 tasks at p=0.15 want 3 attempts each, %s; the clone "
                 "budget is %s and 88 were in use.\n",
                 rows[i].more, rows[i].limit);
        expect(
            says(&t, REASON(WHY_OVER_BUDGET, 3, 4, 0.15, rows[i].charge, 88, 90), 0, 0, text.text));
        str_free(&text);
    }
    t.run.resources[RES_CPU] = (char *)(uintptr_t) "hands";
    t.run.resources[RES_MEM] = (char *)(uintptr_t) "heap";
    expect(says(&t, REASON(WHY_OVER_BUDGET, 2, 1, 0.15, 1, 1, 512), 0, 0,
                "Phase map was not cloned: 1 task at p=0.15 wants 2 attempts, 1 more unit of "
                "hands; the clone budget is 512 units of hands and 1 was in use.\n"));
    expect(says(&t, REASON(WHY_OVER_BUDGET, 2, 1, 0.15, 512, 1, 512), 0, 0,
                "Phase map was not cloned: 1 task at p=0.15 wants 2 attempts, 512 more MiB of "
                "heap; the clone budget is 512 MiB of heap and 1 was in use.\n"));
    told_fini(&t);
}

TEST(explain_cloning_names_the_phase_above_that_got_fewer)
{
    struct told t;
    told_init(&t);
    t.phases[1].cloning.why = told_why(&t, REASON(WHY_UPSTREAM_COPIES, 3, 1, 0.15, 1));
    explain_cloning(&t.x, 1, &t.out);
    expect(told_is(&t, "Phase reduce was not cloned: 1 task at p=0.15 wants 3 attempts, but a "
                       "phase gets no more than the one above it, and map got 1.\n"));
    t.edge.from = 2; /* of a journal that was changed */
    explain_cloning(&t.x, 1, &t.out);
    expect(told_is(&t, "Phase reduce was not cloned: 1 task at p=0.15 wants 3 attempts, but a "
                       "phase gets no more than the one above it, and one of those got 1.\n"));
    t.edge.from = 0;
    t.phases[1].edge_count = 2;
    explain_cloning(&t.x, 1, &t.out);
    expect(strstr(t.out.text, "and one of those got 1.\n"));
    told_fini(&t);
}

TEST(explain_cloning_counts_clones_that_never_started)
{
    static const char head[] = "Phase map was offered clones: up to 3 attempts of each task, once "
                               "no first attempt fits anywhere.";
    static const struct {
        uint32_t clones, done;
        const char *text;
    } rows[] = {
        {0, 4, " No clone was launched before its task was done."},
        {1, 4, " Only 1 of 8 clones were launched before their tasks were done."},
        {7, 4, " Only 7 of 8 clones were launched before their tasks were done."},
        {8, 4, ""},
        {9, 4, ""},
        {0, 3, ""}, /* they may still come */
    };
    struct told t;
    told_init(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str text = {0};
        str_addf(&text, "%s%s\n", head, rows[i].text);
        expect(says(&t, REASON(WHY_OFFERED, 3, 4), rows[i].clones, rows[i].done, text.text));
        str_free(&text);
    }
    expect(says(&t, REASON(WHY_OFFERED, 1, 4), 0, 4,
                "Phase map was not cloned: one attempt of each task is enough.\n"));
    expect(says(&t, REASON(WHY_CLONED, 2, 4, 0.15, 4, 0, 90), 0, 4,
                "Phase map was to be cloned: 4 tasks at p=0.15 want 2 attempts each, 4 more slots; "
                "the clone budget is 90 slots and 0 were in use. No clone was launched before its "
                "task was done.\n"));
    expect(says(&t, REASON(WHY_NO_NEED, 2, 4, 0.15), 0, 4,
                "Phase map was not cloned: with 4 tasks at p=0.15 one attempt of each is safe "
                "enough.\n"));
    told_fini(&t);
}

TEST(explain_cloning_without_a_verdict)
{
    struct told t;
    told_init(&t);
    explain_cloning(&t.x, 0, &t.out);
    expect(told_is(&t, "Phase map did not begin, so nothing was decided about clones.\n"));
    t.facts[0].begun_us = 0;
    explain_cloning(&t.x, 0, &t.out);
    expect(told_is(&t, "Phase map was not considered for cloning: the policy makes no clones.\n"));
    told_fini(&t);
}

TEST(explain_cloning_refusals_are_all_different)
{
    static const uint16_t codes[] = {WHY_OVER_BUDGET,     WHY_OVER_TAU,     WHY_NO_NEED,
                                     WHY_SIDE_EFFECTS,    WHY_CAP,          WHY_CLONED,
                                     WHY_UPSTREAM_COPIES, WHY_WAIT_PREEMPT, WHY_JOB_NOT_ADMITTED};
    enum { COUNT = sizeof codes / sizeof *codes };
    for (int i = 0; i < COUNT; i++) {
        expect(strcmp(explain_cloning_refusal(codes[i]), reason_name(codes[i])) != 0);
        for (int k = 0; k < i; k++)
            expect(strcmp(explain_cloning_refusal(codes[i]), explain_cloning_refusal(codes[k])));
    }
}

TEST(explain_cloning_verdicts_are_plain)
{
    expect(strcmp(explain_cloning_verdict(WHY_CLONED), "clones were asked for") == 0);
    expect(strstr(explain_cloning_verdict(WHY_NO_IDLE_CORE), "idle core"));
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        expect(explain_cloning_verdict(code) && *explain_cloning_verdict(code));
}
