/* workload_keys.c - the keys of the workload format, as docs/reference/workload-file.md lists them.
 * */
#include "inputs/workload/workload_keys.h"

#include "core/model/job.h"

enum {
    COMMAND_BYTES_MAX = 100 * 1000, /* what the system surely takes as one argument */
    LIST_BYTES_MAX = 1 << 30,
};

#define JOB_ROW(name, type, field, min, max)                                                       \
    FIELD_ROW(name, type, struct job_template, field, min, max)

static const struct field job_keys[] = {
    {JOB_ROW("at", FIELD_TIME, at_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("app", FIELD_NAME, app, 0, 0)},
    {JOB_ROW("user", FIELD_NAME, user, 0, 0)},
    {JOB_ROW("queue", FIELD_NAME, queue, 0, 0)},
    {JOB_ROW("weight", FIELD_MILLI, weight, 0.001, 1e6)},
    {JOB_ROW("running_max", FIELD_COUNT, running_max, 0, 1e9)},
    {JOB_ROW("setup", FIELD_TIME, setup_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("wrapup", FIELD_TIME, wrapup_us, 0, KEY_TIME_MAX)},
    {JOB_ROW("repeat", FIELD_COUNT, repeat, 1, WORKLOAD_JOBS_MAX), .needs = "every"},
    {JOB_ROW("every", FIELD_TIME, every_us, 0, KEY_TIME_MAX), .needs = "repeat"},
    {0},
};

/* In the order of enum phase_clone, enum recorded_vary and enum edge_pattern. */
#define CLONES "auto|never"
#define VARIES "size|luck|bytes"
#define PATTERNS "all-to-all|many-to-one|one-to-one"

#define PHASE_ROW(name, type, field, min, max)                                                     \
    FIELD_ROW(name, type, struct phase_fields, field, min, max)

static const struct field phase_keys[] = {
    [PHASE_SIZE] = {PHASE_ROW("size", FIELD_TIME, phase.size_us, 1e-6, KEY_TIME_MAX)},
    [PHASE_INPUT] = {PHASE_ROW("input", FIELD_BYTES, phase.input_bytes, 0, KEY_BYTES_MAX)},
    {PHASE_ROW("tasks", FIELD_COUNT, phase.tasks, 1, JOB_TASKS_MAX)},
    {PHASE_ROW("cpu", FIELD_MILLI, phase.demand.v[RES_CPU], 0.001, KEY_CPU_MAX), .zero = true},
    {PHASE_ROW("mem", FIELD_MIB_UP, phase.demand.v[RES_MEM], 0, 1 << 30)},
    {PHASE_ROW("x", FIELD_COUNT, phase.demand.v[RES_X], 0, KEY_UNITS_MAX)},
    {PHASE_ROW("y", FIELD_COUNT, phase.demand.v[RES_Y], 0, KEY_UNITS_MAX)},
    {PHASE_ROW("sizes", FIELD_TEXT, sizes, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("inputs", FIELD_TEXT, inputs, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("output", FIELD_BYTES, phase.output_bytes, 0, KEY_BYTES_MAX)},
    {PHASE_ROW("skew", FIELD_REAL, phase.skew, 1, 1e6), .needs = "output"},
    {PHASE_ROW("clone", FIELD_CHOICE, phase.clone, 0, 0), .choices = CLONES},
    {PHASE_ROW("vary", FIELD_CHOICE, phase.vary, 0, 0), .choices = VARIES},
    {PHASE_ROW("command", FIELD_TEXT, phase.command, 0, COMMAND_BYTES_MAX)},
    {PHASE_ROW("expect", FIELD_TIME, phase.expect_us, 1e-6, KEY_TIME_MAX)},
    {PHASE_ROW("expect_dev", FIELD_TIME, phase.expect_dev_us, 0, KEY_TIME_MAX), .needs = "expect"},
    {PHASE_ROW("after", FIELD_TEXT, after, 0, LIST_BYTES_MAX)},
    {PHASE_ROW("pattern", FIELD_CHOICE, pattern, 0, 0), .choices = PATTERNS, .needs = "after"},
    {PHASE_ROW("slowstart", FIELD_PERCENT, slowstart, 0, 0), .needs = "after"},
    {0},
};

#define TASK_ROW(name, type, field, min, max)                                                      \
    FIELD_ROW(name, type, struct task_fields, field, min, max)

static const struct field task_keys[] = {
    [TASK_SIZE] = {TASK_ROW("size", FIELD_TIME, task.size_us, 1e-6, KEY_TIME_MAX)},
    [TASK_INPUT] = {TASK_ROW("input", FIELD_BYTES, task.input_bytes, 0, KEY_BYTES_MAX)},
    {TASK_ROW("on", FIELD_TEXT, on, 0, LIST_BYTES_MAX)},
    {TASK_ROW("attempts", FIELD_TEXT, attempts, 0, LIST_BYTES_MAX)},
    {TASK_ROW("command", FIELD_TEXT, task.command, 0, COMMAND_BYTES_MAX)},
    {0},
};

const struct key_kind workload_keys[WORKLOAD_KINDS] = {
    [WORKLOAD_JOB] = {"job", "NAME", job_keys},
    [WORKLOAD_PHASE] = {"phase", "NAME", phase_keys},
    [WORKLOAD_TASK] = {"task", "NUMBER", task_keys},
};
