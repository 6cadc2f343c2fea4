/* map_progress.h - prints the progress of the run on stderr. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct map;

/* Prints the progress, if the options ask for it and it is time; always if `last`. */
void map_progress_draw(struct map *m, int64_t now_us, bool last);

/* Prints one line on stderr; `ctx` is the map. */
void map_progress_warn(void *ctx, const char *text);

/* Prints that all nodes end in left_us, and the consequences; `running` attempts run there. */
void map_progress_ending(void *ctx, int64_t left_us, uint32_t running);
