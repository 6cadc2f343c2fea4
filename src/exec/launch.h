/* launch.h - from a launch message to a running ward: its private place, its descriptors, its
 * environment, its process. */
#ifndef EXEC_LAUNCH_H
#define EXEC_LAUNCH_H

#include <sys/resource.h>

#include "base/vec.h"
#include "exec/direct.h"
#include "exec/kin.h"
#include "exec/packet.h"
#include "exec/ward.h"

struct launcher {
    const char *shell;     /* borrowed */
    const struct kin *kin; /* borrowed */
    struct rlimit files;   /* of attempts */
    struct direct direct;
    VEC(char *) env; /* of the attempt being launched; the tail is our own, the same for all */
};

/* Starts the attempt of a launch message for a new ward and fills in the ward's process and
 * descriptors. 0, or -1 with errno: then nothing is running, open or left on the disk. */
int launch_ward(struct launcher *l, struct wards *wards, struct ward *ward, const struct packet *m);

void launcher_fini(struct launcher *l);

#endif
