/* agent_link.c - the coordinator's end of the conversation with an agent: the third kind of runner.
 *
 * The link outlives its agents: one leaves, and the same or another takes its place. What a link
 * adds to passing packets on is what distance brings about: beats and silence
 * (remote/wire/lease.h), paths that are relative to the folder of the run, outputs that arrive
 * before the end they belong to (agent_pulls.h), and peers that may say anything. Whatever does not
 * fit ends this agent's conversation and nothing else. */
#include "remote/coordinator/agent_link.h"

#include <errno.h>
#include <string.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/coordinator/agent_info.h"
#include "remote/coordinator/coordinator_files.h"
#include "remote/coordinator/coordinator_log.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/wire/lease.h"

enum { LINK_PACKETS = 256 }; /* taken from one agent before others get their turn */

enum { LINK_OVERDUE_US = 60 * 1000000 }; /* behind the end of its node's time */

static struct agent_link *link_of(struct runner_link *r)
{
    return (struct agent_link *)(void *)r;
}

/* ---- coming and going ---- */

static void link_presence(struct agent_link *l, enum runner_presence presence, int64_t over_us,
                          const char *why)
{
    if (l->presence == presence)
        return;
    l->presence = presence;
    l->coordinator->changed = true;
    l->options.on_presence(l->options.ctx, presence, over_us, why);
}

/* Nodes that will not be ours for long get nothing new. */
static enum runner_presence link_here(const struct agent_link *l)
{
    return l->ours_until_us != INT64_MAX ? RUNNER_LEAVING : RUNNER_HERE;
}

/* Ends the conversation: the agent is away. `text`: what the user is told; NULL: nothing. */
static void link_close(struct agent_link *l, const char *why, const char *text)
{
    if (!l->connected)
        return;
    coordinator_log(l->coordinator, "left %s %s: %s", l->info.name, l->address, why);
    l->connected = false;
    l->coordinator->connected--;
    frames_fini(&l->frames);
    agent_pulls_clear(&l->pulls);
    vec_clear(&l->held.at); /* they went with the agent */
    link_presence(l, RUNNER_AWAY, l->until_us, text);
}

static void leave(struct agent_link *l, const char *why)
{
    char text[512];

    if (!l->connected)
        return;
    /* Before the connection is closed: the reason may be what came through it last. */
    snprintf(text, sizeof text, "node %s (agent %s) is gone: %.300s", l->info.host, l->info.name,
             why);
    link_close(l, why, text);
}

/* Has the node in the owner's cluster be what the agent says that it is. */
static void link_describe(struct agent_link *l)
{
    const struct coordinator_options *o = &l->coordinator->options;
    struct cluster_node *node = &o->cluster->nodes[l->group];
    uint32_t rack = 0, cores = (uint32_t)l->info.cores_milli / 1000;

    if (*l->info.rack) {
        rack = cluster_find_rack(o->cluster, l->info.rack);
        if (rack == UINT32_MAX)
            rack = cluster_add_rack(o->cluster, l->info.rack);
    }
    mem_free(node->name);
    node->name = mem_strdup(l->info.name);
    node->rack = rack;
    node->capacity.v[RES_CPU] = (int32_t)(o->slots    ? o->slots
                                          : cores > 1 ? cores
                                                      : 1) *
                                (int32_t)RES_SLOT;
    if (l->info.memory_mib > 0)
        node->capacity.v[RES_MEM] =
            (int32_t)(l->info.memory_mib < 1 << 30 ? l->info.memory_mib : 1 << 30);
}

/* The address that it has connected from, with the port at which it hands out outputs. */
static void link_serves(struct agent_link *l, uint16_t port)
{
    const char *colon = strrchr(l->address, ':');

    if (port && colon)
        snprintf(l->serves, sizeof l->serves, "%.*s:%u", (int)(colon - l->address), l->address,
                 port);
}

/* Sends the plan, before anything that needs it. It was found to be short enough. */
static void link_send_plan(struct agent_link *l)
{
    static char piece[PACKET_OUTPUT_MAX];
    struct packet m = {.type = PACKET_FILE, .u.file.bytes = piece};
    int fd = sys_open(l->coordinator->options.plan, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = -1;

    while (fd >= 0 && (n = sys_read(fd, piece, sizeof piece)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        m.u.file.length = (uint32_t)n;
        frames_send(&l->frames, &m);
        m.u.file.offset += n;
    }
    if (n < 0)
        coordinator_log(l->coordinator, "%s: %s", l->coordinator->options.plan, strerror(errno));
    sys_close(&fd);
}

/* Nothing here goes by the clocks of nodes, but people and programs do: the user hears of one. */
static void link_tell_clock(struct agent_link *l)
{
    char text[384], clock[64];

    if (l->info.ahead_us == 0)
        return;
    agent_info_clock(l->info.ahead_us, clock);
    snprintf(text, sizeof text,
             "the clock of %.100s (agent %s) is %s the coordinator's, and so are its file times",
             l->info.host, l->info.name, clock);
    if (l->coordinator->clock_told)
        coordinator_log(l->coordinator, "%s", text);
    else
        coordinator_log_note(l->coordinator, "%s", text);
    l->coordinator->clock_told = true;
}

void agent_link_join(struct agent_link *l, struct admission_peer *peer, bool shared, uint16_t port)
{
    bool same = l->info.boot && strcmp(l->info.boot, peer->info.boot) == 0;

    leave(l, "it has connected again");
    agent_info_fini(&l->info);
    l->info = peer->info;
    peer->info = (struct agent_info){0};
    l->frames = peer->frames;
    peer->frames = (struct frames){.fd = -1};
    memcpy(l->address, peer->address, sizeof l->address);
    l->frames.watched = 0;
    l->connected = true;
    l->ahead_us = INT64_MAX;
    l->shared = shared;
    l->pulls.pull = !shared;
    l->pulls.counters = l->coordinator->options.counters;
    link_serves(l, port);
    if (l->coordinator->options.plan)
        link_send_plan(l);
    l->heard_us = l->since_us = clock_now_us();
    l->until_us = l->heard_us + l->coordinator->options.lease_us;
    l->longer = false;
    l->free_bytes = -1;
    l->ends = 0;
    l->ours_until_us = INT64_MAX;
    l->more = true; /* behind what made it one of ours there may be more */
    l->coordinator->connected++;
    link_describe(l);
    coordinator_log(l->coordinator, "joined %s %s: host %s, %d cores, %lld MiB, scratch %s%s",
                    l->info.name, l->address, l->info.host, l->info.cores_milli / 1000,
                    (long long)l->info.memory_mib, l->info.scratch,
                    shared ? "" : ", outputs are pulled");
    link_tell_clock(l);
    /* An agent ends what it ran before it begins another conversation. */
    link_presence(l, RUNNER_HERE, same ? l->since_us : INT64_MAX, NULL);
}

/* ---- orders ---- */

/* What is left of a path in the folder of the run; other paths are as they are. */
static const char *link_relative(const struct agent_link *l, const char *path)
{
    const char *dir = l->coordinator->options.dir;
    size_t length = strlen(dir);

    return strncmp(path, dir, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* Whether the attempt reads what lies in the folder of the run. */
static bool link_reads_run(const struct agent_link *l, const struct packet *p)
{
    static const char name[] = "DOLLY_INPUT_DIR=";
    const char *at = p->u.launch.env, *end = at + p->u.launch.env_bytes;

    if (link_relative(l, p->u.launch.stdin_path) != p->u.launch.stdin_path)
        return true;
    for (; at < end; at += strlen(at) + 1)
        if (strncmp(at, name, sizeof name - 1) == 0)
            return true;
    return false;
}

/* Prepares for the outputs of an attempt. 0, or -1 with errno: it cannot run there. */
static int link_launch(struct agent_link *l, const struct packet *p)
{
    if (l->shared || l->coordinator->options.plan || !link_reads_run(l, p))
        return agent_pulls_launch(&l->pulls, p);
    if (!l->coordinator->blind_told)
        coordinator_log_note(l->coordinator,
                             "tasks read from %s, which %s %s: use a folder that all nodes see%s",
                             l->coordinator->options.dir, l->info.host,
                             l->coordinator->options.pull ? "may not see (--pull)" : "does not see",
                             l->coordinator->options.pull ? ", without --pull" : "");
    l->coordinator->blind_told = true;
    errno = EREMOTE;
    return -1;
}

/* An end counts, if its outputs do. */
static void link_end(struct agent_link *l, struct packet *p)
{
    if (agent_pulls_end(&l->pulls, p, clock_now_us()))
        l->options.on_packet(l->options.ctx, p);
}

/* We are about to be stopped, and cannot start anything elsewhere then: the agent may know. */
static void link_hold(struct agent_link *l)
{
    struct packet m = {.type = PACKET_LEASE, .u.lease_us = LEASE_HELD_US};

    if (m.u.lease_us < l->coordinator->options.lease_us)
        return;
    coordinator_files_hold(l->coordinator);
    frames_send(&l->frames, &m);
    frames_flush(&l->frames);
    l->until_us = l->heard_us + m.u.lease_us;
    l->longer = true;
    l->back_us = 0;
}

static int agent_link_order(struct runner_link *r, const struct packet *p)
{
    struct agent_link *l = link_of(r);
    struct packet m = *p;

    if (!l->connected)
        return 0;
    if (m.type == PACKET_KILL && doubt_list_kill(&l->held, p->handle, &m)) {
        link_end(l, &m);
        return 0;
    }
    if (m.type == PACKET_HOLD) {
        if (m.u.still)
            link_hold(l);
        return 0;
    }
    if (m.type == PACKET_LAUNCH) {
        if (packet_measure(p) == 0) { /* relative paths are no longer */
            errno = EMSGSIZE;
            return -1;
        }
        if (link_launch(l, p) < 0) {
            struct packet answer = {
                .type = PACKET_LAUNCH_FAILED, .handle = p->handle, .u.error = errno};
            l->options.on_packet(l->options.ctx, &answer);
            return 0;
        }
        m.u.launch.dir = link_relative(l, p->u.launch.dir);
        m.u.launch.reuse = link_relative(l, p->u.launch.reuse);
        m.u.launch.stdin_path = link_relative(l, p->u.launch.stdin_path);
    }
    if (m.type == PACKET_READ)
        m.u.read.path = link_relative(l, p->u.read.path);
    if (m.type == PACKET_PLACE && p->u.place.group != l->group) {
        const struct agent_link *source = l->coordinator->links[p->u.place.group];
        m.u.place.where = source && source->serves[0] ? source->serves : "gone:0";
    }
    frames_send(&l->frames, &m);
    return 0;
}

/* ---- reports ---- */

static void link_beat(struct agent_link *l, const struct packet *p)
{
    struct packet answer = *p;
    int64_t lease_us = l->coordinator->options.lease_us;

    /* A longer promise holds until the agent is known to have a shorter one. */
    if (l->longer && l->back_us == 0)
        l->back_us = p->u.beat.sent_us;
    else if (l->longer && p->u.beat.told_us >= l->back_us)
        l->longer = false;
    if (!l->longer)
        l->until_us = l->heard_us + lease_us;
    answer.u.beat.lease_us = lease_us;
    l->free_bytes = p->u.beat.free_bytes;
    if (l->free_bytes >= 0 && l->options.on_free_bytes)
        l->options.on_free_bytes(l->options.ctx, l->free_bytes);
    answer.u.beat.free_bytes = -1;
    frames_send(&l->frames, &answer);
    link_presence(l, link_here(l), INT64_MAX, NULL);
}

/* Where agents are ended from outside, an end counts only when its agent has lived on. */
static void link_exited(struct agent_link *l, struct packet *p)
{
    l->ends++;
    if (!l->coordinator->doubts) {
        link_end(l, p);
        return;
    }
    doubt_list_add(&l->held, p, l->ends);
    l->options.on_ended(l->options.ctx, p);
}

static const char *link_settled(struct agent_link *l, uint32_t settled)
{
    struct packet end;

    if (settled > l->ends)
        return "it reported fewer restarts than it has had";
    while (l->connected && doubt_list_take(&l->held, settled, &end))
        link_end(l, &end);
    return NULL;
}

/* The agent's clock has another zero than ours, and the packet has taken some time. The shortest
 * way that any has had since the agent joined is taken for the difference of the clocks: so a start
 * that waited longer, there or here, is dated back by that. */
static void link_date(struct agent_link *l, struct packet *p, int64_t now_us)
{
    if (p->u.started_us < 0)
        return;
    if (now_us - p->u.started_us < l->ahead_us)
        l->ahead_us = now_us - p->u.started_us;
    p->u.started_us += l->ahead_us;
    if (p->u.started_us < 0)
        p->u.started_us = 0;
}

static void link_packet(struct agent_link *l, struct packet *p)
{
    const char *misfit = NULL;

    l->idle_beats = p->type == PACKET_BEAT ? l->idle_beats + 1 : 0;
    /* Whatever it says, it is there; to promise more it takes a beat. */
    l->heard_us = clock_now_us();
    if (l->until_us < l->heard_us + l->coordinator->options.lease_us)
        l->until_us = l->heard_us + l->coordinator->options.lease_us;
    switch (p->type) {
    case PACKET_BEAT:
        link_beat(l, p);
        return;
    case PACKET_FATAL:
        leave(l, agent_info_is_plain(p->u.text) ? p->u.text : "it failed");
        return;
    case PACKET_OUTPUT:
    case PACKET_OUTPUT_END:
        misfit = agent_pulls_take(&l->pulls, p);
        break;
    case PACKET_EXITED:
        link_exited(l, p);
        break;
    case PACKET_KILLED:
    case PACKET_LAUNCH_FAILED:
        link_end(l, p);
        break;
    case PACKET_SETTLED:
        misfit = link_settled(l, p->u.settled);
        break;
    case PACKET_RESULT:
        misfit = agent_pulls_take(&l->pulls, p);
        if (!misfit)
            l->options.on_packet(l->options.ctx, p);
        break;
    case PACKET_STARTED:
        link_date(l, p, clock_now_us());
        l->options.on_packet(l->options.ctx, p);
        break;
    case PACKET_PROGRESS:
    case PACKET_CORES:
    case PACKET_PRESSURE:
    case PACKET_FETCH_STARTED:
    case PACKET_FETCH_DONE:
    case PACKET_FETCH_FAILED:
    case PACKET_SOURCE_LOST:
    case PACKET_STATUS:
    case PACKET_NO_SPACE:
        l->options.on_packet(l->options.ctx, p);
        break;
    default:
        misfit = "it sent an invalid packet";
    }
    if (misfit)
        leave(l, misfit);
}

static void agent_link_event(struct runner_link *r, uint32_t tag)
{
    struct agent_link *l = link_of(r);
    struct packet p;
    int got = 0, count = 0;

    (void)tag;
    while (l->connected && count++ < LINK_PACKETS && (got = frames_receive(&l->frames, &p)) > 0)
        link_packet(l, &p);
    l->more = l->connected && got > 0;
    if (l->connected && got < 0)
        leave(l, l->frames.why);
}

/* ---- the turn ---- */

/* What lies in the socket was not heard only because we were not there: it comes first. */
static int64_t link_silence(struct agent_link *l, int64_t now_us)
{
    if (lease_presence(l->heard_us, l->until_us, now_us) == RUNNER_AWAY)
        agent_link_event(&l->link, 0);
    if (!l->connected || l->more)
        return l->more ? now_us : INT64_MAX;
    enum runner_presence presence = lease_presence(l->heard_us, l->until_us, now_us);
    if (presence == RUNNER_AWAY)
        leave(l, "it has been silent for too long");
    else
        link_presence(l, presence == RUNNER_SILENT ? presence : link_here(l), INT64_MAX, NULL);
    return lease_next_us(l->heard_us, l->until_us, now_us);
}

static void link_send_off(struct agent_link *l)
{
    struct packet leave = {.type = PACKET_LEAVE};

    frames_send(&l->frames, &leave);
    frames_flush(&l->frames);
}

void agent_link_send_off(struct agent_link *l, const char *why)
{
    link_send_off(l);
    link_close(l, why, NULL);
}

/* Slurm ends agents at the time limit of their node, and gives them a while. One that is still
 * there was forgotten, with the allocation that it was part of: nobody will ever end it, and we
 * would wait for it as long. */
static int64_t link_overdue(struct agent_link *l, int64_t now_us)
{
    if (l->ours_until_us == INT64_MAX)
        return INT64_MAX;
    int64_t at_us = l->ours_until_us + LINK_OVERDUE_US;
    if (now_us < at_us)
        return at_us;
    link_send_off(l);
    leave(l, "the time limit of its node has passed");
    return INT64_MAX;
}

static int64_t agent_link_turn(struct runner_link *r)
{
    struct agent_link *l = link_of(r);
    int64_t now_us = clock_now_us(), held_us = INT64_MAX;
    struct packet end;

    if (l->more)
        agent_link_event(r, 0);
    while (l->connected && agent_pulls_next(&l->pulls, now_us, &end, &held_us))
        l->options.on_packet(l->options.ctx, &end);
    if (!l->connected)
        return INT64_MAX;
    if (frames_flush(&l->frames) < 0 ||
        frames_watch(&l->frames, l->options.epoll_fd, l->options.epoll_tag) < 0) {
        leave(l, l->frames.why[0] ? l->frames.why : strerror(errno));
        return INT64_MAX;
    }
    int64_t next_us = link_silence(l, now_us), overdue_us = INT64_MAX;
    if (l->connected)
        overdue_us = link_overdue(l, now_us);
    next_us = overdue_us < next_us ? overdue_us : next_us;
    next_us = held_us < next_us ? held_us : next_us;
    return l->more ? now_us : next_us;
}

/* ---- making and ending ---- */

static void agent_link_refuse(struct runner_link *r, const char *why)
{
    leave(link_of(r), why);
}

/* The agent ends all that it still runs when it is told to leave, or finds the connection closed.
 */
static void agent_link_close(struct runner_link *r)
{
    struct agent_link *l = link_of(r);

    if (l->connected) {
        link_send_off(l);
        frames_fini(&l->frames);
        l->coordinator->connected--;
    }
    l->coordinator->links[l->group] = NULL;
    agent_pulls_clear(&l->pulls);
    vec_free(&l->held.at);
    agent_info_fini(&l->info);
    mem_free(l);
}

struct runner_link *agent_link_open(void *agents, uint32_t group,
                                    const struct runner_options *options, struct err *err)
{
    struct coordinator *a = agents;
    struct agent_link *l = mem_zalloc(1, sizeof *l);

    (void)err;
    *l = (struct agent_link){.link = {agent_link_order, agent_link_event, agent_link_turn,
                                      agent_link_close, agent_link_refuse},
                             .options = *options,
                             .coordinator = a,
                             .group = group,
                             .presence = RUNNER_AWAY,
                             .frames.fd = -1};
    a->links[group] = l;
    return &l->link;
}
