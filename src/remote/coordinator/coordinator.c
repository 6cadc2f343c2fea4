/* The agents of a run, all together.
 *
 * The fleet brings agents about, the door lets them in (admission.c), links talk with them
 * (agent_link.c). Here is what joins these: an epoll descriptor of our own for strangers and for
 * the fleet, which the owner waits for as for one thing; what the fleet is told of the need for
 * agents; and the end, when no agent is there and none will come. */
#include "remote/coordinator/coordinator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/own_path.h"
#include "exec/process/spawn.h"
#include "exec/process/sys.h"
#include "remote/agent/agent.h"
#include "remote/agent/agent_node.h"
#include "remote/coordinator/admission.h"
#include "remote/coordinator/agent_link.h"
#include "remote/coordinator/agent_list.h"
#include "remote/coordinator/coordinator_files.h"
#include "remote/coordinator/coordinator_log.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/wire/lease.h"

enum {
    AGENTS_EVENTS = 64,
    AGENT_LIST_US = 1000000, /* the list of agents is written no more often */
};

#define COORDINATOR_TAG_FLEET                                                                      \
    (1ULL << 32) /* of our epoll; below: 0 the door, peers, the checker                            \
                  */

/* ---- what is said ---- */

static void coordinator_tell(struct coordinator *a)
{
    if (a->untold && a->connected && a->options.on_note) {
        char text[sizeof a->why + 32];
        snprintf(text, sizeof text, "an agent is missing: %s", a->why);
        a->options.on_note(a->options.ctx, text);
        a->untold = false;
    }
}

/* ---- the fleet ---- */

/* Whether an agent is meant by a name of the fleet, which may end in '*'. */
static bool coordinator_means(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);

    return length && pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0
                                                : strcmp(pattern, name) == 0;
}

static void coordinator_on_ended(void *ctx, const char *name, const char *why)
{
    coordinator_log(ctx, "ended %s: %s", name, why);
    coordinator_log_trouble(ctx, why);
}

/* Some hosts are enough for the user to know what is wrong with all. */
static void coordinator_on_mute(void *ctx, const char *name, const char *why)
{
    enum { TOLD = 3 };
    struct coordinator *a = ctx;
    char text[sizeof a->why];

    snprintf(text, sizeof text, "agent %s %.300s; use --listen to name another address or port",
             name, why);
    coordinator_log(a, "%s", text);
    if (a->mute_told++ < TOLD && a->options.on_note)
        a->options.on_note(a->options.ctx, text);
    snprintf(a->why, sizeof a->why, "%s", text);
}

/* The nodes are all that there will be. */
static void coordinator_end(struct coordinator *a, int64_t left_us)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < a->link_count; i++)
        running += a->links[i] ? agent_pulls_count(&a->links[i]->pulls) : 0;
    if (a->options.on_ending)
        a->options.on_ending(a->options.ctx, left_us, running);
    else
        coordinator_log_note(a, "the allocation ends in %lld s: %u tasks run",
                             (long long)(left_us / 1000000), running);
    snprintf(a->why, sizeof a->why, "the allocation ends");
    a->untold = false;
}

/* ... and none of them gets anything new: who has nothing to do is not needed any more, and when
 * the last has left, the run ends instead of waiting to be killed. */
static void coordinator_send_off(struct coordinator *a)
{
    enum { BEATS = 2 }; /* by then all that it did is known */

    for (uint32_t i = 0; a->fleet->last && i < a->link_count; i++) {
        struct agent_link *l = a->links[i];
        if (l && l->connected && l->ours_until_us != INT64_MAX && l->idle_beats >= BEATS &&
            agent_pulls_count(&l->pulls) == 0 && l->held.at.count == 0)
            agent_link_send_off(l, "the allocation ends");
    }
}

static void coordinator_on_drain(void *ctx, const char *name, int64_t left_us)
{
    struct coordinator *a = ctx;

    coordinator_log(a, "drain %s: its node ends in %lld s", name, (long long)(left_us / 1000000));
    for (uint32_t i = 0; i < a->link_count; i++)
        if (a->links[i] && coordinator_means(name, a->links[i]->info.name))
            a->links[i]->ours_until_us = clock_now_us() + left_us;
    if (a->fleet && a->fleet->last)
        coordinator_end(a, left_us);
}

static void coordinator_on_note(void *ctx, const char *text)
{
    coordinator_log_note(ctx, "%s", text);
}

uint32_t coordinator_max(const struct fleet_way *way, const struct fleet_options *fleet,
                         struct err *err)
{
    struct fleet *f = way->open(fleet, err);
    uint32_t max = f ? f->max : 0;

    if (f)
        f->close(f);
    return max;
}

/* Where munged answers, agents and we have to show whose we are, and the key is sealed. */
static int coordinator_want_credentials(struct coordinator *a, struct err *err_out)
{
    const char *socket = getenv("DOLLY_MUNGE_SOCKET");
    const unsigned char number[TLS_NUMBER] = "test";
    static struct identity_answer answer; /* large */
    struct err err = {0};
    bool none = socket && strcmp(socket, "none") == 0;

    answer = (struct identity_answer){0};
    if (!a->options.way->munge || (none && !a->options.munge_must))
        return 0;
    if (none)
        return err_set(err_out, "--munge must: DOLLY_MUNGE_SOCKET is 'none'");
    a->identity = identity_open(socket, answer.why);
    a->checker = (struct identity_checker){.judge = identity_checker_munge,
                                           .ctx = a->identity,
                                           .epoll_fd = a->epoll_fd,
                                           .epoll_tag = ADMISSION_TAG_CHECKER};
    if (a->identity && identity_checker_ask(&a->checker, IDENTITY_CHECKER_TRY, number))
        identity_checker_wait(&a->checker, &answer);
    if (answer.good && (a->sealed = identity_seal(a->identity, &a->secret, answer.why)) &&
        coordinator_files_seal(a, &err) == 0) {
        a->options.fleet.munge = socket ? socket : AGENT_MUNGE_USUAL;
        a->options.fleet.sealed = a->sealed;
        a->options.fleet.sealed_file = a->sealed_file.text;
        coordinator_log(a, "agents and coordinator prove their user by MUNGE");
        return 0;
    }
    identity_checker_close(&a->checker);
    identity_close(a->identity);
    a->identity = NULL;
    const char *why = err.text[0] ? err.text : answer.why[0] ? answer.why : strerror(errno);
    if (a->options.munge_must)
        return err_set(err_out, "--munge must: without MUNGE: %s", why);
    coordinator_log_note(
        a,
        "without MUNGE, Slurm sends the key of the run to nodes in clear, and a process that "
        "has it can join: %s",
        why);
    return 0;
}

static int coordinator_open_fleet(struct coordinator *a, struct err *err)
{
    struct fleet_options *o = &a->options.fleet;

    if (coordinator_want_credentials(a, err) < 0)
        return -1;
    o->host = a->host;
    o->local = a->listen.at.ss_family ? a->host : "127.0.0.1";
    o->port = a->port;
    o->key = a->key;
    o->key_file = a->key_file.text;
    o->at_file = a->at_file.text;
    o->program = a->program_path;
    o->dir = a->options.dir;
    o->epoll_fd = a->epoll_fd;
    o->epoll_tag = COORDINATOR_TAG_FLEET;
    o->ctx = a;
    o->on_ended = coordinator_on_ended;
    o->on_drain = coordinator_on_drain;
    o->on_mute = coordinator_on_mute;
    o->on_note = coordinator_on_note;
    a->fleet = a->options.way->open(o, err);
    return a->fleet ? 0 : -1;
}

/* ---- making ---- */

/* Each agent needs a descriptor. What we start gets the limit that we have then. */
static void coordinator_raise_limit(uint32_t agents)
{
    enum { OTHERS = 256 };
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= agents + OTHERS)
        return;
    files.rlim_cur = agents + OTHERS < files.rlim_max ? agents + OTHERS : files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static int coordinator_know_self(struct coordinator *a, struct err *err)
{
    agent_node_program(a->program);
    if (own_path(a->program_path, err) < 0)
        return -1;
    if (!a->program[0])
        return err_system(err, "cannot read the running program: %s", strerror(errno));
    /* Not Slurm's name of the node, which need not be one that others can connect to. */
    if (a->listen.host[0])
        snprintf(a->host, sizeof a->host, "%s", a->listen.host);
    else if (gethostname(a->host, sizeof a->host - 1) < 0)
        snprintf(a->host, sizeof a->host, "localhost");
    return 0;
}

struct coordinator *coordinator_open(const struct coordinator_options *options, struct err *err)
{
    struct coordinator *a = mem_zalloc(1, sizeof *a);

    spawn_hold_core(); /* the key would be in it */
    a->options = *options;
    a->options.lease_us = options->lease_us ? options->lease_us : LEASE_US;
    snprintf(a->dir, sizeof a->dir, "%s", options->dir);
    a->options.dir = a->dir;
    a->doubts = !options->way->loopback || doubt_is_due();
    a->listen_fd = -1;
    a->shown = ADMISSION_PEERS;
    a->link_count = options->cluster->node_count;
    a->links = mem_zalloc(a->link_count, sizeof *a->links);
    a->here = mem_zalloc(a->link_count, sizeof *a->here);
    coordinator_raise_limit(a->link_count);
    a->epoll_fd = sys_epoll_create();
    if (a->epoll_fd < 0)
        err_system(err, "cannot wait for agents: %s", strerror(errno));
    else if (coordinator_listen_parse(&a->listen, options->listen, err) == 0 &&
             coordinator_know_self(a, err) == 0 && coordinator_files_open(a, err) == 0 &&
             (a->side = tls_side_create(&a->secret, true, err)) && admission_open(a, err) == 0 &&
             coordinator_files_tell(a, err) == 0 && coordinator_open_fleet(a, err) == 0) {
        coordinator_log(a, "listening on port %u", a->port);
        return a;
    }
    coordinator_close(a);
    return NULL;
}

void coordinator_close(struct coordinator *a)
{
    if (!a)
        return;
    admission_close(a);
    if (a->fleet)
        a->fleet->close(a->fleet);
    agent_list_remove(a);
    tls_side_destroy(a->side);
    identity_checker_close(&a->checker);
    identity_close(a->identity);
    secret_wipe(&a->secret);
    secret_wipe(&a->store);
    explicit_bzero(a->key, sizeof a->key);
    mem_free(a->sealed);
    if (a->log)
        fclose(a->log);
    coordinator_files_close(a);
    sys_close(&a->epoll_fd);
    mem_free(a->links);
    mem_free(a->here);
    mem_free(a);
}

/* ---- events ---- */

int64_t coordinator_lease_us(const struct coordinator *a)
{
    return a->left_us > a->options.lease_us ? a->left_us : a->options.lease_us;
}

uint32_t coordinator_connected(const struct coordinator *a)
{
    return a->connected;
}

void coordinator_event(void *agents)
{
    struct coordinator *a = agents;
    struct epoll_event events[AGENTS_EVENTS];
    int n = sys_epoll_wait(a->epoll_fd, events, AGENTS_EVENTS, 0);

    for (int i = 0; i < n; i++) {
        uint64_t tag = events[i].data.u64;
        if (tag >= COORDINATOR_TAG_FLEET)
            a->fleet->event(a->fleet, (uint32_t)tag);
        else if (tag == 0)
            admission_accept(a);
        else if (tag == ADMISSION_TAG_CHECKER)
            admission_judged(a);
        else
            admission_event(a, (uint32_t)tag - 1);
    }
}

/* No agent is there and none will come: the run cannot go on. */
static void coordinator_despair(struct coordinator *a)
{
    char text[sizeof a->why + 64];

    snprintf(text, sizeof text, "no agent is left, and dolly cannot start another%s%s",
             a->why[0] ? ": " : "", a->why);
    for (uint32_t i = 0; i < ADMISSION_PEERS; i++)
        if (a->peers[i])
            return;
    for (uint32_t i = 0; i < a->link_count; i++) {
        struct agent_link *l = a->links[i];
        if (!l || l->lost)
            continue;
        l->lost = true;
        l->options.on_lost(l->options.ctx, text);
    }
}

/* How much room agents have. */
static struct fleet_need coordinator_need(struct coordinator *a, int64_t now_us)
{
    struct fleet_need need = {.agents = a->here};
    bool room = false;

    for (uint32_t i = 0; i < a->link_count; i++) {
        const struct agent_link *l = a->links[i];
        if (!l || !l->connected)
            continue;
        uint32_t owed = agent_pulls_count(&l->pulls), running = owed - l->held.at.count;
        int32_t slots = a->options.cluster->nodes[i].capacity.v[RES_CPU] / RES_SLOT;
        a->here[need.connected++] = (struct fleet_agent){l->info.name, owed > 0};
        room |= running < (uint32_t)slots;
    }
    if (room || !a->connected)
        a->full_us = 0;
    else if (!a->full_us)
        a->full_us = now_us;
    need.waiting_us = a->full_us ? now_us - a->full_us : 0;
    return need;
}

int64_t coordinator_turn(void *agents)
{
    struct coordinator *a = agents;
    int64_t now_us = clock_now_us();
    struct fleet_need need = coordinator_need(a, now_us);
    int64_t next_us = a->fleet->turn(a->fleet, &need), door_us = admission_turn(a);

    coordinator_send_off(a);
    coordinator_tell(a);
    if (!a->connected && !a->fleet->hopes(a->fleet))
        coordinator_despair(a);
    if (now_us >= a->listed_us) {
        agent_list_write(a);
        a->listed_us = now_us + AGENT_LIST_US;
    }
    next_us = door_us < next_us ? door_us : next_us;
    next_us = a->listed_us < next_us ? a->listed_us : next_us;
    return next_us;
}
