/* sim_print_json.c - the result for programs: one object with everything that was measured.
 *
 * Members of a policy stand in the order of enum sim_field, so that a new number is one line there
 * and none here. What was asked for by an option of its own (phases, yardsticks, detail) is there
 * only then; a number that cannot be had is null, never left out. */
#include <inttypes.h>
#include <stdio.h>

#include "compare/sim_detail_json.h"
#include "compare/sim_print.h"
#include "ui/json_out.h"

/* The number and, with several seeds, its interval beside it. */
static void set_field(json_t *object, const char *name, const struct sim_numbers *n,
                      uint32_t policy, int field, bool whole)
{
    struct sim_estimate e = sim_numbers_estimate(n, policy, field);
    char bound[64];

    json_out_set(object, name, json_out_number(e.mean, whole && n->seeds == 1));
    if (n->seeds == 1)
        return;
    snprintf(bound, sizeof bound, "%s_lo", name);
    json_out_set(object, bound, json_out_number(e.mean - e.half, false));
    snprintf(bound, sizeof bound, "%s_hi", name);
    json_out_set(object, bound, json_out_number(e.mean + e.half, false));
}

static json_t *bins_of(const struct sim_numbers *n, uint32_t policy)
{
    json_t *bins = json_array();

    for (int i = 0; i < SUMMARY_BINS; i++) {
        json_t *bin = json_object();
        json_out_set(bin, "bin", json_integer(i + 1));
        set_field(bin, "jobs", n, policy, NUMBER_BIN_JOBS + i, true);
        set_field(bin, "mean_jct_s", n, policy, NUMBER_BIN_MEAN + i, false);
        json_array_append_new(bins, bin);
    }
    return bins;
}

static json_t *phases_of(const struct sim_numbers *n, uint32_t policy)
{
    json_t *phases = json_object();

    for (int i = 0; i < SIM_PHASE_FIELDS; i++)
        set_field(phases, sim_phase_fields[i], n, policy, NUMBER_PHASES + i, false);
    return phases;
}

static json_t *estimates_of(const struct sim_numbers *n, uint32_t policy)
{
    json_t *estimates = json_object();

    for (int i = 0; i < SIM_ESTIMATE_FIELDS; i++)
        set_field(estimates, sim_estimate_fields[i], n, policy, NUMBER_ESTIMATES + i,
                  NUMBER_ESTIMATES + i == NUMBER_TREM_REPORTS ||
                      NUMBER_ESTIMATES + i == NUMBER_TNEW_COPIES);
    return estimates;
}

/* What the policy gained, as a share of what each yardstick says was possible. */
static json_t *shares_of(const struct sim_args *a, const struct sim_numbers *n, uint32_t policy)
{
    json_t *shares = json_array();

    for (uint32_t y = 0; y < a->yardstick_count; y++) {
        struct sim_estimate e = sim_numbers_share(n, policy, a->count + y);
        json_t *one = json_object();
        json_out_set(one, "yardstick", json_string(ideal_name(a->yardsticks[y])));
        json_out_set(one, "share", json_out_number(e.mean, false));
        if (n->seeds > 1) {
            json_out_set(one, "share_lo", json_out_number(e.mean - e.half, false));
            json_out_set(one, "share_hi", json_out_number(e.mean + e.half, false));
        }
        json_array_append_new(shares, one);
    }
    return shares;
}

static json_t *policy_of(const struct sim_args *a, const struct sim_numbers *n, uint32_t policy)
{
    json_t *object = json_object();
    char digest[17];
    bool world = policy >= a->count;

    if (world)
        json_out_set(object, "yardstick",
                     json_string(ideal_name(a->yardsticks[policy - a->count])));
    json_out_set(object, "policy", json_string(a->names[world ? a->baseline : policy]));
    if (a->estimates)
        json_out_set(object, "estimates", estimates_of(n, policy));
    if (!world && a->yardstick_count)
        json_out_set(object, "shares", shares_of(a, n, policy));
    for (int i = 0; i < NUMBER_PLAIN_END; i++) {
        set_field(object, sim_fields[i].name, n, policy, i, sim_fields[i].whole);
        if (i == NUMBER_P95_JCT)
            json_out_set(object, "bins", bins_of(n, policy));
    }
    if (a->phases)
        json_out_set(object, "phases", phases_of(n, policy));
    snprintf(digest, sizeof digest, "%016" PRIx64, sim_numbers_digest(n, policy));
    json_out_set(object, "digest", json_string(digest));
    if (a->detail)
        sim_detail_json(sim_numbers_run(n, policy, 0)->detail, object);
    return object;
}

void sim_print_json(const struct sim_args *a, const struct sim_numbers *n)
{
    const struct sim_run *first = sim_numbers_run(n, 0, 0);
    json_t *object = json_object(), *policies = json_array();

    json_out_set(object, "workload", json_string(a->workload));
    json_out_set(object, "seed", json_integer((json_int_t)a->seed));
    json_out_set(object, "seeds", json_integer(n->seeds));
    json_out_set(object, "cluster", json_string(a->cluster_name));
    json_out_set(object, "jobs", json_integer((json_int_t)first->jobs));
    json_out_set(object, "tasks", json_integer((json_int_t)first->tasks));
    json_out_set(object, "baseline", json_string(a->names[a->baseline]));
    for (uint32_t p = 0; p < a->count; p++)
        json_array_append_new(policies, policy_of(a, n, p));
    json_out_set(object, "policies", policies);
    if (a->yardstick_count) {
        json_t *yardsticks = json_array();
        for (uint32_t p = a->count; p < n->policies; p++)
            json_array_append_new(yardsticks, policy_of(a, n, p));
        json_out_set(object, "yardsticks", yardsticks);
    }
    json_out_print(object);
}
