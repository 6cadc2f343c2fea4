/* agent_places.h - the private folders of an agent's attempts.
 *
 * A coordinator names folders and files relative to the folder of the run. An agent that sees that
 * folder works there. One that does not, or that is told not to, gives each attempt a folder in its
 * own scratch. */
#pragma once

#include <stdbool.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "exec/folder/attempt_dir.h"
#include "exec/process/packet.h"

struct agent_place {
    char *dir;      /* absolute; owned; NULL: free */
    uint32_t which; /* index in `dirs` */
    bool control;   /* the attempt is sent its inputs, and reports its outputs itself */
    uint8_t keep;   /* its outputs are kept here (enum packet_keep) */
    bool keyed;     /* it has received the key to other agents */
};

/* Zero-initialise except the first fields. */
struct agent_places {
    const char *run;     /* folder of the run; borrowed */
    const char *scratch; /* borrowed */
    bool pull;           /* private folders are in the scratch, */
    bool keep;           /* and so are the plan and the outputs that other attempts read */
    struct attempt_dirs dirs;
    VEC(struct agent_place) at;
    VEC(uint32_t) free;
    struct lookup by_handle;
    /* Buffers of a launch, valid until the runner has taken it. */
    VEC(char) env;
    struct path dir, reuse, in; /* `in` is also used for places */
};

void agent_places_fini(struct agent_places *p);

/* Gives the attempt of a launch its folder, and replaces the paths in the packet with paths of this
 * machine, which are valid until the next call. Returns 0, or -1 with errno: EINVAL for a path
 * outside the folder of the run, EREMOTE for an input that is only in that folder. */
int agent_places_take(struct agent_places *p, struct packet *launch);

/* Replaces the path in a PACKET_READ with one of this machine, valid until the next call. Returns
 * 0, or -1 with errno. */
int agent_places_read(struct agent_places *p, struct packet *read);

/* Replaces the place of an output kept here with its path on this machine, valid until the next
 * call. Returns 1 if the attempt has to be sent the key first (it counts as sent from now on); else
 * 0; or -1 with errno. */
int agent_places_tell(struct agent_places *p, struct packet *place);

/* Appends a piece to the copy of the plan. Returns 0, or -1 with errno. */
int agent_places_file(struct agent_places *p, const struct packet *piece);

/* Returns the place of the attempt, valid until the next call; NULL if there is no such attempt. */
struct agent_place *agent_places_find(const struct agent_places *p, uint32_t handle);

/* Forgets the attempt and removes its files from the scratch. Call once its outputs were sent. */
void agent_places_release(struct agent_places *p, uint32_t handle);

/* Number of attempts. */
uint32_t agent_places_count(const struct agent_places *p);

/* Returns true if a relative path does not lead out of its folder. */
bool agent_places_is_inside(const char *path);

/* Returns true if this machine sees the coordinator's probe file in the folder of the run, and may
 * write there. */
bool agent_places_sees(const struct packet_welcome *w);
