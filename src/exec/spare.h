/* spare.h - what the attempts in somebody's care leave of the machine to clones.
 *
 * Nothing is measured until the first clone: whoever never clones pays nothing. */
#ifndef EXEC_SPARE_H
#define EXEC_SPARE_H

#include "exec/cores.h"
#include "exec/packet.h"
#include "exec/ward.h"

/* Zero-initialise. */
struct spare {
    bool on;
    struct cores cores;
    struct cores_used last;
    int64_t next_us; /* when to look next; INT64_MAX: not before somebody is launched */
    /* Of wards that have ended since the last look. */
    int64_t extra_us, cpu_us, wall_us;
    int32_t told_spare, told_each; /* each 0 at first: nothing was told */
};

/* A ward was launched. */
void spare_launched(struct spare *s, struct wards *wards, const struct ward *ward, int64_t now_us);

/* The end of a ward, with its use. */
void spare_ended(struct spare *s, const struct ward *ward, const struct packet_end *end);

/* Looks, if it is time. True: there is something to tell, which is in *m. */
bool spare_look(struct spare *s, struct wards *wards, int64_t now_us, struct packet *m);

#endif
