/* agents_state.h - the inside of the coordinator's side of agents, shared by agents*.c and
 * agent_link.c only. */
#ifndef REMOTE_COORDINATOR_AGENTS_STATE_H
#define REMOTE_COORDINATOR_AGENTS_STATE_H

#include <limits.h>
#include <stdio.h>

#include "exec/process/doubt.h"
#include "remote/coordinator/agent_pulls.h"
#include "remote/coordinator/agents.h"
#include "remote/coordinator/agents_listen.h"
#include "remote/coordinator/agents_refusals.h"
#include "remote/wire/badge_clerk.h"
#include "remote/wire/frames.h"

enum { AGENTS_TOKEN = 32, AGENTS_ADDRESS = 64 };

/* What an agent has said of itself. */
struct agents_card {
    char name[FLEET_NAME_MAX + 1];
    char *host, *rack, *boot, *scratch; /* owned */
    int32_t cores_milli;
    int64_t memory_mib;
    int64_t ahead_us; /* its clock, to ours; 0: about the same, or not known */
};
void agents_card_fini(struct agents_card *c);

/* A connection that is no agent's yet (agents_door.c). */
struct agents_peer {
    struct frames frames;
    char address[AGENTS_ADDRESS];
    struct agents_card card; /* named once its hello was found good */
    char *badge;             /* what it has shown, until it was judged; NULL: nothing waits */
    int64_t until_us;        /* when it has to be let in */
    bool welcome;            /* it was sent a welcome, and has to say that it is ready */
};

struct agent_link {
    struct runner_link link; /* first */
    struct runner_options options;
    struct agents *agents; /* borrowed */
    uint32_t group;
    bool connected, shared, lost;
    int64_t ours_until_us; /* told by the fleet; INT64_MAX: it has not said */
    enum runner_presence presence;
    struct frames frames;
    struct agents_card card; /* of the agent that is or was here */
    char address[AGENTS_ADDRESS];
    int64_t heard_us;            /* its last beat */
    int64_t until_us;            /* until when nothing of its is started elsewhere (lease.h) */
    bool longer;                 /* ... which was made longer, and was not known to end earlier */
    int64_t back_us;             /* of the first beat answered since, by its clock; 0: none */
    int64_t since_us;            /* it joined */
    int64_t ahead_us;            /* our clock before its own, with the shortest way of a packet */
    uint32_t idle_beats;         /* since it said anything else */
    int64_t room;                /* in its scratch, as it says */
    bool more;                   /* packets may be left from the last look */
    char serves[AGENTS_ADDRESS]; /* ADDRESS:PORT where it hands out what stays with it; "" */
    struct agent_pulls pulls;
    struct doubt_list held; /* ends in doubt, by their number */
    uint32_t ends;          /* that the agent has reported since it joined */
};

struct agents {
    struct agents_options options;
    struct fleet *fleet;
    struct secret secret;
    char dir[PATH_MAX]; /* of the run */
    struct secret store; /* to what stays with agents: they get it behind the door */
    char key[FLEET_KEY_TEXT], key_file[PATH_MAX], at_file[PATH_MAX], program_path[PATH_MAX],
        host[256];
    char *sealed, sealed_file[PATH_MAX]; /* the key, by MUNGE; NULL: there is none */
    char program[17];             /* checksum */
    char token[AGENTS_TOKEN + 1]; /* what the probe holds */
    struct tls_side *side;
    struct badge *badge; /* agents have to show that they are ours; NULL: they need not */
    struct badge_clerk clerk;
    uint32_t shown; /* whose badge the clerk has; AGENTS_PEERS: nobody's that is still there */
    struct agents_listen listen; /* where the user wants us to */
    int epoll_fd, listen_fd;
    uint16_t port;             /* where we listen; before that: where we should, 0: anywhere */
    FILE *log;                 /* NULL: it cannot be written */
    struct agent_link **links; /* by group; NULL: not open, or closed */
    struct fleet_agent *here;  /* for the fleet: those that are connected, link_count at most */
    uint32_t link_count, connected;
    struct agents_peer **peers; /* AGENTS_PEERS of them, NULL: free */
    struct agents_refusals refused;
    int64_t opened_us;     /* the door; 0: an agent has come, or the user knows why none has */
    int64_t left_us;       /* how long a promise of the coordinator before us may hold; 0: none */
    int64_t deaf_until_us; /* nobody is accepted until then; 0: all are */
    char why[400];         /* the last trouble with an agent */
    bool untold;           /* the user has not heard of it */
    uint32_t mute_told;    /* how many hosts that cannot reach us it has heard of */
    bool clock_told;       /* ... but of a clock that differs, */
    bool blind_told;       /* and of a node that does not see what tasks read */
    bool doubts;           /* whoever ends an agent may end its attempts first (doubt.h) */
    int64_t full_us;       /* since when no agent has had room; 0: one has */
    int64_t listed_us;     /* when the list of agents is written again */
    bool changed;          /* ... because something has */
};

/* ---- agents.c ---- */

/* A line of the log. */
__attribute__((format(printf, 2, 3))) void agents_say(struct agents *a, const char *format, ...);
/* ... and for the user as well. */
__attribute__((format(printf, 2, 3))) void agents_note(struct agents *a, const char *format, ...);

/* An agent could not be started, was refused, or has ended; in one line. */
void agents_trouble(struct agents *a, const char *why);

/* ---- agents_door.c ---- */

enum { AGENTS_PEERS = 256, AGENTS_SOURCE_CLERK = AGENTS_PEERS + 1 };

/* Listens. 0, or -1 with *err. */
int agents_door_open(struct agents *a, struct err *err);
void agents_door_close(struct agents *a);
/* Peers may be waiting to be accepted; a peer may have said something. */
void agents_door_accept(struct agents *a);
void agents_door_event(struct agents *a, uint32_t peer);
/* The clerk may have judged a badge. */
void agents_door_judged(struct agents *a);
/* Drops those that are late. Returns when the next one will be. */
int64_t agents_door_turn(struct agents *a);
/* "3600 s ahead of", or behind. */
void agents_door_tell_clock(int64_t ahead_us, char text[64]);
/* Whether it may go to logs and terminals. */
bool agents_door_is_plain(const char *text);
/* NULL if the hello is one of a good agent, else what is wrong. */
const char *agents_door_judge(const struct packet_hello *h, const char *program, char text[256]);

/* ---- agent_link.c ---- */

/* The peer becomes the agent of the link, which takes its connection and card. `port`: where it
 * hands out outputs that stay with it, 0: nowhere. */
void agent_link_join(struct agent_link *l, struct agents_peer *peer, bool shared, uint16_t port);

/* Tells the agent, which has nothing to do, to leave. */
void agent_link_send_off(struct agent_link *l, const char *why);

#endif
