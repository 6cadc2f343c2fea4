/* fetch_places.h - where the outputs are that an attempt reads, as it is told (PACKET_PLACE), and
 * how it gets them: those of its own agent lie in a file of this machine, others come from theirs.
 */
#ifndef REMOTE_FETCH_FETCH_PLACES_H
#define REMOTE_FETCH_FETCH_PLACES_H

#include "base/vec.h"
#include "remote/fetch/fetch_client.h"

struct fetch_place {
    uint32_t output, attempt;
    uint64_t checksum; /* of the output */
    char *where;       /* a path, or ADDRESS:PORT; NULL: not known */
};

/* Zero-initialise but for the first fields. */
struct fetch_places {
    uint32_t first, count; /* of the tasks whose outputs are read */
    const char *scratch;   /* folder for what comes from elsewhere; borrowed */
    VEC(struct fetch_place) at;
    struct fetch_client client;
};

void fetch_places_fini(struct fetch_places *p);

/* Takes a place or a key, and nothing else. -1 with *err: it cannot be one of ours. */
int fetch_places_take(struct fetch_places *p, const struct packet *m, struct err *err);

/* Of the task's output, by this attempt, or by any (UINT32_MAX). NULL with *err: not known. */
const struct fetch_place *fetch_places_find(const struct fetch_places *p, uint32_t task,
                                            uint32_t attempt, struct err *err);

/* Whether it is a path. */
static inline bool fetch_place_is_here(const struct fetch_place *at)
{
    return at->where[0] == '/';
}

/* What came from elsewhere. */
struct fetched {
    int fd;           /* a file without a name that has the partition; the caller's */
    const char *name; /* for messages */
    struct packet_part part;
    uint64_t checksum; /* what that of the output should be */
};

/* Gets a partition, or PACKET_WHOLE. 0, or -1 with *err, and what->part.error is an errno. */
int fetch_places_get(struct fetch_places *p, const struct fetch_place *at, uint32_t partition,
                     struct fetched *what, struct err *err);

#endif
