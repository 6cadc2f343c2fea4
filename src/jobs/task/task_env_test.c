/* The folder, the environment and the progress reports of a task's commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/task/native_object.h"
#include "jobs/task/task_state.h"
#include "tests/unit/command.h"

/* The value of a variable, which must be there once; "?" if it is not. */
static const char *value_of(char **env, const char *name)
{
    size_t length = strlen(name);
    const char *value = "?";
    int count = 0;

    for (; *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=') {
            value = *env + length + 1;
            count++;
        }
    return count == 1 ? value : "?";
}

static bool has(char **env, const char *name, const char *old, const char *value)
{
    return strcmp(value_of(env, name), value) == 0 && strcmp(value_of(env, old), value) == 0;
}

static void make_plan(struct task_plan *p)
{
    *p = (struct task_plan){.job = mem_strdup("a job"), .split_count = 12};
    plan_add_phase(p, "map", "cat")->partitions = 7;
    struct plan_phase *reduce = plan_add_phase(p, "reduce", "cat");
    reduce->above = 0;
    reduce->tasks = 7;
    vec_push(&p->env, mem_strdup("DOLLY_TEST_ENV=plan"));
    vec_push(&p->env, mem_strdup("DOLLY_TEST=x"));
}

TEST(task_env_has_the_names_of_hadoop)
{
    struct task_plan p;
    make_plan(&p);
    struct task_attempt t = {.plan = &p,
                             .phase = &p.phases.at[0],
                             .split = {.path = "/in", .from = 30, .bytes = 40},
                             .number = 5,
                             .attempt = 2};
    setenv("DOLLY_TEST_ENV", "ours", 1);
    setenv("DOLLY_TEST_ENV_2", "ours", 1);
    char **env = task_env_make(&t);
    expect(strcmp(value_of(env, "DOLLY_TEST_ENV"), "plan") == 0);
    expect(strcmp(value_of(env, "DOLLY_TEST_ENV_2"), "ours") == 0);
    expect(strcmp(value_of(env, "DOLLY_TEST"), "x") == 0);
    expect(strncmp(value_of(env, "PATH"), ".:", 2) == 0);
    expect(strcmp(value_of(env, "PATH") + 2, getenv("PATH")) == 0);
    expect(has(env, "mapreduce_job_name", "mapred_job_name", "a job"));
    expect(has(env, "mapreduce_job_id", "mapred_job_id", "job_0_0000"));
    expect(has(env, "mapreduce_job_maps", "mapred_map_tasks", "12"));
    expect(has(env, "mapreduce_job_reduces", "mapred_reduce_tasks", "7"));
    expect(has(env, "mapreduce_task_ismap", "mapred_task_is_map", "true"));
    expect(has(env, "mapreduce_task_partition", "mapred_task_partition", "5"));
    expect(has(env, "mapreduce_task_id", "mapred_tip_id", "task_0_0000_m_000005"));
    expect(has(env, "mapreduce_task_attempt_id", "mapred_task_id", "attempt_0_0000_m_000005_2"));
    expect(has(env, "mapreduce_map_input_file", "map_input_file", "/in"));
    expect(has(env, "mapreduce_map_input_start", "map_input_start", "30"));
    expect(has(env, "mapreduce_map_input_length", "map_input_length", "40"));
    task_env_free(env);
    /* A reducer, and a PATH in the plan. */
    t.phase = &p.phases.at[1];
    vec_push(&p.env, mem_strdup("PATH=/a:/b"));
    env = task_env_make(&t);
    expect(has(env, "mapreduce_task_ismap", "mapred_task_is_map", "false"));
    expect(has(env, "mapreduce_task_id", "mapred_tip_id", "task_0_0000_r_000005"));
    expect(has(env, "mapreduce_task_attempt_id", "mapred_task_id", "attempt_0_0000_r_000005_2"));
    expect(strcmp(value_of(env, "map_input_file"), "?") == 0);
    expect(strcmp(value_of(env, "PATH"), ".:/a:/b") == 0);
    task_env_free(env);
    /* No reducers. */
    p.phases.at[1].above = PLAN_INPUTS;
    env = task_env_make(&t);
    expect(has(env, "mapreduce_job_reduces", "mapred_reduce_tasks", "0"));
    task_env_free(env);
    plan_fini(&p);
    unsetenv("DOLLY_TEST_ENV");
    unsetenv("DOLLY_TEST_ENV_2");
}

/* Files are there under their names, and must be the same as when the job began. */
TEST(task_env_folder_has_the_files)
{
    struct command_folder f;
    char hash[NATIVE_OBJECT_HASH], text[8] = "", scratch[1024];
    struct task_plan p;
    struct err err;
    command_begin(&f);
    make_plan(&p);
    expect(getcwd(scratch, sizeof scratch) != NULL);
    struct task_attempt t = {.plan = &p, .phase = &p.phases.at[0], .scratch = scratch};
    command_file("script", "one");
    expect(native_object_hash("script", hash, &err) == 0);
    vec_push(&p.files, ((struct plan_file){mem_strdup("../script"), mem_strdup("any"), NULL}));
    expect(task_env_enter(&t, &err) == 0);
    expect(readlink("any", text, sizeof text) > 0 && memcmp(text, "../scrip", 8) == 0);
    expect(access("../work/any", R_OK) == 0);
    expect(task_env_enter(&t, &err) < 0 && strstr(err.text, "/work: File exists"));
    task_env_leave(&t);
    expect(chdir(scratch) == 0 && access("work", F_OK) < 0);
    p.files.at[0].hash = mem_strdup(hash);
    expect(task_env_enter(&t, &err) == 0);
    command_file("left", "by a command");
    task_env_leave(&t);
    expect(chdir(scratch) == 0 && access("work/any", F_OK) < 0 && access("work/left", F_OK) == 0);
    expect(unlink("work/left") == 0 && rmdir("work") == 0);
    command_file("script", "two");
    expect(task_env_enter(&t, &err) < 0);
    expect(strcmp(err.text, "../script: this file has changed since the job began") == 0);
    task_env_leave(&t);
    expect(chdir(scratch) == 0 && access("work", F_OK) < 0);
    plan_fini(&p);
    command_end(&f);
}

TEST(task_env_status_is_that_of_a_shell)
{
    expect(task_env_status(3 << 8) == 3 && task_env_status(9) == 137 && task_env_status(0) == 0);
}

/* After each whole hundredth, and never twice for the same. */
TEST(task_env_reports_progress_now_and_then)
{
    struct task_attempt t = {.progress = -1};
    char text[200] = "";
    int ends[2];
    expect(pipe(ends) == 0);
    task_env_progress(&t, 900, 1000); /* nobody asks */
    t.progress = ends[1];
    static const uint64_t done[] = {0, 10, 11, 12, 21, 22, 33};
    task_env_progress(&t, 50, 0);
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        task_env_progress(&t, done[i], 1000);
    expect(read(ends[0], text, sizeof text - 1) > 0);
    expect(strcmp(text, "11 1000\n22 1000\n33 1000\n") == 0);
    close(ends[0]);
    close(ends[1]);
}
