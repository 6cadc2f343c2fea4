#include "remote/fleet/fleet_ways.h"

#include <string.h>

#include "base/text.h"

static const struct fleet_way ways[] = {
    {"slurm", "N", "N nodes of a Slurm cluster; N-M: more when tasks wait", false, true, true,
     fleet_slurm_open},
    {"local", "N", "N agents on this machine", true, false, false, fleet_local_open},
    {"ssh", "FILE", "the hosts in FILE, one per line, by ssh", false, false, false, fleet_ssh_open},
    {0},
};

const struct fleet_way *fleet_ways_find(const char *on, const char **spec, struct err *err)
{
    const char *colon = strchr(on, ':');
    size_t length = colon ? (size_t)(colon - on) : strlen(on);
    struct str known = {0};

    for (const struct fleet_way *w = ways; w->name; w++) {
        if (strlen(w->name) == length && strncmp(w->name, on, length) == 0) {
            str_free(&known);
            *spec = colon ? colon + 1 : "";
            if (**spec)
                return w;
            err_set(err, "--on %s: expected %s:%s", on, w->name, w->value);
            return NULL;
        }
        str_addf(&known, "%s%s:%s", known.length ? ", " : "", w->name, w->value);
    }
    err_set(err, "--on %s: expected %s", on, known.text);
    str_free(&known);
    return NULL;
}
