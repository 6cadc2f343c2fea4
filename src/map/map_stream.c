/* map_stream.c - output of running tasks, before it is known how they end. It is read from the
 * attempt's files as they grow; such tasks are never cloned (see options_check). */
#include "map/map.h"

static void stream_slot(struct map *m, struct map_slot *slot, bool lines)
{
    static const char *const files[] = {"stdout", "stderr"};
    struct str tag = {0};
    char path[PATH_MAX];

    if (m->options.tag || m->options.tagstring)
        plan_tag(m->plan, slot->at.task, 1, &tag);
    for (int i = 0; i < 2; i++)
        if (!(i ? m->options.err_file : m->options.out_file)) {
            map_dir_attempt(m, slot->at, files[i], path);
            slot->shown[i] += map_print_show(m, path, slot->shown[i], i + 1, tag.text, lines);
        }
    str_free(&tag);
}

/* With -k only the task whose turn it is shows its lines; the others wait for theirs. */
static bool waits(const struct map *m, const struct map_slot *slot)
{
    return m->options.output == OUTPUT_LINES && m->options.keep_order &&
           slot->at.task != m->print.next;
}

void map_stream(struct map *m)
{
    if (m->options.output == OUTPUT_GROUP)
        return;
    for (uint32_t i = 0; i < m->slots.all.count; i++) {
        struct map_slot *slot = &m->slots.all.at[i];
        if (slot->used && slot->running && !waits(m, slot))
            stream_slot(m, slot, m->options.output == OUTPUT_LINES);
    }
}

void map_stream_end(struct map *m, struct map_slot *slot)
{
    if (!slot->running || waits(m, slot))
        return;
    stream_slot(m, slot, false);
    m->print.streamed = slot->at.task + 1ULL;
}
