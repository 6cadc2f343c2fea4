#include "commands/commands.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/command.h"

/* The last change of a file; at this second, or before now. */
static void set_time(const char *path, time_t at, time_t ago)
{
    struct timespec times[2] = {{at ? at : time(NULL) - ago, 0}, {at ? at : time(NULL) - ago, 0}};
    expect(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void list_agents(const char *path)
{
    command_file(path, "n0\there\thost0\t4\t2\t150\tshared\t/tmp\t127.0.0.1:1\n"
                       "not a line\n"
                       "n1\tsilent\thost1\t16\t0\t12345\tpulled\t/scratch\t127.0.0.1:2\n");
    set_time(path, 4102444800, 0); /* later than now: no time has passed */
}

TEST(agents_are_printed_as_a_table_and_as_json)
{
    struct command_folder f;
    command_begin(&f);
    expect(mkdir("run", 0700) == 0);
    expect(command_fails(cmd_agents, "agents", 2, "the folder of a run is missing"));
    expect(command_fails(cmd_agents, "agents none", 2, "dolly: none: No such file or directory"));
    expect(command_fails(cmd_agents, "agents run", 2,
                         "dolly: run: no agents: the run is over, or does not use any"));
    command_file("run/agents", "");
    set_time("run/agents", 4102444800, 0);
    expect(
        command_prints(cmd_agents, "agents run",
                       "agent        state   host         cores running    heard files  scratch\n"
                       "No agent has connected yet.\n"));
    list_agents("run/agents");
    expect(command_prints(
        cmd_agents, "agents run",
        "agent        state   host         cores running    heard files  scratch\n"
        "n0           here    host0            4       2    0.1 s shared /tmp\n"
        "n1           silent  host1           16       0   12.3 s pulled /scratch\n"));
    expect(command_prints(cmd_agents, "agents run --json",
                          "{\n"
                          "  \"age_ms\": 0,\n"
                          "  \"agents\": [\n"
                          "    {\n"
                          "      \"name\": \"n0\",\n"
                          "      \"state\": \"here\",\n"
                          "      \"host\": \"host0\",\n"
                          "      \"cores\": 4,\n"
                          "      \"running\": 2,\n"
                          "      \"heard_ms\": 150,\n"
                          "      \"files\": \"shared\",\n"
                          "      \"scratch\": \"/tmp\",\n"
                          "      \"address\": \"127.0.0.1:1\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"n1\",\n"
                          "      \"state\": \"silent\",\n"
                          "      \"host\": \"host1\",\n"
                          "      \"cores\": 16,\n"
                          "      \"running\": 0,\n"
                          "      \"heard_ms\": 12345,\n"
                          "      \"files\": \"pulled\",\n"
                          "      \"scratch\": \"/scratch\",\n"
                          "      \"address\": \"127.0.0.1:2\"\n"
                          "    }\n"
                          "  ]\n"
                          "}\n"));
    expect(command_fails(cmd_agents, "agents run --tasks", 2,
                         "dolly: run: the journal does not exist yet"));
    command_end(&f);
}

/* A list that was written a while ago. */
TEST(agents_that_are_not_listed_any_more_are_old)
{
    static const char words[] = "s ago; the coordinator of the run has not reported since.\n";
    struct command_folder f;
    char *text;
    command_begin(&f);
    expect(mkdir("out", 0700) == 0 && mkdir("out/_temporary", 0700) == 0 &&
           mkdir("out/_temporary/run", 0700) == 0);
    list_agents("out/_temporary/run/agents");
    expect(command_run(cmd_agents, "agents out", &text, NULL) == 0 && !strstr(text, words));
    mem_free(text);
    set_time("out/_temporary/run/agents", 0, 1000);
    expect(command_run(cmd_agents, "agents out", &text, NULL) == 0);
    const char *line = strstr(text, "This was 10"); /* 1000 s, and the time of the test */
    expect(line && strlen(line) == strlen("This was 1000 ") + strlen(words) &&
           strcmp(line + strlen("This was 1000 "), words) == 0);
    expect(strstr(text, " 4       2 100") != NULL); /* 1000 s more than was listed, ... */
    expect(strstr(text, " 16       0 101") != NULL);
    mem_free(text);
    expect(command_run(cmd_agents, "agents out --json", &text, NULL) == 0 &&
           strstr(text, "\"age_ms\": 10") && !strstr(text, words));
    expect(strstr(text, "\"heard_ms\": 100") && strstr(text, "\"heard_ms\": 101"));
    mem_free(text);
    command_end(&f);
}

/* Half of a run: some tasks run. */
TEST(agents_run_tasks)
{
    struct command_folder f;
    struct stat st;
    command_begin(&f);
    expect(mkdir("run", 0700) == 0);
    list_agents("run/agents");
    command_file("w", "job sort at=0s\n"
                      "  phase map tasks=5 sizes=1s,10s,10s,30s,1s\n"
                      "job scan at=2s\n"
                      "  phase all tasks=2 size=10s\n");
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster 2x2 --policy none --journal run/journal", NULL,
                       NULL) == 0);
    expect(stat("run/journal", &st) == 0 && truncate("run/journal", st.st_size - 260) == 0);
    set_time("run/journal", 1000000000, 0);
    expect(command_prints(cmd_agents, "agents run --tasks",
                          "agent            task             since                 command\n"
                          "n0               sort/map/3       2001-09-09T01:46:30Z  \n"
                          "n0               scan/all/1       2001-09-09T01:46:40Z  \n"
                          "n1               scan/all/0       2001-09-09T01:46:32Z  \n"));
    expect(command_prints(cmd_agents, "agents run --tasks --json",
                          "{\n"
                          "  \"age_ms\": 0,\n"
                          "  \"agents\": [\n"
                          "    {\n"
                          "      \"name\": \"n0\",\n"
                          "      \"state\": \"here\",\n"
                          "      \"host\": \"host0\",\n"
                          "      \"cores\": 4,\n"
                          "      \"running\": 2,\n"
                          "      \"heard_ms\": 150,\n"
                          "      \"files\": \"shared\",\n"
                          "      \"scratch\": \"/tmp\",\n"
                          "      \"address\": \"127.0.0.1:1\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"n1\",\n"
                          "      \"state\": \"silent\",\n"
                          "      \"host\": \"host1\",\n"
                          "      \"cores\": 16,\n"
                          "      \"running\": 0,\n"
                          "      \"heard_ms\": 12345,\n"
                          "      \"files\": \"pulled\",\n"
                          "      \"scratch\": \"/scratch\",\n"
                          "      \"address\": \"127.0.0.1:2\"\n"
                          "    }\n"
                          "  ],\n"
                          "  \"tasks\": [\n"
                          "    {\n"
                          "      \"agent\": \"n0\",\n"
                          "      \"task\": \"sort/map/3\",\n"
                          "      \"attempt\": 0,\n"
                          "      \"since\": \"2001-09-09T01:46:30Z\",\n"
                          "      \"command\": null\n"
                          "    },\n"
                          "    {\n"
                          "      \"agent\": \"n0\",\n"
                          "      \"task\": \"scan/all/1\",\n"
                          "      \"attempt\": 0,\n"
                          "      \"since\": \"2001-09-09T01:46:40Z\",\n"
                          "      \"command\": null\n"
                          "    },\n"
                          "    {\n"
                          "      \"agent\": \"n1\",\n"
                          "      \"task\": \"scan/all/0\",\n"
                          "      \"attempt\": 0,\n"
                          "      \"since\": \"2001-09-09T01:46:32Z\",\n"
                          "      \"command\": null\n"
                          "    }\n"
                          "  ],\n"
                          "  \"waiting\": []\n"
                          "}\n"));
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run/j2",
                       NULL, NULL) == 0);
    expect(rename("run/j2", "run/journal") == 0);
    expect(command_prints(cmd_agents, "agents run --tasks", "No task runs.\n"));
    expect(command_prints(cmd_agents, "agents run --tasks --json",
                          "{\n"
                          "  \"age_ms\": 0,\n"
                          "  \"agents\": [\n"
                          "    {\n"
                          "      \"name\": \"n0\",\n"
                          "      \"state\": \"here\",\n"
                          "      \"host\": \"host0\",\n"
                          "      \"cores\": 4,\n"
                          "      \"running\": 2,\n"
                          "      \"heard_ms\": 150,\n"
                          "      \"files\": \"shared\",\n"
                          "      \"scratch\": \"/tmp\",\n"
                          "      \"address\": \"127.0.0.1:1\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"n1\",\n"
                          "      \"state\": \"silent\",\n"
                          "      \"host\": \"host1\",\n"
                          "      \"cores\": 16,\n"
                          "      \"running\": 0,\n"
                          "      \"heard_ms\": 12345,\n"
                          "      \"files\": \"pulled\",\n"
                          "      \"scratch\": \"/scratch\",\n"
                          "      \"address\": \"127.0.0.1:2\"\n"
                          "    }\n"
                          "  ],\n"
                          "  \"tasks\": [],\n"
                          "  \"waiting\": []\n"
                          "}\n"));
    command_file("run/journal", "no journal");
    expect(command_fails(cmd_agents, "agents run --tasks", 2,
                         "dolly: run/journal: not a journal of dolly"));
    expect(command_fails(cmd_agents, "agents run --tasks --json", 2,
                         "dolly: run/journal: not a journal of dolly"));
    command_end(&f);
}

/* What waits in Slurm's queue for the run: asked for by the name that the run has there. */
TEST(agents_wait_in_the_queue)
{
    struct command_folder f;
    char folder[1024], path[2048], *old = mem_strdup(getenv("PATH"));
    command_begin(&f);
    expect(getcwd(folder, sizeof folder) != NULL);
    snprintf(path, sizeof path, "%s:%s", folder, old);
    expect(mkdir("run", 0700) == 0 && setenv("PATH", path, 1) == 0);
    command_file("run/agents", "");
    command_file("w", "job a\n  phase p tasks=1 size=1s\n");
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster 1x1 --policy none --journal run/journal", NULL,
                       NULL) == 0);
    command_file("squeue", "#!/bin/sh\n"
                           "for word; do [ \"$word\" != --name=dolly-7x ] || name=dolly; done\n"
                           "echo \"7|1|N/A|$name\"\n"
                           "echo '8|12|2030-01-02T03:04:05|Priority|all'\n");
    expect(chmod("squeue", 0700) == 0);
    command_file("run/slurm-name", "other-7x");
    expect(command_prints(cmd_agents, "agents run --tasks", "No task runs.\n"));
    command_file("run/slurm-name", "dolly-7x");
    expect(command_prints(cmd_agents, "agents run --tasks",
                          "No task runs.\n"
                          "Slurm job 7 for 1 node waits: dolly; Slurm does not know when it will "
                          "start\n"
                          "Slurm job 8 for 12 nodes waits: Priority|all; it is expected to start "
                          "at 2030-01-02T03:04:05\n"));
    char *text;
    expect(command_run(cmd_agents, "agents run --tasks --json", &text, NULL) == 0);
    expect(strstr(text, "  \"waiting\": [\n"
                        "    {\n"
                        "      \"job\": \"7\",\n"
                        "      \"nodes\": \"1\",\n"
                        "      \"reason\": \"dolly\",\n"
                        "      \"start\": null\n"
                        "    },\n"
                        "    {\n"
                        "      \"job\": \"8\",\n"
                        "      \"nodes\": \"12\",\n"
                        "      \"reason\": \"Priority|all\",\n"
                        "      \"start\": \"2030-01-02T03:04:05\"\n"
                        "    }\n"
                        "  ]\n") != NULL);
    mem_free(text);
    command_file("squeue", "#!/bin/sh\nexit 1\n");
    expect(command_run(cmd_agents, "agents run --tasks", NULL, &text) == 0 &&
           strcmp(text, "dolly: squeue failed to list waiting jobs\n") == 0);
    mem_free(text);
    expect(setenv("PATH", old, 1) == 0);
    mem_free(old);
    command_end(&f);
}
