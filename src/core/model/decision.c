#include "core/model/decision.h"

const char *decision_name(uint8_t type)
{
    static const char *const names[DO_TYPE_END] = {
        [DO_LAUNCH] = "launch",
        [DO_WITHDRAW] = "withdraw",
        [DO_KILL] = "kill",
        [DO_COMMIT] = "commit",
        [DO_ASSIGN_READ] = "assign_read",
        [DO_DISCARD_OUTPUT] = "discard_output",
        [DO_REPLICATE] = "replicate",
        [DO_AVOID_NODE] = "avoid_node",
        [DO_SET_TIMER] = "set_timer",
        [DO_VERDICT] = "verdict",
        [DO_JOB_DONE] = "job_done",
        [DO_JOB_FAILED] = "job_failed",
    };
    return type < DO_TYPE_END && names[type] ? names[type] : "?";
}

const char *decision_kind_name(uint8_t kind)
{
    static const char *const names[LAUNCH_KIND_END] = {
        [LAUNCH_FIRST] = "first",     [LAUNCH_CLONE] = "clone",         [LAUNCH_BACKUP] = "backup",
        [LAUNCH_RESTART] = "restart", [LAUNCH_RECOMPUTE] = "recompute",
    };
    return kind < LAUNCH_KIND_END && names[kind] ? names[kind] : "?";
}
