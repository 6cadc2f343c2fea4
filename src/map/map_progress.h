/* map_progress.h - how far the run is, on stderr. */
#ifndef MAP_MAP_PROGRESS_H
#define MAP_MAP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct map;

/* Prints it, if the options ask for it and it is time; always if `last`. */
void map_progress_draw(struct map *m, int64_t now_us, bool last);

/* Removes the bar: something else is about to be printed. */
void map_progress_clear(struct map *m);

/* Prints one line on stderr; `ctx` is the map. */
void map_progress_warn(void *ctx, const char *text);

#endif
