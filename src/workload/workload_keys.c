/* workload_keys.c - the keys of the workload format, as docs/WORKLOAD.md lists them. */
#include "workload/workload_keys.h"

#include <stddef.h>

#include "model/job.h"

enum {
    COMMAND_BYTES_MAX = 100 * 1000, /* what the system surely takes as one argument */
    LIST_BYTES_MAX = 1 << 30,
};

#define JOB_ROW(name, type, field, min, max)                                                       \
    KEY_ROW(name, type, struct job_template, field, min, max)

static const struct key job_keys[] = {
    {JOB_ROW("at", KEY_TIME, at_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("user", KEY_NAME, user, 0, 0)},
    {JOB_ROW("queue", KEY_NAME, queue, 0, 0)},
    {JOB_ROW("weight", KEY_MILLI, weight, 0.001, 1e6)},
    {JOB_ROW("running_max", KEY_COUNT, running_max, 0, 1e9)},
    {JOB_ROW("setup", KEY_TIME, setup_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("wrapup", KEY_TIME, wrapup_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("repeat", KEY_COUNT, repeat, 1, WORKLOAD_JOBS_MAX), .needs = "every"},
    {JOB_ROW("every", KEY_TIME, every_us, 0, KEY_TIME_MAX), .needs = "repeat"},
};

/* In the order of enum phase_clone and enum edge_pattern. */
static const char *const clones[] = {"auto", "never", NULL};
static const char *const patterns[] = {"all-to-all", "many-to-one", "one-to-one", NULL};

#define PHASE_ROW(name, type, field, min, max)                                                     \
    KEY_ROW(name, type, struct phase_fields, field, min, max)

static const struct key phase_keys[] = {
    [PHASE_SIZE] = {PHASE_ROW("size", KEY_TIME, phase.size_us, 1, KEY_TIME_MAX)},
    [PHASE_INPUT] = {PHASE_ROW("input", KEY_BYTES, phase.input_bytes, 0, KEY_BYTES_MAX)},
    {PHASE_ROW("tasks", KEY_COUNT, phase.tasks, 1, JOB_TASKS_MAX)},
    {PHASE_ROW("cpu", KEY_MILLI, phase.demand.v[RES_CPU], 0.001, KEY_CPU_MAX), .zero = true},
    {PHASE_ROW("mem", KEY_MIB_UP, phase.demand.v[RES_MEM], 0, 1 << 30)},
    {PHASE_ROW("x", KEY_COUNT, phase.demand.v[RES_X], 0, KEY_UNITS_MAX)},
    {PHASE_ROW("y", KEY_COUNT, phase.demand.v[RES_Y], 0, KEY_UNITS_MAX)},
    {PHASE_ROW("sizes", KEY_TEXT, sizes, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("inputs", KEY_TEXT, inputs, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("output", KEY_BYTES, phase.output_bytes, 0, KEY_BYTES_MAX)},
    {PHASE_ROW("clone", KEY_CHOICE, phase.clone, 0, 0), .choices = clones},
    {PHASE_ROW("command", KEY_TEXT, phase.command, 0, COMMAND_BYTES_MAX)},
    {PHASE_ROW("after", KEY_TEXT, after, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("pattern", KEY_CHOICE, pattern, 0, 0), .choices = patterns, .needs = "after"},
    {PHASE_ROW("slowstart", KEY_PERCENT, slowstart, 0, 0), .needs = "after"},
};

#define TASK_ROW(name, type, field, min, max)                                                      \
    KEY_ROW(name, type, struct task_fields, field, min, max)

static const struct key task_keys[] = {
    [TASK_SIZE] = {TASK_ROW("size", KEY_TIME, task.size_us, 1, KEY_TIME_MAX)},
    [TASK_INPUT] = {TASK_ROW("input", KEY_BYTES, task.input_bytes, 0, KEY_BYTES_MAX)},
    {TASK_ROW("on", KEY_TEXT, on, 0, LIST_BYTES_MAX)},
    {TASK_ROW("attempts", KEY_TEXT, attempts, 0, LIST_BYTES_MAX)},
    {TASK_ROW("command", KEY_TEXT, task.command, 0, COMMAND_BYTES_MAX)},
};

const struct key_kind workload_kinds[WORKLOAD_KINDS] = {
    [WORKLOAD_JOB] = {"job", "NAME", KEY_TABLE(job_keys)},
    [WORKLOAD_PHASE] = {"phase", "NAME", KEY_TABLE(phase_keys)},
    [WORKLOAD_TASK] = {"task", "NUMBER", KEY_TABLE(task_keys)},
};
