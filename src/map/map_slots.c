#include "map/map_slots.h"

void map_slots_fini(struct map_slots *s)
{
    vec_free(&s->all);
    vec_free(&s->extras);
}

struct map_slot *map_slots_find(const struct map_slots *s, struct attempt_ref at)
{
    for (uint32_t i = 0; i < s->all.count; i++)
        if (s->all.at[i].used && attempt_equal(s->all.at[i].at, at))
            return &s->all.at[i];
    return NULL;
}

uint32_t map_slots_used(const struct map_slots *s)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < s->all.count; i++)
        used += s->all.at[i].used;
    return used;
}

uint32_t map_slots_tasks(const struct map_slots *s)
{
    const struct map_slot *all = s->all.at;
    uint32_t tasks = 0;

    for (uint32_t i = 0; i < s->all.count; i++) {
        bool first = all[i].used;
        for (uint32_t k = 0; first && k < i; k++)
            first = !all[k].used || all[k].at.task != all[i].at.task;
        tasks += first;
    }
    return tasks;
}

bool map_slots_take_extra(struct map_slots *s, struct attempt_ref at)
{
    for (uint32_t i = 0; i < s->extras.count; i++)
        if (attempt_equal(s->extras.at[i], at)) {
            s->extras.at[i] = s->extras.at[--s->extras.count];
            return true;
        }
    return false;
}

uint32_t map_slots_take(struct map_slots *s, struct attempt_ref at)
{
    uint32_t i = 0;

    while (i < s->all.count && s->all.at[i].used)
        i++;
    if (i == s->all.count)
        (void)vec_add(&s->all);
    s->all.at[i] = (struct map_slot){.used = true, .at = at, .extra = map_slots_take_extra(s, at)};
    return i + 1;
}
