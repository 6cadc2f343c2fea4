/* watch.h - the last reports of each running attempt, as of the last look: its pace, and whether it
 * moves at all. */
#ifndef CORE_SHEPHERD_WATCH_H
#define CORE_SHEPHERD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"

struct watch_record {
    struct attempt_ref of;
    int64_t ready_us; /* when its last fetch was done; 0: it has fetched nothing */
    int64_t at_us;    /* of the last report that was seen; 0: none was */
    double share;     /* of its work that was done then */
    double lately_s;  /* for all its work, by the last two; 0: there were none */
    bool still;       /* the last two reported the same */
};

/* Zeroed at the start; free with watch_fini. */
struct watch {
    VEC(struct watch_record) records; /* by attempt */
};

void watch_fini(struct watch *w);

/* Notes that a fetch of the attempt is done. */
void watch_fetched(struct watch *w, const struct world *world, const struct attempt *a);

/* Returns the record of a running attempt, after its last report was taken in. Valid until the next
 * call. */
const struct watch_record *watch_look(struct watch *w, const struct world *world,
                                      const struct attempt *a);

/* Returns when the attempt began to work: after its start and its last fetch so far. */
int64_t watch_began_us(const struct watch *w, const struct world *world, const struct attempt *a);

#endif
