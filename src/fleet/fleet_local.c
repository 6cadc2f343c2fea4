#include "fleet/fleet_local.h"

#include <stdio.h>

#include "base/mem.h"
#include "fleet/fleet_places.h"
#include "fleet/fleet_words.h"

static void local_name(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1])
{
    (void)ctx;
    snprintf(name, FLEET_NAME_MAX + 1, "local%u", place + 1);
}

static void local_command(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    (void)place;
    fleet_words_agent(words, ctx, "127.0.0.1");
    fleet_words_add(words, "--name");
    fleet_words_add(words, name);
}

struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err)
{
    uint32_t min, max;

    if (fleet_parse_count(options->spec, &min, &max, err) < 0)
        return NULL;
    return fleet_places_open(
        &(struct fleet_places_options){.fleet = options,
                                       .min = min,
                                       .max = max,
                                       .ctx = mem_copy(options, 1, sizeof *options),
                                       .name = local_name,
                                       .command = local_command,
                                       .free = mem_free});
}
