/* slurm_alloc.c - agents by steps of the allocation that dolly runs in.
 *
 * srun starts the agents of all nodes and stays as long as they do; slurm_steps.h says when lost
 * ones are started anew, by another srun that leaves out the nodes that have one. An srun outlives
 * us if the run can be resumed: the agents would die with it, and they shall linger for the next
 * coordinator. A keeper sees to it that it does not outlive the run (srun_keeper.h). What it says
 * goes to a file in the folder of the run, from where we read it when it has ended.
 *
 * Now and then the controller is asked how long the allocation lasts. */
#include "remote/fleet/fleet_ways.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os/clock.h"
#include "base/os/path.h"
#include "base/text.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_errors.h"
#include "remote/fleet/slurm_jobs.h"
#include "remote/fleet/slurm_steps.h"
#include "remote/fleet/slurm_tool.h"
#include "remote/fleet/slurm_words.h"
#include "remote/fleet/srun_keeper.h"

enum {
    ALLOC_STEPS_MAX = 64,         /* sruns at a time */
    ALLOC_ASK_US = 60 * 1000000,  /* between two looks at the time limit */
    ALLOC_GRACE_US = 4 * 1000000, /* for srun to end after its agents have */
    ALLOC_PREFIX_BYTES = 2,       /* "a.", before the name of the node */
};

struct alloc_step {
    struct fleet_process process;
    uint32_t number;
};

struct slurm_alloc {
    struct fleet fleet; /* first */
    struct fleet_options options;
    int64_t job;
    struct slurm_steps steps;
    struct alloc_step at[ALLOC_STEPS_MAX];
    uint32_t started; /* steps so far */
    uint32_t newest;  /* place of the last */
    struct slurm_tool tool;
    int64_t ask_us, end_us; /* when to ask for the limit; the limit, INT64_MAX: none known */
    bool drained;
    bool waits; /* an earlier coordinator may have left agents; the user does not know yet */
};

static struct slurm_alloc *alloc_of(struct fleet *f)
{
    return (struct slurm_alloc *)(void *)f;
}

/* ---- steps ---- */

static void step_name(const struct alloc_step *step, char name[32])
{
    snprintf(name, 32, "srun-%u", step->number);
}

/* The last line that the step's srun has written. */
static void step_words(struct slurm_alloc *s, const struct alloc_step *step, char *line,
                       size_t size)
{
    char name[32];

    step_name(step, name);
    fleet_errors_take(s->options.dir, name, line, size);
}

static void step_ended(struct slurm_alloc *s, struct alloc_step *step, int status)
{
    char line[200], text[300], how[64];

    step_words(s, step, line, sizeof line);
    if (step == &s->at[s->newest])
        slurm_steps_ended(&s->steps);
    if (status == 0)
        return;
    /* The allocation is no more, or every agent has said that it can never work. */
    if (strstr(line, "Expired or invalid job") || strstr(line, "Invalid job id") ||
        (WIFEXITED(status) && WEXITSTATUS(status) == FLEET_STATUS_NEVER && !s->steps.brought))
        slurm_steps_give_up(&s->steps);
    fleet_process_tell(status, how, sizeof how);
    snprintf(text, sizeof text, "srun %s%s%s", how, line[0] ? ": " : "", line);
    s->options.on_ended(s->options.ctx, "a.*", text);
}

/* The words of an srun for `count` nodes, none of which has an agent. */
static void step_argv(const struct slurm_alloc *s, uint32_t count, const struct fleet_need *need,
                      struct fleet_words *words)
{
    struct str without = {0};

    srun_keeper_words(words, &s->options, s->options.stays);
    slurm_words_srun(words);
    fleet_words_addf(words, "--jobid=%lld", (long long)s->job);
    fleet_words_addf(words, "--nodes=%u", count);
    fleet_words_addf(words, "--ntasks=%u", count); /* or srun takes what the allocation says */
    for (uint32_t i = 0; i < need->connected; i++)
        if (strncmp(need->agents[i].name, "a.", ALLOC_PREFIX_BYTES) == 0)
            str_addf(&without, "%s%s", without.length ? "," : "--exclude=",
                     need->agents[i].name + ALLOC_PREFIX_BYTES);
    if (without.length)
        fleet_words_add(words, without.text);
    slurm_words_agent(words, &s->options, "a");
    str_free(&without);
}

static struct alloc_step *free_step(struct slurm_alloc *s)
{
    for (uint32_t i = 0; i < ALLOC_STEPS_MAX; i++)
        if (s->at[i].process.pid == 0)
            return &s->at[i];
    return NULL;
}

static void start_step(struct slurm_alloc *s, uint32_t count, const struct fleet_need *need)
{
    struct alloc_step *step = free_step(s);
    struct fleet_words words = {0};
    const char *key = s->options.sealed ? s->options.sealed : s->options.key;
    uint32_t bytes = s->options.sealed ? (uint32_t)strlen(key) : FLEET_KEY_TEXT;
    char text[160], name[32];

    if (!step) /* all of them hang; slurm_steps will ask again */
        return;
    step->number = ++s->started;
    s->newest = (uint32_t)(step - s->at);
    step_name(step, name);
    step_argv(s, count, need, &words);
    struct epoll_event e = {.events = EPOLLIN,
                            .data.u64 = s->options.epoll_tag + SLURM_TOOL_TAGS + s->newest};
    int fd = fleet_errors_open(s->options.dir, name);
    if (fd < 0 ||
        fleet_process_start(&step->process, fleet_words_argv(&words), key, bytes, -1, fd,
                            s->options.stays) < 0 ||
        sys_epoll_ctl(s->options.epoll_fd, EPOLL_CTL_ADD, step->process.pid_fd, &e) < 0) {
        snprintf(text, sizeof text, "srun cannot be started: %s", strerror(errno));
        fleet_process_end(&step->process, 0);
        slurm_steps_ended(&s->steps);
        s->options.on_ended(s->options.ctx, "a.*", text);
    }
    sys_close(&fd);
    fleet_words_fini(&words);
}

/* ---- the time limit ---- */

static void ask_limit(struct slurm_alloc *s, int64_t now_us)
{
    char id[32];
    char *argv[] = {"squeue", "--json", "--jobs", id, NULL};

    snprintf(id, sizeof id, "%lld", (long long)s->job);
    s->ask_us = now_us + ALLOC_ASK_US;
    slurm_tool_start(&s->tool, s->options.epoll_fd, s->options.epoll_tag, argv, false, now_us);
}

/* An answer that is missing or makes no sense leaves all as it was. */
static void take_limit(struct slurm_alloc *s, int64_t now_us)
{
    struct slurm_jobs jobs;
    struct err err;
    char why[200];

    if (slurm_tool_end(&s->tool, why, sizeof why) == SLURM_TOOL_WELL &&
        slurm_jobs_parse(&jobs, s->tool.streams[0].text.at, s->tool.streams[0].text.count, NULL,
                         s->job, &err) == 0) {
        if (jobs.at.count == 1 && jobs.at.at[0].end_us != INT64_MAX)
            s->end_us = now_us + jobs.at.at[0].end_us - (int64_t)time(NULL) * 1000000;
        slurm_jobs_fini(&jobs);
    }
    slurm_tool_clear(&s->tool);
}

static int64_t turn_limit(struct slurm_alloc *s, int64_t now_us)
{
    int64_t next_us = INT64_MAX;

    if (slurm_tool_turn(&s->tool, now_us, &next_us))
        take_limit(s, now_us);
    if (!slurm_tool_runs(&s->tool) && now_us >= s->ask_us)
        ask_limit(s, now_us);
    if (s->ask_us < next_us)
        next_us = s->ask_us;
    if (s->end_us == INT64_MAX || s->drained)
        return next_us;
    int64_t at_us = s->end_us - s->options.drain_us;
    if (now_us < at_us)
        return at_us < next_us ? at_us : next_us;
    s->drained = s->fleet.last = true;
    s->options.on_drain(s->options.ctx, "a.*", s->end_us - now_us);
    return next_us;
}

/* ---- the fleet ---- */

static void alloc_event(struct fleet *f, uint32_t tag)
{
    struct slurm_alloc *s = alloc_of(f);
    int status;

    if (tag < SLURM_TOOL_TAGS || tag - SLURM_TOOL_TAGS >= ALLOC_STEPS_MAX)
        return; /* the tool looks by itself in the turn */
    struct alloc_step *step = &s->at[tag - SLURM_TOOL_TAGS];
    if (fleet_process_ended(&step->process, &status))
        step_ended(s, step, status);
}

static int64_t alloc_turn(struct fleet *f, const struct fleet_need *need)
{
    struct slurm_alloc *s = alloc_of(f);
    int64_t now_us = clock_now_us(), next_us = turn_limit(s, now_us);

    if (s->waits && s->options.on_note)
        s->options.on_note(s->options.ctx, FLEET_WAITS);
    s->waits = false;
    uint32_t missing = slurm_steps_turn(&s->steps, need->connected, now_us, &next_us);

    if (missing > 0 && !s->drained)
        start_step(s, missing, need);
    return next_us;
}

static bool alloc_hopes(const struct fleet *f)
{
    const struct slurm_alloc *s = (const struct slurm_alloc *)(const void *)f;

    return slurm_steps_hopes(&s->steps) && (!s->drained || s->steps.connected > 0);
}

static void alloc_close(struct fleet *f)
{
    struct slurm_alloc *s = alloc_of(f);
    char line[200];

    slurm_tool_clear(&s->tool);
    for (uint32_t i = 0; i < ALLOC_STEPS_MAX; i++) {
        fleet_process_end(&s->at[i].process, ALLOC_GRACE_US);
        step_words(s, &s->at[i], line, sizeof line);
    }
    mem_free(s);
}

/* Whether the last coordinator of this run had this very allocation: agents of another one are gone
 * with it. Notes which one this is. */
static bool alloc_is_the_same(const char *dir, const char *id)
{
    struct path path = path_of("%s/agents.job", dir);
    char text[32] = "";
    int fd = sys_open(path.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    ssize_t n = fd >= 0 ? sys_read(fd, text, sizeof text - 1) : -1;
    bool same = n < 0 || ((size_t)n == strlen(id) && memcmp(text, id, (size_t)n) == 0);
    if (n >= 0 && !same &&
        (ftruncate(fd, 0) < 0 || pwrite(fd, id, strlen(id), 0) != (ssize_t)strlen(id)))
        same = true;
    sys_close(&fd);
    return same;
}

struct fleet *slurm_alloc_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err)
{
    const char *id = getenv("SLURM_JOB_ID"), *count = getenv("SLURM_JOB_NUM_NODES");
    int64_t job, nodes, now_us = clock_now_us();

    count = count ? count : getenv("SLURM_NNODES");
    if (getenv("SLURM_HET_SIZE")) {
        err_set(err,
                "--on slurm:%s: job %s is heterogeneous, which is not supported; expected an "
                "allocation of one component",
                options->spec, id);
        return NULL;
    }
    if (!text_int(id, &job) || job <= 0 || !count || !text_int(count, &nodes) || nodes < 1) {
        err_set(err, "--on slurm:%s: SLURM_JOB_ID is '%s', which is not an allocation",
                options->spec, id);
        return NULL;
    }
    if (nodes < min) {
        err_set(err, "--on slurm:%s: the allocation (job %s) has %lld node%s", options->spec, id,
                (long long)nodes, nodes == 1 ? "" : "s");
        return NULL;
    }
    if (options->extra) {
        err_set(err, "--slurm is for sbatch: inside an allocation (job %s) nothing is submitted",
                id);
        return NULL;
    }
    struct slurm_alloc *s = mem_zalloc(1, sizeof *s);
    uint32_t wanted = nodes < max ? (uint32_t)nodes : max;
    /* The most that may be is what the user has said: another allocation may have more. */
    s->fleet =
        (struct fleet){wanted, max, alloc_event, alloc_turn, alloc_hopes, alloc_close, false};
    s->options = *options;
    s->job = job;
    s->ask_us = now_us;
    s->end_us = INT64_MAX;
    bool same = !options->dir || alloc_is_the_same(options->dir, id);
    s->waits = options->again && same;
    slurm_steps_init(&s->steps, wanted, s->waits, now_us);
    return &s->fleet;
}
