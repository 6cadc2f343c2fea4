/* map_history.c - what earlier runs of the command have shown, and what this one adds.
 *
 * A run of `dolly map` is mostly over before a policy has seen enough of it. Earlier runs of the
 * same command tell how long its tasks take and how often they straggle; the job is submitted with
 * that, so the brain stays a function of its events, and the journal holds all it went by. */
#include "map/map_history.h"

#include <stdio.h>

#include "base/hash.h"
#include "map/map.h"

/* Arguments that are commands themselves have nothing in common. */
static bool has_history(const struct map *m)
{
    return !m->options.no_history && m->options.command.text;
}

void map_history_find(struct map *m)
{
    const struct options *o = &m->options;
    uint32_t damaged;

    if (!has_history(m) || !(m->cloning || o->bar || o->eta || o->progress))
        return;
    char *path = history_path();
    if (path && !history_find(path, hash_text(o->command.text), &m->past, &damaged))
        m->past = (struct history_entry){0};
    if (path && damaged)
        fprintf(stderr, "dolly: %s: damaged, %u lines are left out\n", path, damaged);
    mem_free(path);
}

void map_history_add(const struct map *m)
{
    char *path = has_history(m) && m->counts.runtimes.count ? history_path() : NULL;
    struct history_entry run = {0};

    if (!path)
        return;
    run.hash = hash_text(m->options.command.text);
    history_summarise(&run, m->counts.runtimes.at, m->counts.runtimes.count, m->counts.stopped.at,
                      m->counts.stopped.count, history_p(&m->past));
    (void)history_add(path, &run); /* a run is no worse for it */
    mem_free(path);
}
