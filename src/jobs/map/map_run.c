/* map_run.c - the pieces of a run, from its folder to the engine.
 *
 * The job has one phase with a task for each line of the plan. Safe by default: the phase says
 * `clone: never` and a failed task is not tried again, unless an option allows it; a task that
 * fails for good does not fail the job (failures_allowed). The folder of a run is private and goes
 * at the end unless the user named one; nothing in a private one is synced, as it cannot be
 * resumed. */
#include "jobs/map/map_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/os/tree.h"
#include "core/policy/policy.h"
#include "jobs/drive/assembly.h"
#include "jobs/map/map.h"
#include "jobs/map/map_files.h"
#include "jobs/map/map_whole.h"
#include "jobs/streams/deal.h"
#include "record/story/story.h"
#include "ui/settings.h"
#include "ui/words.h"

/* ---- pieces ---- */

/* What a task that fails for good has cost is up to --retries. */
static int set_retries(const struct map *m, struct policy *policy, struct err *err)
{
    char retries[16];

    snprintf(retries, sizeof retries, "%lld", (long long)m->options.retries);
    return policy_set(policy, "failures_max", retries, err);
}

/* Nodes are alike: what the first cannot hold, none can. */
static int check_demand(const struct map *m, const struct cluster *c, struct err *err)
{
    struct res need = map_feed_demand(m);
    const struct res *has = &c->nodes[0].capacity;

    if (need.v[RES_CPU] > has->v[RES_CPU])
        return err_set(err, "--cpus %g: no node has more than %g (-j and --nodes set the number)",
                       need.v[RES_CPU] / 1e3, has->v[RES_CPU] / 1e3);
    if (need.v[RES_MEM] > has->v[RES_MEM])
        return err_set(err, "--mem %dM: no node has more than %dM", need.v[RES_MEM],
                       has->v[RES_MEM]);
    return 0;
}

static int choose_where(const struct map *m, struct where_options *where, struct err *err)
{
    const struct options *o = &m->options;

    *where = o->where;
    where->ending = map_progress_ending;
    where->inputs = m->blocks.dir != NULL;
    where->resumable = !m->dir_private;
    where->slots = m->node_slots;
    if (o->lost && strcmp(o->lost, "fail") != 0 && strcmp(o->lost, "again") != 0)
        return err_set(err, "--lost: expected `again` or `fail`, not '%s'", o->lost);
    if (o->lost && !o->where.spec)
        return err_set(err, "--lost is for runs with --on");
    return where_check(where, err);
}

static int check_cluster(const struct map *m, const struct cluster *c, struct err *err)
{
    const char *on = m->options.where.spec;

    if (on && m->dir_private && strncmp(on, "slurm:", 6) == 0 && !getenv("SLURM_JOB_ID"))
        return err_set(err, "--on slurm outside of an allocation needs a folder that nodes see: "
                            "--dir DIR");
    return on ? 0 : check_demand(m, c, err);
}

/* What a later look at the journal wants to know of the body. */
static void add_options(const struct map *m, struct str *to)
{
    const struct options *o = &m->options;

    str_addf(to, "retries=%lld timeout=%lldus timeout_percent=", (long long)o->retries,
             (long long)o->timeout_us);
    str_add_real(to, (double)o->timeout_percent);
    str_addf(to, " delay=%lldus nice=%lld", (long long)o->delay_us, (long long)o->nice);
}

static struct assembly_options watched_run(struct map *m)
{
    struct assembly_options options = {.body = "map",
                                       .taps = {map_watch_tap(m)},
                                       .exec = {.dir = m->dir, .scratch = m->dir_private}};

    if (m->summary.story)
        options.taps[1] = story_tap(m->summary.story);
    return options;
}

/* The run as the command line has it, or its journal. `about` is to be kept until it has begun. */
static int open_run(struct map *m, struct assembly *a, struct str *about, struct err *err)
{
    const struct options *o = &m->options;
    struct assembly_options options = watched_run(m);

    if (choose_where(m, &options.where, err) < 0)
        return -1;
    if (o->where.spec && strncmp(o->where.spec, "ssh:", 4) == 0 &&
        where_env_take(&m->dress.sent, &o->env, environ, err) < 0)
        return -1;
    if (m->again)
        return assembly_recollect(a, &options, err);
    add_options(m, about);
    options.about = (struct about){.cluster_name = o->nodes, .options = about->text};
    options.slots = m->slot_count;
    options.nodes = o->nodes;
    options.policy = m->feed.arrives ? "fifo"
                     : !m->cloning   ? "none"
                     : o->policy     ? o->policy
                                     : SETTINGS_POLICY;
    options.spares = true;
    options.settings = o->settings;
    options.chaos = o->chaos;
    options.seed = (uint64_t)o->seed;
    if (assembly_plan(a, &options, err) < 0 || set_retries(m, a->policy, err) < 0)
        return -1;
    return check_cluster(m, a->cluster, err);
}

/* Not every command is started by a shell, which would set PWD itself. */
static int name_workdir(const struct map *m, struct err *err)
{
    char absolute[PATH_MAX];
    struct stat st;

    if (!m->options.workdir || plan_workdir_each(m->plan))
        return 0;
    tree_make_above(m->options.workdir, 0777);
    mkdir(m->options.workdir, 0777);
    if (!realpath(m->options.workdir, absolute) || stat(absolute, &st) < 0)
        return err_set(err, "--wd %s: %s", m->options.workdir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(err, "--wd %s: expected a folder", m->options.workdir);
    char *here = realpath(".", NULL);
    if (here)
        setenv("OLDPWD", here, 1);
    mem_free(here);
    setenv("PWD", m->options.workdir[0] == '/' ? m->options.workdir : absolute, 1);
    return 0;
}

/* ---- history ----
 *
 * A run of `dolly map` is mostly over before a policy has seen enough of it. Earlier runs of the
 * same command tell how long its tasks take and how often they straggle; the job is submitted with
 * that, so the brain stays a function of its events, and the journal holds all it went by. */

/* Arguments that are commands themselves have nothing in common. */
static bool has_history(const struct map *m)
{
    return !m->options.no_history && m->options.command.text;
}

static void find_history(struct map *m)
{
    const struct options *o = &m->options;
    uint32_t damaged;

    if (!has_history(m) || !(m->cloning || o->bar || o->eta || o->progress))
        return;
    char *path = history_path();
    if (path && !history_find(path, hash_text(o->command.text), &m->past, &damaged))
        m->past = (struct history_entry){0};
    if (path && damaged)
        fprintf(stderr, "dolly: %s: damaged, %u lines are left out\n", path, damaged);
    mem_free(path);
}

static void add_history(const struct map *m)
{
    char *path = has_history(m) && m->counts.runtimes.count ? history_path() : NULL;
    struct history_entry run = {0};

    if (!path)
        return;
    run.hash = hash_text(m->options.command.text);
    history_summarise(&run, m->counts.runtimes.at, m->counts.runtimes.count, m->counts.stopped.at,
                      m->counts.stopped.count, history_p(&m->past));
    (void)history_add(path, &run); /* a run is no worse for it */
    mem_free(path);
}

/* ---- running ---- */

/* A hook of the body, called in the guardian when we have died. */
static void orphaned(void *ctx, const int fds[2])
{
    const struct map *m = ctx;
    mark_orphaned(m->mark, fds);
}

static struct exec_hooks hooks_of(struct map *m)
{
    struct exec_hooks hooks = {.ctx = m,
                               .dress = map_dress,
                               .announced = map_watch_announced,
                               .spoilt = map_whole_again,
                               .warn = map_progress_warn,
                               .tick_us = map_control_tick_us(m)};

    if (hooks.tick_us)
        hooks.tick = map_control_tick;
    if (m->feed.arrives)
        hooks.name = map_feed_name;
    if (m->feed.arrives && !m->again) {
        hooks.feed = map_feed;
        hooks.feed_fd = m->blocks.deal ? m->blocks.deal->fd : STDIN_FILENO;
    }
    if (m->mark) {
        hooks.orphaned = orphaned;
        mark_fds(m->mark, hooks.keep_fds);
    }
    return hooks;
}

static int open_body(struct map *m, struct assembly *a, struct map_workload *jobs, struct err *err)
{
    const struct options *o = &m->options;

    a->options.exec =
        (struct exec_options){.workload = &jobs->workload,
                              .dir = m->dir,
                              .grace_us = 5000000,
                              .shell = m->shell,
                              .delay_us = o->delay_us,
                              .scratch = m->dir_private,
                              .keep_failed = true,
                              .workdir = plan_workdir_each(m->plan) ? NULL : o->workdir,
                              .nice = (int)o->nice,
                              .timed = o->timeout_us > 0 || o->timeout_percent > 0,
                              .supervised = m->guarded,
                              .lost_fails = o->lost && strcmp(o->lost, "fail") == 0,
                              .lock_fd = m->lock_fd,
                              .failures_max = m->dir_private ? 0 : (uint32_t)o->retries};
    a->options.hooks = hooks_of(m);
    map_dress_clean_environment();
    if (name_workdir(m, err) < 0 || assembly_open(a, err) < 0)
        return -1;
    m->exec = a->exec;
    m->coordinator = a->where.coordinator;
    if (o->timeout_us)
        exec_limit(m->exec, o->timeout_us);
    return 0;
}

/* Shows the journal of an earlier life to all that watch. 0, or -1 with *err. */
static int play(struct map *m, struct assembly *a, struct journal_played *played, struct err *err)
{
    m->recalling = true;
    int result = assembly_recall(a, played, err);
    m->recalling = false;
    return result;
}

/* The pipe that arguments came through is not there any more. */
static void warn_of_lost_stdin(struct map *m)
{
    struct str text = {0};

    if (!m->feed.arrives || m->feed.ended || m->control.halting)
        return;
    str_addf(&text,
             "the run was interrupted before stdin ended: %s known, the rest of stdin is lost",
             words_are(m->tasks, "task").text);
    map_progress_warn(m, text.text);
    str_free(&text);
}

static int recall(struct map *m, struct assembly *a, struct err *err)
{
    struct journal_played played;

    if (play(m, a, &played, err) < 0)
        return -1;
    map_watch_recalled(m);
    if (map_watch_announced(m, err) < 0)
        return -1;
    if (exec_recall_end(m->exec, run_journal(a->run), played.last_us, err) < 0)
        return -1;
    if (map_whole_refuse(m, err) < 0)
        return -1;
    if (m->fail.aborts) {
        *err = m->fail.why;
        return -1;
    }
    map_control_recalled(m);
    warn_of_lost_stdin(m);
    map_print_recalled(m);
    return 0;
}

static int run_engine(struct map *m, struct assembly *a, bool *interrupted, struct err *err)
{
    struct map_workload jobs = map_feed_workload(m);
    int result = open_body(m, a, &jobs, err);

    if (result == 0 && m->again)
        result = recall(m, a, err);
    if (result == 0)
        result = assembly_drive(a, err);
    *interrupted = m->exec && exec_interrupted(m->exec);
    /* An object of JSON has every task that is done; other outputs wait for what is before them. */
    if (result == 0 || (*interrupted && m->options.json))
        map_print_flush(m);
    assembly_stop(a);
    m->exec = NULL;
    m->coordinator = NULL;
    return result;
}

static int open_mark(struct map *m, struct err *err)
{
    m->mark = mark_open(m->dir, m->tasks, m->feed.arrives, m->again, err);
    return m->mark ? 0 : -1;
}

static int open_state(struct map *m, struct assembly *a, struct err *err)
{
    if (map_dir_open(m, err) < 0)
        return -1;
    a->options.exec.dir = m->dir;
    if (assembly_begin(a, err) < 0)
        return -1;
    return m->dir_private ? 0 : open_mark(m, err);
}

/* What the run needs on the disk before it begins. All that stands in its folder is for us alone,
 * whatever the umask; a job log and other files that the user has named are the user's. */
static int open_files(struct map *m, struct assembly *a, struct err *err)
{
    mode_t mask = umask(077);
    int result = open_state(m, a, err);

    if (result == 0 && m->options.joblog)
        umask(mask);
    if (result == 0)
        result = map_log_open(m, err);
    umask(mask);
    if (result == 0)
        result = map_files_open(m, err);
    if (result == 0 && m->options.table)
        result = results_table_open(&m->table, m->options.results, m->options.table, err);
    umask(077);
    if (result == 0 && !m->dir_private && !m->again)
        result = map_keep(m, err);
    umask(mask);
    m->began |= result == 0;
    return result;
}

static int run_assembled(struct map *m, struct assembly *a, bool *interrupted, struct err *err)
{
    if (open_files(m, a, err) < 0)
        return -1;
    if (m->options.keep_order || m->again)
        m->print.ends = mem_zalloc(m->tasks, sizeof *m->print.ends);
    progress_line_init(&m->progress);
    int result = run_engine(m, a, interrupted, err);
    if (result == 0)
        map_progress_draw(m, m->progress.drawn_us, true);
    progress_line_clear(&m->progress);
    return result;
}

static void close_run(struct map *m)
{
    if (m->log.file)
        fclose(m->log.file);
    if (m->table.file)
        fclose(m->table.file);
    for (int i = 0; i < 2; i++)
        if (m->keep.fds[i] > 0)
            close(m->keep.fds[i]);
    mark_close(m->mark);
    mem_free(m->print.ends);
    vec_free(&m->print.recalled);
    map_slots_fini(&m->slots);
    map_dress_fini(&m->dress);
    map_watch_fini(&m->watch);
}

/* Before the first turn. */
static void begin_counting(struct map *m)
{
    m->cloning = m->options.clone || m->options.pure;
    m->control.halt_status = -1;
    if (m->options.summary || m->options.json || m->cloning)
        m->summary.story = story_create("0", &m->summary.join); /* a run is one job */
    for (uint32_t j = 0; m->summary.story && j < m->feed.firsts.count; j++)
        story_join_add(&m->summary.join, map_feed_tasks(m, j));
}

int map_run_replay(struct map *m, struct err *err)
{
    struct assembly a = {0};
    struct journal_played played;
    struct err ignored;
    int result = -1;

    begin_counting(m);
    m->print.ends = mem_zalloc(m->tasks, sizeof *m->print.ends);
    struct assembly_options options = watched_run(m);
    if (assembly_recollect(&a, &options, err) == 0 && assembly_begin(&a, err) == 0 &&
        play(m, &a, &played, err) == 0 && open_mark(m, err) == 0) {
        map_print_recalled(m);
        map_print_flush(m);
        result = 0;
    }
    (void)assembly_close(&a, -1, &ignored);
    close_run(m);
    return result;
}

int map_run(struct map *m, bool *interrupted, struct err *err)
{
    struct assembly a = {0};
    struct str about = {0};

    begin_counting(m);
    if (!m->again) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        m->begun_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
        find_history(m);
        if (map_identify(m, err) < 0)
            return -1;
    }
    signal(SIGPIPE, SIG_IGN); /* a reader that has left must not keep us from cleaning up */
    int result = open_run(m, &a, &about, err);
    if (result == 0)
        result = run_assembled(m, &a, interrupted, err);
    result = assembly_close(&a, result, err);
    if (result == 0)
        add_history(m);
    str_free(&about);
    close_run(m);
    return result;
}
