/* map_stream.c - output of running tasks, before it is known how they end. It is read from the
 * attempt's files as they grow; such tasks are never cloned (see options_check). */
#include "jobs/map/map_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "jobs/map/map.h"

/* 0, or why some of it could not be read. */
static int stream_slot(struct map *m, struct map_slot *slot, bool lines)
{
    static const char *const files[] = {"stdout", "stderr"};
    struct str tag = {0};
    int error = 0;

    /* Bytes as they come have no place for a tag: they may be in the middle of a line. */
    if ((m->options.tag || m->options.tagstring) && m->options.output == OUTPUT_LINES)
        plan_tag(m->plan, slot->at.task, map_slots_number(&m->slots, slot), &tag);
    for (int i = 0; i < 2; i++)
        if (!(i ? m->options.err_file : m->options.out_file) &&
            map_print_show(m, map_dir_attempt(m, slot->at, files[i]).text, &slot->shown[i], i + 1,
                           tag.text, lines) < 0)
            error = errno;
    str_free(&tag);
    return error;
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
            (void)stream_slot(m, slot, m->options.output == OUTPUT_LINES); /* tried again soon */
    }
}

void map_stream_end(struct map *m, struct map_slot *slot, int64_t bytes)
{
    struct err err;

    if (!slot->running || waits(m, slot))
        return;
    int error = stream_slot(m, slot, false);
    bool cut = bytes >= 0 && !m->options.out_file && slot->shown[0].printed != bytes;
    if ((error || cut) && !m->fail.aborts) {
        err_system(&err, "the output of task %" PRIu64 " cannot be read: %s",
                   plan_seq(m->plan, slot->at.task),
                   error ? strerror(error) : "it has become shorter");
        map_fail(m, &err);
    }
    m->print.streamed = slot->at.task + 1ULL;
}
