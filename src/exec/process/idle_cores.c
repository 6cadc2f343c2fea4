/* Every half second the CPU time of each attempt (with its descendants) is read, and that of the
 * machine. Clones do not count as use: they run behind others (start.c), so what they take is
 * there for these, too. What an attempt takes is measured without clones, which may be
 * starved.
 *
 * Numbers are reported in quarters of a core, and only when they change: a turn of the brain for
 * every flicker would fill the journal. An attempt that takes less than a twentieth of a core
 * mostly waits, and not for a core. Looking must not become work itself: with many attempts we look
 * less often.
 *
 * Of the disk and of memory the kernel tells for how long something has stood still (cores.h). A
 * clone that wants the disk cannot be put behind others as on a core, and tasks may be short: the
 * first look comes 50 ms after the launch of a clone, the next ones after twice as long each, up to
 * half a second. Where attempts move next to nothing, the disk is not theirs, and whoever waits for
 * it is not helped if clones go. Shares are reported in twentieths. */
#include "exec/process/idle_cores.h"

#include "base/os/clock.h"

enum {
    IDLE_FIRST_US = 200000, /* after the first clone */
    IDLE_EVERY_US = 500000,
    IDLE_COST = 100,           /* times as long as a look takes passes until the next one */
    IDLE_STEP = 250,           /* thousandths of a core: reported numbers are multiples of it ... */
    IDLE_ERROR = 50,           /* ... and the next one counts as met if so little is missing */
    PRESSURE_FIRST_US = 50000, /* after a clone */
    PRESSURE_STEP = 50,        /* thousandths of the time: the same of pressure */
    PRESSURE_MOVES = 131072,   /* bytes per second: attempts that move more use the disk */
};

/* Adds what the process, which has used `cpu_us` in all, used since the last look until now. */
static void idle_add(struct idle_cores *s, const struct process *p, int64_t cpu_us, int64_t now_us)
{
    int64_t from_us = p->started_us > s->last.at_us ? p->started_us : s->last.at_us;
    int64_t used_us = cpu_us > p->cpu_us ? cpu_us - p->cpu_us : 0;

    if (p->extra) {
        s->extra_us += used_us;
    } else {
        s->cpu_us += used_us;
        s->wall_us += now_us > from_us ? now_us - from_us : 0;
    }
}

/* Sums up what the processes have used, and notes how far they are. Returns whether any runs. */
static bool idle_sum(struct idle_cores *s, struct process_table *table, int64_t now_us)
{
    bool any = false;

    for (uint32_t i = 0; i < table->at.count; i++) {
        struct process *p = &table->at.at[i];
        if (p->state != PROCESS_RUNNING)
            continue;
        int64_t cpu_us = cores_time_of(&s->cores, p->pid);
        idle_add(s, p, cpu_us, now_us);
        if (cpu_us > p->cpu_us)
            p->cpu_us = cpu_us;
        any = true;
    }
    return any;
}

/* What attempts have moved since the last look; -1: none runs. */
static int64_t pressure_moved(const struct idle_cores *s, struct process_table *table)
{
    int64_t moved = -1;

    for (uint32_t i = 0; i < table->at.count; i++) {
        struct process *p = &table->at.at[i];
        if (p->state != PROCESS_RUNNING)
            continue;
        int64_t bytes = cores_bytes_of(&s->cores, p->pid);
        moved += (moved < 0) + (bytes > p->moved_bytes ? bytes - p->moved_bytes : 0);
        p->moved_bytes = bytes > p->moved_bytes ? bytes : p->moved_bytes;
    }
    return moved;
}

static void idle_restart(struct idle_cores *s, struct cores_used now)
{
    s->last = now;
    s->extra_us = s->cpu_us = s->wall_us = 0;
}

/* The first clone. What ran before counts from now on. */
static void idle_begin(struct idle_cores *s, struct process_table *table, int64_t now_us)
{
    s->active = true;
    cores_init(&s->cores, "");
    idle_sum(s, table, now_us);
    s->next_us = s->pressure_us = INT64_MAX;
    s->stalled = cores_stalled_read(&s->cores);
    pressure_moved(s, table);
}

void idle_cores_launched(struct idle_cores *s, struct process_table *table, const struct process *p,
                         int64_t now_us)
{
    if (!s->active && p->extra)
        idle_begin(s, table, now_us);
    if (!s->active)
        return;
    if (s->next_us == INT64_MAX) {
        idle_restart(s, cores_read(&s->cores));
        s->next_us = now_us + IDLE_FIRST_US;
    }
    if (s->pressure_us == INT64_MAX)
        s->stalled = cores_stalled_read(&s->cores);
    bool known = s->stalled.disk_us >= 0 || s->stalled.memory_us >= 0;
    if (known && (p->extra || s->pressure_us == INT64_MAX)) {
        s->pressure_every_us = PRESSURE_FIRST_US;
        if (s->pressure_us > now_us + PRESSURE_FIRST_US)
            s->pressure_us = now_us + PRESSURE_FIRST_US;
    }
}

void idle_cores_ended(struct idle_cores *s, const struct process *p, const struct packet_end *end)
{
    idle_add(s, p, end->cpu_us, p->started_us + end->wall_us);
}

/* Rounded down to steps, after `more` was added. */
static int32_t in_steps(int64_t value, int32_t more)
{
    return (int32_t)((value + more) / IDLE_STEP * IDLE_STEP);
}

bool idle_cores_look(struct idle_cores *s, struct process_table *table, int64_t now_us,
                     struct packet *m)
{
    if (now_us < s->next_us)
        return false;
    struct cores_used now = cores_read(&s->cores);
    if (!idle_sum(s, table, now.at_us)) {
        s->next_us = INT64_MAX;
        return false;
    }
    int32_t spare = in_steps(cores_idle(&s->cores, &s->last, &now, s->extra_us), IDLE_ERROR);
    int64_t rate = s->wall_us > 0 ? s->cpu_us * 1000 / s->wall_us : s->reported_each;
    int32_t each = in_steps(rate - IDLE_ERROR, IDLE_STEP);
    idle_restart(s, now);
    int64_t cost_us = (clock_now_us() - now_us) * IDLE_COST;
    s->next_us = now_us + (cost_us > IDLE_EVERY_US ? cost_us : IDLE_EVERY_US);
    if (each == s->reported_each && (each == 0 || spare == s->reported_spare))
        return false;
    s->reported_spare = spare;
    s->reported_each = each;
    *m = (struct packet){.type = PACKET_CORES, .u.cores = {spare, each}};
    return true;
}

bool idle_cores_look_pressure(struct idle_cores *s, struct process_table *table, int64_t now_us,
                              struct packet *m)
{
    if (now_us < s->pressure_us)
        return false;
    struct cores_stalled now = cores_stalled_read(&s->cores);
    int64_t moved = pressure_moved(s, table), took_us = now.at_us - s->stalled.at_us;
    int32_t disk = cores_stalled_milli(s->stalled.disk_us, now.disk_us, took_us);
    int32_t memory = cores_stalled_milli(s->stalled.memory_us, now.memory_us, took_us);
    if (moved * 1000000 < (int64_t)PRESSURE_MOVES * took_us)
        disk = 0;
    if (moved < 0) /* what the others do does not matter */
        memory = 0;
    disk = disk / PRESSURE_STEP * PRESSURE_STEP;
    memory = memory / PRESSURE_STEP * PRESSURE_STEP;
    s->stalled = now;
    s->pressure_every_us *= 2;
    if (s->pressure_every_us > IDLE_EVERY_US)
        s->pressure_every_us = IDLE_EVERY_US;
    int64_t cost_us = (clock_now_us() - now_us) * IDLE_COST;
    s->pressure_us = now_us + (cost_us > s->pressure_every_us ? cost_us : s->pressure_every_us);
    if (moved < 0)
        s->pressure_us = INT64_MAX;
    if (disk == s->reported_disk && memory == s->reported_memory)
        return false;
    s->reported_disk = disk;
    s->reported_memory = memory;
    *m = (struct packet){.type = PACKET_PRESSURE, .u.pressure = {disk, memory}};
    return true;
}
