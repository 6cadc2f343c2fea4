/* map_stream.h - prints outputs of tasks that still run (--line-buffer, --ungroup). */
#pragma once

#include <stdint.h>

struct map;
struct map_slot;

/* Prints the output of running tasks so far. */
void map_stream(struct map *m);

/* Prints the rest of an attempt that ends, whose stdout had `bytes` in all (-1: not known). */
void map_stream_end(struct map *m, struct map_slot *slot, int64_t bytes);
