/* assembly.c - a run of real processes, put together. See assembly.h. */
#include "jobs/drive/assembly.h"

#include <string.h>

#include "base/os/path.h"
#include "base/text.h"
#include "core/policy/policy.h"
#include "exec/process/cores.h"
#include "exec/process/spawn.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/settings.h"

static struct path journal_of(const struct assembly *a)
{
    return path_of("%s/journal", a->options.exec.dir);
}

static uint32_t count_taps(const struct assembly *a)
{
    return a->options.taps[1].turn ? 2 : a->options.taps[0].turn ? 1 : 0;
}

/* ---- what is asked for ---- */

static struct cluster *open_cluster(const struct assembly_options *o, struct err *err)
{
    if (o->where.spec)
        return where_cluster(&o->where, err);
    if (o->cluster)
        return cluster_file_open(o->cluster, err);
    struct cluster *machine =
        o->nodes ? cluster_parse_shape(o->nodes, err)
                 : cluster_plain(1, o->slots > 0 ? o->slots : cores_allowed_here());
    if (machine)
        cluster_share_memory(machine);
    return machine;
}

static int open_policy(struct assembly *a, struct err *err)
{
    const struct assembly_options *o = &a->options;
    bool several = o->where.spec && where_is_several(o->where.spec);
    const char *cloning = !o->spares ? NULL : several ? SETTINGS_SEVERAL : SETTINGS_ONE_MACHINE;

    a->policy =
        settings_policy(o->policy, cloning, o->settings.texts.at, o->settings.texts.count, err);
    if (!a->policy)
        return -1;
    return o->where.spec ? policy_set(a->policy, "disks", "own", err) : 0;
}

static int open_chaos(struct assembly *a, struct err *err)
{
    const struct assembly_options *o = &a->options;

    return o->chaos ? chaos_parse(o->chaos, o->seed, &a->chaos, err) : 0;
}

int assembly_plan(struct assembly *a, const struct assembly_options *options, struct err *err)
{
    a->options = *options;
    if (spawn_raise_limit(err) < 0 || open_chaos(a, err) < 0 || open_policy(a, err) < 0)
        return -1;
    a->cluster = open_cluster(&a->options, err);
    return a->cluster ? 0 : -1;
}

/* ---- a run that goes on ---- */

/* Opens the journal and reads its first record. */
static int open_reader(struct assembly *a, struct record *first, struct err *err)
{
    struct path path = journal_of(a);

    a->reader = journal_reader_open(path.text, NULL, err);
    int got = a->reader ? journal_reader_next(a->reader, first, err) : -1;
    if (got == 0)
        err_set(err,
                "journal %s: the journal ends before its first turn; the run cannot be resumed",
                path.text);
    return got > 0 ? 0 : -1;
}

static int check_origin(const struct assembly *a, const char *body, struct err *err)
{
    const char *program = a->about.about.program, *dir = a->options.exec.dir;

    if (strcmp(body, a->options.body) != 0)
        return err_set(err, "%s: not a run folder of dolly %s", dir,
                       strcmp(a->options.body, "map") == 0 ? "map" : "run, streaming or exec");
    if (!program || strcmp(program, "dolly " DOLLY_VERSION) != 0)
        return err_set(err,
                       "%s: was started by %s, this is dolly " DOLLY_VERSION
                       "; resume it with the version that started it",
                       dir, program ? program : "another version of dolly");
    return 0;
}

int assembly_recollect(struct assembly *a, const struct assembly_options *options, struct err *err)
{
    struct record first;

    a->options = *options;
    if (spawn_raise_limit(err) < 0 || open_reader(a, &first, err) < 0 ||
        about_read(first.u.run.about, "about", &a->about, err) < 0 ||
        check_origin(a, first.u.run.body, err) < 0)
        return -1;
    a->options.seed = first.u.run.seed;
    a->options.chaos = a->about.about.chaos;
    a->cluster = a->about.cluster;
    a->policy = policy_create(first.u.run.policy, err);
    return a->policy ? open_chaos(a, err) : -1;
}

int assembly_recall(struct assembly *a, struct journal_played *played, struct err *err)
{
    struct path path = journal_of(a);
    struct tap taps[3] = {exec_recall_tap(a->exec), a->options.taps[0], a->options.taps[1]};
    struct journal_play play = {.taps = a->exec ? taps : taps + 1,
                                .tap_count = count_taps(a) + (a->exec ? 1 : 0),
                                .ctx = a->exec,
                                .intent = a->exec ? exec_recall_intent : NULL};

    return run_recall(a->run, a->reader, path.text, &play, played, err);
}

/* ---- from the journal to the end ---- */

static void add_about(const struct assembly *a, struct str *to)
{
    struct about about = a->options.about;
    struct about_hash jobs = about_hash(about.workload), machines = about_hash(a->options.cluster);
    struct about_time now = about_now();
    struct about_here here = about_here();

    about.program = "dolly " DOLLY_VERSION;
    about.began = now.text;
    about.workload_hash = jobs.text;
    about.cluster_hash = machines.text;
    about.chaos = a->options.chaos;
    about.host = here.host;
    about.typed = here.typed;
    about_write(&about, a->cluster, to);
}

int assembly_begin(struct assembly *a, struct err *err)
{
    const struct assembly_options *o = &a->options;
    struct path path = journal_of(a);
    struct str about = {0};

    add_about(a, &about);
    struct journal_options journal = {
        .path = path.text, .each_turn = !o->exec.scratch, .about = about.text};
    a->run = run_create(&(struct run_options){.policy = a->policy,
                                              .seed = o->seed,
                                              .journal = a->reader ? NULL : &journal,
                                              .body = o->body},
                        err);
    str_free(&about);
    return a->run ? 0 : -1;
}

int assembly_open(struct assembly *a, struct err *err)
{
    const struct where_options *where = &a->options.where;
    struct exec_options *exec = &a->options.exec;
    struct exec_hooks *hooks = &a->options.hooks;

    if (where->spec &&
        where_open(&a->where, where, exec->dir, a->cluster, hooks->ctx, hooks->warn, err) < 0)
        return -1;
    exec->cluster = a->cluster;
    exec->journal = run_journal(a->run);
    exec->groups = where->spec ? &a->where.groups : NULL;
    exec->hooks = hooks;
    exec->chaos = a->options.chaos ? &a->chaos : NULL;
    exec->again = a->reader != NULL;
    a->exec = exec_create(exec, err);
    return a->exec ? 0 : -1;
}

int assembly_drive(struct assembly *a, struct err *err)
{
    return run_drive(a->run, (struct body){&exec_body, a->exec}, a->options.taps, count_taps(a),
                     err);
}

void assembly_stop(struct assembly *a)
{
    /* The body is about to let signals through, and the default would end us before Slurm's jobs
     * are cancelled and the user has read of the run: `timeout` sends two. Not earlier, since a
     * process on its way to its program must not have handlers (exec/process/spawn.c). */
    if (a->exec)
        interrupt_catch();
    exec_destroy(a->exec);
    a->exec = NULL;
    where_close(&a->where);
}

int assembly_close(struct assembly *a, int result, struct err *err)
{
    assembly_stop(a);
    result = run_close(a->run, result, err);
    policy_destroy(a->policy);
    if (a->cluster != a->about.cluster)
        cluster_destroy(a->cluster);
    about_free(&a->about);
    journal_reader_close(a->reader);
    *a = (struct assembly){0};
    return result;
}
