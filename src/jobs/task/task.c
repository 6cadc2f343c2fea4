/* task.c - one attempt of a data-parallel job. See task.h. */
#include "jobs/task/task.h"

#include <ctype.h>
#include <errno.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "data/hadoop_words.h"
#include "jobs/task/memory_limit.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"

static struct task_input *open_input(const struct task_attempt *t, struct err *err)
{
    if (t->phase->above == PLAN_INPUTS)
        return task_piece_open(t, err);
    return task_reads_keys(t) ? task_merged_open(t, err) : task_printed_open(t, err);
}

/* The pump has one context for all ends. */
struct both {
    struct task_report *report;
    struct task_input *in;
    struct task_output *out;  /* NULL: what it prints is the result, ... */
    struct task_print *print; /* ... by this; NULL: it has our standard output */
    struct hadoop_words words;
};

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct task_input *in = ((struct both *)ctx)->in;

    return in->feed(in, at, err);
}

static int take(void *ctx, const char *at, size_t count, struct err *err)
{
    const struct both *b = ctx;

    return b->out ? task_output_take(b->out, at, count, err)
                  : task_print_take(b->print, at, count, err);
}

static int note(void *ctx, const char *at, size_t count, struct err *err)
{
    (void)err;
    task_report_note(((struct both *)ctx)->report, at, count);
    return 0;
}

static int due_ms(void *ctx)
{
    return task_report_due_ms(((struct both *)ctx)->report);
}

/* Whether the status is one that a command may leave with. */
static bool is_fine(const struct plan_phase *p, int status)
{
    return status == 0 || (p->any_status && WIFEXITED(status) && WEXITSTATUS(status) < 126);
}

/* What is left to write after the command. */
static int finish(struct both *both, struct task_sum *sum, struct err *err)
{
    struct task_print *print = both->print;

    both->print = NULL;
    return both->out ? task_output_finish(both->out, STDOUT_FILENO, &sum->records, err)
           : print   ? task_print_finish(print, sum, err)
                     : 0;
}

static int run_command(const struct task_attempt *t, struct both *both, char *const *env,
                       struct task_sum *sum, struct err *err)
{
    bool takes = both->out || both->print;
    struct memory_limit limit;
    struct pump pump = {.command = t->phase->command,
                        .words = t->phase->as_hadoop
                                     ? hadoop_words_find(&both->words, t->phase->command, env)
                                     : NULL,
                        .env = env,
                        .quiet_ms = task_quiet_ms(t->phase),
                        .status = t->report->status,
                        .limit = &limit,
                        .ctx = both,
                        .feed = feed,
                        .take = takes ? take : NULL,
                        .note = note,
                        .due_ms = due_ms};
    int status = 0;

    memory_limit_open(&limit, t->phase->memory_limit);
    int result = task_same_is(t) ? task_same_run(both->in, takes ? take : NULL, both, sum, err)
                                 : pump_run(&pump, &status, err);
    task_report_note_end(t->report);
    if (memory_limit_close(&limit, status, err) < 0)
        return -1;
    if (result < 0 || (both->in->check && both->in->check(both->in, err) < 0))
        return -1;
    return is_fine(t->phase, status) ? finish(both, sum, err) : task_env_status(status);
}

static int run_in(const struct task_attempt *t, struct task_input *in, struct task_sum *sum,
                  struct err *err)
{
    char **env = task_env_make(t);
    int result;

    if (t->phase->native) {
        result = task_native_run(t, in, env, &sum->records, err);
    } else {
        struct both both = {.report = t->report,
                            .in = in,
                            .out = t->phase->partitions > 0 ? task_output_create(t, env, NULL, NULL)
                                                            : NULL};
        if (!both.out && t->phase->as_hadoop)
            both.print = task_print_create(t->phase);
        result =
            task_reads_nothing(t) ? finish(&both, sum, err) : run_command(t, &both, env, sum, err);
        task_output_destroy(both.out);
        if (both.print)
            task_print_finish(both.print, sum, &(struct err){0});
        vec_free_each(&both.words.at);
    }
    task_env_free(env);
    return result;
}

/* Whether it failed of a full disk: by what the system said, or, of a command that writes to our
 * standard output itself, as that has no room now. */
static bool is_full(int output, int result, const struct err *err)
{
    struct statvfs fs;

    if (result < 0)
        return err->kind == ERR_SYSTEM && (err->error == ENOSPC || err->error == EDQUOT);
    return result > 0 && fstatvfs(output, &fs) == 0 && fs.f_blocks > 0 && fs.f_bavail == 0;
}

/* Before what it has written is given back, and it looks as if there was room. */
static void tell_full(const struct task_attempt *t)
{
    struct packet m = {.type = PACKET_NO_SPACE};
    struct err ignored;

    task_control_send(t->control, &m, &ignored);
}

/* Counts what it has read and written, in Hadoop's words: a phase called `map` has "Map input
 * records". */
static void count_records(const struct task_attempt *t, uint64_t read, uint64_t written)
{
    struct str name = {0};

    str_addf(&name, "%s input records", t->phase->name);
    name.text[0] = (char)toupper((unsigned char)name.text[0]);
    task_report_count(t->report, COUNTERS_OWN, name.text, (int64_t)read);
    str_cut(&name, 0);
    str_addf(&name, "%s output records", t->phase->name);
    name.text[0] = (char)toupper((unsigned char)name.text[0]);
    task_report_count(t->report, COUNTERS_OWN, name.text, (int64_t)written);
    str_free(&name);
}

static int run_whole(const struct task_attempt *t, struct err *err)
{
    int output = task_result_open(err);
    struct task_input *in = output >= 0 ? open_input(t, err) : NULL;
    struct task_sum sum = {0};
    uint64_t read = 0;
    int result = -1;

    if (in && task_env_enter(t, err) == 0) {
        result = run_in(t, in, &sum, err);
        task_env_leave(t);
    }
    if (in) {
        read = in->read;
        in->close(in);
    }
    if (result == 0)
        result = task_result_measure(t, output, &sum, err);
    if (result == 0 && t->counters) {
        count_records(t, read, sum.records);
        result = task_report_leave(t->report, t->counters, err);
    }
    if (result == 0)
        result = task_result_tell(t->control, &sum, err);
    else if (result > 0)
        task_report_say_status(t->report);
    if (output >= 0 && is_full(output, result, err))
        tell_full(t);
    if (output >= 0)
        close(output);
    return result;
}

int task_run(const struct task_attempt *t, struct err *err)
{
    return t->phase->native && t->phase->memory_limit > 0 ? task_apart_run(t, run_whole, err)
                                                          : run_whole(t, err);
}
