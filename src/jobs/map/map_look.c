/* map_look.c - opens the plan of a run as `dolly resume` does, and leaves everything where it is.
 */
#include "jobs/map/map_look.h"

#include "base/mem.h"
#include "jobs/map/map.h"

struct map_look {
    struct map map;
};

struct map_look *map_look_open(const char *dir)
{
    struct map_look *l = mem_zalloc(1, sizeof *l);
    struct err err;

    l->map.look = true;
    if (map_keep_read(&l->map, dir, &err) == 0 && map_open(&l->map, &err) == 0)
        return l;
    map_look_close(l);
    return NULL;
}

void map_look_close(struct map_look *l)
{
    if (!l)
        return;
    map_close(&l->map);
    mem_free(l);
}

uint32_t map_look_tasks(const struct map_look *l)
{
    return l->map.tasks;
}

bool map_look_fits(const struct map_look *l, uint64_t tasks)
{
    return tasks == l->map.tasks || (l->map.feed.arrives && tasks < l->map.tasks);
}

uint64_t map_look_seq(const struct map_look *l, uint32_t task)
{
    return plan_seq(l->map.plan, task);
}

void map_look_command(const struct map_look *l, uint32_t task, struct str *out)
{
    plan_command(l->map.plan, task, 0, out);
}

struct path map_look_stderr(const struct map_look *l, uint32_t task)
{
    return map_dir_output(&l->map, task, MAP_TASK_FAILED, 2);
}
