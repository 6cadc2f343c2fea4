/* fleet_places.h - a fleet in which each agent is one child process with a place of its own: the
 * child is the agent, or makes it run elsewhere.
 *
 * It starts the minimum number, and more while tasks have waited for some time. One that ends
 * unexpectedly is started again, each time after twice as long; after some vain starts its place is
 * given up. Agents that an earlier coordinator of the run has left connect by themselves, and keep
 * their places. */
#pragma once

#include "remote/fleet/fleet.h"

struct fleet_words;

struct fleet_places_options {
    const struct fleet_options *fleet; /* copied */
    uint32_t min, max;
    void *ctx; /* passed on to the functions */
    /* Writes the name of the agent of a place, which counts from 0. */
    void (*name)(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1]);
    /* Adds the command of the place; it takes the key from its standard input. */
    void (*command)(void *ctx, uint32_t place, const char *name, struct fleet_words *words);
    /* Called when the agent of the place cannot connect. Returns true if its next command takes
     * another route. NULL: there is none. */
    bool (*detour)(void *ctx, uint32_t place);
    void (*free)(void *ctx);
};

struct fleet *fleet_places_open(const struct fleet_places_options *options);
