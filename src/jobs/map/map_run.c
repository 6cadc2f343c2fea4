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
#include "core/policy/policy.h"
#include "exec/chaos.h"
#include "inputs/cluster/about.h"
#include "jobs/map/map.h"
#include "jobs/map/map_files.h"
#include "jobs/map/map_whole.h"
#include "jobs/streams/deal.h"
#include "record/run/run.h"
#include "record/story/story.h"
#include "ui/cli.h"
#include "ui/settings.h"
#include "ui/words.h"

/* Of one machine. With three copies of each task, as dolly's usual eps asks for, some task of ten
 * has bad luck with all of them in one run of thirteen where a fifth of attempts is slow; a smaller
 * one costs idle slots only. Mantri starts one more copy of what reports its progress and is slow
 * all the same. */
#define MAP_RUN_POLICY "dolly+mantri;eps=0.001"

/* ---- pieces ---- */

static struct policy *open_policy(struct map *m, struct err *err)
{
    const struct options *o = &m->options;
    bool several = o->on.on && on_is_several(o->on.on);
    char retries[16];
    const char *text = m->feed.on    ? "fifo"
                       : !m->cloning ? "none"
                       : o->policy   ? o->policy
                       : several     ? "dolly"
                                     : MAP_RUN_POLICY;
    struct policy *policy = settings_policy(text, several ? SETTINGS_SEVERAL : SETTINGS_ONE_MACHINE,
                                            o->settings.texts.at, o->settings.texts.count, err);

    snprintf(retries, sizeof retries, "%lld", (long long)o->retries);
    if (policy && (policy_set(policy, "failures_max", retries, err) < 0 ||
                   (o->on.on && policy_set(policy, "disks", "own", err) < 0))) {
        policy_destroy(policy);
        return NULL;
    }
    return policy;
}

/* Nodes are alike: what the first cannot hold, none can. */
static int check_demand(const struct map *m, const struct cluster *c, struct err *err)
{
    struct res need = map_feed_demand(m);
    const struct res *has = &c->nodes[0].capacity;

    if (need.v[RES_CPU] > has->v[RES_CPU])
        return err_set(err, "--cpus %g: no node has more than %g (-j and --nodes say how many)",
                       need.v[RES_CPU] / 1e3, has->v[RES_CPU] / 1e3);
    if (need.v[RES_MEM] > has->v[RES_MEM])
        return err_set(err, "--mem %dM: no node has more than %dM", need.v[RES_MEM],
                       has->v[RES_MEM]);
    return 0;
}

static int on_options(const struct map *m, struct on_options *on, struct err *err)
{
    const struct options *o = &m->options;

    *on = o->on;
    on->ending = map_progress_ending;
    on->inputs = m->blocks.dir != NULL;
    on->resumable = !m->dir_private;
    on->slots = m->node_slots;
    if (o->lost && strcmp(o->lost, "fail") != 0 && strcmp(o->lost, "again") != 0)
        return err_set(err, "--lost wants `again` or `fail`, not '%s'", o->lost);
    if (o->lost && !o->on.on)
        return err_set(err, "--lost is for runs with --on");
    return on_check(on, err);
}

static struct cluster *open_cluster(struct map *m, struct err *err)
{
    struct on_options on;

    if (on_options(m, &on, err) < 0)
        return NULL;
    if (on.on && strncmp(on.on, "ssh:", 4) == 0 &&
        on_env_take(&m->dress.sent, &m->options.env, environ, err) < 0)
        return NULL;
    if (on.on) {
        struct cluster *c = on_cluster(&on, err);
        if (c && m->dir_private && strncmp(on.on, "slurm:", 6) == 0 && !getenv("SLURM_JOB_ID")) {
            cluster_destroy(c);
            err_set(err, "--on slurm outside of an allocation needs a folder that nodes see: "
                         "--dir DIR");
            return NULL;
        }
        return c;
    }
    struct cluster *c = m->options.nodes ? cluster_parse_shape(m->options.nodes, err)
                                         : cluster_plain(1, m->slot_count);
    if (!c)
        return NULL;
    cluster_share_memory(c);
    if (check_demand(m, c, err) == 0)
        return c;
    cluster_destroy(c);
    return NULL;
}

static void tell_about(const struct map *m, const struct cluster *cluster, struct str *to)
{
    const struct options *o = &m->options;
    struct about_time now = about_now();
    struct about_here here = about_here();
    struct str options = {0};

    str_addf(&options, "retries=%lld timeout=%lldus timeout_percent=", (long long)o->retries,
             (long long)o->timeout_us);
    str_add_real(&options, (double)o->timeout_percent);
    str_addf(&options, " delay=%lldus nice=%lld", (long long)o->delay_us, (long long)o->nice);
    about_write(&(struct about){.program = "dolly " DOLLY_VERSION,
                                .began = now.text,
                                .cluster_name = o->nodes,
                                .options = options.text,
                                .chaos = o->chaos,
                                .host = here.host,
                                .typed = here.typed},
                cluster, to);
    str_free(&options);
}

/* A run that goes on gets its journal when it was recalled. */
static struct run *open_run(const struct map *m, const struct policy *policy,
                            const struct cluster *cluster, struct err *err)
{
    char path[PATH_MAX];
    struct str about = {0};

    snprintf(path, sizeof path, "%s/journal", m->dir);
    tell_about(m, cluster, &about);
    struct journal_options journal = {
        .path = path, .each_turn = !m->dir_private, .about = about.text};
    struct run *r = run_create(&(struct run_options){.policy = policy,
                                                     .seed = (uint64_t)m->options.seed,
                                                     .journal = m->again ? NULL : &journal,
                                                     .body = "map"},
                               err);
    str_free(&about);
    return r;
}

/* Not every command is started by a shell, which would set PWD itself. */
static int name_workdir(const struct map *m, struct err *err)
{
    char absolute[PATH_MAX];
    struct stat st;

    if (!m->options.workdir || plan_workdir_each(m->plan))
        return 0;
    map_files_make_folder(m->options.workdir);
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

struct map_pieces {
    struct cluster *cluster;
    struct policy *policy;
    struct run *run;
    struct map_workload workload;
    struct chaos chaos;
};

/* A hook of the body, called in the guardian when we have died. */
static void orphaned(void *ctx, const int fds[2])
{
    const struct map *m = ctx;
    mark_orphaned(m->mark, fds);
}

static int make_body(struct map *m, struct map_pieces *p, struct exec_hooks *hooks, struct err *err)
{
    struct exec_options options = {
        .cluster = p->cluster,
        .workload = &p->workload.workload,
        .dir = m->dir,
        .journal = run_journal(p->run),
        .grace_us = 5000000,
        .shell = m->shell,
        .hooks = hooks,
        .chaos = m->options.chaos ? &p->chaos : NULL,
        .delay_us = m->options.delay_us,
        .scratch = m->dir_private,
        .keep_failed = true,
        .workdir = plan_workdir_each(m->plan) ? NULL : m->options.workdir,
        .nice = (int)m->options.nice,
        .timed = m->options.timeout_us > 0 || m->options.timeout_percent > 0,
        .again = m->again,
        .supervised = m->guarded,
        .lost_fails = m->options.lost && strcmp(m->options.lost, "fail") == 0,
        .groups = m->on.coordinator ? &m->on.groups : NULL,
        .lock_fd = m->lock_fd,
        .failures_max = m->dir_private ? 0 : (uint32_t)m->options.retries};

    *hooks = (struct exec_hooks){.ctx = m,
                                 .dress = map_dress,
                                 .spoilt = map_whole_again,
                                 .warn = map_progress_warn,
                                 .tick_us = map_control_tick_us(m)};
    if (hooks->tick_us)
        hooks->tick = map_control_tick;
    if (m->feed.on)
        hooks->name = map_feed_name;
    if (m->feed.on && !m->again) {
        hooks->feed = map_feed;
        hooks->feed_fd = m->blocks.deal ? m->blocks.deal->fd : STDIN_FILENO;
    }
    if (m->mark) {
        hooks->orphaned = orphaned;
        mark_fds(m->mark, hooks->keep_fds);
    }
    map_dress_clean_environment();
    if (name_workdir(m, err) < 0)
        return -1;
    if (!(m->exec = exec_create(&options, err)))
        return -1;
    if (m->options.timeout_us)
        exec_limit(m->exec, m->options.timeout_us);
    return 0;
}

/* Shows the journal of an earlier life to the brain, to the body if there is one, and to what we
 * print from. 0, or -1 with *err. */
static int play(struct map *m, struct run *run, struct journal_played *played, struct err *err)
{
    char path[PATH_MAX];
    struct tap taps[3];
    struct journal_play play = {.taps = taps, .ctx = m->exec};
    struct record first;

    snprintf(path, sizeof path, "%s/journal", m->dir);
    if (m->exec) {
        play.intent = exec_recall_intent;
        taps[play.tap_count++] = exec_recall_tap(m->exec);
    }
    taps[play.tap_count++] = map_watch_tap(m);
    if (m->summary.story)
        taps[play.tap_count++] = story_tap(m->summary.story);
    struct journal_reader *r = journal_reader_open(path, NULL, err);
    int result = r ? journal_reader_next(r, &first, err) : -1;
    if (result == 0)
        err_set(err,
                "journal %s: the journal ends before its first turn; the run cannot be resumed",
                path);
    m->recalling = true;
    result = result > 0 ? run_recall(run, r, path, &play, played, err) : -1;
    m->recalling = false;
    journal_reader_close(r);
    return result;
}

/* The pipe that arguments came through is not there any more. */
static void warn_of_lost_stdin(struct map *m)
{
    struct str text = {0};

    if (!m->feed.on || m->feed.ended || m->control.halting)
        return;
    str_addf(
        &text,
        "stdin had not come to its end when the run was cut short: %s known, the rest of stdin "
        "is gone",
        words_are(m->tasks, "task").text);
    map_progress_warn(m, text.text);
    str_free(&text);
}

static int recall(struct map *m, struct map_pieces *p, struct err *err)
{
    struct journal_played played;

    if (play(m, p->run, &played, err) < 0)
        return -1;
    map_watch_recalled(m);
    if (exec_recall_end(m->exec, run_journal(p->run), played.last_us, err) < 0)
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

static int run_engine(struct map *m, struct map_pieces *p, bool *interrupted, struct err *err)
{
    struct exec_hooks hooks;
    struct on_options on;

    if (on_options(m, &on, err) < 0 ||
        (on.on && on_open(&m->on, &on, m->dir, p->cluster, m, map_progress_warn, err) < 0))
        return -1;
    if (make_body(m, p, &hooks, err) < 0)
        return -1;
    int result = m->again ? recall(m, p, err) : 0;
    struct tap taps[] = {map_watch_tap(m), story_tap(m->summary.story)};
    if (result == 0)
        result = run_drive(p->run, (struct body){&exec_body, m->exec}, taps,
                           m->summary.story ? 2 : 1, err);
    *interrupted = exec_interrupted(m->exec);
    if (result == 0)
        map_print_flush(m);
    exec_destroy(m->exec);
    m->exec = NULL;
    on_close(&m->on);
    return result;
}

static int open_mark(struct map *m, struct err *err)
{
    m->mark = mark_open(m->dir, m->tasks, m->feed.on, m->again, err);
    return m->mark ? 0 : -1;
}

static int open_state(struct map *m, struct map_pieces *p, struct err *err)
{
    if (map_dir_open(m, err) < 0)
        return -1;
    if (!(p->run = open_run(m, p->policy, p->cluster, err)))
        return -1;
    return m->dir_private ? 0 : open_mark(m, err);
}

/* What the run needs on the disk before it begins. All that stands in its folder is for us alone,
 * whatever the umask; a job log and other files that the user has named are the user's. */
static int open_files(struct map *m, struct map_pieces *p, struct err *err)
{
    mode_t mask = umask(077);
    int result = open_state(m, p, err);

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

static int run_pieces(struct map *m, struct map_pieces *p, bool *interrupted, struct err *err)
{
    const struct options *o = &m->options;

    if ((o->chaos && chaos_parse(o->chaos, (uint64_t)o->seed, &p->chaos, err) < 0) ||
        !(p->policy = open_policy(m, err)) || !(p->cluster = open_cluster(m, err)) ||
        open_files(m, p, err) < 0)
        return -1;
    p->workload = map_feed_workload(m);
    if (m->options.keep_order || m->again)
        m->print.ends = mem_zalloc(m->tasks, sizeof *m->print.ends);
    progress_line_init(&m->progress);
    int result = run_engine(m, p, interrupted, err);
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
    on_close(&m->on);
    mark_close(m->mark);
    mem_free(m->print.ends);
    vec_free(&m->print.recalled);
    map_slots_fini(&m->slots);
    map_dress_fini(&m->dress);
    map_watch_fini(&m->watch);
    map_hosts_fini(&m->hosts);
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
    struct journal_played played;
    struct err ignored;
    int result = -1;

    begin_counting(m);
    m->print.ends = mem_zalloc(m->tasks, sizeof *m->print.ends);
    struct policy *policy = open_policy(m, err);
    struct run *run =
        policy
            ? run_create(&(struct run_options){.policy = policy, .seed = (uint64_t)m->options.seed},
                         err)
            : NULL;
    if (run && play(m, run, &played, err) == 0 && open_mark(m, err) == 0) {
        map_print_recalled(m);
        map_print_flush(m);
        result = 0;
    }
    (void)run_close(run, -1, &ignored);
    policy_destroy(policy);
    close_run(m);
    return result;
}

int map_run(struct map *m, bool *interrupted, struct err *err)
{
    struct map_pieces p = {0};

    if (exec_check_files(err) < 0)
        return -1;
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
    int result = run_pieces(m, &p, interrupted, err);
    result = run_close(p.run, result, err);
    if (result == 0)
        add_history(m);
    policy_destroy(p.policy);
    cluster_destroy(p.cluster);
    close_run(m);
    return result;
}
