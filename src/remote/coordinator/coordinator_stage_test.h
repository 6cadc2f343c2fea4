/* coordinator_stage_test.h - a coordinator with a fleet that starts no agents; the test plays the
 * agents. Include tests/unit/test.h before it. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "remote/agent/agent_node.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/wire/dial.h"
#include "remote/wire/frames.h"

enum { LINKS = 2, SEEN = 32 };

/* ---- a fleet that does nothing ---- */

static bool fleet_has_hope;

static inline void still_event(struct fleet *f, uint32_t tag)
{
    (void)f;
    (void)tag;
}
static uint32_t still_busy; /* number of busy agents in the fleet's last turn */
static inline int64_t still_turn(struct fleet *f, const struct fleet_need *need)
{
    (void)f;
    still_busy = 0;
    for (uint32_t i = 0; i < need->connected; i++)
        still_busy += need->agents[i].busy;
    return INT64_MAX;
}
static inline bool still_hopes(const struct fleet *f)
{
    (void)f;
    return fleet_has_hope;
}
static struct fleet_options still_options;
static bool still_closed; /* the fleet was closed */
static inline void still_close(struct fleet *f)
{
    still_closed = true;
    mem_free(f);
}
static inline struct fleet *still_open(const struct fleet_options *options, struct err *err)
{
    struct fleet *f = mem_zalloc(1, sizeof *f);

    (void)err;
    still_closed = false;
    still_options = *options;
    *f = (struct fleet){LINKS, LINKS, still_event, still_turn, still_hopes, still_close, false};
    return f;
}
static struct fleet_way still_way = {
    .name = "still", .value = "", .help = "", .loopback = true, .open = still_open};

/* ---- the coordinator ---- */

struct host {
    char dir[64];
    struct cluster *cluster;
    struct coordinator *coordinator;
    struct runner_link *links[LINKS];
    int epoll_fd;
    struct secret key;
    char program[17];
    /* Packets and events of links. */
    struct packet seen[SEEN];
    uint32_t seen_count;
    uint32_t ended;      /* number of attempts that were reported to run no more */
    int presence[LINKS]; /* -1: none was reported */
    char why[512];
    int64_t over_us; /* from the last report */
    bool lost;
};

struct host_link {
    struct host *host;
    int index;
};
static struct host_link host_links[LINKS];

static inline void host_on_packet(void *ctx, const struct packet *p)
{
    struct host *h = ((struct host_link *)ctx)->host;
    if (h->seen_count < SEEN)
        h->seen[h->seen_count++] = *p;
}
static inline void host_on_ended(void *ctx, const struct packet *exited)
{
    struct host *h = ((struct host_link *)ctx)->host;
    expect(exited->type == PACKET_EXITED);
    h->ended++;
}
static inline void host_on_lost(void *ctx, const char *why)
{
    struct host *h = ((struct host_link *)ctx)->host;
    h->lost = true;
    snprintf(h->why, sizeof h->why, "%s", why);
}
static inline void host_on_presence(void *ctx, enum runner_presence presence, int64_t over_us,
                                    const char *why)
{
    struct host_link *l = ctx;

    l->host->over_us = over_us;
    l->host->presence[l->index] = (int)presence;
    if (why)
        snprintf(l->host->why, sizeof l->host->why, "%s", why);
}

static inline void host_open(struct host *h, bool pull)
{
    struct err err;
    char path[128];

    *h = (struct host){.presence = {-1, -1}};
    fleet_has_hope = true;
    test_folder(h->dir);
    snprintf(path, sizeof path, "%s/attempts", h->dir);
    expect(mkdir(path, 0700) == 0);
    h->cluster = cluster_plain(LINKS, 1);
    h->epoll_fd = sys_epoll_create();
    struct coordinator_options options = {
        .way = &still_way, .dir = h->dir, .cluster = h->cluster, .pull = pull};
    h->coordinator = coordinator_open(&options, &err);
    expect(h->coordinator != NULL);
    for (int i = 0; i < LINKS; i++) {
        host_links[i] = (struct host_link){h, i};
        struct runner_options o = {.epoll_fd = h->epoll_fd,
                                   .epoll_tag = (uint64_t)(i + 1) << 32,
                                   .ctx = &host_links[i],
                                   .on_packet = host_on_packet,
                                   .on_ended = host_on_ended,
                                   .on_lost = host_on_lost,
                                   .on_presence = host_on_presence,
                                   .workdir = "/"};
        h->links[i] = agent_link_open(h->coordinator, (uint32_t)i, &o, &err);
    }
    snprintf(path, sizeof path, "%s/agents.key", h->dir);
    expect(secret_read_file(&h->key, path, &err) == 0);
    agent_node_program(h->program);
}

static inline void host_close(struct host *h)
{
    for (int i = 0; i < LINKS; i++)
        h->links[i]->close(h->links[i]);
    coordinator_close(h->coordinator);
    expect(still_closed);
    cluster_destroy(h->cluster);
    close(h->epoll_fd);
    tree_remove(h->dir);
}

static inline void host_step(struct host *h)
{
    struct epoll_event events[8];
    int64_t now_us = clock_now_us();

    coordinator_event(h->coordinator);
    int n = epoll_wait(h->epoll_fd, events, 8, 0);
    for (int i = 0; i < n; i++) {
        struct runner_link *l = h->links[(events[i].data.u64 >> 32) - 1];
        l->event(l, 0);
    }
    expect(coordinator_turn(h->coordinator) >= now_us); /* or its owner would never sleep */
    for (int i = 0; i < LINKS; i++)
        expect(h->links[i]->turn(h->links[i]) >= now_us);
}

/* Returns the time until which to wait for events that come soon, or never. */
static inline int64_t patience_us(void)
{
    return clock_now_us() + 60 * 1000000;
}

/* Runs the host until the link has this presence. */
static inline bool host_finds(struct host *h, int link, enum runner_presence presence)
{
    for (int64_t until_us = patience_us(); clock_now_us() < until_us; usleep(200)) {
        host_step(h);
        if (h->presence[link] == (int)presence)
            return true;
    }
    return false;
}

static inline bool host_logs(const struct host *h, const char *text)
{
    char path[128], log[8192];

    snprintf(path, sizeof path, "%s/agents.log", h->dir);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(log, 1, sizeof log - 1, f) : 0;
    log[n] = 0;
    if (f)
        fclose(f);
    return strstr(log, text) != NULL;
}

/* ---- an agent ---- */

struct guest {
    struct host *host;
    struct tls_side *side;
    struct frames frames;
    struct packet_hello hello;
};

static inline void guest_open(struct guest *g, struct host *h, const char *name)
{
    struct dial dial = {0};
    struct err err;
    char at[32];

    *g = (struct guest){.host = h};
    g->hello = (struct packet_hello){.version = PACKET_VERSION,
                                     .program = h->program,
                                     .name = name,
                                     .host = "host",
                                     .rack = "",
                                     .boot = name,
                                     .scratch = "/scratch",
                                     .cores_milli = 3000,
                                     .memory_mib = 1000,
                                     .credential = ""};
    snprintf(at, sizeof at, "127.0.0.1:%u", still_options.port);
    expect(dial_find(&dial, at, &err) == 0);
    g->side = tls_side_create(&h->key, false, &err);
    frames_init(&g->frames, g->side, dial_try(&dial));
    dial_fini(&dial);
}

static inline void guest_close(struct guest *g)
{
    frames_fini(&g->frames);
    tls_side_destroy(g->side);
}

/* Receives the next packet; 0: the connection is closed, or nothing arrives for too long. */
static inline uint8_t guest_hears(struct guest *g, struct packet *m)
{
    struct packet ignored;

    m = m ? m : &ignored;
    for (int64_t until_us = patience_us(); clock_now_us() < until_us;) {
        host_step(g->host);
        int greeted = frames_greet(&g->frames);
        if (greeted < 0 && strcmp(g->frames.why, strerror(ENOTCONN)) != 0)
            return 0;
        frames_flush(&g->frames);
        int got = frames_receive(&g->frames, m);
        if (got)
            return got > 0 ? m->type : 0;
        usleep(500);
    }
    return 0;
}

static inline uint8_t guest_says_hello(struct guest *g, struct packet *answer)
{
    struct packet m = {.type = PACKET_HELLO, .u.hello = g->hello};
    frames_send(&g->frames, &m);
    return guest_hears(g, answer);
}

/* Sends a packet, and a beat after it: once that is answered, or the connection is closed, the host
 * has received the packet. */
static inline void guest_says(struct guest *g, struct packet m)
{
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {.sent_us = 1, .free_bytes = -1}};
    uint8_t heard;

    expect(frames_send(&g->frames, &m) == 0 && frames_send(&g->frames, &beat) == 0);
    while ((heard = guest_hears(g, NULL)) != 0 && heard != PACKET_BEAT)
        ;
}

static inline void guest_joins(struct guest *g, struct host *h, const char *name)
{
    guest_open(g, h, name);
    expect(guest_says_hello(g, NULL) == PACKET_WELCOME);
    guest_says(g, (struct packet){.type = PACKET_READY, .u.ready.shared = 0});
}
