#include "agent/agents_list.h"

#include <stdio.h>

#include "agent/agents_state.h"
#include "runner/clock.h"

void agents_list_write(struct agents *a)
{
    static const char *const states[] = {"here", "silent", "away"};
    char path[PATH_MAX], fresh[PATH_MAX];
    int64_t now_us = clock_now_us();

    snprintf(path, sizeof path, "%s/agents", a->options.dir);
    snprintf(fresh, sizeof fresh, "%s/agents.new", a->options.dir);
    FILE *file = fopen(fresh, "we");
    if (!file)
        return;
    for (uint32_t i = 0; i < a->link_count; i++) {
        const struct agent_link *l = a->links[i];
        if (!l || !l->card.name[0])
            continue;
        fprintf(file, "%s\t%s\t%s\t%d\t%u\t%lld\t%s\t%s\t%s\n", l->card.name, states[l->presence],
                l->card.host, l->card.cores_milli / 1000, agent_pulls_count(&l->pulls),
                (long long)((now_us - l->heard_us) / 1000), l->shared ? "shared" : "pulled",
                l->card.scratch, l->address);
    }
    if (fclose(file) == 0)
        rename(fresh, path);
}
