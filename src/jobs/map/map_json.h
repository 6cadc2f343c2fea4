/* map_json.h - prints the whole run as one JSON object on stdout: --json. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct map;
struct map_output;

struct map_json {
    bool open;      /* the object was begun, */
    uint64_t tasks; /* with this number of tasks so far */
};

/* Adds a task that is over. */
void map_json_task(struct map *m, const struct map_output *p);
/* Adds the sums, and ends the object. */
void map_json_end(struct map *m, bool complete, int status);
