/* fetch_places.h - where the outputs are that an attempt reads, as received in PACKET_PLACE, and
 * how it gets them: those of its own agent are files of this machine, others are fetched from their
 * agents. */
#pragma once

#include "base/vec.h"
#include "remote/fetch/fetch_client.h"

struct fetch_place {
    uint32_t output, attempt;
    uint64_t checksum; /* of the output */
    char *where;       /* a path, or ADDRESS:PORT; NULL: not known */
};

/* Zero-initialise except the first fields. */
struct fetch_places {
    uint32_t first, count; /* the tasks whose outputs are read */
    const char *scratch;   /* folder for fetched files; borrowed */
    VEC(struct fetch_place) at;
    struct fetch_client client;
};

void fetch_places_fini(struct fetch_places *p);

/* Takes a PACKET_PLACE or PACKET_KEY. Returns 0, or -1 with *err if the packet does not belong to
 * this attempt. */
int fetch_places_take(struct fetch_places *p, const struct packet *m, struct err *err);

/* Returns the place of the task's output, of this attempt or of any (UINT32_MAX). Returns NULL with
 * *err if it is not known. */
const struct fetch_place *fetch_places_find(const struct fetch_places *p, uint32_t task,
                                            uint32_t attempt, struct err *err);

/* Returns true if the output is a file of this machine. */
static inline bool fetch_place_is_here(const struct fetch_place *at)
{
    return at->where[0] == '/';
}

/* A partition that was fetched from another agent. */
struct fetched {
    int fd;           /* an unnamed file with the partition; owned by the caller */
    const char *name; /* for messages */
    struct packet_partition found;
    uint64_t checksum; /* expected checksum of the output */
};

/* Gets a partition, or PACKET_WHOLE. Returns 0, or -1 with *err and an errno in what->found.error.
 */
int fetch_places_get(struct fetch_places *p, const struct fetch_place *at, uint32_t partition,
                     struct fetched *what, struct err *err);
