/* replay_sim.c - see replay_sim.h. */
#include "commands/replay/replay_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "commands/explain/explain_open.h"
#include "core/policy/policy.h"
#include "record/journal/journal_file.h"
#include "ui/settings.h"

bool replay_sim_is_journal(const struct trace_request *request)
{
    char head[JOURNAL_MAGIC_BYTES];
    struct stat st;
    if (request->files.texts.count != 1)
        return false;
    const char *name = request->files.texts.at[0];
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    FILE *f = fopen(name, "re");
    bool is = f && S_ISREG(st.st_mode) && fread(head, 1, sizeof head, f) == sizeof head &&
              !memcmp(head, JOURNAL_MAGIC, sizeof head);
    if (f)
        fclose(f);
    return is;
}

static struct workload *jobs_of(void *ctx, uint8_t vary)
{
    return replay_jobs(ctx, vary);
}

/* The recorded run as a row beside simulated ones. */
static void fill_row(const struct replay *r, struct sim_run *row)
{
    for (int i = 0; i < NUMBER_COUNT; i++)
        row->v[i] = NAN;
    row->summary = r->recorded;
    row->digest = r->digest;
    sim_numbers_take(row, NUMBER_OF_SUMMARY, &r->recorded);
    row->v[NUMBER_EVENTS] = (double)r->events;
}

/* What a budget for clones is by default depends on the command and its machines, see
 * ui/settings.h. Agents have disks of their own. */
static const char *cloning_of(const struct replay *r)
{
    bool agents = strstr(r->policy, ";policy.disks=own");

    if (strcmp(r->body, "map"))
        return NULL;
    return agents && r->cluster->node_count > 1 ? SETTINGS_SEVERAL : SETTINGS_ONE_MACHINE;
}

int replay_sim_open(struct replay_sim *s, const char *name, struct sim_args *a, struct err *err)
{
    char *path = explain_open_path(name, err);
    struct replay *r = s->replay = path ? replay_open(path, err) : NULL;

    mem_free(path);
    if (!r)
        return -1;
    fill_row(r, &s->row);
    s->recorded = (struct sim_recorded){.ctx = r,
                                        .jobs = jobs_of,
                                        .outside = r->log.world.outside.at,
                                        .outside_count = r->log.world.outside.count,
                                        .silent = !replay_is_simulated(r) && r->log.reports == 0,
                                        .is_bound = r->times.is_bound,
                                        .policy = r->policy,
                                        .is_real = !replay_is_simulated(r),
                                        .cloning = cloning_of(r),
                                        .row = &s->row};
    a->recorded = &s->recorded;
    a->workload = r->path;
    a->cluster = r->cluster;
    a->cluster_name = r->cluster_name;
    a->jobs = r->jobs_max;
    a->warmup_us = r->warmup_us;
    if (a->seed == UINT64_MAX)
        a->seed = r->seed;
    return sim_trace_choose(&a->trace, err);
}

int replay_sim_source(struct replay_sim *s, struct sim_args *a, struct err *err)
{
    const struct trace_request *request = &a->trace.request;

    if (replay_sim_is_journal(request)) {
        if (a->cluster_name)
            return err_set(err, "--cluster: a recorded run has its own");
        if (replay_sim_open(s, request->files.texts.at[0], a, err) < 0)
            return -1;
        return sim_args_policies(a, err);
    }
    a->seed = a->seed == UINT64_MAX ? 1 : a->seed;
    return sim_args_check(a, err);
}

void replay_sim_fini(struct replay_sim *s, struct sim_args *a)
{
    if (s->replay)
        a->cluster = NULL; /* the replay's own */
    sim_args_fini(a);
    replay_destroy(s->replay);
    for (int i = 0; i < SIM_TRACE_READINGS; i++)
        sim_numbers_fini(&s->n[i]);
}

json_t *replay_sim_notes(const struct replay_sim *s)
{
    json_t *notes = json_array();

    for (uint32_t i = 0; s->replay && i < s->replay->notes.count; i++)
        json_array_append_new(notes, json_string(s->replay->notes.at[i]));
    return notes;
}

void replay_sim_policy(const struct replay_sim *s, struct str *to)
{
    const char *text = s->replay->policy;
    size_t parts = strcspn(text, ";");
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct err err;
        struct str is = {0};
        struct policy *p = policy_create(recipes[i].name, &err);
        if (p)
            policy_describe(p, &is);
        policy_destroy(p);
        bool same = is.text && strcspn(is.text, ";") == parts && !strncmp(is.text, text, parts);
        bool exact = same && !strcmp(is.text, text);
        str_free(&is);
        if (same) {
            str_addf(to, "%s%s", recipes[i].name, exact ? "" : " with settings of its own");
            return;
        }
    }
    str_add(to, text);
}
