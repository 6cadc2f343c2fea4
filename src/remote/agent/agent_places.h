/* agent_places.h - where the attempts of an agent have their private folders.
 *
 * A coordinator names folders and files as they are in the folder of the run, relative to it. An
 * agent that sees that folder works there. One that does not, or shall not, gives each attempt a
 * folder in its own scratch. */
#ifndef REMOTE_AGENT_AGENT_PLACES_H
#define REMOTE_AGENT_AGENT_PLACES_H

#include <limits.h>
#include <stdbool.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "exec/folder/attempt_dir.h"
#include "exec/process/packet.h"

struct agent_place {
    char *dir;      /* absolute; owned; NULL: free */
    uint32_t which; /* of `dirs` */
    bool control;   /* it is told what to read, and says itself what it leaves, */
    uint8_t keep;   /* which stays here (enum packet_keep) */
    bool keyed;     /* it has the key to other agents */
};

/* Zero-initialise but for the first fields. */
struct agent_places {
    const char *run;     /* folder of the run; borrowed */
    const char *scratch; /* borrowed */
    bool pull;           /* private folders are in the scratch, */
    bool keep;           /* and so is the plan, and what attempts leave for others */
    struct attempt_dirs dirs;
    VEC(struct agent_place) at;
    VEC(uint32_t) free;
    struct lookup by_handle;
    /* What a launch needs until the runner has it. */
    VEC(char) env;
    char dir[PATH_MAX], reuse[PATH_MAX], in[PATH_MAX]; /* the last is that of a place, too */
};

void agent_places_fini(struct agent_places *p);

/* Gives the attempt of a launch its folder, and the packet paths of this machine, which are valid
 * until the next call. 0, or -1 with errno: EINVAL for a path that leads elsewhere, ENOENT for an
 * input that is not here. */
int agent_places_take(struct agent_places *p, struct packet *launch);

/* Gives an order to read a path of this machine, valid as those of a launch. 0, or -1 with errno.
 */
int agent_places_read(struct agent_places *p, struct packet *read);

/* Gives a place that is our own the path of this machine, valid as those of a launch. 1: the
 * attempt has to have the key before, and has it from now on; else 0; or -1 with errno. */
int agent_places_tell(struct agent_places *p, struct packet *place);

/* Takes a piece of the plan. 0, or -1 with errno. */
int agent_places_file(struct agent_places *p, const struct packet *piece);

/* Whether what the attempt leaves stays here, and how (enum packet_keep). */
uint8_t agent_places_keep(const struct agent_places *p, uint32_t handle);

/* Whether the attempt says itself what it leaves: nobody else reads that. */
bool agent_places_tells(const struct agent_places *p, uint32_t handle);

/* Its private folder; NULL: there is no such attempt. */
const char *agent_places_dir(const struct agent_places *p, uint32_t handle);

/* The attempt is over, and what it wrote was sent: what is in the scratch is removed. */
void agent_places_release(struct agent_places *p, uint32_t handle);

/* How many attempts there are. */
uint32_t agent_places_count(const struct agent_places *p);

/* Whether a path stays below the folder that it is relative to. */
bool agent_places_is_inside(const char *path);

/* Whether the file in the folder of the run, as we see it, is the coordinator's, and we may write
 * there. */
bool agent_places_sees(const struct packet_welcome *w);

#endif
