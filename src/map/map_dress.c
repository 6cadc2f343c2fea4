/* map_dress.c - what an attempt is told: its command, its slot, its environment, its stdin.
 *
 * A slot is the lowest free number, as in GNU parallel, so that commands can use it to name a
 * device or a port. It is free again when the attempt is confirmed dead, not before. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "map/map_state.h"

/* Names that an outer run may have left in our environment. */
static const char *const names[] = {
    "PARALLEL_SEQ",         "PARALLEL_JOBSLOT",     "PARALLEL_PID",
    "SLURM_ARRAY_JOB_ID",   "SLURM_ARRAY_TASK_ID",  "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"};

void map_forget_environment(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

struct map_slot *map_slot_of(struct map *m, struct attempt_ref at)
{
    for (uint32_t i = 0; i < m->slots.count; i++)
        if (m->slots.at[i].used && attempt_equal(m->slots.at[i].at, at))
            return &m->slots.at[i];
    return NULL;
}

uint32_t map_slots_used(const struct map *m)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < m->slots.count; i++)
        used += m->slots.at[i].used;
    return used;
}

bool map_extra_take(struct map *m, struct attempt_ref at)
{
    for (uint32_t i = 0; i < m->extras.count; i++)
        if (attempt_equal(m->extras.at[i], at)) {
            m->extras.at[i] = m->extras.at[--m->extras.count];
            return true;
        }
    return false;
}

uint32_t map_slot_take(struct map *m, struct attempt_ref at, struct node_id node)
{
    uint32_t i = 0;

    while (i < m->slots.count && m->slots.at[i].used)
        i++;
    if (i == m->slots.count)
        (void)vec_add(&m->slots);
    m->slots.at[i] =
        (struct map_slot){.used = true, .at = at, .node = node.v, .extra = map_extra_take(m, at)};
    return i + 1;
}

__attribute__((format(printf, 2, 3))) static void env_add(struct map *m, const char *format, ...)
{
    char text[128];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_reserve(&m->env, m->env.count + (uint32_t)length + 1);
    memcpy(m->env.at + m->env.count, text, (size_t)length + 1);
    m->env.count += (uint32_t)length + 1;
}

/* The same for a number; by hand, because every attempt gets three of them. */
static void env_number(struct map *m, const char *name, uint64_t value)
{
    char digits[24], *at = digits + sizeof digits - 1;
    uint32_t name_bytes = (uint32_t)strlen(name);

    *at = 0;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    uint32_t bytes = (uint32_t)(digits + sizeof digits - at);
    vec_reserve(&m->env, m->env.count + name_bytes + 1 + bytes);
    memcpy(m->env.at + m->env.count, name, name_bytes);
    m->env.at[m->env.count + name_bytes] = '=';
    memcpy(m->env.at + m->env.count + name_bytes + 1, at, bytes);
    m->env.count += name_bytes + 1 + bytes;
}

static void env_array(struct map *m, const char *prefix, uint32_t task)
{
    const struct array_spec *a = &m->array;

    env_add(m, "%s_ARRAY_JOB_ID=%d", prefix, m->id);
    env_add(m, "%s_ARRAY_TASK_ID=%" PRId64, prefix, plan_index(m->plan, task));
    env_add(m, "%s_ARRAY_TASK_COUNT=%" PRIu64, prefix, a->count);
    env_add(m, "%s_ARRAY_TASK_MIN=%" PRId64, prefix, a->min);
    env_add(m, "%s_ARRAY_TASK_MAX=%" PRId64, prefix, a->max);
    env_add(m, "%s_ARRAY_TASK_STEP=%" PRId64, prefix, a->step);
}

/* Of an attempt that has one. */
static uint32_t slot_number(struct map *m, struct attempt_ref at)
{
    return (uint32_t)(map_slot_of(m, at) - m->slots.at) + 1;
}

void map_dress(void *ctx, struct attempt_ref told, struct node_id node, struct exec_dress *dress)
{
    struct map *m = ctx;
    struct attempt_ref at = map_at(m, told);
    uint32_t slot = dress->again ? slot_number(m, at) : map_slot_take(m, at, node);

    str_cut(&m->command, 0);
    plan_command(m->plan, at.task, slot, &m->command);
    if (m->options.show_stderr && !dress->again) {
        map_clear_line(m);
        fprintf(stderr, "%s\n", m->command.text);
    }
    vec_clear(&m->env);
    env_number(m, "PARALLEL_SEQ", plan_seq(m->plan, at.task));
    env_number(m, "PARALLEL_JOBSLOT", slot);
    env_number(m, "PARALLEL_PID", (uint64_t)m->id);
    if (m->options.array) {
        env_array(m, "SLURM", at.task);
        env_array(m, "DOLLY", at.task);
    }
    dress->command = m->command.text;
    dress->env = m->env.at;
    dress->env_bytes = m->env.count;
    if (m->spool) {
        struct err err;
        str_cut(&m->stdin_path, 0);
        /* A block that cannot be had shows itself as a launch that fails: there is no such file. */
        if (map_block_path(m, at.task, &m->stdin_path, &err) < 0 && !m->is_broken) {
            m->is_broken = true;
            m->broken = err;
        }
        if (!m->options.cat)
            dress->stdin_path = m->stdin_path.text;
    }
}
