/* fleet_places.h - a fleet in which each agent is one process of ours, at a place of its own: a
 * child that is the agent, or one that has it run elsewhere.
 *
 * There are as many as the least number says, and more while tasks have waited for a while. One
 * that ends although it was not told to is started again, each time after twice as long; after some
 * vain starts its place is given up. Agents that an earlier coordinator of the run has left come by
 * themselves, and keep their places. */
#ifndef REMOTE_FLEET_FLEET_PLACES_H
#define REMOTE_FLEET_FLEET_PLACES_H

#include "remote/fleet/fleet.h"

struct fleet_words;

struct fleet_places_options {
    const struct fleet_options *fleet; /* copied */
    uint32_t min, max;
    void *ctx; /* passed on to the functions */
    /* The name of the agent of a place, which counts from 0. */
    void (*name)(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1]);
    /* Adds the command of the place; it takes the key from its standard input. */
    void (*command)(void *ctx, uint32_t place, const char *name, struct fleet_words *words);
    /* The agent of the place cannot reach us: whether its next command takes another way. NULL:
     * there is none. */
    bool (*detour)(void *ctx, uint32_t place);
    void (*free)(void *ctx);
};

struct fleet *fleet_places_open(const struct fleet_places_options *options);

#endif
