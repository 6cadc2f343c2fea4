#include "jobs/map/map_fail.h"

#include <errno.h>
#include <string.h>

#include "jobs/map/map.h"

void map_fail(struct map *m, const struct err *err)
{
    if (!m->fail.aborts)
        m->fail.why = *err;
    m->fail.aborts = true;
}

void map_fail_unwritable(struct map *m, const char *what)
{
    struct err err;

    if (!m->fail.aborts)
        m->fail.reader_left = errno == EPIPE && strcmp(what, "the output") == 0;
    err_system(&err, "cannot write %s: %s", what, strerror(errno));
    map_fail(m, &err);
}

void map_fail_task(struct map *m, uint32_t task, const struct map_end *end)
{
    if (m->counts.failed < MAP_FAILED_TOLD)
        m->counts.failed_first[m->counts.failed] =
            (struct map_failed){.task = task, .exit = end->exit, .signal = end->signal};
    m->counts.failed++;
}
