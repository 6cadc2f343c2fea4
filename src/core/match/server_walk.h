/* server_walk.h - which servers to look at, and what waits for them.
 *
 * Servers are walked in the order of their numbers, each until nothing more fits there. What fitted
 * nowhere then can fit later only where a server has got more free, and only what has come since
 * can fit anywhere else: no other server is looked at again. On a full cluster nothing is walked.
 */
#ifndef CORE_MATCH_SERVER_WALK_H
#define CORE_MATCH_SERVER_WALK_H

#include "core/match/fit_index.h"
#include "core/match/match_list.h"
#include "core/match/node_set.h"

#define SERVER_WALK_END UINT32_MAX

/* Somebody new in the list. */
struct server_new {
    void *what;
    uint32_t fit;  /* number of the demand in the index */
    uint32_t from; /* the walk has been asked for servers from here on, and ... */
    uint32_t next; /* ... this is the first with room for it; SERVER_WALK_END: there is none */
};

/* Zero-initialise; free with server_walk_fini. */
struct server_walk {
    struct match_list list;
    struct node_set grown;              /* since they were looked at */
    VEC(struct server_new) new, walked; /* since the last walk; in this one */
    bool all_new, all_walked;           /* too many to tell */
};

void server_walk_fini(struct server_walk *s);

/* An entry enters or leaves the list. `fit` is the number of its demand. */
void server_walk_add(struct server_walk *s, const struct match_entry *e, uint32_t fit);
void server_walk_remove(struct server_walk *s, const struct match_entry *e);

/* Its place in line changes from this one to `key`. */
void server_walk_rekey(struct server_walk *s, const struct match_entry *e, int64_t key);

/* The server has more free. */
static inline void server_walk_grown(struct server_walk *s, uint32_t server)
{
    node_set_add(&s->grown, server);
}

/* Begins a walk. False: there is nothing to look for. */
bool server_walk_begin(struct server_walk *s);

/* The next server to be looked at, at or behind `from`; SERVER_WALK_END: there is none. */
uint32_t server_walk_next(struct server_walk *s, const struct fit_index *fit, uint32_t from);

#endif
