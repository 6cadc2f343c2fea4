/* cmd_map.c - `dolly map`: a command for each argument, at home for users of GNU parallel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/process/spawn.h"
#include "exec/process/supervisor.h"
#include "jobs/args/quote.h"
#include "jobs/map/cmd_map.h"
#include "jobs/map/map.h"
#include "jobs/map/map_run.h"
#include "ui/cli.h"
#include "ui/wrap.h"

static void print_option(void *ctx, const char *option, const char *help)
{
    (void)ctx;
    wrap_row(option, help, 26);
}

static void print_help(bool all)
{
    static const char *const everyday[] = {"jobs",    "keep-order", "arg-file", "bar",  "joblog",
                                           "retries", "timeout",    "halt",     "pure", "dir",
                                           "on",      "dry-run",    NULL};

    wrap_text(
        "usage: dolly map [OPTIONS] COMMAND [::: ARGUMENTS]... [:::: FILES]...\n"
        "\n"
        "Runs the command once for each argument, several at a time, and prints each output in\n"
        "one piece. Without ::: arguments come from stdin, one per line. In the command, {} is\n"
        "the argument, {.} {/} {//} {/.} parts of it, {1} {2} those of several sources, {#}\n"
        "the number of the task, {%} its slot. Without any of these dolly appends the argument.\n"
        "\n"
        "Each command runs once, unless --retries, --clone or --pure allow more. With --dir, a\n"
        "command that was running when dolly was killed runs again when the run is resumed.\n"
        "\n");
    uint32_t count = options_table_describe(all ? NULL : everyday, print_option, NULL);
    if (!all)
        printf("\nThe other %u options: `dolly map --help=all`.\n", count);
    wrap_text(
        "\n"
        "Examples:\n"
        "  dolly map gzip -9 ::: *.log\n"
        "  dolly map -k --bar --joblog log convert {} {.}.png ::: *.jpg\n"
        "  find . -name '*.c' -print0 | dolly map -0 -X wc -l\n"
        "  dolly map --pure --retries 3 curl -sf {} :::: urls.txt\n"
        "  dolly map --array 0-99%10 ./simulate.sh\n"
        "\n"
        "Exit status: the number of failed tasks, 101 for more than 100, 255 for bad usage or\n"
        "another error, 130 when interrupted. See docs/use/map.md.");
}

static int usage(const struct err *err)
{
    fprintf(stderr, "dolly map: %s (see `dolly map --help`)\n", err->text);
    return MAP_USAGE;
}

/* Says which argument ended the arguments, if one did; the exit status of a run without tasks. */
static int report_unfit(const struct map *m)
{
    const char *unfit = plan_unfit(m->plan);

    if (unfit)
        fprintf(stderr, "dolly map: %s; dolly left out this argument and all after it\n", unfit);
    return unfit ? MAP_USAGE : 0;
}

static int print_commands(struct map *m)
{
    for (uint32_t t = 0; t < m->tasks; t++) {
        str_cut(&m->dress.command, 0);
        plan_command(m->plan, t, t % m->slot_count + 1, &m->dress.command);
        puts(m->dress.command.text);
    }
    str_free(&m->dress.command);
    return report_unfit(m);
}

/* What a user who waits for something may not know. */
static void tell_terminal(const struct options *o)
{
    if (o->sources.count || o->array || o->resume == RESUME_RETRY || !isatty(STDIN_FILENO))
        return;
    if (!o->command.text)
        fputs("dolly map: no command, so each line of stdin is one; try: dolly map gzip ::: "
              "*.log\n",
              stderr);
    else if (o->pipe)
        fputs("dolly map: reading from the terminal; ^D ends it\n", stderr);
    else
        fputs("dolly map: reading arguments from the terminal, one per line; ^D ends them (or use "
              "::: A B C)\n",
              stderr);
}

/* A pattern that no file fits is often there by mistake, and the shell passes it on as it is. */
static const char *unmatched(const struct options *o)
{
    for (uint32_t i = 0; i < o->sources.count; i++) {
        const struct options_source *s = &o->sources.at[i];
        if (!s->file && s->count == 1 && strpbrk(s->words[0], "*?[") &&
            access(s->words[0], F_OK) < 0)
            return s->words[0];
    }
    return NULL;
}

/* Nothing to do is no error, but seldom what was meant. */
static void tell_nothing(const struct map *m)
{
    const struct options *o = &m->options;

    for (uint32_t i = 0; i < o->sources.count; i++)
        if (!o->sources.at[i].file && o->sources.at[i].count == 0) {
            fprintf(stderr, "dolly map: no arguments after %s, nothing to do\n",
                    o->arg_sep ? o->arg_sep : ":::");
            return;
        }
}

int cmd_map_status(const struct map *m)
{
    if (m->control.halt_status >= 0)
        return m->control.halt_status;
    if (plan_unfit(m->plan))
        return MAP_USAGE;
    return m->counts.failed > MAP_FAILED_MAX ? MAP_FAILED_MANY : (int)m->counts.failed;
}

void cmd_map_suggest_resume(const struct map *m)
{
    if (!m->dir || m->dir_private || !m->began)
        return;
    struct str dir = {0};
    quote_add_path(&dir, m->dir);
    fprintf(stderr, "dolly: to run the tasks left%s: dolly resume %s\n",
            m->feed.arrives && !m->feed.ended ? " of the arguments read from stdin" : "", dir.text);
    str_free(&dir);
}

/* On stderr, as stdout belongs to the tasks. A terminal gets lines of 80 columns, a program the
 * lines as they are. */
static void print_lines(char *text)
{
    bool wraps = isatty(STDERR_FILENO);

    for (char *line; text && (line = strsep(&text, "\n")) && (*line || text);)
        if (wraps)
            wrap_lines(stderr, line, 0, "       ");
        else
            fprintf(stderr, "%s\n", line);
}

void cmd_map_conclude(struct map *m, bool complete, int status)
{
    if (m->options.json && m->began && !m->fail.aborts)
        map_json_end(m, complete, status);
    if (complete)
        report_unfit(m);
    if (!complete)
        return;
    bool summary = m->options.summary || m->cloning;
    struct str text = {0};
    if (summary) {
        struct map_summary_facts facts = map_summary_facts(m);
        map_summary(m, &facts, &text);
    }
    /* GNU parallel says nothing: neither do we where a program reads what it would say. */
    if (summary || !m->dir_private || isatty(STDERR_FILENO))
        map_summary_failed(m, &text);
    print_lines(text.text);
    str_free(&text);
}

/* Puts a supervisor above us, unless the folder is to outlive the run: then the guardian has more
 * to do. True in the process that only watched, once all is over. */
static bool watched(struct map *m, int *status)
{
    static char *leave[] = {"dolly", "leave", NULL, NULL};
    struct err err;
    int end;

    if (m->options.dir)
        return false;
    bool ready = map_identify(m, &err) == 0 && spawn_raise_limit(&err) == 0;
    int side = ready ? map_dir_open(m, &err) : -1;
    leave[2] = m->dir;
    if (side == 0)
        side = supervisor_enter(leave, &end, &err);
    m->guarded = side == 0;
    if (side == 0) {
        /* Where `dolly leave` looks for it, from now until the folder is gone. */
        dup2(m->lock_fd, SPAWN_LOCK_FD);
        return false;
    }
    *status = MAP_USAGE;
    if (side < 0)
        fprintf(stderr, "dolly map: %s\n", err.text);
    else if (WIFSIGNALED(end))
        fprintf(stderr,
                "dolly map: the guardian process was killed by signal %d; every attempt was "
                "ended\n",
                WTERMSIG(end));
    else
        *status = WEXITSTATUS(end);
    return true;
}

static int run(struct map *m)
{
    struct err err;
    bool interrupted = false;
    int seen;

    if (m->tasks == 0 && !m->feed.arrives) {
        int status = report_unfit(m);
        tell_nothing(m);
        if (m->options.json)
            map_json_end(m, true, status);
        return status;
    }
    if (watched(m, &seen))
        return seen;
    if (map_run(m, &interrupted, &err) < 0) {
        bool left = m->fail.reader_left; /* what `| head` does is no error to speak of */
        int status = interrupted ? EXIT_INTERRUPTED : left ? MAP_READER_LEFT : MAP_USAGE;
        if (!left)
            fprintf(stderr, "dolly map: %s\n", err.text);
        cmd_map_suggest_resume(m);
        cmd_map_conclude(m, false, status);
        return status;
    }
    map_missing_print(&m->print.missing, stderr);
    if (m->counts.failed && unmatched(&m->options)) {
        err_set(&err, "the shell found no file for %s", unmatched(&m->options));
        fprintf(stderr, "dolly map: %s\n", err.text);
    }
    cmd_map_conclude(m, true, cmd_map_status(m));
    return cmd_map_status(m);
}

int cmd_map_given(int argc, char **argv)
{
    struct map m = {.argc = argc, .argv = argv};
    struct err err;
    int status;

    if (options_parse(&m.options, argc, argv, &err) < 0) {
        status = usage(&err);
    } else if (m.options.help) {
        print_help(m.options.help_all);
        status = 0;
    } else if (m.options.version) {
        puts("dolly " DOLLY_VERSION);
        status = 0;
    } else if (tell_terminal(&m.options), map_open(&m, &err) < 0) {
        status = usage(&err);
    } else if (m.options.dry_run) {
        status = print_commands(&m);
    } else {
        status = run(&m);
    }
    int lost = cli_stdout_error();
    if (lost && lost != EPIPE && !m.fail.aborts)
        fprintf(stderr, "dolly map: cannot write the output: %s\n", strerror(lost));
    if (lost)
        status = lost == EPIPE ? MAP_READER_LEFT : MAP_USAGE;
    map_close(&m);
    return status;
}

/* What $PARALLEL says stands before the other words, as in GNU parallel. */
int cmd_map(int argc, char **argv)
{
    const char *usual = getenv("PARALLEL");
    uint32_t count = 0;
    char **words = usual ? quote_split(usual, &count) : NULL;
    char **all = mem_zalloc((size_t)argc + count + 1, sizeof *all);

    all[0] = argv[0];
    for (uint32_t i = 0; i < count; i++)
        all[i + 1] = words[i];
    for (int i = 1; i < argc; i++)
        all[(uint32_t)i + count] = argv[i];
    int status = cmd_map_given(argc + (int)count, all);
    for (uint32_t i = 0; i < count; i++)
        mem_free(words[i]);
    mem_free(words);
    mem_free(all);
    return status;
}
