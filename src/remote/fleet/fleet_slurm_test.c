/* Commands of Slurm that are scripts: what they are asked, and what becomes of their answers. The
 * real ones are tried by tests/slurm.sh. */
#include "remote/fleet/fleet_slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/text.h"
#include "tests/test.h"

struct stage {
    char dir[64], bin[80];
    char *path; /* PATH as it was */
    struct fleet_options options;
    struct fleet *fleet;
    struct err err;
    struct str ended, drained, notes; /* what the fleet has told */
    struct fleet_need need;           /* what it is told */
};

static void stage_ended(void *ctx, const char *name, const char *why)
{
    str_addf(&((struct stage *)ctx)->ended, "%s: %s\n", name, why);
}

static void stage_drain(void *ctx, const char *name, int64_t left_us)
{
    str_addf(&((struct stage *)ctx)->drained, "%s %d\n", name, left_us > 0);
}

static void stage_note(void *ctx, const char *text)
{
    str_addf(&((struct stage *)ctx)->notes, "%s\n", text);
}

/* A command that logs its words, one per line, and then does this. */
static void stage_command(struct stage *s, const char *name, const char *body)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", s->bin, name);
    FILE *f = fopen(path, "w");
    expect(f != NULL);
    fprintf(f, "#!/bin/sh\nprintf '%%s\\n' %s \"$@\" >>%s/log\n%s\n", name, s->dir, body);
    fclose(f);
    chmod(path, 0700);
}

/* The text of a file of the folder; valid until the next call. */
static const char *stage_text(struct stage *s, const char *name)
{
    static char text[8192];
    char path[128];
    size_t n = 0;

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

static struct stage *stage_open(void)
{
    static struct stage s;
    static char key[FLEET_KEY_TEXT + 1];
    struct str path = {0};

    s = (struct stage){.path = getenv("PATH") ? strdup(getenv("PATH")) : NULL};
    snprintf(s.dir, sizeof s.dir, "/tmp/fleet.XXXXXX");
    expect(mkdtemp(s.dir) != NULL);
    snprintf(s.bin, sizeof s.bin, "%s/bin", s.dir);
    mkdir(s.bin, 0700);
    str_addf(&path, "%s:%s", s.bin, s.path ? s.path : "/usr/bin:/bin");
    setenv("PATH", path.text, 1);
    str_free(&path);
    memset(key, 'a', FLEET_KEY_TEXT - 1);
    key[FLEET_KEY_TEXT - 1] = '\n';
    s.options = (struct fleet_options){.spec = "2",
                                       .grow_us = 30000000,
                                       .idle_us = 120000000,
                                       .drain_us = 60000000,
                                       .host = "login",
                                       .port = 7,
                                       .key = key,
                                       .key_file = "/keys/k 1",
                                       .at_file = "/keys/at",
                                       .program = "/opt/do lly",
                                       .dir = s.dir,
                                       .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                                       .source = 100,
                                       .ctx = &s,
                                       .on_ended = stage_ended,
                                       .on_drain = stage_drain,
                                       .on_note = stage_note};
    return &s;
}

/* Runs the fleet until the text stands in the log, or what it told, for a minute at most. */
static bool stage_until(struct stage *s, struct str *told, const char *text)
{
    int64_t end_us = clock_now_us() + 60000000;
    struct epoll_event e[4];

    while (clock_now_us() < end_us) {
        s->fleet->turn(s->fleet, &s->need);
        int n = epoll_wait(s->options.epoll_fd, e, 4, 20);
        for (int i = 0; i < n; i++)
            s->fleet->event(s->fleet, (uint32_t)(e[i].data.u64 - s->options.source));
        if (strstr(told ? (told->text ? told->text : "") : stage_text(s, "log"), text))
            return true;
    }
    return false;
}

static void stage_close(struct stage *s)
{
    char command[128];

    if (s->fleet)
        s->fleet->close(s->fleet);
    close(s->options.epoll_fd);
    if (s->path)
        setenv("PATH", s->path, 1);
    free(s->path);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_NUM_NODES");
    str_free(&s->ended);
    str_free(&s->drained);
    str_free(&s->notes);
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

TEST(fleet_slurm_submits_a_block_and_cancels_by_name)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo '17;main'");
    stage_command(s, "squeue", "echo '{\"jobs\": []}'");
    stage_command(s, "scancel", "");
    s->options.extra = "-p main --time '1:00 '";
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(s->fleet && s->fleet->min == 2 && s->fleet->max == 4 && !s->fleet->last);
    expect(stage_until(s, NULL, "squeue"));
    const char *log = stage_text(s, "log");
    expect(strstr(log, "sbatch\n--parsable\n-p\nmain\n--time\n1:00 \n--job-name=dolly-") == log);
    expect(strstr(log, "--comment=1\n--nodes=2\n") != NULL);
    expect(strstr(log, "agents.sh\n/keys/k 1\n/opt/do lly\nwarden\n") != NULL);
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
    expect(s->notes.text && strstr(s->notes.text, "Slurm's clock and ours differ by 3"));
    stage_close(s);
}

/* A list of squeue with block 1, as job 5, in this state. */
static void stage_block(struct stage *s, const char *state)
{
    char body[512];

    snprintf(body, sizeof body,
             "name=$(cat ${0%%/bin/*}/slurm-name)\n"
             "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 5, \\\"name\\\": \\\"$name\\\","
             "\\\"comment\\\": \\\"1\\\", \\\"job_state\\\": \\\"%s\\\","
             "\\\"end_time\\\": $(($(date +%%s) + 30)), \\\"node_count\\\": 2}]}\"",
             state);
    stage_command(s, "squeue", body);
}

TEST(fleet_slurm_says_that_a_block_has_ended)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "FAILED");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 ended (FAILED) before an agent connected: do "));
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
    expect(s->fleet->hopes(s->fleet) && !strstr(s->notes.text, "did not answer"));
    s->fleet->close(s->fleet);
    s->fleet = NULL;
    expect(strstr(s->notes.text, "Slurm did not answer; what is left of this run goes with: "
                                 "scancel --me --name=dolly-"));
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

/* We are in an allocation of three nodes that is ours for 30 s. */
static void stage_allocation(struct stage *s)
{
    static char program[128];

    stage_command(s, "srun", "cat >>${0%/bin/*}/log\necho 'srun: error: n2: Killed' >&2\nexit 137");
    stage_command(s, "squeue",
                  "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 42, \\\"end_time\\\":"
                  " $(($(date +%s) + 30)), \\\"job_state\\\": \\\"RUNNING\\\"}]}\"");
    /* Our program as a warden: it logs what it is told, and becomes the command. */
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
    char warden[128];
    struct stat st;

    stage_allocation(s);
    snprintf(warden, sizeof warden, "%s/agents.job", s->dir);
    expect(stat(warden, &st) == 0 && (st.st_mode & 0777) == 0600);
    expect(stage_until(s, &s->ended, "a.*: srun left with status 137: srun: error: n2: Killed\n"));
    const char *log = stage_text(s, "log");
    snprintf(warden, sizeof warden, "dolly\nwarden\n%s\n/keys/at\n5s\nsrun\n", s->dir);
    expect(strstr(log, warden) != NULL);
    expect(strstr(log, "srun\n--overlap\n--ntasks-per-node=1\n--no-kill\n--kill-on-bad-exit=0\n"
                       "--jobid=42\n--nodes=3\n--ntasks=3\nsh\n-c\n") != NULL);
    expect(strstr(log, "aaaa") != NULL); /* the key came through standard input */
    expect(stage_until(s, &s->drained, "a.* 1\n"));
    stage_close(s);
}

/* srun is told which nodes have an agent: it would start a second one there. */
TEST(fleet_slurm_leaves_out_nodes_that_have_an_agent)
{
    struct stage *s = stage_open();
    struct fleet_agent here[] = {{"a.n1", true}, {"a.n3", false}};

    stage_allocation(s);
    s->need = (struct fleet_need){.agents = here, .connected = 2};
    expect(stage_until(s, NULL, "--nodes=1\n--ntasks=1\n--exclude=n1,n3\nsh\n"));
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

TEST(fleet_slurm_refuses_what_cannot_be)
{
    struct stage *s = stage_open();

    setenv("PATH", s->bin, 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "no sbatch in PATH"));
    stage_command(s, "srun", "");
    stage_command(s, "sbatch", "");
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    s->options.extra = "--time '1";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "a quote is not closed"));
    s->options.extra = "$(reboot)";
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "are not run"));
    s->options.extra = NULL;
    setenv("SLURM_JOB_ID", "42", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "no allocation"));
    setenv("SLURM_JOB_NUM_NODES", "1", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "(job 42) has 1 node"));
    setenv("SLURM_HET_SIZE", "2", 1);
    expect(!fleet_slurm_open(&s->options, &s->err) && strstr(s->err.text, "is heterogeneous"));
    unsetenv("SLURM_HET_SIZE");
    stage_close(s);
}
