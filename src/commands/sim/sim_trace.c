/* sim_trace.c - a trace as a request for simulations.
 *
 * Where a trace says what its machines hold, they are the cluster. Most do not, so one is made, as
 * large as gives the assumed load with one attempt of each task of the window (job_need.h). Its
 * memory is such that it is not scarcer than cores. Where tasks have no times of their own, it has
 * the luck of a cluster that is known, because without any luck there would be nothing to mitigate;
 * what luck adds is part of the load. */
#include "commands/sim/sim_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/field.h"
#include "base/mem.h"
#include "base/text.h"
#include "commands/sim/job_need.h"
#include "inputs/models/synth.h"
#include "inputs/workload/recorded.h"

static const char *const readings[] = {
    [RECORDED_SIZE] = "size", [RECORDED_LUCK] = "luck", [RECORDED_BYTES] = "bytes"};

const char *sim_trace_reading(uint8_t vary)
{
    return readings[vary];
}

/* ---- words ---- */

/* One "key=F" of a list. */
static int take_factor(struct sim_scale *s, const char *text)
{
    const struct {
        const char *key;
        double *factor;
    } keys[] = {{"load=", &s->load}, {"time=", &s->time}, {"cluster=", &s->cluster}};
    double value;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strncmp(text, keys[i].key, strlen(keys[i].key)) &&
            text_real(text + strlen(keys[i].key), &value) && value >= 0.01 && value <= 100) {
            *keys[i].factor = value;
            return 0;
        }
    return -1;
}

int sim_trace_take_scale(void *scale, const char *text, struct err *err)
{
    struct sim_scale read = *(struct sim_scale *)scale;
    char *copy = mem_strdup(text), *rest = copy;
    int bad = 0;
    for (char *item; bad == 0 && (item = strsep(&rest, ","));)
        bad = take_factor(&read, item);
    mem_free(copy);
    if (bad < 0)
        return err_set(err,
                       "--scale must be load=F with F from 0.01 to 100, of a trace also time=F and "
                       "cluster=F, not '%s'",
                       text);
    *(struct sim_scale *)scale = read;
    return 0;
}

static int read_window(const char *text, struct import_view *view, struct err *err)
{
    char *copy = mem_strdup(text), *dash = strchr(copy, '-');
    bool fine = dash != NULL;
    if (dash)
        *dash = '\0';
    fine = fine && text_duration(copy, &view->from_us);
    if (fine && dash[1])
        fine = text_duration(dash + 1, &view->to_us) && view->to_us > view->from_us;
    mem_free(copy);
    return fine ? 0
                : err_set(err, "--window must be FROM-TO such as 1h-90m or 2h-, not '%s'", text);
}

int sim_trace_choose(struct sim_trace *t, struct err *err)
{
    if (!t->variation || !strcmp(t->variation, "both")) {
        t->readings[0] = RECORDED_LUCK;
        t->readings[1] = RECORDED_SIZE;
        t->reading_count = 2;
        return 0;
    }
    for (uint8_t i = RECORDED_SIZE; i <= RECORDED_BYTES; i++)
        if (!strcmp(t->variation, readings[i])) {
            t->readings[0] = i;
            t->reading_count = 1;
            return 0;
        }
    return err_set(err, "--variation must be luck, size, bytes or both, not '%s'", t->variation);
}

int sim_trace_open(struct sim_trace *t, const struct sim_scale *scale, struct err *err)
{
    t->view = IMPORT_VIEW_ALL;
    t->view.time = scale->time;
    t->view.load = scale->load;
    if (sim_trace_choose(t, err) < 0 || (t->window && read_window(t->window, &t->view, err) < 0))
        return -1;
    t->import = request_open(&t->request, err);
    if (!t->import)
        return -1;
    const struct survey *s = t->import->survey;
    if (t->view.from_us > s->last_us - s->first_us)
        return err_set(err, "--window %s: the last job of %s arrives at %gs", t->window,
                       t->request.files.texts.at[0], (double)(s->last_us - s->first_us) / 1e6);
    /* Where no phase has times of its own, the readings do not differ. */
    if (!t->variation && s->phases_timed == 0)
        t->reading_count = 1;
    t->view.vary = t->readings[0];
    return import_cut(t->import, &t->view, &t->cut, err);
}

void sim_trace_fini(struct sim_trace *t)
{
    import_close(t->import);
    request_fini(&t->request);
}

/* ---- the cluster ---- */

/* A node for each machine that the trace names; NULL if it names none, or if they cannot hold its
 * largest task. */
static struct cluster *named_cluster(struct sim_trace *t)
{
    bool are_names = true; /* such as nodes may have */
    const struct machines *m = &t->import->machines;
    const struct survey *s = t->import->survey;
    struct cluster *c = cluster_create();
    bool fits = false;
    cluster_add_rack(c, "r0");
    for (uint32_t i = 0; i < m->at.count; i++)
        are_names &= field_name_ok(m->at.at[i].name);
    for (uint32_t i = 0; i < m->at.count; i++) {
        struct cluster_node node = {.speed = 1, .links = 1};
        char name[16];
        double mem = m->at.at[i].mem < 0 ? s->mem_mib_max : m->at.at[i].mem / (1 << 20);
        node.capacity.v[RES_CPU] = (int32_t)(m->at.at[i].cpu * RES_SLOT);
        node.capacity.v[RES_MEM] = (int32_t)fmin(mem, 1 << 30);
        fits |=
            node.capacity.v[RES_CPU] >= s->cpu_max && node.capacity.v[RES_MEM] >= s->mem_mib_max;
        snprintf(name, sizeof name, "n%u", i);
        cluster_add_node(c, are_names ? m->at.at[i].name : name, &node);
    }
    if (fits) {
        snprintf(t->cluster_name, sizeof t->cluster_name, "of the trace");
        return c;
    }
    cluster_destroy(c);
    return NULL;
}

/* Where no task has times of its own, the luck of a cluster that is known. */
static int add_luck(struct cluster *c, const struct assume *a, struct err *err)
{
    if (!a->touched[ASSUME_STRAGGLERS] || a->stragglers != ASSUME_STRAGGLERS_FACEBOOK)
        return 0;
    struct cluster *known = synth_cluster(synth_find("facebook"), err);
    if (!known)
        return -1;
    c->luck = known->luck;
    cluster_destroy(known);
    return 0;
}

/* What the jobs of the window need where nothing is scaled. */
static int measure_need(struct sim_trace *t, const struct cluster *c, struct job_need *need,
                        struct err *err)
{
    struct import_view view = t->view;
    view.time = view.load = 1;
    struct workload *jobs = import_jobs(t->import, &view, err);
    if (!jobs)
        return -1;
    *need = job_need_of(jobs, c);
    jobs->destroy(jobs);
    return 0;
}

/* Of how many nodes the cluster is: of `node_cpu` cores or fewer, unless a task needs more. */
static uint32_t count_nodes(double cores, double node_cpu, double cpu_max)
{
    double nodes = fmin(ceil(cores / node_cpu), floor(cores / fmax(1, ceil(cpu_max))));
    return (uint32_t)fmin(fmax(1, nodes), CLUSTER_NODES_MAX);
}

/* Adds nodes that are alike but for a core that some have more: whole nodes of a given size would
 * be up to twice as much as a small trace asks for. */
static void add_nodes(struct cluster *c, uint32_t count, double cores, double mem_mib,
                      uint32_t racks)
{
    struct cluster_node node = {.speed = 1, .links = 1};
    uint64_t whole = (uint64_t)cores;
    char name[16];
    for (uint32_t i = 0; i < racks; i++) {
        snprintf(name, sizeof name, "r%u", i);
        cluster_add_rack(c, name);
    }
    node.capacity.v[RES_MEM] = (int32_t)fmin(mem_mib, 1 << 30);
    for (uint32_t i = 0; i < count; i++) {
        double own = (double)(whole / count + (i < whole % count));
        node.capacity.v[RES_CPU] = (int32_t)fmin(own * RES_SLOT, 1e9);
        node.rack = (uint32_t)((uint64_t)i * racks / count);
        snprintf(name, sizeof name, "n%u", i);
        cluster_add_node(c, name, &node);
    }
}

/* As many cores as give the assumed load where nothing is scaled; jobs that come more often or take
 * longer then are more load. */
static int make_cluster(struct sim_trace *t, struct cluster *c, double size, struct err *err)
{
    const struct survey *s = t->import->survey;
    struct assume *a = &t->import->options.assume;
    struct job_need need;
    if (measure_need(t, c, &need, err) < 0)
        return -1;
    double cpu_max = s->cpu_max / RES_SLOT;
    double cores = round(need.v[RES_CPU] / RES_SLOT / a->load * size);
    cores = fmax(fmax(1, ceil(cpu_max)), fmin(cores, 1e6 * CLUSTER_NODES_MAX));
    uint32_t count = count_nodes(cores, a->node_cpu, cpu_max);
    double mem_mib = fmax(s->mem_mib_max, ceil(need.v[RES_MEM] / a->load * size / count));
    uint32_t racks = t->import->machines.racks.count;
    racks = racks > count ? count : racks > 0 ? racks : 1;
    add_nodes(c, count, cores, mem_mib, racks);
    a->touched[ASSUME_LOAD] = 1;
    a->touched[ASSUME_NODE_CPU] = count;
    int used = snprintf(t->cluster_name, sizeof t->cluster_name, "made for a load of %g %%",
                        100 * a->load * t->view.load * t->view.time / size);
    if (racks > 1)
        snprintf(t->cluster_name + used, sizeof t->cluster_name - (size_t)used,
                 " in the trace's %u racks", racks);
    return 0;
}

struct cluster *sim_trace_cluster(struct sim_trace *t, const struct sim_scale *scale,
                                  struct err *err)
{
    struct cluster *c = scale->cluster == 1 ? named_cluster(t) : NULL;
    bool named = c != NULL;
    if (!named)
        c = cluster_create();
    if (add_luck(c, &t->import->options.assume, err) == 0 &&
        (named || make_cluster(t, c, scale->cluster, err) == 0))
        return c;
    cluster_destroy(c);
    return NULL;
}
