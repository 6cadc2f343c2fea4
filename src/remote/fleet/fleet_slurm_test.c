/* Commands of Slurm that are scripts: what they are asked, and what becomes of their answers. The
 * real ones are tried by tests/e2e/remote/slurm.sh. */
#include "remote/fleet/fleet_ways.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

#include "remote/fleet/fleet_slurm_stage_test.h"

TEST(fleet_slurm_submits_a_block_and_cancels_by_name)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo '17;main'");
    stage_command(s, "squeue", "echo '{\"jobs\": []}'");
    stage_command(s, "scancel", "");
    s->options.extra = "-p main --time '1:00 '";
    mode_t before = umask(0);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(s->fleet && s->fleet->min == 2 && s->fleet->max == 4 && !s->fleet->last);
    expect(stage_until(s, NULL, "squeue"));
    umask(before);
    expect(test_mode(path_of("%s/slurm-name", s->dir).text) == 0600);
    expect(test_mode(path_of("%s/agents.sh", s->dir).text) == 0700); /* for its user alone */
    const char *log = stage_text(s, "log");
    expect(strstr(log, "sbatch\n--parsable\n-p\nmain\n--time\n1:00 \n--job-name=dolly-") == log);
    expect(strstr(log, "\n--comment=1\n--nodes=2\n--ntasks-per-node=1\n--no-kill\n--no-requeue\n"
                       "--output=") != NULL);
    expect(strstr(log, "agents.sh\n/keys/k 1\n/opt/do lly\nkeeper\n") != NULL);
    expect(strstr(log, "\nsrun\n--overlap\n--ntasks-per-node=1\n--no-kill\n"
                       "--kill-on-bad-exit=0\nsh\n-c\n") != NULL);
    expect(strstr(log, "\nb1\n/opt/do lly\nagent\n--connect\nlogin:7\n--connect-file\n/keys/at\n"
                       "--key-fd\n0\n") != NULL);
    expect(strstr(log, "aaaa") == NULL); /* the key */
    s->fleet->close(s->fleet);
    s->fleet = NULL;
    expect(strstr(stage_text(s, "log"), "scancel\n--me\n--name=dolly-") != NULL);
    expect(!s->notes.length);
    stage_close(s);
}

TEST(fleet_slurm_gives_the_words_of_sbatch)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 'sbatch: error: invalid partition specified: no' >&2\nexit 1");
    stage_command(s, "squeue", "echo '{\"jobs\": []}'");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->ended, "b*: sbatch: error: invalid partition specified: no\n"));
    expect(!s->fleet->hopes(s->fleet));
    expect(!strstr(stage_text(s, "log"), "squeue"));
    stage_close(s);
}

TEST(fleet_slurm_looks_before_it_submits_again)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch",
                  "echo 'sbatch: error: Unable to contact slurm controller' >&2\nexit 1");
    /* The first list fails too; the second shows that the job is there all the same. */
    stage_command(s, "squeue",
                  "dir=${0%/bin/*}\n"
                  "[ -e $dir/once ] || { : >$dir/once; exit 1; }\n"
                  "name=$(cat $dir/slurm-name)\n"
                  "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 5, \\\"name\\\": \\\"$name\\\","
                  "\\\"comment\\\": \\\"1\\\", \\\"job_state\\\": \\\"PENDING\\\","
                  "\\\"state_reason\\\": \\\"Priority\\\", \\\"node_count\\\": 2}]}\"");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority\n"));
    const char *first = strstr(stage_text(s, "log"), "sbatch\n");
    expect(first && !strstr(first + 1, "sbatch\n"));
    stage_close(s);
}

TEST(fleet_slurm_says_that_clocks_differ)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_command(s, "squeue",
                  "name=$(cat ${0%/bin/*}/slurm-name)\n"
                  "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 5, \\\"name\\\": \\\"$name\\\","
                  "\\\"comment\\\": \\\"1\\\", \\\"job_state\\\": \\\"RUNNING\\\","
                  "\\\"end_time\\\": $(($(date +%s) + 3630)),"
                  "\\\"submit_time\\\": $(($(date +%s) + 3600)), \\\"node_count\\\": 2}]}\"");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    /* Its limit is in 30 s by its own clock, less than what --drain says. */
    expect(stage_until(s, &s->drained, "b1.* 1\n"));
    expect(s->notes.text && strstr(s->notes.text, "Slurm's clock and this one differ by 3"));
    stage_close(s);
}

TEST(fleet_slurm_says_that_a_block_has_ended)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "FAILED");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 ended (FAILED) before an agent connected; "));
    stage_close(s);
}

TEST(fleet_slurm_says_what_a_block_waits_for)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "PENDING\\\", \\\"state_reason\\\": \\\"Priority");
    stage_command(s, "scancel", "exit 1");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority"));
    expect(s->fleet->hopes(s->fleet) && !strstr(s->notes.text, "scancel"));
    stage_close(s);
}

/* Its time limit is near, and nobody came: it is given back, which is nothing to complain about. */
TEST(fleet_slurm_says_nothing_of_blocks_that_it_gives_back)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "[ -e ${0%/bin/*}/once ] && echo 6 || echo 5\n: >${0%/bin/*}/once");
    stage_block(s, "RUNNING");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "scancel\n5\n"));
    expect(stage_until(s, NULL, "--comment=2\n"));
    expect(s->drained.length && !s->ended.length && !s->notes.length);
    stage_close(s);
}

/* ---- what a user hears of batch jobs ---- */

TEST(fleet_slurm_says_once_that_slurm_does_not_answer_and_that_it_does_again)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_command(s, "scancel", "");
    /* Answers that are none, then one. */
    stage_command(s, "squeue",
                  "dir=${0%/bin/*}; name=$(cat $dir/slurm-name); echo x >>$dir/asked\n"
                  "case $(wc -l <$dir/asked) in 1) exit 1;; 2) echo nonsense; exit;;"
                  " 3) echo 'squeue: error: down' >&2; exit 1;; esac\n"
                  "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 5, \\\"name\\\": \\\"$name\\\","
                  "\\\"comment\\\": \\\"1\\\", \\\"job_state\\\": \\\"PENDING\\\","
                  "\\\"state_reason\\\": \\\"Priority\\\", \\\"node_count\\\": 2}]}\"");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority\n"));
    expect(stage_noted(s, "Slurm does not answer (") == 1);
    expect(stage_noted(s, "; agents that are connected keep running\n") == 1);
    expect(stage_noted(s, "Slurm answers again\n") == 1);
    expect(strstr(s->notes.text, "does not answer") < strstr(s->notes.text, "answers again"));
    stage_close(s);
}

/* The agents of block 1, which have names by it, are there; those of others are none of it. */
TEST(fleet_slurm_knows_its_agents_by_their_names)
{
    struct stage *s = stage_open();
    struct fleet_agent here[] = {{"x1.n1", true}, {"b1.n2", true}};

    stage_command(s, "sbatch", "echo 5");
    stage_command(s, "scancel", "");
    stage_block(s, "RUNNING");
    s->options.drain_us = 1000000;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "squeue\n"));
    s->need = (struct fleet_need){.agents = here, .connected = 2};
    s->fleet->turn(s->fleet, &s->need);
    stage_block(s, "NODE_FAIL");
    s->need.connected = 0;
    /* It had agents: who waits for those hears of its end, and nobody is asked to look. */
    expect(stage_until(s, &s->ended, "b1.*: Slurm job 5 ended (NODE_FAIL)\n"));
    expect(!s->notes.length);
    stage_close(s);
}

/* What a job has written says why no agent came of it; an empty file says nothing, and goes. */
TEST(fleet_slurm_names_the_output_of_a_block_that_came_to_nothing)
{
    struct stage *s = stage_open();
    char path[128];

    stage_command(s, "scancel", "");
    stage_command(s, "sbatch", "echo why >${0%/bin/*}/slurm-5.out; echo 5");
    stage_block(s, "FAILED");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 ended (FAILED) before an agent connected: see "));
    snprintf(path, sizeof path, "%s/slurm-5.out\n", s->dir);
    expect(strstr(s->notes.text, path) && strcmp(stage_text(s, "slurm-5.out"), "why\n") == 0);
    stage_close(s);
    s = stage_open();
    stage_command(s, "scancel", "");
    stage_command(s, "sbatch", ": >${0%/bin/*}/slurm-5.out; echo 5");
    stage_block(s, "FAILED");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 ended (FAILED) before an agent connected: see "));
    snprintf(path, sizeof path, "%s/slurm-5.out", s->dir);
    expect(access(path, F_OK) < 0);
    stage_close(s);
}

/* A coordinator that resumes a run has the name of its jobs, and looks for them first. */
TEST(fleet_slurm_takes_over_the_jobs_of_an_earlier_coordinator)
{
    struct stage *s = stage_open();
    char path[128];

    stage_command(s, "sbatch", "echo 6");
    stage_command(s, "scancel", "");
    stage_block(s, "PENDING\\\", \\\"state_reason\\\": \\\"Priority");
    snprintf(path, sizeof path, "printf dolly-00ff >%s/slurm-name", s->dir);
    expect(system(path) == 0);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority\n"));
    const char *log = stage_text(s, "log");
    expect(strstr(log, "squeue\n--json\n--me\n--name=dolly-00ff\n--states=all\n") == log);
    expect(!strstr(log, "sbatch"));
    stage_close(s);
}

TEST(fleet_slurm_has_no_hope_where_its_files_are_damaged)
{
    struct stage *s = stage_open();
    char command[128];

    stage_command(s, "sbatch", "echo 6");
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    snprintf(command, sizeof command, "echo nonsense >%s/slurm-name", s->dir);
    expect(system(command) == 0);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->ended, "the name of this run's Slurm jobs is damaged\n"));
    expect(!s->fleet->hopes(s->fleet) && !*stage_text(s, "log"));
    stage_close(s);
    s = stage_open();
    stage_command(s, "sbatch", "");
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    s->options.dir = "/no/such/folder";
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->ended, "b*: /no/such/folder/slurm-name: No such file"));
    expect(!s->fleet->hopes(s->fleet) && !*stage_text(s, "log"));
    stage_close(s);
}

/* Each file that it leaves in the folder is there, or nothing is submitted. */
TEST(fleet_slurm_has_no_hope_where_its_files_cannot_be_written)
{
    static const struct {
        const char *call;
        int64_t at;
        const char *why;
    } cases[] = {{"open", 2, "slurm-name: Permission denied\n"},
                 {"open", 3, "agents.sh: Permission denied\n"},
                 {"fsync", 1, "slurm-name: Permission denied\n"},
                 {"fsync", 2, "agents.sh: Permission denied\n"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage *s = stage_open();
        int64_t count = 0;
        struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                .at = cases[i].at,
                                .error = EACCES,
                                .count = &count,
                                .call = cases[i].call};
        stage_command(s, "sbatch", "");
        stage_command(s, "squeue", "");
        stage_command(s, "scancel", "");
        s->fleet = fleet_slurm_open(&s->options, &s->err);
        sys_plan_set(&plan);
        s->fleet->turn(s->fleet, &s->need);
        sys_plan_set(NULL);
        expect(s->ended.text && strstr(s->ended.text, cases[i].why));
        expect(!s->fleet->hopes(s->fleet) && !*stage_text(s, "log"));
        stage_close(s);
    }
}

/* Refused when it asks for more, the fleet goes on with what it has. */
TEST(fleet_slurm_says_that_it_gets_no_more_nodes)
{
    struct stage *s = stage_open();
    struct fleet_agent here[] = {{"b1.n1", true}, {"b1.n2", true}};

    stage_command(s, "sbatch",
                  "[ -e ${0%/bin/*}/once ] && { echo 'sbatch: error: limit' >&2; exit 1; }\n"
                  ": >${0%/bin/*}/once; echo 5");
    stage_command(s, "scancel", "");
    stage_block(s, "RUNNING");
    s->options.spec = "2-4";
    s->options.grow_us = 0;
    s->options.drain_us = 1000000;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "squeue\n"));
    s->need = (struct fleet_need){.agents = here, .connected = 2, .waiting_us = 1000000};
    expect(stage_until(s, &s->notes, "Slurm grants no more nodes: sbatch: error: limit\n"));
    expect(strstr(stage_text(s, "log"), "--nodes=1-2\n") && s->fleet->hopes(s->fleet));
    stage_close(s);
}

/* A command that cannot be started is one without an answer. */
TEST(fleet_slurm_tries_again_what_cannot_be_started)
{
    struct stage *s = stage_open();
    int64_t count = 0;
    struct sys_plan plan = {
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EAGAIN, .count = &count, .call = "fork"};

    stage_command(s, "sbatch", "echo 5");
    stage_command(s, "scancel", "");
    stage_block(s, "PENDING\\\", \\\"state_reason\\\": \\\"Priority");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    sys_plan_set(&plan);
    s->fleet->turn(s->fleet, &s->need);
    sys_plan_set(NULL);
    expect(stage_noted(s, "sbatch cannot be started: Resource temporarily unavailable\n") == 1);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority\n"));
    stage_close(s);
}

/* ---- allocations ---- */

/* We are in an allocation of three nodes that is ours for 30 s. */
static void stage_allocation(struct stage *s)
{
    static char program[128];

    stage_command(s, "srun", "cat >>${0%/bin/*}/log\necho 'srun: error: n2: Killed' >&2\nexit 137");
    stage_command(s, "squeue",
                  "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 42, \\\"end_time\\\":"
                  " $(($(date +%s) + 30)), \\\"job_state\\\": \\\"RUNNING\\\"}]}\"");
    /* Our program as a keeper: it logs what it is told, and becomes the command. */
    stage_command(s, "dolly", "shift 4\nexec \"$@\"");
    snprintf(program, sizeof program, "%s/dolly", s->bin);
    s->options.program = program;
    s->options.stays = true;
    s->options.linger = "5s";
    setenv("SLURM_JOB_ID", "42", 1);
    setenv("SLURM_JOB_NUM_NODES", "3", 1);
    s->options.spec = "2-10";
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(s->fleet && s->fleet->min == 3 && s->fleet->max == 10);
}

TEST(fleet_slurm_takes_the_nodes_of_its_allocation)
{
    struct stage *s = stage_open();
    char keeper[128];
    mode_t before = umask(0);

    stage_allocation(s);
    umask(before);
    expect(test_mode(path_of("%s/agents.job", s->dir).text) == 0600);
    expect(strcmp(stage_text(s, "agents.job"), "42") == 0); /* for the next coordinator */
    expect(
        stage_until(s, &s->ended, "a.*: srun exited with status 137: srun: error: n2: Killed\n"));
    const char *log = stage_text(s, "log");
    snprintf(keeper, sizeof keeper, "dolly\nkeeper\n%s\n/keys/at\n5s\nsrun\n", s->dir);
    expect(strstr(log, keeper) != NULL);
    expect(strstr(log, "srun\n--overlap\n--ntasks-per-node=1\n--no-kill\n--kill-on-bad-exit=0\n"
                       "--jobid=42\n--nodes=3\n--ntasks=3\nsh\n-c\n") != NULL);
    expect(strstr(log, "aaaa") != NULL); /* the key came through standard input */
    expect(stage_until(s, &s->drained, "a.* 1\n"));
    stage_close(s);
}

/* A key that is sealed is sent instead of the one that is not. */
TEST(fleet_slurm_sends_the_sealed_key)
{
    struct stage *s = stage_open();

    s->options.sealed = "MUNGE:zzz:";
    stage_allocation(s);
    expect(stage_until(s, NULL, "MUNGE:zzz:"));
    expect(!strstr(stage_text(s, "log"), "aaaa"));
    stage_close(s);
    s = stage_open();
    s->options.sealed_file = "/keys/sealed";
    stage_command(s, "sbatch", "echo 5");
    stage_command(s, "scancel", "");
    stage_block(s, "PENDING");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "/agents.sh\n/keys/sealed\n"));
    stage_close(s);
}

/* srun is told which nodes have an agent: it would start a second one there. */
TEST(fleet_slurm_leaves_out_nodes_that_have_an_agent)
{
    struct stage *s = stage_open();
    struct fleet_agent here[] = {{"a.n1", true}, {"b1.n9", true}, {"a.n3", false}};

    stage_allocation(s);
    s->need = (struct fleet_need){.agents = here, .connected = 3};
    s->fleet->turn(s->fleet, &s->need); /* all are there */
    s->fleet->close(s->fleet);
    s->options.spec = "4";
    setenv("SLURM_JOB_NUM_NODES", "4", 1);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "--nodes=1\n--ntasks=1\n--exclude=n1,n3\nsh\n"));
    stage_close(s);
}

static int64_t drain_left_us;
static void on_stage_drain(void *ctx, const char *name, int64_t left_us)
{
    drain_left_us = left_us;
    stage_drain(ctx, name, left_us);
}

/* All agents are there: when it looks again, once the controller has answered. */
static int64_t stage_rests(struct stage *s)
{
    struct fleet_agent all[] = {{"a.n1", true}, {"a.n2", true}, {"a.n3", true}};
    int64_t left_us = 0;

    s->need = (struct fleet_need){.agents = all, .connected = 3};
    expect(stage_until(s, NULL, "squeue\n"));
    for (int64_t until_us = clock_now_us() + 60000000;
         left_us < 33000000 && clock_now_us() < until_us; usleep(5000)) {
        int64_t before_us = clock_now_us();
        left_us = s->fleet->turn(s->fleet, &s->need) - before_us;
    }
    s->need = (struct fleet_need){0};
    return left_us;
}

/* It asks each minute, and is there when the time comes to leave. */
TEST(fleet_slurm_looks_when_its_allocation_ends)
{
    static const char *const squeues[] = {
        "exit 1", "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 42, \\\"end_time\\\":"
                  " $(($(date +%s) + 110)), \\\"job_state\\\": \\\"RUNNING\\\"}]}\""};

    for (int i = 0; i < 2; i++) {
        struct stage *s = stage_open();
        stage_allocation(s);
        stage_command(s, "squeue", squeues[i]);
        int64_t rest_us = stage_rests(s);
        expect(rest_us > 33000000 && rest_us <= (i == 0 ? 61000000 : 51000000));
        expect(!s->drained.length && strstr(stage_text(s, "log"), "squeue\n--json\n--jobs\n42\n"));
        s->fleet->event(s->fleet, 0); /* of the tool, and of nothing */
        s->fleet->event(s->fleet, 100000);
        stage_close(s);
    }
    struct stage *s = stage_open();
    stage_allocation(s);
    s->fleet->close(s->fleet);
    s->options.on_drain = on_stage_drain;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->drained, "a.* 1\n"));
    expect(drain_left_us > 0 && drain_left_us <= 31000000);
    stage_close(s);
}

/* Nothing more is started in an allocation that soon ends, and agents that were there leave. */
TEST(fleet_slurm_has_no_hope_when_the_last_agent_has_left_at_the_limit)
{
    struct stage *s = stage_open();
    struct fleet_agent last = {"a.n1", true};

    stage_allocation(s);
    s->need = (struct fleet_need){.agents = &last, .connected = 1};
    expect(stage_until(s, &s->drained, "a.* 1\n") && s->fleet->hopes(s->fleet));
    expect(s->fleet->last);
    s->need.connected = 0;
    s->fleet->turn(s->fleet, &s->need);
    expect(!s->fleet->hopes(s->fleet));
    stage_close(s);
}

/* An allocation that is gone, or where no agent can ever run, is no hope at all; other ends are. */
TEST(fleet_slurm_gives_up_an_allocation_that_is_gone)
{
    static const struct {
        const char *srun;
        bool hopes;
    } cases[] = {
        {"echo 'srun: error: Unable to create step: Expired or invalid job 42' >&2; exit 1", false},
        {"echo 'srun: error: Invalid job id specified' >&2; exit 1", false},
        {"exit 2", false}, /* FLEET_STATUS_NEVER */
        {"exit 1", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage *s = stage_open();
        stage_allocation(s);
        stage_command(s, "squeue", "exit 1");
        stage_command(s, "srun", cases[i].srun);
        expect(stage_until(s, &s->ended, "a.*: srun exited with status "));
        expect(s->fleet->hopes(s->fleet) == cases[i].hopes && !s->drained.length);
        stage_close(s);
    }
}

/* A step whose agents have left as they were told to is nothing to speak of. */
TEST(fleet_slurm_says_nothing_of_a_step_that_ends_well)
{
    struct stage *s = stage_open();
    struct epoll_event e[4];
    char path[128];
    bool there = false;

    stage_allocation(s);
    stage_command(s, "squeue", "exit 1");
    stage_command(s, "srun", "echo 'srun: leaving' >&2");
    snprintf(path, sizeof path, "%s/srun-1.err", s->dir);
    for (int64_t until_us = clock_now_us() + 60000000;
         (!there || access(path, F_OK) == 0) && clock_now_us() < until_us;) {
        s->fleet->turn(s->fleet, &s->need);
        there = there || access(path, F_OK) == 0;
        int n = epoll_wait(s->options.epoll_fd, e, 4, 20);
        for (int i = 0; i < n; i++)
            s->fleet->event(s->fleet, (uint32_t)(e[i].data.u64 - s->options.epoll_tag));
    }
    expect(there && access(path, F_OK) < 0); /* its end was seen */
    expect(!s->ended.length && s->fleet->hopes(s->fleet));
    stage_close(s);
}

TEST(fleet_slurm_says_that_a_step_cannot_be_started)
{
    static const char *const calls[] = {"fork", "epoll_ctl"};

    for (int i = 0; i < 2; i++) {
        struct stage *s = stage_open();
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = calls[i]};
        stage_allocation(s);
        stage_command(s, "squeue", "exit 1");
        s->fleet->turn(s->fleet, &(struct fleet_need){.connected = 3}); /* asks for the limit */
        stage_close(s);
        s = stage_open();
        stage_allocation(s);
        /* The first is squeue's. */
        plan.at = i == 0 ? 2 : 4;
        sys_plan_set(&plan);
        s->fleet->turn(s->fleet, &s->need);
        sys_plan_set(NULL);
        expect(s->ended.text && strcmp(s->ended.text, "a.*: srun cannot be started: "
                                                      "Cannot allocate memory\n") == 0);
        stage_close(s);
    }
}

/* Agents of an earlier coordinator are waited for, if it had the same allocation. */
TEST(fleet_slurm_waits_for_agents_of_the_same_allocation)
{
    static const char *const jobs[] = {"421", "42", "4", "43",
                                       "4242424242424242424242424242424242424242424242"};

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct stage *s = stage_open();
        bool same = i == 1;
        char command[128];
        snprintf(command, sizeof command, "printf %s >%s/agents.job", jobs[i], s->dir);
        expect(system(command) == 0);
        s->options.again = true;
        stage_allocation(s);
        expect(strcmp(stage_text(s, "agents.job"), "42") == 0);
        s->fleet->turn(s->fleet, &s->need);
        expect((s->notes.length > 0) == same);
        expect(same || stage_until(s, NULL, "srun\n--overlap\n"));
        expect(!same || !strstr(stage_text(s, "log"), "srun\n"));
        uint32_t notes = (uint32_t)s->notes.length;
        s->fleet->turn(s->fleet, &s->need);
        expect(s->notes.length == notes); /* once */
        stage_close(s);
    }
}

TEST(fleet_slurm_refuses_what_cannot_be)
{
    struct stage *s = stage_open();

    setenv("PATH", s->bin, 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "sbatch is not in PATH"));
    stage_command(s, "srun", "");
    stage_command(s, "sbatch", "");
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    s->options.extra = "--time '1";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "a quote is not closed"));
    s->options.extra = "--time=1; reboot";
    expect(!fleet_slurm_open(&s->options, &s->err) &&
           strcmp(s->err.text, "--slurm '--time=1; reboot': quote characters that a shell would "
                               "act on") == 0);
    s->options.extra = "$(reboot)";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "are not run"));
    s->options.extra = NULL;
    setenv("SLURM_JOB_ID", "42", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "not an allocation"));
    setenv("SLURM_JOB_NUM_NODES", "1", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "(job 42) has 1 node"));
    setenv("SLURM_JOB_NUM_NODES", "2", 1);
    static const char *const wrong[][2] = {
        {"0", "2"}, {"-1", "2"}, {"x", "2"}, {"42", "0"}, {"42", "x"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SLURM_JOB_ID", wrong[i][0], 1);
        setenv("SLURM_JOB_NUM_NODES", wrong[i][1], 1);
        expect(!fleet_slurm_open(&s->options, &s->err));
        expect(strstr(s->err.text, "not an allocation"));
    }
    setenv("SLURM_JOB_ID", "42", 1);
    setenv("SLURM_JOB_NUM_NODES", "3", 1);
    s->options.spec = "5-9";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "(job 42) has 3 nodes"));
    s->options.spec = "1-2"; /* of which as many as may be are taken */
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(s->fleet && s->fleet->min == 2 && s->fleet->max == 2);
    s->fleet->close(s->fleet);
    s->fleet = NULL;
    s->options.spec = "many";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "many"));
    s->options.spec = "2";
    s->options.extra = "--mem=0";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "--slurm is for sbatch"));
    s->options.extra = NULL;
    setenv("SLURM_HET_SIZE", "2", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "is heterogeneous"));
    unsetenv("SLURM_HET_SIZE");
    stage_close(s);
}
