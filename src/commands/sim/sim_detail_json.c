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
                json_out_set(reasons, reason_name(why), json_integer((json_int_t)count));
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
        json_out_set(wins, decision_kind_name((uint8_t)kind),
                     json_integer((json_int_t)d->wins[kind]));
    return wins;
}

#define COLUMN(object, name, count, value)                                                         \
    do {                                                                                           \
        json_t *column_ = json_array();                                                            \
        for (uint32_t i = 0; i < (count); i++)                                                     \
            json_array_append_new(column_, value);                                                 \
        json_out_set(object, name, column_);                                                       \
    } while (0)

static json_t *job_columns(const struct detail_log *d)
{
    json_t *rows = json_object();
    uint32_t count = d->jobs.count;
    const struct detail_job *at = d->jobs.at;

    COLUMN(rows, "job", count, json_integer(at[i].id));
    COLUMN(rows, "tasks", count, json_integer((json_int_t)at[i].tasks));
    COLUMN(rows, "phases", count, json_integer(at[i].phases));
    COLUMN(rows, "arrived_s", count, json_out_number(at[i].arrived_s, false));
    COLUMN(rows, "started_s", count, json_out_number(at[i].started_s, false));
    COLUMN(rows, "jct_s", count, json_out_number(at[i].jct_s, false));
    COLUMN(rows, "slot_s", count, json_out_number(at[i].slot_s, false));
    COLUMN(rows, "extra_slot_s", count, json_out_number(at[i].extra_slot_s, false));
    COLUMN(rows, "clone_slot_s", count, json_out_number(at[i].clone_slot_s, false));
    json_t *resources = json_object();
    for (int k = 0; k < RES_COUNT; k++)
        if (d->most.v[k] > 0)
            COLUMN(resources, res_name(k), count, json_out_number(at[i].resource_s[k], false));
    json_out_set(rows, "resource_s", resources);
    return rows;
}

static json_t *phase_columns(const struct detail_log *d)
{
    json_t *rows = json_object();
    uint32_t count = d->phases.count;
    const struct detail_phase *at = d->phases.at;

    COLUMN(rows, "job", count, json_integer(at[i].job));
    COLUMN(rows, "phase", count, json_integer(at[i].phase));
    COLUMN(rows, "tasks", count, json_integer(at[i].tasks));
    COLUMN(rows, "took_s", count, json_out_number(at[i].took_s, false));
    COLUMN(rows, "median_s", count, json_out_number(at[i].median_s, false));
    COLUMN(rows, "slowdown", count, json_out_number(at[i].slowdown, false));
    COLUMN(rows, "stragglers", count, json_integer(at[i].stragglers));
    COLUMN(rows, "outliers", count, json_integer(at[i].outliers));
    COLUMN(rows, "read_s", count, json_out_number(at[i].read_s, false));
    COLUMN(rows, "read_ratio", count, json_out_number(at[i].read_ratio, false));
    return rows;
}

static json_t *omega_columns(const struct detail_log *d)
{
    json_t *rows = json_object();
    uint32_t count = d->omegas.count;
    const struct detail_omega *at = d->omegas.at;

    COLUMN(rows, "at_s", count, json_out_number(at[i].at_s, false));
    COLUMN(rows, "bin", count, json_out_number(at[i].bin, true));
    COLUMN(rows, "omega_s", count, json_out_number(at[i].omega_s, false));
    COLUMN(rows, "alone_s", count, json_out_number(at[i].alone_s, false));
    COLUMN(rows, "shared_s", count, json_out_number(at[i].shared_s, false));
    COLUMN(rows, "missing", count, json_out_number(at[i].missing, false));
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
    json_out_set(policy, "span_s", json_out_number(d->span_s, false));
    json_out_set(policy, "wins", wins_of(d));
    json_out_set(policy, "decisions", decisions_of(d));
    json_out_set(policy, "each_job", job_columns(d));
    json_out_set(policy, "each_phase", phase_columns(d));
    json_out_set(policy, "each_omega", omega_columns(d));
}
