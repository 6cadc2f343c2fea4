/* node_walk.h - the servers that are worth searching, and the list of what waits for them.
 *
 * Servers are walked in the order of their numbers, each until no more entries fit there. An entry
 * that fitted nowhere then can fit later only where a server has got more free, and only entries
 * that were added since can fit anywhere else: no other server is searched again. On a full cluster
 * no server is walked. */
#pragma once

#include "core/match/fit_index.h"
#include "core/match/match_list.h"
#include "core/match/node_set.h"

#define NODE_WALK_END UINT32_MAX

/* An entry that was added since the last walk. */
struct node_walk_new {
    void *what;
    uint32_t fit;  /* number of the demand in the index */
    uint32_t from; /* the walk was asked for servers from here on, and ... */
    uint32_t next; /* ... this is the first with room for it, or NODE_WALK_END */
};

/* Zero-initialise; free with node_walk_fini. */
struct node_walk {
    struct match_list list;
    struct node_set grown;                 /* servers that grew since they were searched */
    VEC(struct node_walk_new) new, walked; /* since the last walk; in this one */
    bool all_new, all_walked;              /* there were too many to list */
};

void node_walk_fini(struct node_walk *s);

/* Inserts an entry into the list. `fit` is the number of its demand. */
void node_walk_add(struct node_walk *s, const struct match_entry *e, uint32_t fit);
/* Removes an entry from the list. */
void node_walk_remove(struct node_walk *s, const struct match_entry *e);

/* Changes the key of an entry from e->key to `key`. */
void node_walk_rekey(struct node_walk *s, const struct match_entry *e, int64_t key);

/* Marks a server that has more free than before. */
static inline void node_walk_grown(struct node_walk *s, uint32_t server)
{
    node_set_add(&s->grown, server);
}

/* Begins a walk. Returns false if there is nothing to look for. */
bool node_walk_begin(struct node_walk *s);

/* The next server to search, at or after `from`; NODE_WALK_END: there is none. */
uint32_t node_walk_next(struct node_walk *s, const struct fit_index *fit, uint32_t from);
