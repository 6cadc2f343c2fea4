#include "remote/fleet/fleet_ways.h"

#include <stdio.h>

#include "base/mem.h"
#include "exec/process/cores.h"
#include "remote/fleet/fleet_places.h"
#include "remote/fleet/fleet_words.h"

static void local_name(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1])
{
    (void)ctx;
    snprintf(name, FLEET_NAME_MAX + 1, "local%u", place + 1);
}

struct fleet_local {
    struct fleet_options options;
    long cores; /* of each: its share of this machine */
};

static void local_command(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    const struct fleet_local *l = ctx;

    (void)place;
    fleet_words_agent(words, &l->options, "127.0.0.1");
    fleet_words_add(words, "--name", name, "--cores");
    fleet_words_addf(words, "%ld", l->cores);
}

struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err)
{
    uint32_t min, max;

    if (fleet_parse_count(options->spec, &min, &max, err) < 0)
        return NULL;
    struct fleet_local *l = mem_zalloc(1, sizeof *l);
    long cores = (long)cores_allowed_here() / (long)max;
    *l = (struct fleet_local){.options = *options, .cores = cores > 1 ? cores : 1};
    return fleet_places_open(&(struct fleet_places_options){.fleet = options,
                                                            .min = min,
                                                            .max = max,
                                                            .ctx = l,
                                                            .name = local_name,
                                                            .command = local_command,
                                                            .free = mem_free});
}
