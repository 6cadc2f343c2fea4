/* where.c - agents as commands want them: the way of starting them, a node for each, a group for
 * each node. See where.h. */
#include "remote/coordinator/where.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "exec/process/cores.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/fleet/fleet_ways.h"
#include "remote/wire/lease.h"

static const struct fleet_way *on_way(const struct where_options *options,
                                      struct fleet_options *fleet, struct err *err)
{
    *fleet = (struct fleet_options){.extra = options->slurm,
                                    .grow_us = options->grow_us,
                                    .idle_us = options->idle_us,
                                    .drain_us = options->drain_us,
                                    .stays = options->resumable,
                                    .scratch = options->scratch,
                                    .linger = options->linger};
    return fleet_ways_find(options->spec, &fleet->spec, err);
}

enum { ON_GROW_US = 30000000, ON_IDLE_US = 120000000, ON_DRAIN_US = 60000000 };

/* The first option that was said although nobody would hear it, or NULL. */
static const char *on_deaf(const struct where_options *o, const struct fleet_way *way)
{
    const struct {
        const char *name;
        bool said, heard;
    } all[] = {{"scratch", o->scratch, way},
               {"linger", o->linger, way},
               {"lease", o->lease, way},
               {"listen", o->listen, way && !way->loopback},
               {"pull", o->pull, way},
               {"slurm", o->slurm, way && way->asks},
               {"munge", o->munge, way && way->munge},
               {"grow", o->grow_us >= 0, way && way->asks},
               {"idle", o->idle_us >= 0, way && way->asks},
               {"drain", o->drain_us >= 0, way && way->asks}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].said && !all[i].heard)
            return all[i].name;
    return NULL;
}

int where_check(struct where_options *o, struct err *err)
{
    const char *spec;
    const struct fleet_way *way = o->spec ? fleet_ways_find(o->spec, &spec, err) : NULL;
    int64_t linger_us, lease_us;

    if (o->spec && !way)
        return -1;
    const char *deaf = on_deaf(o, way);
    if (deaf)
        return err_set(err, "--%s is for runs with --on%s", deaf,
                       !way                          ? ""
                       : strcmp(deaf, "listen") == 0 ? " slurm:N or ssh:FILE"
                                                     : " slurm:N");
    if (o->linger && !text_duration(o->linger, &linger_us))
        return err_set(err, "--linger: expected a time such as 5, 250ms or 1m, not '%s'",
                       o->linger);
    if (o->munge && strcmp(o->munge, "must") != 0)
        return err_set(err, "--munge: expected 'must', not '%s'", o->munge);
    if (o->lease &&
        (!text_duration(o->lease, &lease_us) || lease_us < LEASE_US_MIN || lease_us > LEASE_US_MAX))
        return err_set(err, "--lease: expected a time from 5s to 24h, not '%s'", o->lease);
    o->grow_us = o->grow_us < 0 ? ON_GROW_US : o->grow_us;
    o->idle_us = o->idle_us < 0 ? ON_IDLE_US : o->idle_us;
    o->drain_us = o->drain_us < 0 ? ON_DRAIN_US : o->drain_us;
    return 0;
}

bool where_is_several(const char *text)
{
    const char *spec;
    struct err err;
    uint32_t min, max;

    return !fleet_ways_find(text, &spec, &err) || fleet_parse_count(spec, &min, &max, &err) < 0 ||
           max > 1;
}

struct cluster *where_cluster(const struct where_options *options, struct err *err)
{
    struct fleet_options fleet;
    const struct fleet_way *way = on_way(options, &fleet, err);
    uint32_t max = way ? coordinator_max(way, &fleet, err) : 0;

    if (max == 0)
        return NULL;
    struct cluster *c = cluster_plain(max, options->slots ? options->slots : cores_allowed_here());
    cluster_share_memory(c);
    return c;
}

/* It is sent to each agent in one go. */
static int on_check_plan(const char *plan, struct err *err)
{
    enum { ON_PLAN_MIB = 64 };
    struct stat st;

    if (stat(plan, &st) < 0)
        return err_system(err, "%s: %s", plan, strerror(errno));
    if (st.st_size > (off_t)ON_PLAN_MIB << 20)
        return err_set(
            err,
            "--pull: the plan of the job has %lld MiB, expected at most %d; a larger `split` "
            "makes it shorter",
            (long long)st.st_size >> 20, ON_PLAN_MIB);
    return 0;
}

int where_open(struct where *o, const struct where_options *options, const char *dir,
               struct cluster *cluster, void *ctx, void (*note)(void *ctx, const char *text),
               struct err *err)
{
    struct coordinator_options agents = {.cluster = cluster,
                                         .slots = options->slots,
                                         .listen = options->listen,
                                         .on_ending = options->ending,
                                         .pull = options->pull,
                                         .sees = options->sees,
                                         .munge_must = options->munge != NULL,
                                         .plan = options->pull ? options->plan : NULL,
                                         .counters = options->pull ? options->counters : NULL,
                                         .ctx = ctx};
    char absolute[PATH_MAX];
    int64_t lease_us = LEASE_US;

    if (options->lease && !text_duration(options->lease, &lease_us))
        return err_set(err, "--lease: expected a time, not '%s'", options->lease);
    agents.lease_us = lease_us;
    if (options->pull && options->inputs)
        return err_set(err, "--pull: nodes do not see the folder of the run, where the "
                            "input of these tasks is");
    if (agents.plan && on_check_plan(agents.plan, err) < 0)
        return -1;
    agents.way = on_way(options, &agents.fleet, err);
    if (!agents.way)
        return -1;
    if (!realpath(dir, absolute))
        return err_system(err, "%s: %s", dir, strerror(errno));
    agents.dir = absolute;
    agents.on_note = note;
    o->coordinator = coordinator_open(&agents, err);
    if (!o->coordinator)
        return -1;
    o->of = mem_zalloc(cluster->node_count, sizeof *o->of);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        o->of[i] = i;
    o->groups = (struct exec_groups){.ctx = o->coordinator,
                                     .count = cluster->node_count,
                                     .of = o->of,
                                     .lease_us = coordinator_lease_us(o->coordinator),
                                     .open = agent_link_open,
                                     .fd = o->coordinator->epoll_fd,
                                     .event = coordinator_event,
                                     .turn = coordinator_turn};
    return 0;
}

void where_close(struct where *o)
{
    coordinator_close(o->coordinator);
    mem_free(o->of);
    *o = (struct where){0};
}
