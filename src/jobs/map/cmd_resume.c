/* cmd_resume.c - `dolly resume`: goes on with a run of `dolly map --dir DIR` that was cut short.
 *
 * What to run is read from the folder, what was done from the journal; from there on it is the same
 * run. The exit status is not that of `dolly map`, whose numbers count failed tasks. */
#include <stdio.h>

#include "base/os/path.h"
#include "exec/folder/run_lock.h"
#include "jobs/args/quote.h"
#include "jobs/map/cmd_map.h"
#include "jobs/map/map.h"
#include "jobs/map/map_begun.h"
#include "jobs/map/map_run.h"
#include "record/journal/journal_play.h"
#include "ui/cli.h"
#include "ui/opt.h"
#include "ui/words.h"

struct resume_args {
    const char *dir;
    bool json, retry, once;
};


#define OPTIONS struct resume_args

static const struct field options[] = {
    {FLAG("json", json,
          "print one JSON object about the job, or about all tasks of the run, also those done "
          "before")},
    {FLAG("once", once,
          "map: refuse to run any command a second time, and list those that were running")},
    {FLAG("retry-failed", retry, "map: run the failed tasks of a complete run again")},
    {0},
};

static const struct opt_command command = {
    .name = "resume",
    .usage =
        "usage: dolly resume DIR [--json] [--once] [--retry-failed]\n"
        "\n"
        "Continues a run that was started by `dolly map --dir DIR ...` and was interrupted or\n"
        "killed, or failed. Tasks that are done do not run again, tasks that were running start\n"
        "again, and each output is printed once over both runs: append (>>) to the output of the\n"
        "first run. If the first run was still reading arguments from stdin, only those that it\n"
        "had read are run, and dolly prints a warning.\n"
        "\n"
        "For a job of `dolly run` or `dolly streaming`, DIR is the folder of its results.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly map --dir /tmp/run1 ./simulate ::: {1..1000} >out\n"
             "  dolly resume /tmp/run1 >>out\n\n"
             "Exit status: 0 done, 1 a task failed or arguments were lost, 2 bad usage or nothing\n"
             "to resume there, 130 interrupted.",
    .has_operand = true,
    .operand_at = offsetof(struct resume_args, dir),
};

/* 1 where a task has failed, or where arguments were lost: whether the run was killed just before
 * its end or just behind it is chance, and the status must not depend on that. */
static int status_of(const struct map *m)
{
    bool cut = m->feed.arrives && !m->feed.ended && !m->control.halting;

    return cmd_map_status(m) || cut ? EXIT_JOB_FAILED : EXIT_DONE;
}

static int finished(struct map *m)
{
    struct err err;

    m->began = true;
    if (map_open(m, &err) < 0 || map_run_replay(m, &err) < 0)
        return cli_fail(&err);
    fprintf(stderr, "dolly: %s: the run is complete, nothing is left to do\n", m->dir);
    if (m->counts.failed) {
        struct str dir = {0};
        quote_add_path(&dir, m->dir);
        fprintf(stderr, "dolly: %s failed; to run them again: dolly resume %s --retry-failed\n",
                words_count(m->counts.failed, "task").text, dir.text);
        str_free(&dir);
    }
    if (m->options.json)
        map_json_end(m, true, status_of(m));
    return status_of(m);
}

/* 1 when nothing is left to do, 0, or -1 with *err. */
static int look(const struct map *m, struct err *err)
{
    struct path path = path_of("%s/journal", m->dir);
    struct journal_played played;
    int result = journal_play(path.text, &(struct journal_play){0}, &played, err);

    return result < 0 ? -1 : played.complete;
}

static int run(struct map *m, bool once)
{
    struct err err;
    bool interrupted = false;

    int lock_fd = run_lock_left(m->dir, &err);
    if (lock_fd < 0)
        return cli_fail(&err);
    m->lock_fd = lock_fd;
    int over = look(m, &err);
    if (over > 0)
        return finished(m);
    m->once = once;
    if (over < 0 || map_open(m, &err) < 0 || (once && map_begun_refuse(m, &err) < 0))
        return cli_fail(&err);
    if (map_run(m, &interrupted, &err) < 0) {
        int status = cli_fail(&err);
        if (interrupted || err.kind == ERR_SYSTEM)
            cmd_map_suggest_resume(m);
        status = interrupted ? EXIT_INTERRUPTED : status;
        cmd_map_conclude(m, false, status);
        return status;
    }
    int status = status_of(m);
    cmd_map_conclude(m, true, status);
    return status;
}

/* The commands that failed, as its job log has them, with the options of the run; in a folder of
 * their own inside of its folder. */
static int retry_failed(struct map *m)
{
    struct err err;
    int over = look(m, &err);

    if (over == 0) {
        struct str dir = {0};
        quote_add_path(&dir, m->dir);
        err_set(&err, "%s: the run is not complete: dolly resume %s, then --retry-failed", m->dir,
                dir.text);
        str_free(&dir);
    }
    if (over > 0 &&
        (m->options.array || m->options.pipe || m->options.pipepart || m->options.tee)) {
        err_set(&err, "%s: a run of --array or --pipe cannot be retried by its job log", m->dir);
        over = -1;
    }
    if (over <= 0)
        return cli_fail(&err);
    char **argv = mem_zalloc((size_t)m->argc + 2, sizeof *argv);
    argv[0] = m->argv[0];
    argv[1] = "--retry-failed";
    for (int i = 1; i < m->argc; i++)
        argv[i + 1] = m->argv[i];
    int status = cmd_map_given(m->argc + 1, argv);
    mem_free(argv);
    return status == EXIT_INTERRUPTED ? status : status ? EXIT_JOB_FAILED : EXIT_DONE;
}

static int resume(const struct resume_args *a)
{
    struct map m = {0};
    struct err err;
    int status = map_keep_read(&m, a->dir, &err) < 0 ? -1 : map_keep_enter(&m, &err);

    m.options.json |= a->json;
    if (status == 0 && m.options.json && (status = options_check_json(&m.options, &err)) < 0)
        err_set(&err, "%s: the run was started with options that cannot be combined with --json",
                a->dir);
    status = status < 0 ? cli_fail(&err) : a->retry ? retry_failed(&m) : run(&m, a->once);
    map_close(&m);
    return status;
}

int cmd_resume(int argc, char **argv)
{
    struct resume_args a = {0};
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (!a.dir)
        return cli_usage("resume", "the folder of the run is missing");
    if (a.retry && a.once)
        return cli_usage("resume", "--retry-failed runs commands a second time; it cannot be "
                                   "combined with --once");
    return resume(&a);
}
