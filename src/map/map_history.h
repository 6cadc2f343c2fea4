/* map_history.h - what earlier runs of the command have shown, and what this one adds. */
#ifndef MAP_MAP_HISTORY_H
#define MAP_MAP_HISTORY_H

struct map;

/* Fills m->past, if anything will use it. Warns of damage. */
void map_history_find(struct map *m);

/* Adds the run, which is complete. */
void map_history_add(const struct map *m);

#endif
