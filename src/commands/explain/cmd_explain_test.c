#include "commands/commands.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/command.h"

/* Two jobs whose times nothing changes, on four slots. Job sort has a task that takes three times
 * as long as its siblings; job scan comes while all slots are taken. */
static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=5s\n"
                               "  phase map tasks=2 size=10s\n";

static void open_run(struct command_folder *f)
{
    command_begin(f);
    command_file("w", workload);
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run", NULL,
                       NULL) == 0);
}

TEST(explain_tells_the_story_of_a_run_a_job_a_phase_and_a_task)
{
    struct command_folder f;
    open_run(&f);
    expect(command_prints(cmd_explain, "explain run",
                          "A run of the policy none in the simulator, from 0 s to 35 s.\n"
                          "2 jobs with 7 tasks: 2 jobs done, 0 failed; 7 tasks done, 0 failed.\n"
                          "A job took 25 s on average.\n"
                          "No phase was considered for cloning: the policy makes no clones.\n"
                          "7 first attempts launched, 7 won.\n"
                          "0 attempts were killed; 0 attempts failed.\n"
                          "1 attempt is known to have straggled; straggling cost jobs about 20 s "
                          "in all, each taken by itself.\n"
                          "Phases waited for a last task that\n"
                          "  was slow where others were not: 1 phase, 20 s\n"
                          "\n"
                          "The slowest jobs:\n"
                          "  job 0 (sort), 5 tasks: 35 s; straggling cost about 20 s; not cloned\n"
                          "  job 1 (scan), 2 tasks: 15 s, of which it waited 5 s; not cloned\n"
                          "Ask for one with: dolly explain run 0\n"));
    expect(command_prints(
        cmd_explain, "explain run sort",
        "Job 0 (sort): 5 tasks in 2 phases, done.\n"
        "It arrived at 0 s, waited 0 s for its first slot, ran for 35 s and ended at 35 s: 35 s in "
        "all.\n"
        "\n"
        "Phase map (0): 4 tasks, 4 attempts; from 0 s to 30 s.\n"
        "Phase map was not considered for cloning: the policy makes no clones.\n"
        "The slowest task was 3: done at 30 s, 20 s after the median one.\n"
        "  Attempt 0 on n0 was slow: 30 s for what takes 10 s at the median rate, 3 times as long. "
        "It was not the node: 1 of 1 others on n0 were not slow.\n"
        "\n"
        "Phase reduce (1): 1 task, 1 attempt; from 30 s to 35 s.\n"
        "Phase reduce was not considered for cloning: the policy makes no clones.\n"
        "\n"
        "Straggling cost about 20 s: it would have ended that much earlier on the same slots "
        "had each straggler taken the median time of its phase.\n"));
    expect(command_prints(
        cmd_explain, "explain run 0/map",
        "Phase map (0): 4 tasks, 4 attempts; from 0 s to 30 s.\n"
        "Phase map was not considered for cloning: the policy makes no clones.\n"
        "The median task ran for 10 s; 1 attempt is known to have straggled.\n"
        "The slowest task was 3: done at 30 s, 20 s after the median one.\n"
        "  Attempt 0 on n0 was slow: 30 s for what takes 10 s at the median rate, 3 times as long. "
        "It was not the node: 1 of 1 others on n0 were not slow.\n"
        "Straggling cost about 20 s: it would have ended that much earlier on the same slots "
        "had each straggler taken the median time of the phase.\n"));
    expect(command_prints(cmd_explain, "explain run sort/0/3",
                          "Task 3 of phase map of job 0 (sort): done at 30 s, 30 s after its first "
                          "launch, by attempt 0.\n"
                          "Attempt 0 (first) was launched at 0 s on n0 because its turn had come. "
                          "It ran for 30 s, finished at 30 s and won.\n"));
    command_end(&f);
}

TEST(explain_finds_the_journal_in_the_folder_of_a_run)
{
    struct command_folder f;
    char *text, *inside;
    open_run(&f);
    expect(mkdir("folder", 0700) == 0 && mkdir("results", 0700) == 0);
    expect(command_fails(cmd_explain, "explain folder", 2, "folder: holds no run; expected"));
    expect(rename("run", "folder/journal") == 0);
    expect(command_fails(cmd_explain, "explain .", 2,
                         ".: holds no run itself; expected one of its folders: ./folder"));
    command_file("results/_SUCCESS", "");
    expect(command_run(cmd_explain, "explain folder/journal sort", &text, NULL) == 0);
    expect(command_run(cmd_explain, "explain folder sort", &inside, NULL) == 0);
    expect(*text && strcmp(text, inside) == 0);
    mem_free(text);
    mem_free(inside);
    expect(command_fails(cmd_explain, "explain results", 2,
                         "the results of a job, without its journal"));
    expect(mkdir("out", 0700) == 0 && mkdir("out/_temporary", 0700) == 0 &&
           rename("folder", "out/_temporary/run") == 0);
    expect(command_run(cmd_explain, "explain out sort", NULL, NULL) == 0);
    command_end(&f);
}

TEST(explain_has_the_same_facts_as_json)
{
    struct command_folder f;
    open_run(&f);
    expect(command_prints(cmd_explain, "explain run --json",
                          "{\n"
                          "  \"journal\": \"run\",\n"
                          "  \"policy\": "
                          "\"order=fair,within=index,place=any,mitigate=none,shuffle=cc,protect="
                          "none,screen=none;policy.failures_max=4;policy.launches_max=1000;policy."
                          "cap=1;policy.cap_window=3600000000us\",\n"
                          "  \"body\": \"sim\",\n"
                          "  \"seed\": 1,\n"
                          "  \"complete\": true,\n"
                          "  \"torn_bytes\": 0,\n"
                          "  \"last_s\": 35.0,\n"
                          "  \"first_s\": 0.0,\n"
                          "  \"jobs\": 2,\n"
                          "  \"jobs_not_counted\": 0,\n"
                          "  \"mean_s\": 25.0,\n"
                          "  \"done\": 2,\n"
                          "  \"failed\": 0,\n"
                          "  \"tasks\": 7,\n"
                          "  \"tasks_done\": 7,\n"
                          "  \"tasks_failed\": 0,\n"
                          "  \"jobs_cloned\": 0,\n"
                          "  \"phases_considered\": 0,\n"
                          "  \"phases_cloned\": 0,\n"
                          "  \"not_cloned\": {},\n"
                          "  \"attempts\": {\n"
                          "    \"first\": {\n"
                          "      \"launched\": 7,\n"
                          "      \"won\": 7,\n"
                          "      \"vain_slot_s\": 0.0\n"
                          "    },\n"
                          "    \"clone\": {\n"
                          "      \"launched\": 0,\n"
                          "      \"won\": 0,\n"
                          "      \"vain_slot_s\": 0.0\n"
                          "    },\n"
                          "    \"backup\": {\n"
                          "      \"launched\": 0,\n"
                          "      \"won\": 0,\n"
                          "      \"vain_slot_s\": 0.0\n"
                          "    },\n"
                          "    \"restart\": {\n"
                          "      \"launched\": 0,\n"
                          "      \"won\": 0,\n"
                          "      \"vain_slot_s\": 0.0\n"
                          "    },\n"
                          "    \"recompute\": {\n"
                          "      \"launched\": 0,\n"
                          "      \"won\": 0,\n"
                          "      \"vain_slot_s\": 0.0\n"
                          "    }\n"
                          "  },\n"
                          "  \"withdrawn\": 0,\n"
                          "  \"killed\": 0,\n"
                          "  \"failures\": 0,\n"
                          "  \"slot_s\": 85.0,\n"
                          "  \"won_by_extra\": 0,\n"
                          "  \"beat_straggler\": 0,\n"
                          "  \"beat_unknown\": 0,\n"
                          "  \"stragglers\": 1,\n"
                          "  \"straggling_s\": 20.0,\n"
                          "  \"saved_at_least_s\": 0.0,\n"
                          "  \"saved_about_s\": 0.0,\n"
                          "  \"saved_low_s\": 0.0,\n"
                          "  \"saved_high_s\": 0.0,\n"
                          "  \"held_up\": {\n"
                          "    \"late_start\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    },\n"
                          "    \"ran_again\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    },\n"
                          "    \"noticed_late\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    },\n"
                          "    \"reads\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    },\n"
                          "    \"skewed_input\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    },\n"
                          "    \"slow_attempt\": {\n"
                          "      \"phases\": 1,\n"
                          "      \"seconds\": 20.0\n"
                          "    },\n"
                          "    \"slow_node\": {\n"
                          "      \"phases\": 0,\n"
                          "      \"seconds\": 0.0\n"
                          "    }\n"
                          "  },\n"
                          "  \"nodes\": [],\n"
                          "  \"slowest\": [\n"
                          "    {\n"
                          "      \"job\": 0,\n"
                          "      \"name\": \"sort\",\n"
                          "      \"tasks\": 5,\n"
                          "      \"took_s\": 35.0,\n"
                          "      \"waited_s\": 0.0,\n"
                          "      \"straggling_s\": 20.0,\n"
                          "      \"saved_at_least_s\": 0.0,\n"
                          "      \"saved_about_s\": 0.0,\n"
                          "      \"saved_low_s\": 0.0,\n"
                          "      \"saved_high_s\": 0.0,\n"
                          "      \"cloned\": false,\n"
                          "      \"failed\": false\n"
                          "    },\n"
                          "    {\n"
                          "      \"job\": 1,\n"
                          "      \"name\": \"scan\",\n"
                          "      \"tasks\": 2,\n"
                          "      \"took_s\": 15.0,\n"
                          "      \"waited_s\": 5.0,\n"
                          "      \"straggling_s\": 0.0,\n"
                          "      \"saved_at_least_s\": 0.0,\n"
                          "      \"saved_about_s\": 0.0,\n"
                          "      \"saved_low_s\": 0.0,\n"
                          "      \"saved_high_s\": 0.0,\n"
                          "      \"cloned\": false,\n"
                          "      \"failed\": false\n"
                          "    }\n"
                          "  ]\n"
                          "}\n"));
    expect(command_prints(cmd_explain, "explain run scan --json",
                          "{\n"
                          "  \"journal\": \"run\",\n"
                          "  \"policy\": "
                          "\"order=fair,within=index,place=any,mitigate=none,shuffle=cc,protect="
                          "none,screen=none;policy.failures_max=4;policy.launches_max=1000;policy."
                          "cap=1;policy.cap_window=3600000000us\",\n"
                          "  \"body\": \"sim\",\n"
                          "  \"seed\": 1,\n"
                          "  \"complete\": true,\n"
                          "  \"torn_bytes\": 0,\n"
                          "  \"last_s\": 35.0,\n"
                          "  \"job\": 1,\n"
                          "  \"name\": \"scan\",\n"
                          "  \"jobs_of_that_name\": 1,\n"
                          "  \"tasks\": 2,\n"
                          "  \"state\": \"done\",\n"
                          "  \"why\": {\n"
                          "    \"code\": \"all_committed\",\n"
                          "    \"tasks\": 2.0\n"
                          "  },\n"
                          "  \"arrived_s\": 5.0,\n"
                          "  \"submitted_s\": 5.0,\n"
                          "  \"begun_s\": 10.0,\n"
                          "  \"ended_s\": 20.0,\n"
                          "  \"standing\": null,\n"
                          "  \"straggling_s\": 0.0,\n"
                          "  \"saved_at_least_s\": 0.0,\n"
                          "  \"saved_about_s\": 0.0,\n"
                          "  \"saved_low_s\": 0.0,\n"
                          "  \"saved_high_s\": 0.0,\n"
                          "  \"phases\": [\n"
                          "    {\n"
                          "      \"phase\": 0,\n"
                          "      \"name\": \"map\",\n"
                          "      \"tasks\": 2,\n"
                          "      \"done\": 2,\n"
                          "      \"given_up\": 0,\n"
                          "      \"attempts\": {\n"
                          "        \"first\": 2,\n"
                          "        \"clone\": 0,\n"
                          "        \"backup\": 0,\n"
                          "        \"restart\": 0,\n"
                          "        \"recompute\": 0\n"
                          "      },\n"
                          "      \"opened_s\": 5.0,\n"
                          "      \"begun_s\": 10.0,\n"
                          "      \"ended_s\": 20.0,\n"
                          "      \"standing\": null,\n"
                          "      \"cloned\": false,\n"
                          "      \"why\": null,\n"
                          "      \"verdicts\": [],\n"
                          "      \"median_s\": 10.0,\n"
                          "      \"stragglers\": 0,\n"
                          "      \"won_by_extra\": 0,\n"
                          "      \"beat_straggler\": 0,\n"
                          "      \"beat_unknown\": 0,\n"
                          "      \"unsure\": 0,\n"
                          "      \"straggling_s\": 0.0,\n"
                          "      \"saved_at_least_s\": 0.0,\n"
                          "      \"saved_about_s\": 0.0,\n"
                          "      \"saved_low_s\": 0.0,\n"
                          "      \"saved_high_s\": 0.0,\n"
                          "      \"slowest\": {\n"
                          "        \"task\": 0,\n"
                          "        \"command\": null,\n"
                          "        \"done_s\": 20.0,\n"
                          "        \"behind_s\": 0.0,\n"
                          "        \"late_s\": 0.0,\n"
                          "        \"again_s\": 0.0,\n"
                          "        \"noticed_s\": 0.0,\n"
                          "        \"read_s\": 0.0,\n"
                          "        \"skew_s\": 0.0,\n"
                          "        \"slow_s\": 0.0,\n"
                          "        \"ratio\": 1.0,\n"
                          "        \"bytes\": 0,\n"
                          "        \"node_others\": 0,\n"
                          "        \"node_slow\": 0\n"
                          "      }\n"
                          "    }\n"
                          "  ]\n"
                          "}\n"));
    expect(command_prints(cmd_explain, "explain run sort/map --json",
                          "{\n"
                          "  \"journal\": \"run\",\n"
                          "  \"policy\": "
                          "\"order=fair,within=index,place=any,mitigate=none,shuffle=cc,protect="
                          "none,screen=none;policy.failures_max=4;policy.launches_max=1000;policy."
                          "cap=1;policy.cap_window=3600000000us\",\n"
                          "  \"body\": \"sim\",\n"
                          "  \"seed\": 1,\n"
                          "  \"complete\": true,\n"
                          "  \"torn_bytes\": 0,\n"
                          "  \"last_s\": 35.0,\n"
                          "  \"job\": 0,\n"
                          "  \"name\": \"sort\",\n"
                          "  \"jobs_of_that_name\": 1,\n"
                          "  \"tasks\": 5,\n"
                          "  \"state\": \"done\",\n"
                          "  \"why\": {\n"
                          "    \"code\": \"all_committed\",\n"
                          "    \"tasks\": 5.0\n"
                          "  },\n"
                          "  \"arrived_s\": 0.0,\n"
                          "  \"submitted_s\": 0.0,\n"
                          "  \"begun_s\": 0.0,\n"
                          "  \"ended_s\": 35.0,\n"
                          "  \"standing\": null,\n"
                          "  \"phase\": {\n"
                          "    \"phase\": 0,\n"
                          "    \"name\": \"map\",\n"
                          "    \"tasks\": 4,\n"
                          "    \"done\": 4,\n"
                          "    \"given_up\": 0,\n"
                          "    \"attempts\": {\n"
                          "      \"first\": 4,\n"
                          "      \"clone\": 0,\n"
                          "      \"backup\": 0,\n"
                          "      \"restart\": 0,\n"
                          "      \"recompute\": 0\n"
                          "    },\n"
                          "    \"opened_s\": 0.0,\n"
                          "    \"begun_s\": 0.0,\n"
                          "    \"ended_s\": 30.0,\n"
                          "    \"standing\": null,\n"
                          "    \"cloned\": false,\n"
                          "    \"why\": null,\n"
                          "    \"verdicts\": [],\n"
                          "    \"median_s\": 10.0,\n"
                          "    \"stragglers\": 1,\n"
                          "    \"won_by_extra\": 0,\n"
                          "    \"beat_straggler\": 0,\n"
                          "    \"beat_unknown\": 0,\n"
                          "    \"unsure\": 0,\n"
                          "    \"straggling_s\": 20.0,\n"
                          "    \"saved_at_least_s\": 0.0,\n"
                          "    \"saved_about_s\": 0.0,\n"
                          "    \"saved_low_s\": 0.0,\n"
                          "    \"saved_high_s\": 0.0,\n"
                          "    \"slowest\": {\n"
                          "      \"task\": 3,\n"
                          "      \"command\": null,\n"
                          "      \"done_s\": 30.0,\n"
                          "      \"behind_s\": 20.0,\n"
                          "      \"late_s\": 0.0,\n"
                          "      \"again_s\": 0.0,\n"
                          "      \"noticed_s\": 0.0,\n"
                          "      \"read_s\": 0.0,\n"
                          "      \"skew_s\": 0.0,\n"
                          "      \"slow_s\": 20.0,\n"
                          "      \"ratio\": 3.0,\n"
                          "      \"bytes\": 0,\n"
                          "      \"node_others\": 1,\n"
                          "      \"node_slow\": 0\n"
                          "    }\n"
                          "  }\n"
                          "}\n"));
    expect(command_prints(cmd_explain, "explain --json run 0/1/0",
                          "{\n"
                          "  \"journal\": \"run\",\n"
                          "  \"policy\": "
                          "\"order=fair,within=index,place=any,mitigate=none,shuffle=cc,protect="
                          "none,screen=none;policy.failures_max=4;policy.launches_max=1000;policy."
                          "cap=1;policy.cap_window=3600000000us\",\n"
                          "  \"body\": \"sim\",\n"
                          "  \"seed\": 1,\n"
                          "  \"complete\": true,\n"
                          "  \"torn_bytes\": 0,\n"
                          "  \"last_s\": 35.0,\n"
                          "  \"job\": 0,\n"
                          "  \"name\": \"sort\",\n"
                          "  \"jobs_of_that_name\": 1,\n"
                          "  \"tasks\": 5,\n"
                          "  \"state\": \"done\",\n"
                          "  \"why\": {\n"
                          "    \"code\": \"all_committed\",\n"
                          "    \"tasks\": 5.0\n"
                          "  },\n"
                          "  \"arrived_s\": 0.0,\n"
                          "  \"submitted_s\": 0.0,\n"
                          "  \"begun_s\": 0.0,\n"
                          "  \"ended_s\": 35.0,\n"
                          "  \"standing\": null,\n"
                          "  \"phase\": 1,\n"
                          "  \"phase_name\": \"reduce\",\n"
                          "  \"task\": 0,\n"
                          "  \"command\": null,\n"
                          "  \"done_s\": 35.0,\n"
                          "  \"winner\": 0,\n"
                          "  \"failures\": 0,\n"
                          "  \"given_up\": false,\n"
                          "  \"outputs_lost\": 0,\n"
                          "  \"alone\": \"same\",\n"
                          "  \"alone_at_least_s\": 35.0,\n"
                          "  \"alone_about_s\": 35.0,\n"
                          "  \"alone_low_s\": 35.0,\n"
                          "  \"alone_high_s\": 35.0,\n"
                          "  \"attempts\": [\n"
                          "    {\n"
                          "      \"attempt\": 0,\n"
                          "      \"kind\": \"first\",\n"
                          "      \"why\": {\n"
                          "        \"code\": \"runnable\"\n"
                          "      },\n"
                          "      \"node\": \"n1\",\n"
                          "      \"launched_s\": 30.0,\n"
                          "      \"started_s\": 30.0,\n"
                          "      \"ended_s\": 35.0,\n"
                          "      \"ending\": \"attempt_finished\",\n"
                          "      \"won\": true,\n"
                          "      \"cause\": null,\n"
                          "      \"detail\": 0,\n"
                          "      \"stop_s\": null,\n"
                          "      \"stop_why\": null,\n"
                          "      \"progress\": null,\n"
                          "      \"stood_still_s\": 0.0,\n"
                          "      \"reads\": 1,\n"
                          "      \"reads_whole\": 1,\n"
                          "      \"reads_shared\": 0,\n"
                          "      \"reads_failed\": 0,\n"
                          "      \"given_s\": 30.0,\n"
                          "      \"fed_s\": 30.0\n"
                          "    }\n"
                          "  ]\n"
                          "}\n"));
    command_end(&f);
}

TEST(explain_names_what_there_is_where_something_is_not)
{
    static const char *const rows[][2] = {
        {"explain", "the journal's file is missing"},
        {"explain nothing", "nothing"},
        {"explain w", "w"},
        {"explain run grep", "no job 'grep'; it has 2 jobs, numbers 0 to 1, names sort, scan"},
        {"explain run 2", "no job '2'"},
        {"explain run sort/join", "has no phase 'join'; it has map (0), reduce (1)"},
        {"explain run sort/2", "has no phase '2'"},
        {"explain run sort/map/4", "has no task '4'; its tasks are 0 to 3"},
        {"explain run sort/map/-1", "has no task '-1'"},
        {"explain run sort//3", "expected JOB, JOB/PHASE or JOB/PHASE/TASK"},
        {"explain run sort/map/3/1", "expected JOB, JOB/PHASE or JOB/PHASE/TASK"},
        {"explain run sort scan", "one question at a time"},
    };
    struct command_folder f;
    open_run(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(cmd_explain, rows[i][0], 2, rows[i][1]));
    bool found = false; /* cut off before the first job has come */
    for (struct stat st; !found && stat("run", &st) == 0 && st.st_size > 16;) {
        char *why;
        expect(truncate("run", st.st_size - 16) == 0);
        int status = command_run(cmd_explain, "explain run sort", NULL, &why);
        found = status == 2 && strstr(why, "no job 'sort'; it has no jobs");
        mem_free(why);
    }
    expect(found);
    command_end(&f);
}

/* What the order knew of the job: 4 x 10 s and 5 s of work on four slots, and of the other job. */
TEST(explain_says_where_a_job_stood)
{
    static const char *const rows[][2] = {
        {"explain run sort", "\nWhen its first task was launched, it had 12.5 cluster-seconds of "
                             "work and 20 s along its longest path left.\n"},
        {"explain run scan/map", "\nWhen its first task was launched, the job had 5 cluster-"
                                 "seconds of work and 10 s along its longest path left.\n"},
        {"explain run sort --json", "  \"standing\": {\n"
                                    "    \"code\": \"standing\",\n"
                                    "    \"rank\": 0.0,\n"
                                    "    \"volume\": 12.5,\n"
                                    "    \"time_s\": 20.0\n"
                                    "  },\n"},
    };
    struct command_folder f;
    command_begin(&f);
    command_file("w", workload);
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster 2x2 --policy order=tetris --journal run", NULL,
                       NULL) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        expect(command_run(cmd_explain, rows[i][0], &text, NULL) == 0);
        expect(command_has_part(text, rows[i][1]));
        mem_free(text);
    }
    command_end(&f);
}

/* No more than eight names of jobs, or of phases, are listed. */
TEST(explain_lists_the_first_names)
{
    static const char first[] = "names a0, a1, a2, a3, a4, a5, a6, a7";
    for (int jobs = 8; jobs <= 9; jobs++) {
        struct command_folder f;
        struct str w = {0};
        char *why;
        command_begin(&f);
        for (int j = 0; j < jobs; j++) {
            str_addf(&w, "job a%d at=0s\n", j);
            for (int k = 0; k < jobs; k++)
                str_addf(&w, "  phase p%d tasks=1 size=1s\n", k);
        }
        command_file("w", w.text);
        str_free(&w);
        expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run",
                           NULL, NULL) == 0);
        expect(command_run(cmd_explain, "explain run nosuch", NULL, &why) == 2);
        const char *names = strstr(why, first);
        expect(names && strcmp(names + strlen(first), jobs > 8 ? ", ...\n" : "\n") == 0);
        mem_free(why);
        expect(command_run(cmd_explain, "explain run a0/nosuch", NULL, &why) == 2);
        names = strstr(why, "it has p0 (0), p1 (1), ");
        expect(names && strstr(names, jobs > 8 ? ", p7 (7), ...\n" : ", p7 (7)\n"));
        mem_free(why);
        command_end(&f);
    }
}

/* A task that is a twentieth behind was held up by nothing that has a name. */
TEST(explain_says_that_nothing_in_particular_held_up_a_task)
{
    struct command_folder f;
    char *out = NULL;
    command_begin(&f);
    command_file("w", "job sort at=0s\n"
                      "  phase map tasks=4 sizes=10s,10s,10s,10.5s\n"
                      "  phase more tasks=4 after=map size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_run(cmd_explain, "explain run sort", &out, NULL) == 0);
    const char *map = strstr(out, "The slowest task was 3: done at 10.5 s, 0.5 s after the median "
                                  "one.\n"
                                  "  Nothing in particular held it up.\n");
    const char *more = strstr(out, "\nPhase more (1)");
    expect(map && more && map < more);
    expect(strstr(more, "no later than the median one.\n") && !strstr(more, "in particular"));
    mem_free(out);
    command_end(&f);
}
