/* sim_print_json.c - the result for programs: one object with everything that was measured.
 *
 * Members of a policy stand in the order of enum number, so that a new number is one line there
 * and none here. What was asked for by an option of its own (phases, yardsticks, detail) is there
 * only then; a number that cannot be had is null, never left out. */
#include <stdio.h>

#include "commands/sim/sim_print.h"
#include "ui/json_out.h"

/* The number and, with several seeds, its interval beside it. */
static void set_estimate(json_t *object, const char *name, const struct sim_numbers *n,
                         struct sim_estimate e, bool whole)
{
    char bound[64];

    json_out_set(object, name, json_out_number(e.mean, whole && n->seeds == 1));
    if (n->seeds == 1)
        return;
    snprintf(bound, sizeof bound, "%s_lo", name);
    json_out_put(object, bound, e.mean - e.half);
    snprintf(bound, sizeof bound, "%s_hi", name);
    json_out_put(object, bound, e.mean + e.half);
}

static void set_number(json_t *object, const struct sim_numbers *n, uint32_t policy, int number)
{
    const struct sim_number *t = &sim_numbers_table[number];

    set_estimate(object, t->name, n, sim_numbers_estimate(n, policy, number),
                 t->look == NUMBER_WHOLE);
}

static json_t *bins_of(const struct sim_numbers *n, uint32_t policy)
{
    json_t *bins = json_array();

    for (int i = 0; i < SUMMARY_BINS; i++) {
        json_t *bin = json_out_add(bins);
        json_out_put(bin, "bin", i + 1);
        set_number(bin, n, policy, NUMBER_BIN_JOBS + i);
        set_number(bin, n, policy, NUMBER_BIN_MEAN + i);
    }
    return bins;
}

/* Those that the cluster has; NULL: only the journal of the run is there. */
static json_t *resources_of(const struct sim_numbers *n, uint32_t policy,
                            const struct cluster *cluster)
{
    json_t *resources = json_array();

    for (int i = 0; i < RES_COUNT; i++) {
        if (!(sim_numbers_estimate(n, policy, NUMBER_RES_CAPACITY + i).mean > 0))
            continue;
        json_t *one = json_object();
        json_out_put(one, "resource", res_name(i));
        if (cluster && cluster->resources[i].name) {
            json_out_put(one, "name", cluster->resources[i].name);
            json_out_put(one, "kind", res_kind_name((uint8_t)cluster->resources[i].kind));
        }
        set_number(one, n, policy, NUMBER_RES_CAPACITY + i);
        set_number(one, n, policy, NUMBER_RES_BUSY + i);
        set_number(one, n, policy, NUMBER_RES_EXTRA + i);
        json_array_append_new(resources, one);
    }
    return resources;
}

static json_t *numbers_of(const struct sim_numbers *n, uint32_t policy, int from, int end)
{
    json_t *object = json_object();

    for (int i = from; i < end; i++)
        set_number(object, n, policy, i);
    return object;
}

/* What the policy gained, as a share of what each yardstick says was possible. */
static json_t *shares_of(const struct sim_args *a, const struct sim_numbers *n, uint32_t policy)
{
    json_t *shares = json_array();

    for (uint32_t y = 0; y < a->yardstick_count; y++) {
        json_t *one = json_out_add(shares);
        json_out_put(one, "yardstick", ideal_name(a->yardsticks[y]));
        set_estimate(one, "share", n, sim_numbers_share(n, policy, a->count + y), false);
    }
    return shares;
}

static json_t *policy_of(const struct sim_args *a, const struct sim_numbers *n, uint32_t policy)
{
    json_t *object = json_object();
    bool world = policy >= a->count;

    if (world)
        json_out_put(object, "yardstick", ideal_name(a->yardsticks[policy - a->count]));
    json_out_put(object, "policy", a->names[world ? a->baseline : policy]);
    if (a->estimates)
        json_out_set(object, "estimates", numbers_of(n, policy, NUMBER_ESTIMATES, NUMBER_COUNT));
    if (!world && a->yardstick_count)
        json_out_set(object, "shares", shares_of(a, n, policy));
    for (int i = 0; i < NUMBER_PLAIN_END; i++) {
        set_number(object, n, policy, i);
        if (i == NUMBER_P95_JCT)
            json_out_set(object, "bins", bins_of(n, policy));
        if (i == NUMBER_BUSY)
            json_out_set(object, "resources", resources_of(n, policy, a->cluster));
    }
    if (a->phases)
        json_out_set(object, "phases", numbers_of(n, policy, NUMBER_PHASES, NUMBER_ESTIMATES));
    json_out_set(object, "digest", json_out_hex(sim_numbers_digest(n, policy)));
    if (a->detail)
        sim_detail_json(sim_numbers_run(n, policy, 0)->detail, object);
    return object;
}

json_t *sim_print_json_summary(const struct summary_result *summary)
{
    json_t *object = json_object();
    struct sim_run run = {0};
    const struct sim_numbers n = {1, 1, &run};

    sim_numbers_take(&run, NUMBER_OF_SUMMARY, summary);
    json_out_members(object, summary, jobs, tasks);
    for (int i = 0; i < NUMBER_PLAIN_END; i++) {
        if (sim_numbers_table[i].from == NUMBER_OF_SUMMARY)
            set_number(object, &n, 0, i);
        if (i == NUMBER_P95_JCT)
            json_out_set(object, "bins", bins_of(&n, 0));
        if (i == NUMBER_BUSY)
            json_out_set(object, "resources", resources_of(&n, 0, NULL));
    }
    return object;
}

json_t *sim_print_json_object(const struct sim_args *a, const struct sim_numbers *n)
{
    const struct sim_run *first = sim_numbers_run(n, 0, 0);
    json_t *object = json_object();

    json_out_members(object, a, workload, seed);
    json_out_put(object, "seeds", n->seeds);
    json_out_put(object, "cluster", a->cluster_name);
    json_out_members(object, &first->summary, jobs, tasks);
    json_out_put(object, "baseline", a->names[a->baseline]);
    json_t *rows = json_out_list(object, "policies");
    for (uint32_t p = 0; p < n->policies; p++) {
        if (p == a->count)
            rows = json_out_list(object, "yardsticks");
        json_array_append_new(rows, policy_of(a, n, p));
    }
    return object;
}
