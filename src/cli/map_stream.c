#include <string.h>

#include "cli/map_state.h"

/* Output of running tasks, for those who asked for it before it is known how the task ends. It is
 * read from the attempt's files as they grow; such tasks are never cloned (see options_check). */
static void stream_slot(struct map *m, struct map_slot *slot, bool lines)
{
    static const char *const files[] = {"stdout", "stderr"};
    struct str tag = {0};

    if (m->options.tag || m->options.tagstring)
        plan_tag(m->plan, slot->at.task, 1, &tag);
    for (int i = 0; i < 2; i++) {
        struct str path = {0};
        if (!(i ? m->options.err_file : m->options.out_file)) {
            map_attempt_path(m, slot->at, files[i], &path);
            slot->shown[i] += map_show(m, path.text, slot->shown[i], i + 1, tag.text, lines);
        }
        str_free(&path);
    }
    str_free(&tag);
}

void map_stream(struct map *m)
{
    if (m->options.output == OUTPUT_GROUP)
        return;
    for (uint32_t i = 0; i < m->slots.count; i++)
        if (m->slots.at[i].used && m->slots.at[i].running)
            stream_slot(m, &m->slots.at[i], m->options.output == OUTPUT_LINES);
}

void map_stream_end(struct map *m, struct map_slot *slot)
{
    if (slot->running)
        stream_slot(m, slot, false);
}
