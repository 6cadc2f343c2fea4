#include "remote/fleet/slurm_jobs.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static int parse(struct slurm_jobs *jobs, const char *text, const char *name, int64_t id)
{
    struct err err;

    return slurm_jobs_parse(jobs, text, strlen(text), name, id, &err);
}

TEST(slurm_jobs_of_one_run_as_22_05_prints_them)
{
    struct slurm_jobs j;

    expect(
        parse(&j,
              "{\"meta\": {}, \"errors\": [], \"jobs\": ["
              "{\"job_id\": 1, \"name\": \"other\", \"comment\": \"1\","
              " \"job_state\": \"RUNNING\", \"node_count\": 9, \"end_time\": 5},"
              "{\"job_id\": 2, \"name\": \"dolly-7\", \"comment\": \"3\","
              " \"job_state\": \"RUNNING\", \"node_count\": 2, \"end_time\": 1794819126,"
              " \"submit_time\": 1794819006},"
              "{\"job_id\": 3, \"name\": \"dolly-7\", \"comment\": \"4\", \"job_state\":"
              " \"PENDING\", \"node_count\": 1, \"end_time\": 0, \"state_reason\": \"Priority\"},"
              "{\"job_id\": 4, \"name\": \"dolly-7\", \"comment\": \"x\","
              " \"job_state\": \"NODE_FAIL\", \"node_count\": null},"
              "{\"job_id\": 5, \"name\": \"dolly-7\", \"job_state\": \"COMPLETING\"}]}",
              "dolly-7", 0) == 0);
    expect(j.at.count == 4);
    expect(j.at.at[0].job == 2 && j.at.at[0].number == 3 && j.at.at[0].nodes == 2);
    expect(j.at.at[0].phase == BLOCKS_JOB_RUNS && j.at.at[0].end_us == 1794819126000000);
    expect(j.at.at[0].sent_us == 1794819006000000 && j.at.at[1].sent_us == 0);
    expect(j.at.at[1].phase == BLOCKS_JOB_WAITS && j.at.at[1].end_us == INT64_MAX);
    expect(strcmp(j.at.at[1].reason, "Priority") == 0);
    expect(j.at.at[2].phase == BLOCKS_JOB_OVER && j.at.at[2].number == 0 && j.at.at[2].nodes == 0);
    expect(strcmp(j.at.at[2].state, "NODE_FAIL") == 0);
    expect(j.at.at[3].phase == BLOCKS_JOB_ENDS && j.at.at[3].number == 0);
    slurm_jobs_fini(&j);
}

TEST(slurm_jobs_as_later_releases_print_them)
{
    struct slurm_jobs j;

    expect(parse(&j,
                 "{\"jobs\": [{\"job_id\": 8, \"name\": \"n\", \"comment\": \"2\","
                 "\"job_state\": [\"RUNNING\"], \"node_count\": {\"set\": true, \"infinite\":"
                 " false, \"number\": 4}, \"end_time\": {\"set\": true, \"infinite\": false,"
                 " \"number\": 100}}, {\"job_id\": 9, \"job_state\": [\"RUNNING\","
                 " \"COMPLETING\"], \"end_time\": {\"set\": true, \"infinite\": true,"
                 " \"number\": 0}}]}",
                 NULL, 8) == 0);
    expect(j.at.count == 1 && j.at.at[0].nodes == 4 && j.at.at[0].end_us == 100000000);
    expect(j.at.at[0].phase == BLOCKS_JOB_RUNS && j.at.at[0].number == 2);
    slurm_jobs_fini(&j);
}

TEST(slurm_jobs_run_wait_or_are_over_as_their_states_say)
{
    static const struct {
        const char *state;
        int phase;
    } all[] = {
        {"\"PENDING\"", BLOCKS_JOB_WAITS},      {"\"CONFIGURING\"", BLOCKS_JOB_WAITS},
        {"\"RUNNING\"", BLOCKS_JOB_RUNS},       {"\"SUSPENDED\"", BLOCKS_JOB_RUNS},
        {"\"COMPLETED\"", BLOCKS_JOB_OVER},     {"[\"RUNNING\", \"COMPLETING\"]", BLOCKS_JOB_ENDS},
        {"[3, \"PENDING\"]", BLOCKS_JOB_WAITS}, {"[]", BLOCKS_JOB_OVER},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct slurm_jobs j;
        char text[128];
        snprintf(text, sizeof text, "{\"jobs\": [{\"job_id\": 8, \"job_state\": %s}]}",
                 all[i].state);
        expect(parse(&j, text, NULL, 8) == 0 && j.at.count == 1);
        expect((int)j.at.at[0].phase == all[i].phase);
        slurm_jobs_fini(&j);
    }
}

/* A number that cannot be one is one that is not there. */
TEST(slurm_jobs_have_no_impossible_numbers)
{
    static const char *const numbers[] = {
        "\"comment\": \"0\"",
        "\"comment\": \"-1\"",
        "\"comment\": \"4294967295\"",
        "\"node_count\": -1",
        "\"node_count\": 4294967295",
        "\"end_time\": -1",
        "\"submit_time\": -1",
        "\"end_time\": 9223372036854775807",
        "\"submit_time\": 9223372036854775807",
        "\"end_time\": {\"set\": false, \"number\": 5}",
        "\"end_time\": {\"infinite\": true, \"number\": 5}",
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct slurm_jobs j;
        char text[128];
        snprintf(text, sizeof text, "{\"jobs\": [{\"job_id\": 8, %s}]}", numbers[i]);
        expect(parse(&j, text, NULL, 8) == 0 && j.at.count == 1);
        expect(j.at.at[0].number == 0 && j.at.at[0].nodes == 0);
        expect(j.at.at[0].end_us == INT64_MAX && j.at.at[0].sent_us == 0);
        expect(strcmp(j.at.at[0].state, "unknown") == 0);
        slurm_jobs_fini(&j);
    }
}

/* A user has to find out what Slurm printed instead. */
TEST(slurm_jobs_that_cannot_be_read_are_complained_of)
{
    struct slurm_jobs j;
    struct err err;

    expect(slurm_jobs_parse(&j, "{\n,", 3, "n", 0, &err) < 0);
    expect(strncmp(err.text, "squeue --json: line 2: ", 23) == 0 && err.text[23]);
    expect(slurm_jobs_parse(&j, "{}", 2, "n", 0, &err) < 0);
    expect(strcmp(err.text, "squeue --json: no list of jobs") == 0);
}

TEST(slurm_jobs_that_are_no_list)
{
    static const char *const bad[] = {
        "", "{", "[]", "{}", "{\"jobs\": 3}", "slurm_load_jobs error"};
    struct slurm_jobs j;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(parse(&j, bad[i], "n", 0) < 0);
    expect(parse(&j, "{\"jobs\": [1, \"x\", null, {\"name\": 3}, {\"name\": \"n\"}]}", "n", 0) ==
           0);
    expect(j.at.count == 1 && j.at.at[0].job == 0 && j.at.at[0].phase == BLOCKS_JOB_OVER);
    slurm_jobs_fini(&j);
}
