#include "core/model/event.h"

const char *event_name(uint8_t type)
{
    static const char *const names[EV_TYPE_END] = {
        [EV_NODE_UP] = "node_up",
        [EV_NODE_DOWN] = "node_down",
        [EV_NODE_SUSPECT] = "node_suspect",
        [EV_NODE_DRAIN] = "node_drain",
        [EV_NODE_CAPACITY] = "node_capacity",
        [EV_JOB_SUBMITTED] = "job_submitted",
        [EV_JOB_CHANGED] = "job_changed",
        [EV_JOB_CANCELLED] = "job_cancelled",
        [EV_ATTEMPT_STARTED] = "attempt_started",
        [EV_ATTEMPT_LAUNCH_FAILED] = "attempt_launch_failed",
        [EV_ATTEMPT_PROGRESS] = "attempt_progress",
        [EV_ATTEMPT_FINISHED] = "attempt_finished",
        [EV_ATTEMPT_FAILED] = "attempt_failed",
        [EV_ATTEMPT_KILLED] = "attempt_killed",
        [EV_ATTEMPT_LOST] = "attempt_lost",
        [EV_OUTPUT_READY] = "output_ready",
        [EV_OUTPUT_LOST] = "output_lost",
        [EV_FETCH_STARTED] = "fetch_started",
        [EV_FETCH_DONE] = "fetch_done",
        [EV_FETCH_FAILED] = "fetch_failed",
        [EV_REPLICA_DONE] = "replica_done",
        [EV_REPLICA_FAILED] = "replica_failed",
        [EV_LINK_SAMPLE] = "link_sample",
        [EV_COMMITTED] = "committed",
        [EV_COMMIT_FAILED] = "commit_failed",
        [EV_REFUSED] = "refused",
        [EV_TIMER] = "timer",
        [EV_CORES] = "cores",
        [EV_RESOURCE] = "resource",
        [EV_ATTEMPT_ENDED] = "attempt_ended",
        [EV_PRESSURE] = "pressure",
    };
    return type < EV_TYPE_END && names[type] ? names[type] : "?";
}

const char *event_cause_name(uint8_t cause)
{
    static const char *const names[CAUSE_END] = {
        [CAUSE_NONE] = "none",
        [CAUSE_NODE_DOWN] = "node_down",
        [CAUSE_WITHDRAWN] = "withdrawn",
        [CAUSE_ALREADY_STARTED] = "already_started",
        [CAUSE_ALREADY_ENDED] = "already_ended",
        [CAUSE_UNKNOWN_ATTEMPT] = "unknown_attempt",
        [CAUSE_NO_ROOM] = "no_room",
        [CAUSE_NO_SUCH_FILE] = "no_such_file",
        [CAUSE_SYSTEM] = "system",
        [CAUSE_EXIT] = "exit",
        [CAUSE_SIGNAL] = "signal",
        [CAUSE_OUTPUT_GONE] = "output_gone",
        [CAUSE_DISK_FULL] = "disk_full",
        [CAUSE_TIMEOUT] = "timeout",
        [CAUSE_INJECTED] = "injected",
        [CAUSE_JOB_OVER] = "job_over",
        [CAUSE_NODE_FAULT] = "node_fault",
    };
    return cause < CAUSE_END && names[cause] ? names[cause] : "?";
}
