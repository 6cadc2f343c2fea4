#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

TEST(explain_run_of_one_job_that_nothing_happened_to)
{
    struct told t;
    told_init(&t);
    t.x.complete = true;
    t.run.done = 1, t.run.tasks_done = 5, t.run.last_us = 9000000;
    explain_run(&t.x, &t.out);
    expect(told_is(&t, "A run of the policy ? on real processes, from 0 s to 9 s.\n"
                       "1 job with 5 tasks: 5 tasks done, 0 failed.\n"
                       "No phase was considered for cloning: the policy makes no clones.\n"
                       "0 attempts were killed; 0 attempts failed.\n"
                       "0 attempts are known to have straggled.\n"));
    t.run.jobs = 0;
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text, "0 jobs with 5 tasks: 5 tasks done, 0 failed.\n") &&
           !strstr(t.out.text, "No phase"));
    told_fini(&t);
}

TEST(explain_run_of_many_jobs)
{
    struct told t;
    told_init(&t);
    t.x.complete = true;
    t.x.body = borrowed("sim");
    t.x.policy = borrowed("none");
    struct story_run *r = &t.run;
    r->first_us = 1000000, r->last_us = 9000000;
    r->jobs = 6, r->done = 4, r->failed = 1, r->others = 3, r->took_us = 10e6;
    r->tasks = 30, r->tasks_done = 20, r->tasks_failed = 4;
    r->failed_first[0] = (struct job_id){3};
    r->phases = 8, r->phases_cloned = 1, r->jobs_cloned = 1;
    r->not_cloned[WHY_OVER_TAU] = 1, r->not_cloned[WHY_NO_NEED] = 6;
    r->launched[LAUNCH_FIRST] = 30, r->won[LAUNCH_FIRST] = 18;
    r->launched[LAUNCH_CLONE] = 1, r->won[LAUNCH_CLONE] = 1;
    r->launched[LAUNCH_BACKUP] = 2, r->won[LAUNCH_BACKUP] = 1;
    r->withdrawn = 1, r->killed = 2, r->failures = 1;
    r->slot_s = 35999, r->vain_slot_s[LAUNCH_FIRST] = 17999.5;
    r->vain_slot_s[LAUNCH_CLONE] = 1, r->vain_slot_s[LAUNCH_BACKUP] = 2;
    r->won_by_extra = 2, r->beat_straggler = 1, r->beat_unknown = 1, r->stragglers = 1;
    r->would = (struct story_difference){.straggling_us = 3000000,
                                         .pace_saved_us = 2000000,
                                         .low_saved_us = 2000000,
                                         .high_saved_us = 2000000};
    explain_run(&t.x, &t.out);
    expect(told_is(
        &t, "A run of the policy none in the simulator, from 1 s to 9 s.\n"
            "6 jobs with 30 tasks: 4 jobs done, 1 failed, 1 not over; 20 tasks done, 4 failed, 6 "
            "not done.\n"
            "These are the measured jobs; 3 that came before or after them are not counted.\n"
            "A job took 2.5 s on average.\n"
            "Job 3 failed; why: dolly explain j 3\n"
            "1 of 6 jobs had clones; 1 of 8 phases were cloned.\n"
            "  6 phases were not cloned: one attempt of each task is safe enough\n"
            "  1 phase was not cloned: with the clones the cluster would have been fuller than "
            "tau\n"
            "30 first attempts launched, 18 won.\n"
            "1 clone launched, 1 won.\n"
            "2 backups launched, 1 won.\n"
            "1 attempt was withdrawn before starting.\n"
            "2 attempts were killed; 1 attempt failed.\n"
            "Attempts that did not win held 18003 slot-seconds of 35999 (50 %); 3 of them were "
            "held by clones and backups.\n"
            "Clones or backups won 2 tasks: 1 of the attempts they beat straggled, 1 ended too "
            "early to tell.\n"
            "Without them jobs would have ended 2 s later in all, each taken by itself.\n"
            "1 attempt is known to have straggled; straggling cost jobs about 3 s in all, each "
            "taken by itself.\n"));
    r->slot_s = 36000, r->vain_slot_s[LAUNCH_FIRST] = 3597, r->unsure = 1, r->beat_unknown = 0;
    r->would.low_saved_us = 0, r->would.straggling_us = 0;
    t.x.policy = borrowed("dolly;dolly.budget=idle");
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text, "held 1 slot-hours of 10 (10 %); 0.0008333 of them were held by "
                              "clones and backups, which take only slots that no first attempt "
                              "needs.\n"
                              "Clones or backups won 2 tasks: 1 of the attempts they beat "
                              "straggled.\n"
                              "1 attempt is known to have straggled.\n"));
    told_fini(&t);
}

TEST(explain_run_says_the_longest_wait_first)
{
    struct told t;
    told_init(&t);
    t.run.held[STORY_LATE].phases = 2, t.run.held[STORY_LATE].us = 99000000;
    t.run.held[STORY_READS].phases = 1, t.run.held[STORY_READS].us = 3000000;
    t.run.held[STORY_SLOW_NODE].phases = 4, t.run.held[STORY_SLOW_NODE].us = 5000000;
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text,
                  "\nIn 2 phases the last task had waited for its turn: more tasks than slots.\n"
                  "Phases waited for a last task that\n"
                  "  was on a slow node: 4 phases, 5 s\n"
                  "  waited for its inputs: 1 phase, 3 s\n"));
    told_fini(&t);
}

TEST(explain_run_lists_ten_nodes_that_were_avoided)
{
    struct told t;
    struct story_node nodes[12] = {0};
    told_init(&t);
    nodes[0] = (struct story_node){.avoided = 2, .avoid_why = REASON_PLAIN(WHY_DISK_FULL)};
    nodes[1] = (struct story_node){.avoided = 1, .downs = 1, .avoid_why = REASON_PLAIN(WHY_CLOCK)};
    nodes[2] =
        (struct story_node){.avoided = 1, .avoid_why = REASON(WHY_BAD_NODE, 0.5, 0.25, 0.4, 0.3)};
    for (int i = 3; i < 12; i++)
        nodes[i] = (struct story_node){.avoided = 1, .avoid_why = REASON_PLAIN(WHY_NODE_FAULT)};
    t.run.nodes.at = nodes;
    t.run.nodes.count = 12;
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text,
                  "\nNode node 0 was avoided 2 times, the last time because its disk was full.\n"
                  "Node node 1 was avoided 1 time, the last time because clock.\n"
                  "Node node 2 was avoided 1 time, the last time because it was predicted to "
                  "straggle with probability 0.5 (limit 0.25; 0.4 in the last window, 0.3 in the "
                  "long run).\n"
                  "Node node 3 was avoided 1 time, the last time because it could not do its part "
                  "for an attempt.\n"));
    expect(strstr(t.out.text, "Node node 9 ") && !strstr(t.out.text, "Node node 10 "));
    expect(strstr(t.out.text, "\n2 nodes were avoided as well.\n"
                              "Nodes went down 1 time (each one does when a run is "
                              "interrupted).\n"));
    str_cut(&t.out, 0);
    t.x.body = borrowed("sim");
    nodes[1].downs = 2;
    t.run.nodes.count = 10;
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text, "\nNodes went down 2 times.\n") && !strstr(t.out.text, "as well"));
    told_fini(&t);
}

TEST(explain_run_lists_the_slowest_jobs)
{
    struct told t;
    told_init(&t);
    t.run.slowest_count = 3;
    t.run.slowest[0] = (struct story_slow_job){.id = {7},
                                               .name = borrowed("sort"),
                                               .tasks = 5,
                                               .took_us = 9000000,
                                               .waited_us = 1000,
                                               .would = {.straggling_us = 2000000,
                                                         .pace_saved_us = 3000000,
                                                         .low_saved_us = 3000000,
                                                         .high_saved_us = 3000000},
                                               .cloned = true};
    t.run.slowest[1] = (struct story_slow_job){
        .id = {8}, .name = borrowed("scan"), .tasks = 1, .took_us = 5000000, .waited_us = 999};
    t.run.slowest[2] = (struct story_slow_job){
        .id = {9}, .name = borrowed("grep"), .tasks = 1, .took_us = 4000000, .failed = true};
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text,
                  "\n\nThe slowest jobs:\n"
                  "  job 7 (sort), 5 tasks: 9 s, of which it waited 0.001 s; straggling cost about "
                  "2 s; extra attempts saved 3 s; cloned\n"
                  "  job 8 (scan), 1 task: 5 s; not cloned\n"
                  "  job 9 (grep), 1 task: 4 s; failed\n"
                  "Ask for one with: dolly explain j 7\n"));
    told_fini(&t);
}

TEST(explain_headline_of_a_run_that_is_not_over)
{
    struct told t;
    told_init(&t);
    t.run.tasks_done = 2, t.run.tasks_failed = 1;
    explain_headline_run(&t.x, &t.out);
    expect(told_is(&t, "Not over: 2 of 5 tasks done.\n"));
    t.run.tasks_failed = 3; /* nothing is left to do */
    explain_headline_run(&t.x, &t.out);
    expect(told_is(&t, ""));
    t.run.tasks_failed = 0;
    t.x.complete = true;
    explain_headline_run(&t.x, &t.out);
    expect(told_is(&t, ""));
    told_fini(&t);
}
