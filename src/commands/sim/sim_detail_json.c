/* sim_detail_json.c - jobs and phases of a run in JSON.
 *
 * Rows are written as columns, lists of equal length: names stand once instead of once per row, and
 * a reader needs a tenth of the memory that thousands of small objects take. */
#include "commands/sim/sim_print.h"
#include "core/model/reason.h"
#include "ui/json_out.h"

/* {type: {reason: count}}, without what never happened. */
static json_t *decisions_of(const struct detail_log *d)
{
    json_t *types = json_object();

    for (int type = 1; type < DO_TYPE_END; type++) {
        json_t *reasons = json_object();
        for (uint16_t why = 0; why < WHY_CODE_END; why++) {
            uint64_t count = d->decisions[type][why];
            if (count)
                json_out_put(reasons, reason_name(why), count);
        }
        if (json_object_size(reasons))
            json_out_set(types, decision_name((uint8_t)type), reasons);
        else
            json_decref(reasons);
    }
    return types;
}

static json_t *wins_of(const struct detail_log *d)
{
    json_t *wins = json_object();

    for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
        json_out_put(wins, decision_kind_name((uint8_t)kind), d->wins[kind]);
    return wins;
}

/* A list of this member of all rows. */
#define COLUMN(object, rows, member)                                                               \
    {                                                                                              \
        json_t *column = json_out_list(object, #member);                                           \
        for (uint32_t i = 0; i < (rows)->count; i++)                                               \
            json_array_append_new(column, JSON_OUT_VALUE((rows)->at[i].member));                   \
    }
#define COLUMNS(object, rows, ...) EACH(COLUMN, object, rows, __VA_ARGS__)

/* Every resource that some node has. */
static json_t *resource_columns(const struct detail_log *d)
{
    json_t *resources = json_object();

    for (int k = 0; k < RES_COUNT; k++) {
        if (d->most.v[k] <= 0)
            continue;
        json_t *column = json_out_list(resources, res_name(k));
        for (uint32_t i = 0; i < d->jobs.count; i++)
            json_array_append_new(column, json_out_number(d->jobs.at[i].resource_s[k], false));
    }
    return resources;
}

static json_t *job_columns(const struct detail_log *d)
{
    json_t *rows = json_object();

    COLUMNS(rows, &d->jobs, job, tasks, phases, arrived_s, started_s, jct_s, slot_s, extra_slot_s,
            clone_slot_s)
    json_out_set(rows, "resource_s", resource_columns(d));
    return rows;
}

static json_t *phase_columns(const struct detail_log *d)
{
    json_t *rows = json_object();

    COLUMNS(rows, &d->phases, job, phase, tasks, took_s, median_s, slowdown, stragglers, outliers,
            read_s, read_ratio)
    return rows;
}

static json_t *omega_columns(const struct detail_log *d)
{
    json_t *rows = json_object();

    COLUMNS(rows, &d->omegas, at_s, bin, omega_s, alone_s, shared_s, missing)
    return rows;
}

static json_t *held_of(const struct detail_log *d)
{
    json_t *bins = json_array();

    for (int bin = 0; bin < SUMMARY_BINS; bin++)
        json_array_append_new(bins, json_out_number(d->held_max_frac[bin], false));
    return bins;
}

void sim_detail_json(const struct detail *detail, json_t *policy)
{
    const struct detail_log *d = detail_log(detail);

    json_out_set(policy, "bin_held_max_frac", held_of(d));
    json_out_put(policy, "span_s", d->span_s);
    json_out_set(policy, "wins", wins_of(d));
    json_out_set(policy, "decisions", decisions_of(d));
    json_out_set(policy, "each_job", job_columns(d));
    json_out_set(policy, "each_phase", phase_columns(d));
    json_out_set(policy, "each_omega", omega_columns(d));
}
