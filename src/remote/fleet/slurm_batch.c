/* slurm_batch.c - agents by batch jobs: does what slurm_blocks.h decides.
 *
 * One command of Slurm runs at a time. Every job of a run has the name that stands in the file
 * `slurm-name` of its folder, made once at random, and its number as its comment: so a coordinator
 * that resumes the run finds the jobs of the one before it.
 *
 * A job runs `agents.sh` of the folder, which starts srun with the key on its standard input, below
 * a keeper (srun_keeper.h). What it prints goes to slurm-JOB.out beside it; if no agent ever came
 * of a job, that is where a user finds out why. */
#include "remote/fleet/fleet_ways.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/os/clock.h"
#include "base/os/path.h"
#include "base/text.h"
#include "exec/process/sys.h"
#include "remote/fleet/slurm_blocks.h"
#include "remote/fleet/slurm_jobs.h"
#include "remote/fleet/slurm_tool.h"
#include "remote/fleet/slurm_words.h"
#include "remote/fleet/srun_keeper.h"

enum {
    BATCH_CLOCK_US = 60 * 1000000, /* clocks that differ by less are taken as equal */
    BATCH_GRACE_US = 20 * 1000000, /* for the last sbatch and scancel */
    BATCH_PATIENCE_US = 1000000,   /* of a user who sees nothing happen meanwhile */
    BATCH_SILENCE = 3,             /* commands without an answer before the user hears of it */
    BATCH_NAME_BYTES = 32,
};

struct slurm_batch {
    struct fleet fleet; /* first */
    struct fleet_options options;
    char name[BATCH_NAME_BYTES]; /* of all jobs of this run */
    char *script;                /* path */
    struct fleet_words extra;    /* what the user wants sbatch to know */
    struct slurm_blocks blocks;
    struct slurm_blocks_action doing; /* the command that runs */
    struct slurm_tool tool;
    int64_t sent_us, sent_job; /* our clock when the last job was submitted, and that job */
    int64_t ahead_us;          /* Slurm's clock, to ours */
    bool sent;                 /* Slurm has, or may have, had a job of this run */
    bool silent, told;         /* the user knows that there is no answer, that there is no hope */
    bool parting;              /* the user knows how to cancel all without us */
};

static struct slurm_batch *batch_of(struct fleet *f)
{
    return (struct slurm_batch *)(void *)f;
}

__attribute__((format(printf, 2, 3))) static void batch_note(struct slurm_batch *s,
                                                             const char *format, ...)
{
    char text[600];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    s->options.on_note(s->options.ctx, text);
}

/* ---- commands ---- */

static void add_submit(struct slurm_batch *s, const struct slurm_blocks_action *a,
                       struct fleet_words *w)
{
    char prefix[16];

    snprintf(prefix, sizeof prefix, "b%u", a->number);
    fleet_words_add(w, "sbatch", "--parsable");
    fleet_words_add_all(w, (const char *const *)s->extra.at.at, s->extra.at.count);
    fleet_words_addf(w, "--job-name=%s", s->name);
    fleet_words_addf(w, "--comment=%u", a->number);
    fleet_words_addf(w, a->any ? "--nodes=1-%u" : "--nodes=%u", a->nodes);
    fleet_words_add(w, "--ntasks-per-node=1", "--no-kill");
    fleet_words_add(w, "--no-requeue"); /* a job that was preempted is replaced by another one */
    fleet_words_addf(w, "--output=%s/slurm-%%j.out", s->options.dir);
    fleet_words_add(w, s->script,
                    s->options.sealed_file ? s->options.sealed_file : s->options.key_file);
    srun_keeper_words(w, &s->options, false);
    slurm_words_srun(w);
    slurm_words_agent(w, &s->options, prefix);
}

/* The answer of sbatch --parsable: "JOB" or "JOB;CLUSTER". */
static int64_t submitted_job(const struct slurm_tool *t)
{
    char text[32];
    int64_t job;
    uint32_t n = t->streams[0].text.count;

    n = n < sizeof text - 1 ? n : (uint32_t)sizeof text - 1;
    snprintf(text, sizeof text, "%.*s", (int)n, n ? t->streams[0].text.at : "");
    text[strcspn(text, ";\n")] = '\0';
    return text_int(text, &job) && job > 0 ? job : 0;
}

static void on_submitted(struct slurm_batch *s, enum slurm_tool_end end, const char *why,
                         int64_t now_us)
{
    int64_t job = end == SLURM_TOOL_WELL ? submitted_job(&s->tool) : 0;
    enum slurm_blocks_answer answer = job > 0                     ? BLOCKS_DONE
                                      : end == SLURM_TOOL_SAID_NO ? BLOCKS_REFUSED
                                                                  : BLOCKS_UNKNOWN;

    slurm_blocks_submitted(&s->blocks, s->doing.number, answer, job, why, now_us);
    s->sent_job = job;
    s->sent |= answer != BLOCKS_REFUSED;
    if (answer == BLOCKS_REFUSED && !s->blocks.failed[0])
        batch_note(s, "Slurm grants no more nodes: %s", why);
}

static int64_t wall_us(void)
{
    return (int64_t)time(NULL) * 1000000;
}

/* Time limits are by Slurm's clock. It shows when the job arrived that we have submitted. */
static void compare_clocks(struct slurm_batch *s, const struct slurm_blocks_job *j)
{
    if (j->job != s->sent_job || j->sent_us == 0)
        return;
    int64_t ahead_us = j->sent_us - s->sent_us;
    s->sent_job = 0;
    if (ahead_us > -BATCH_CLOCK_US && ahead_us < BATCH_CLOCK_US)
        ahead_us = 0;
    if (ahead_us != s->ahead_us)
        batch_note(
            s, "Slurm's clock and this one differ by %lld s; its time limits count by its clock",
            (long long)(ahead_us / 1000000));
    s->ahead_us = ahead_us;
}

static int on_listed(struct slurm_batch *s, int64_t now_us)
{
    struct slurm_jobs jobs;
    struct err err;

    if (slurm_jobs_parse(&jobs, s->tool.streams[0].text.at, s->tool.streams[0].text.count, s->name,
                         0, &err) < 0)
        return -1;
    s->sent |= jobs.at.count > 0;
    for (uint32_t i = 0; i < jobs.at.count; i++)
        compare_clocks(s, &jobs.at.at[i]);
    int64_t theirs_us = wall_us() + s->ahead_us;
    for (uint32_t i = 0; i < jobs.at.count; i++)
        if (jobs.at.at[i].end_us != INT64_MAX)
            jobs.at.at[i].end_us += now_us - theirs_us;
    slurm_blocks_listed(&s->blocks, jobs.at.at, jobs.at.count, now_us);
    slurm_jobs_fini(&jobs);
    return 0;
}

/* The command has ended. */
static void finish(struct slurm_batch *s, int64_t now_us)
{
    char why[300];
    enum slurm_tool_end end = slurm_tool_end(&s->tool, why, sizeof why);

    switch (s->doing.act) {
    case BLOCKS_SUBMIT:
        on_submitted(s, end, why, now_us);
        break;
    case BLOCKS_CANCEL: /* that it said no means that there is no such job any more */
        slurm_blocks_cancelled(&s->blocks, s->doing.job,
                               end == SLURM_TOOL_NOTHING ? BLOCKS_UNKNOWN : BLOCKS_DONE, now_us);
        break;
    default:
        if (end != SLURM_TOOL_WELL || on_listed(s, now_us) < 0)
            slurm_blocks_unlisted(&s->blocks, now_us);
    }
    if (s->blocks.failures == BATCH_SILENCE)
        batch_note(s, "Slurm does not answer (%s); agents that are connected keep running", why);
    if (s->blocks.failures == 0 && s->silent)
        batch_note(s, "Slurm answers again");
    s->silent = s->blocks.failures >= BATCH_SILENCE;
    slurm_tool_clear(&s->tool);
}

static void begin(struct slurm_batch *s, const struct slurm_blocks_action *a, int64_t now_us)
{
    struct fleet_words w = {0};

    s->doing = *a;
    if (a->act == BLOCKS_SUBMIT) {
        s->sent_us = wall_us();
        add_submit(s, a, &w);
    } else if (a->act == BLOCKS_CANCEL) {
        fleet_words_add(&w, "scancel");
        fleet_words_addf(&w, "%lld", (long long)a->job);
    } else {
        fleet_words_add(&w, "squeue", "--json", "--me");
        fleet_words_addf(&w, "--name=%s", s->name);
        fleet_words_add(&w, "--states=all");
    }
    if (slurm_tool_start(&s->tool, s->options.epoll_fd, s->options.epoll_tag, fleet_words_argv(&w),
                         false, now_us) < 0) {
        /* Nothing has been sent; a block counts as doubted all the same, which costs a list. */
        batch_note(s, "%s cannot be started: %s", w.at.at[0], strerror(errno));
        if (a->act == BLOCKS_SUBMIT)
            slurm_blocks_submitted(&s->blocks, a->number, BLOCKS_UNKNOWN, 0, "", now_us);
        else if (a->act == BLOCKS_CANCEL)
            slurm_blocks_cancelled(&s->blocks, a->job, BLOCKS_UNKNOWN, now_us);
        else
            slurm_blocks_unlisted(&s->blocks, now_us);
    }
    fleet_words_fini(&w);
}

/* ---- what the user hears ---- */

static struct path out_path(const struct slurm_batch *s, const struct slurm_block *k)
{
    return path_of("%s/slurm-%lld.out", s->options.dir, (long long)k->job);
}

/* Jobs that had nothing to say leave no file. */
static void remove_empty(const struct slurm_batch *s, const struct slurm_block *at, uint32_t count)
{
    struct stat st;

    for (uint32_t i = 0; i < count; i++) {
        struct path path = out_path(s, &at[i]);
        if (stat(path.text, &st) == 0 && st.st_size == 0)
            unlink(path.text);
    }
}

/* Why no agent came of a job stands in its output, if it has any. */
static void tell_vain(struct slurm_batch *s, const struct slurm_block *k, struct str *text)
{
    struct path path = out_path(s, k);

    if (access(path.text, F_OK) == 0)
        str_addf(text, " before an agent connected: see %s", path.text);
    else
        str_addf(text, " before an agent connected; check that its nodes see %s", s->options.dir);
}

static void tell_gone(struct slurm_batch *s)
{
    char name[24];

    for (uint32_t i = 0; i < s->blocks.gone.count; i++) {
        const struct slurm_block *k = &s->blocks.gone.at[i];
        struct str text = {0};
        if (k->given_back)
            continue;
        snprintf(name, sizeof name, "b%u.*", k->number);
        str_addf(&text, "Slurm job %lld ended (%s)", (long long)k->job, k->reason);
        if (!k->seen)
            tell_vain(s, k, &text);
        if (s->blocks.failed[0] && !k->seen)
            snprintf(s->blocks.failed, sizeof s->blocks.failed, "%s", text.text);
        else if (!k->seen)
            s->options.on_note(s->options.ctx, text.text);
        else
            s->options.on_ended(s->options.ctx, name, text.text);
        str_free(&text);
    }
    remove_empty(s, s->blocks.gone.at, s->blocks.gone.count);
    vec_clear(&s->blocks.gone);
    if (s->blocks.failed[0] && !s->told) {
        s->told = true;
        s->options.on_ended(s->options.ctx, "b*", s->blocks.failed);
    }
}

static void tell_waits(struct slurm_batch *s)
{
    for (uint32_t i = 0; i < s->blocks.at.count; i++) {
        struct slurm_block *k = &s->blocks.at.at[i];
        if (k->state != BLOCK_QUEUED || k->told || !k->reason[0] || strcmp(k->reason, "None") == 0)
            continue;
        k->told = true;
        batch_note(s, "Slurm job %lld for %s%u node%s waits: %s", (long long)k->job,
                   k->any ? "up to " : "", k->nodes, k->nodes == 1 ? "" : "s", k->reason);
    }
}

/* ---- the files in the folder of the run ---- */

/* Writes a file of the folder that is not there yet. -1 with errno. */
static int write_new(const char *path, const char *text, mode_t mode)
{
    size_t length = strlen(text);
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, length);
    int result = n == (ssize_t)length && sys_fsync(fd) == 0 ? 0 : -1;
    sys_close(&fd);
    return result;
}

/* The name of all jobs of this run: from the folder, where an earlier coordinator has left it and
 * perhaps jobs, or a new one. */
static int find_name(struct slurm_batch *s, struct err *err)
{
    struct path path = path_of("%s/slurm-name", s->options.dir);
    uint64_t random;

    if (sys_read_text(path.text, 0, s->name, sizeof s->name) >= 0) {
        if (strncmp(s->name, "dolly-", 6) != 0)
            return err_set(err, "%s: the name of this run's Slurm jobs is damaged", path.text);
        s->blocks.look = true;
        return 0;
    }
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return err_system(err, "cannot get random numbers: %s", strerror(errno));
    snprintf(s->name, sizeof s->name, "dolly-%016" PRIx64, random);
    if (write_new(path.text, s->name, 0600) < 0)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    return 0;
}

static int write_script(struct slurm_batch *s, struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/agents.sh", s->options.dir);
    s->script = path.text;
    return write_new(path.text, slurm_words_script(), 0700) < 0 && errno != EEXIST
               ? err_system(err, "%s: %s", path.text, strerror(errno))
               : 0;
}

/* ---- the fleet ---- */

static void batch_event(struct fleet *f, uint32_t tag)
{
    (void)f, (void)tag; /* the tool looks by itself in the turn */
}

/* Agents are called bNUMBER.NODE. */
static void count_agents(struct slurm_batch *s, const struct fleet_need *need)
{
    slurm_blocks_count(&s->blocks);
    for (uint32_t i = 0; i < need->connected; i++) {
        const char *name = need->agents[i].name;
        if (name[0] == 'b')
            slurm_blocks_agent(&s->blocks, (uint32_t)strtoul(name + 1, NULL, 10),
                               need->agents[i].busy);
    }
}

static int64_t batch_turn(struct fleet *f, const struct fleet_need *need)
{
    struct slurm_batch *s = batch_of(f);
    int64_t now_us = clock_now_us(), tool_us = INT64_MAX, next_us;
    struct slurm_blocks_action a;
    struct err err;
    char name[24];

    /* Nothing of this is done before the first turn. */
    if (!s->script && !s->blocks.failed[0] && (find_name(s, &err) < 0 || write_script(s, &err) < 0))
        snprintf(s->blocks.failed, sizeof s->blocks.failed, "%s", err.text);
    if (slurm_tool_turn(&s->tool, now_us, &tool_us))
        finish(s, now_us);
    count_agents(s, need);
    slurm_blocks_need(&s->blocks, need->waiting_us, now_us);
    while ((a = slurm_blocks_next(&s->blocks, now_us, &next_us)).act != BLOCKS_NOTHING) {
        if (a.act == BLOCKS_DRAIN) {
            snprintf(name, sizeof name, "b%u.*", a.number);
            s->options.on_drain(s->options.ctx, name, a.left_us);
        } else {
            begin(s, &a, now_us);
        }
    }
    tell_gone(s);
    tell_waits(s);
    return tool_us < next_us ? tool_us : next_us;
}

static bool batch_hopes(const struct fleet *f)
{
    return slurm_blocks_hopes(&((const struct slurm_batch *)(const void *)f)->blocks);
}

/* ---- the end ---- */

/* Returns true unless Slurm can have no job of this run. That all blocks are gone proves nothing: a
 * scancel of one may have failed, and the jobs of an earlier coordinator may not be listed yet. */
static bool batch_has_jobs(const struct slurm_batch *s)
{
    return s->sent || s->blocks.look || s->blocks.at.count > 0;
}

/* Waits for the command. A user who sees nothing happen reads how to do without us. */
static bool wait_for_tool(struct slurm_batch *s, int64_t until_us)
{
    if (slurm_tool_wait(&s->tool, clock_now_us() + BATCH_PATIENCE_US))
        return true;
    if (!s->parting && slurm_tool_runs(&s->tool)) {
        s->parting = true;
        batch_note(s,
                   "waiting for Slurm to cancel the jobs of this run; without waiting: scancel "
                   "--me --name=%s",
                   s->name);
    }
    return slurm_tool_wait(&s->tool, until_us);
}

/* Lets an sbatch that is under way finish: the controller may have its request, and a job that is
 * made after the scancel would stay. */
static void settle_submission(struct slurm_batch *s, int64_t until_us)
{
    if (s->doing.act == BLOCKS_SUBMIT && slurm_tool_runs(&s->tool) && wait_for_tool(s, until_us))
        finish(s, clock_now_us());
    slurm_tool_clear(&s->tool);
}

/* Returns true if an sbatch has not been answered, so that its job may still come. */
static bool any_in_doubt(const struct slurm_batch *s)
{
    for (uint32_t i = 0; i < s->blocks.at.count; i++)
        if (s->blocks.at.at[i].state == BLOCK_SUBMITTING ||
            s->blocks.at.at[i].state == BLOCK_DOUBTED)
            return true;
    return false;
}

/* Runs a scancel of all jobs of this name: also of those whose ids we do not know. It goes on if we
 * are killed. Returns true if it went well, or false with the reason. */
static bool cancel_by_name(struct slurm_batch *s, int64_t until_us, char *why, size_t size)
{
    struct fleet_words w = {0};
    bool well = false;

    fleet_words_add(&w, "scancel", "--me");
    fleet_words_addf(&w, "--name=%s", s->name);
    if (slurm_tool_start(&s->tool, s->options.epoll_fd, s->options.epoll_tag, fleet_words_argv(&w),
                         true, clock_now_us()) < 0)
        snprintf(why, size, "scancel cannot be started: %s", strerror(errno));
    else if (wait_for_tool(s, until_us))
        well = slurm_tool_end(&s->tool, why, size) == SLURM_TOOL_WELL;
    else
        snprintf(why, size, "no answer in %d s", BATCH_GRACE_US / 1000000);
    slurm_tool_clear(&s->tool);
    fleet_words_fini(&w);
    return well;
}

/* Leaves no job of this run in the queue, or tells the user how to remove it. */
static void cancel_all(struct slurm_batch *s)
{
    int64_t now_us = clock_now_us();
    char why[200];

    settle_submission(s, now_us + BATCH_GRACE_US / 2);
    if (!batch_has_jobs(s)) /* it was refused */
        return;
    if (!cancel_by_name(s, now_us + BATCH_GRACE_US, why, sizeof why))
        batch_note(s,
                   "Slurm jobs of this run may be left (%s); to remove them: scancel --me "
                   "--name=%s",
                   why, s->name);
    else if (any_in_doubt(s))
        batch_note(s,
                   "Slurm has not answered sbatch, whose job may still come; to remove it: "
                   "scancel --me --name=%s",
                   s->name);
}

static void batch_close(struct fleet *f)
{
    struct slurm_batch *s = batch_of(f);

    if (batch_has_jobs(s))
        cancel_all(s);
    slurm_tool_clear(&s->tool);
    remove_empty(s, s->blocks.at.at, s->blocks.at.count);
    slurm_blocks_fini(&s->blocks);
    fleet_words_fini(&s->extra);
    mem_free(s->script);
    mem_free(s);
}

/* ---- opening ---- */

struct fleet *slurm_batch_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err)
{
    struct slurm_batch *s = mem_zalloc(1, sizeof *s);
    struct slurm_blocks_options blocks = {min, max, options->grow_us, options->idle_us,
                                          options->drain_us};
    /* Agents of blocks that leave may still be there when those of their successors come. */
    uint32_t agents = 2 * max < FLEET_AGENTS_MAX ? 2 * max : FLEET_AGENTS_MAX;

    s->fleet =
        (struct fleet){min, agents, batch_event, batch_turn, batch_hopes, batch_close, false};
    s->options = *options;
    slurm_blocks_init(&s->blocks, &blocks, false, clock_now_us());
    if (slurm_words_split(&s->extra, "--slurm",
                          options->extra ? options->extra : "--exclusive --mem=0", err) == 0)
        return &s->fleet;
    batch_close(&s->fleet);
    return NULL;
}
