#include "core/model/reason.h"

#include <stddef.h>

/* The journal, `explain` and people know a reason by these words. */
static const struct {
    const char *name;
    const char *numbers[REASON_NUMBERS_MAX];
} reasons[WHY_CODE_END] = {
    [WHY_NONE] = {"none", {NULL}},
    [WHY_RUNNABLE] = {"runnable", {NULL}},
    [WHY_AFTER_FAILURE] = {"after_failure", {"failures"}},
    [WHY_OUTPUT_LOST] = {"output_lost", {NULL}},
    [WHY_FIRST_FINISHED] = {"first_finished", {NULL}},
    [WHY_LOST_RACE] = {"lost_race", {NULL}},
    [WHY_NONDETERMINISTIC] = {"nondeterministic", {NULL}},
    [WHY_JOB_OVER] = {"job_over", {NULL}},
    [WHY_ALL_COMMITTED] = {"all_committed", {"tasks"}},
    [WHY_TOO_MANY_FAILURES] = {"too_many_failures", {"failures", "limit"}},
    [WHY_CANCELLED] = {"cancelled", {NULL}},
    [WHY_READ_COMMITTED] = {"read_committed", {"waited_s", "users"}},
    [WHY_CLONED] = {"cloned", {"copies", "tasks", "p", "charge", "used", "limit"}},
    [WHY_CLONE] = {"clone", {"of", "copies"}},
    [WHY_NO_NEED] = {"no_need", {"copies", "tasks", "p"}},
    [WHY_OVER_BUDGET] = {"over_budget", {"copies", "tasks", "p", "charge", "used", "limit"}},
    [WHY_OVER_TAU] = {"over_tau", {"copies", "tasks", "p", "charge", "used", "limit"}},
    [WHY_SIDE_EFFECTS] = {"side_effects", {NULL}},
    [WHY_UPSTREAM_COPIES] = {"upstream_copies", {"copies", "tasks", "p", "upstream"}},
    [WHY_PARTIAL] = {"partial", {"copies", "wanted", "tasks", "charge", "used", "limit"}},
    [WHY_PREEMPTED] = {"preempted", {"by_job", "its_tasks", "own_tasks"}},
    [WHY_WAIT_PREEMPT] = {"wait_preempt", {"copies", "tasks", "p", "charge", "used", "limit"}},
    [WHY_YIELD] = {"yield", {NULL}},
    [WHY_BUDGET_SHRANK] = {"budget_shrank", {"used", "limit"}},
    [WHY_CLOCK] = {"clock", {NULL}},
    [WHY_UNSATISFIABLE] = {"unsatisfiable", {NULL}},
    [WHY_HOPELESS_INPUT] = {"hopeless_input", {NULL}},
    [WHY_TOO_MANY_LAUNCHES] = {"too_many_launches", {"launches", "limit"}},
    [WHY_SLOWEST_LEFT] = {"slowest_left",
                          {"left_s", "rate", "threshold", "elapsed_s", "by_elapsed"}},
    [WHY_BEHIND_MEAN] = {"behind_mean", {"score", "mean", "elapsed_s"}},
    [WHY_PHASE_ENDS] = {"phase_ends", {"done", "tasks", "elapsed_s"}},
    [WHY_PAST_QUANTILE] = {"past_quantile", {"elapsed_s", "quantile_s"}},
    [WHY_SPECULATION_CAP] = {"speculation_cap", {"held", "limit"}},
    [WHY_BAD_NODE] = {"bad_node", {"p", "limit", "last", "long_term"}},
    [WHY_COMMIT_FAILED] = {"commit_failed", {NULL}},
    [WHY_OWN_OUTPUT] = {"own_output", {"waited_s", "users"}},
    [WHY_SHARED_OUTPUT] = {"shared_output", {"waited_s", "users"}},
    [WHY_PRUNED] = {"pruned", {"left_s", "copies"}},
    [WHY_RESTART_FASTER] = {"restart_faster", {"left_s", "new_s", "chance", "waiting"}},
    [WHY_DUPLICATE_SAVES] = {"duplicate_saves", {"left_s", "new_s", "chance", "waiting"}},
    [WHY_ALL_OVER] = {"all_over", {"tasks", "failed"}},
    [WHY_RACKS_PLANNED] = {"racks_planned", {"racks", "bytes", "worst_s", "exact", "measured"}},
    [WHY_NO_TRAFFIC] = {"no_traffic", {"racks", "bytes"}},
    [WHY_REDO_COSTS] = {"redo_costs", {"redo_s", "copy_s", "r", "bytes", "tokens"}},
    [WHY_PROTECTED] = {"protected", {"replicated", "cheap", "no_tokens", "no_node"}},
    [WHY_PRECOMPUTE] = {"precompute", {"losses", "node", "used_s", "budget_s"}},
    [WHY_UNSAFE_NODES] = {"unsafe_nodes", {"p", "target", "clones"}},
    [WHY_INPUT_CHANGED] = {"input_changed", {NULL}},
    [WHY_OMEGA] = {"omega", {"bin", "omega_s", "alone_s", "shared_s", "missing", "copies"}},
    [WHY_REPLICA_ENDED] = {"replica_ended", {"replica"}},
    [WHY_REPLICA_LOST] = {"replica_lost", {"replica"}},
    [WHY_NO_IDLE_CORE] = {"no_idle_core", {"clones", "each", "spare"}},
    [WHY_STANDING] = {"standing", {"rank", "volume", "time_s"}},
    [WHY_OFFERED] = {"offered", {"copies", "tasks"}},
    [WHY_CAP] = {"cap", {"spent", "limit", "resource"}},
    [WHY_DISK_FULL] = {"disk_full", {NULL}},
    [WHY_NODE_FAULT] = {"node_fault", {NULL}},
    [WHY_PRESSURE] = {"pressure", {"node", "disk", "memory"}},
    [WHY_WATCHED] = {"watched", {"copies", "tasks", "p", "new_s"}},
    [WHY_RESCUE] = {"rescue", {"left_s", "after_s", "new_s", "won", "races"}},
    [WHY_HEDGE] = {"hedge", {"p", "new_s", "copies", "tasks"}},
    [WHY_JOB_NOT_ADMITTED] = {"job_not_admitted",
                              {"copies", "tasks", "p", "charge", "used", "limit"}},
};

const char *reason_name(uint16_t code)
{
    return code < WHY_CODE_END && reasons[code].name ? reasons[code].name : "?";
}

const char *reason_number_name(uint16_t code, uint8_t i)
{
    if (code >= WHY_CODE_END || i >= REASON_NUMBERS_MAX || !reasons[code].numbers[i])
        return "?";
    return reasons[code].numbers[i];
}
