/* The end of a run on batch jobs: none of them is left in the queue, or the user reads how to
 * cancel it. Commands of Slurm are scripts. */

#include "exec/process/sys.h"
#include "tests/unit/test.h"

#include "remote/fleet/fleet_slurm_stage_test.h"

/* Lets a command go on that waits for the file once the user has read how to do without it. */
static void stage_note_then_go(void *ctx, const char *text)
{
    struct stage *s = ctx;
    char path[128];

    stage_note(ctx, text);
    snprintf(path, sizeof path, "%s/go", s->dir);
    if (strstr(text, "waiting for Slurm to cancel the jobs of this run; without waiting: "
                     "scancel --me --name=dolly-"))
        fclose(fopen(path, "w"));
}

static const char until_go[] = "until [ -e ${0%/bin/*}/go ]; do sleep 0.02; done\n";

/* A fleet with job 5, which waits in the queue. */
static struct stage *stage_waits(const char *scancel)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "PENDING\\\", \\\"state_reason\\\": \\\"Priority");
    stage_command(s, "scancel", scancel);
    s->options.on_note = stage_note_then_go;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority"));
    str_cut(&s->notes, 0);
    return s;
}

static void stage_end(struct stage *s)
{
    s->fleet->close(s->fleet);
    s->fleet = NULL;
}

TEST(slurm_batch_waits_for_a_slow_scancel_and_says_how_to_do_without)
{
    char body[128];

    snprintf(body, sizeof body, "%secho done >>${0%%/bin/*}/log", until_go);
    struct stage *s = stage_waits(body);
    stage_end(s);
    expect(stage_noted(s, "waiting for Slurm") == 1 && stage_noted(s, "scancel") == 1);
    expect(strstr(stage_text(s, "log"), "\ndone\n"));
    stage_close(s);
}

TEST(slurm_batch_says_how_to_cancel_what_scancel_did_not)
{
    struct stage *s = stage_waits("echo 'scancel: error: Access denied' >&2; exit 1");

    stage_end(s);
    expect(stage_noted(s, "Slurm jobs of this run may be left (scancel: error: Access denied); to "
                          "remove them: scancel --me --name=dolly-") == 1);
    stage_close(s);
    s = stage_waits("");
    char path[128];
    snprintf(path, sizeof path, "%s/scancel", s->bin);
    unlink(path);
    setenv("PATH", s->bin, 1);
    stage_end(s);
    expect(stage_noted(s, "Slurm jobs of this run may be left (scancel: No such file or "
                          "directory); to remove them: scancel --me --name=dolly-") == 1);
    stage_close(s);
    s = stage_waits("");
    int64_t count = 0;
    struct sys_plan plan = {
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EAGAIN, .count = &count, .call = "fork"};
    sys_plan_set(&plan);
    stage_end(s);
    sys_plan_set(NULL);
    expect(stage_noted(s, "may be left (scancel cannot be started: Resource temporarily") == 1);
    stage_close(s);
}

/* The controller may have the request already: its job would come after the scancel. */
TEST(slurm_batch_lets_sbatch_answer_before_it_cancels)
{
    struct stage *s = stage_open();
    char body[128];

    snprintf(body, sizeof body, "%secho made >>${0%%/bin/*}/log; echo 5", until_go);
    stage_command(s, "sbatch", body);
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    s->options.on_note = stage_note_then_go;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "sbatch\n"));
    stage_end(s);
    const char *made = strstr(stage_text(s, "log"), "\nmade\n");
    expect(made && strstr(made, "scancel\n--me\n--name=dolly-"));
    expect(stage_noted(s, "scancel") == 1); /* while it waited */
    stage_close(s);
}

TEST(slurm_batch_cancels_nothing_that_was_refused_meanwhile)
{
    struct stage *s = stage_open();
    char body[128];

    snprintf(body, sizeof body, "%secho 'sbatch: error: limit' >&2; exit 1", until_go);
    stage_command(s, "sbatch", body);
    stage_command(s, "squeue", "");
    stage_command(s, "scancel", "");
    s->options.on_note = stage_note_then_go;
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "sbatch\n"));
    stage_end(s);
    expect(stage_noted(s, "waiting for Slurm") == 1);
    expect(!strstr(stage_text(s, "log"), "scancel\n"));
    stage_close(s);
}

TEST(slurm_batch_says_that_a_job_may_come_after_the_end)
{
    struct stage *s = stage_open();

    stage_command(s, "sbatch",
                  "echo 'sbatch: error: Unable to contact slurm controller' >&2\nexit 1");
    stage_command(s, "squeue", "exit 1");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "squeue\n")); /* to find out whether there is one */
    stage_end(s);
    expect(strstr(stage_text(s, "log"), "scancel\n--me\n--name=dolly-"));
    expect(stage_noted(s, "Slurm has not answered sbatch, whose job may still come; to remove it: "
                          "scancel --me --name=dolly-") == 1);
    stage_close(s);
}

/* A job that was given up is not proved to be gone, and one of an earlier coordinator is known by
 * its name alone until the first list. */
TEST(slurm_batch_cancels_by_name_even_if_it_knows_of_no_job)
{
    struct stage *s = stage_open();
    char command[128];

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "FAILED");
    stage_command(s, "scancel", "");
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->notes, "Slurm job 5 ended (FAILED)"));
    stage_end(s);
    expect(strstr(stage_text(s, "log"), "scancel\n--me\n--name=dolly-"));
    stage_close(s);
    s = stage_open();
    stage_command(s, "sbatch", "");
    stage_command(s, "squeue", until_go);
    stage_command(s, "scancel", "");
    snprintf(command, sizeof command, "printf dolly-00ff >%s/slurm-name", s->dir);
    expect(system(command) == 0);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, NULL, "squeue\n"));
    stage_end(s);
    expect(strstr(stage_text(s, "log"), "scancel\n--me\n--name=dolly-00ff\n"));
    expect(!s->notes.length);
    stage_close(s);
}

/* A list without jobs, and a job that was refused: there is nothing to cancel. */
TEST(slurm_batch_cancels_nothing_where_no_job_ever_was)
{
    struct stage *s = stage_open();
    char command[128];

    stage_command(s, "sbatch", "echo 'sbatch: error: limit' >&2; exit 1");
    stage_command(s, "squeue", "echo '{\"jobs\": []}'");
    stage_command(s, "scancel", "");
    snprintf(command, sizeof command, "printf dolly-00ff >%s/slurm-name", s->dir);
    expect(system(command) == 0);
    s->fleet = fleet_slurm_open(&s->options, &s->err);
    expect(stage_until(s, &s->ended, "sbatch: error: limit\n"));
    expect(!s->fleet->hopes(s->fleet));
    stage_end(s);
    expect(!strstr(stage_text(s, "log"), "scancel\n"));
    stage_close(s);
}

/* A coordinator that is killed while it cancels has done so all the same. */
TEST(slurm_batch_has_its_jobs_cancelled_even_if_it_is_killed)
{
    struct stage *s = stage_open();
    char body[128], path[128];

    stage_command(s, "sbatch", "echo 5");
    stage_block(s, "PENDING\\\", \\\"state_reason\\\": \\\"Priority");
    snprintf(body, sizeof body, "%secho done >>${0%%/bin/*}/log", until_go);
    stage_command(s, "scancel", body);
    pid_t child = fork();
    if (child == 0) {
        s->fleet = fleet_slurm_open(&s->options, &s->err);
        if (stage_until(s, &s->notes, "Slurm job 5 for 2 nodes waits: Priority"))
            stage_end(s);
        _exit(0);
    }
    int64_t until_us = clock_now_us() + 60000000;
    while (!strstr(stage_text(s, "log"), "scancel\n") && clock_now_us() < until_us)
        usleep(5000);
    kill(child, SIGKILL);
    expect(waitpid(child, NULL, 0) == child);
    snprintf(path, sizeof path, "%s/go", s->dir);
    fclose(fopen(path, "w"));
    while (!strstr(stage_text(s, "log"), "\ndone\n") && clock_now_us() < until_us)
        usleep(5000);
    expect(strstr(stage_text(s, "log"), "\ndone\n"));
    stage_close(s);
}

/* An answer that names no job leaves it open whether there is one: the list decides. */
TEST(slurm_batch_submits_again_what_has_no_number)
{
    static const char *const answers[] = {"", "0"};

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct stage *s = stage_open();
        char body[256];
        snprintf(body, sizeof body,
                 "d=${0%%/bin/*}\nif [ -e $d/once ]; then echo again >>$d/log; echo '5;main'; "
                 "else : >$d/once; echo '%s'; fi",
                 answers[i]);
        stage_command(s, "sbatch", body);
        stage_command(s, "squeue", "echo '{\"jobs\": []}'");
        stage_command(s, "scancel", "");
        s->fleet = fleet_slurm_open(&s->options, &s->err);
        expect(stage_until(s, NULL, "again\n"));
        expect(strstr(stage_text(s, "log"), "squeue\n") < strstr(stage_text(s, "log"), "again\n"));
        expect(!s->notes.length && !s->ended.length);
        stage_close(s);
    }
}

/* One node is one; a job that has no reason to wait is not spoken of. */
TEST(slurm_batch_says_what_a_job_of_one_node_waits_for)
{
    static const char *const reasons[] = {"PENDING\\\", \\\"state_reason\\\": \\\"None",
                                          "PENDING\\\", \\\"state_reason\\\": \\\"Priority"};

    for (int i = 0; i < 2; i++) {
        struct stage *s = stage_open();
        s->options.spec = "1";
        stage_command(s, "sbatch", "echo 5");
        stage_command(s, "scancel", "");
        stage_block(s, reasons[i]);
        s->fleet = fleet_slurm_open(&s->options, &s->err);
        expect(stage_until(s, NULL, "squeue\n"));
        for (int k = 0; k < 10 && i == 0; k++) {
            s->fleet->turn(s->fleet, &s->need);
            usleep(10000);
        }
        expect(i == 0 || stage_until(s, &s->notes, "Slurm job 5 for 1 node waits: Priority\n"));
        expect(stage_noted(s, "waits") == (uint32_t)i);
        stage_close(s);
    }
}
