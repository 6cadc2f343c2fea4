/* agents_door.c - strangers: whoever connects, until it is known to be an agent of this run.
 *
 * A stranger costs a descriptor, some 20 KiB and one handshake, for a few seconds at most, and
 * there are never more than AGENTS_PEERS of them: one that has taken its time makes room for the
 * next, and otherwise the next has to wait, as when a thousand agents come at once. One that says
 * nothing never comes up: the kernel keeps it (TCP_DEFER_ACCEPT). The first thing that an agent
 * says proves that it has the key, so who has not shown it in DOOR_MUTE_US makes room for others
 * before those who have. Agents that were let in do not notice. What a stranger gets wrong is
 * written to the log with its address, for the first few of a minute; only one that has the key is
 * told what it was.
 *
 * A limit for each address was rejected: all agents of a run may come from one, and so may an
 * attacker on the same machine. */
#include "remote/coordinator/agents_door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/coordinator/agent_link.h"
#include "remote/coordinator/agents_card.h"
#include "remote/coordinator/agents_log.h"
#include "remote/coordinator/agents_state.h"

enum {
    DOOR_PEER_US = 5000000, /* from connecting to being ready */
    DOOR_ACCEPTS = 16,      /* in one go */
    DOOR_BACKLOG = 1024,
    DOOR_DEAF_US = 1000000,   /* without descriptors there is no use in listening for a while */
    DOOR_PAUSE_US = 10000,    /* ... nor without a place for a stranger */
    DOOR_CLOCK_US = 60000000, /* clocks that differ by less are taken as equal */
    DOOR_SLOW_US = 1000000,   /* an agent has said hello by then, */
    DOOR_MUTE_US = 200000,    /* and shown that it has the key, where others wait */
    DOOR_DEFER_S = 5,         /* who says nothing for so long is not let in at all */
    DOOR_ALONE_US = 10000000, /* without an agent for so long, while strangers come */
    DOOR_MANY = 100,          /* so many of them */
};

/* ---- listening ---- */

static int door_listen(struct agents *a, int op)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 0};
    return sys_epoll_ctl(a->epoll_fd, op, a->listen_fd, &e);
}

int agents_door_open(struct agents *a, struct err *err)
{
    a->listen_fd =
        agents_listen_open(&a->listen, a->options.way->loopback, DOOR_BACKLOG, &a->port, err);
    if (a->listen_fd < 0)
        return -1;
    setsockopt(a->listen_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &(int){DOOR_DEFER_S}, sizeof(int));
    if (door_listen(a, EPOLL_CTL_ADD) < 0)
        return err_system(err, "cannot listen for agents: %s", strerror(errno));
    a->peers = mem_zalloc(AGENTS_PEERS, sizeof *a->peers);
    a->opened_us = clock_now_us();
    return 0;
}

static void door_drop(struct agents *a, uint32_t index)
{
    struct agents_peer *p = a->peers[index];

    frames_fini(&p->frames);
    agents_card_fini(&p->card);
    mem_free(p->badge);
    mem_free(p);
    a->peers[index] = NULL;
    if (a->shown == index)
        a->shown = AGENTS_PEERS;
}

void agents_door_close(struct agents *a)
{
    for (uint32_t i = 0; a->peers && i < AGENTS_PEERS; i++)
        if (a->peers[i])
            door_drop(a, i);
    mem_free(a->peers);
    sys_close(&a->listen_fd);
}

/* ---- refusing ---- */

static void door_log(struct agents *a, const struct agents_peer *p, const char *why)
{
    if (agents_refusals_add(&a->refused, clock_now_us()) || p->card.name[0])
        agents_log(a, "refused %s%s%s: %s", p->address, p->card.name[0] ? " " : "", p->card.name,
                   why);
}

/* Why a stranger has to go. */
struct door_no {
    const char *why;
    bool for_good; /* another try would be in vain */
};

/* One that has the key is told, and its user reads it where the agent was started. */
static void door_refuse(struct agents *a, uint32_t index, const struct door_no *no)
{
    struct agents_peer *p = a->peers[index];
    const char *why = no->why;
    struct packet m = {.type = PACKET_REFUSED, .u.refused = {why, no->for_good}};

    door_log(a, p, why);
    frames_send(&p->frames, &m);
    frames_flush(&p->frames);
    agents_log_trouble(a, why);
    door_drop(a, index);
}

/* ---- accepting ---- */

static void door_address(const struct sockaddr_storage *at, char text[AGENTS_ADDRESS])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)at;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)at;
    char host[INET6_ADDRSTRLEN] = "?";
    bool is_six = at->ss_family == AF_INET6;

    inet_ntop(at->ss_family, is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr,
              host, sizeof host);
    snprintf(text, AGENTS_ADDRESS, is_six ? "[%s]:%u" : "%s:%u", host,
             ntohs(is_six ? six->sin6_port : four->sin_port));
}

/* When a stranger has taken too long, if others wait. */
static int64_t door_patience(const struct agents_peer *p)
{
    return p->until_us - DOOR_PEER_US + (p->frames.greeted ? DOOR_SLOW_US : DOOR_MUTE_US);
}

/* A free place; if there is none, that of whoever has been there for too long by most; else
 * AGENTS_PEERS. */
static uint32_t door_place(struct agents *a)
{
    uint32_t oldest = 0;

    for (uint32_t i = 0; i < AGENTS_PEERS; i++) {
        if (!a->peers[i])
            return i;
        if (door_patience(a->peers[i]) < door_patience(a->peers[oldest]))
            oldest = i;
    }
    if (door_patience(a->peers[oldest]) > clock_now_us())
        return AGENTS_PEERS;
    door_log(a, a->peers[oldest], "others wait as well, and it has taken its time");
    door_drop(a, oldest);
    return oldest;
}

/* Nobody can be let in for now: they stay where they are, and we do not ask again at once. */
static void door_deafen(struct agents *a, int64_t pause_us)
{
    if (door_listen(a, EPOLL_CTL_DEL) == 0)
        a->deaf_until_us = clock_now_us() + pause_us;
}

static void door_failed(struct agents *a, int error)
{
    if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ECONNABORTED)
        return;
    agents_log(a, "cannot accept: %s", strerror(error));
    door_deafen(a, DOOR_DEAF_US);
}

void agents_door_accept(struct agents *a)
{
    for (int i = 0; i < DOOR_ACCEPTS; i++) {
        struct sockaddr_storage at = {0};
        socklen_t size = sizeof at;
        int on = 1;
        uint32_t index = door_place(a);
        if (index == AGENTS_PEERS) {
            door_deafen(a, DOOR_PAUSE_US);
            return;
        }
        int fd = accept4(a->listen_fd, (struct sockaddr *)&at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            door_failed(a, errno);
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct agents_peer *p = a->peers[index] = mem_zalloc(1, sizeof *p);
        door_address(&at, p->address);
        p->until_us = clock_now_us() + DOOR_PEER_US;
        frames_init(&p->frames, a->side, fd);
        if (frames_watch(&p->frames, a->epoll_fd, index + 1) < 0)
            door_drop(a, index);
    }
}

/* ---- greeting ---- */

static bool door_is_name(const char *text)
{
    size_t length = strlen(text);

    return length && length <= FLEET_NAME_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

const char *agents_door_judge(const struct packet_hello *h, const char *program, char text[256])
{
    if (h->version != PACKET_VERSION) {
        snprintf(text, 256, "it speaks version %u, and we speak version %d", h->version,
                 PACKET_VERSION);
        return text;
    }
    if (strcmp(h->program, program) != 0) {
        snprintf(text, 256, "its program is another one (%.16s, ours is %.16s)",
                 agents_card_is_plain(h->program) ? h->program : "?", program);
        return text;
    }
    if (!door_is_name(h->name))
        return "its name is not one";
    if (!agents_card_is_plain(h->host) || !agents_card_is_plain(h->rack) ||
        !agents_card_is_plain(h->boot) || !agents_card_is_plain(h->scratch))
        return "what it says of its node cannot be printed";
    if (h->cores_milli <= 0 || h->cores_milli > 1000 * 1000 * 1000 || h->memory_mib < 0)
        return "its node has less than nothing, or too much";
    return NULL;
}

/* How far a clock that shows this is ahead of ours; a little is nothing. */
static int64_t door_ahead_us(int64_t clock_us)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t ours_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    int64_t ahead_us = clock_us > 0 && ours_us > 0 ? clock_us - ours_us : 0;
    return ahead_us < DOOR_CLOCK_US && ahead_us > -DOOR_CLOCK_US ? 0 : ahead_us;
}

static struct agent_link *door_link_of(struct agents *a, const char *name)
{
    for (uint32_t i = 0; i < a->link_count; i++)
        if (a->links[i] && strcmp(a->links[i]->card.name, name) == 0)
            return a->links[i];
    return NULL;
}

/* The link for an agent: its old one, one that nobody had, or one whose agent has left. NULL with
 * *why: there is none. */
static struct agent_link *door_link(struct agents *a, const struct agents_card *card,
                                    const char **why)
{
    struct agent_link *own = door_link_of(a, card->name), *spare = NULL;

    if (own && own->connected && strcmp(own->card.boot, card->boot) != 0) {
        *why = "an agent of the same name is connected";
        return NULL;
    }
    if (own)
        return own;
    for (uint32_t i = 0; i < a->link_count; i++) {
        struct agent_link *l = a->links[i];
        if (l && !l->card.name[0])
            return l;
        if (l && !l->connected && (!spare || l->heard_us < spare->heard_us))
            spare = l;
    }
    *why = "the maximum number of agents is connected";
    return spare;
}

static void door_welcome(struct agents *a, struct agents_peer *p, const struct agent_link *l,
                         const char *credential)
{
    struct packet m = {.type = PACKET_WELCOME};
    const struct runner_options *o = &l->options;
    char here[PATH_MAX];

    if (!realpath(o->workdir ? o->workdir : ".", here))
        here[0] = 0; /* it is gone, and commands would fail here as well */
    m.u.welcome = (struct packet_welcome){.dir = a->options.dir,
                                          .probe = "agents.probe",
                                          .token = a->token,
                                          .pull = a->options.pull,
                                          .keep = a->options.plan != NULL,
                                          .shell = o->shell ? o->shell : "",
                                          .workdir = here,
                                          .nice = o->nice,
                                          .credential = credential,
                                          .store = "",
                                          .store_length = 0,
                                          .lease_us = a->options.lease_us};
    if (m.u.welcome.keep) {
        m.u.welcome.store = (const char *)a->store.bytes;
        m.u.welcome.store_length = sizeof a->store.bytes;
    }
    frames_send(&p->frames, &m);
    p->welcome = true;
}

/* Whether there is a place for it, else *no. `credential`: what shows it who we are. */
static bool door_admit(struct agents *a, struct agents_peer *p, const char *credential,
                       struct door_no *no)
{
    *no = (struct door_no){0};
    const struct agent_link *l = door_link(a, &p->card, &no->why);
    if (l)
        door_welcome(a, p, l, credential);
    return l != NULL;
}

/* Whether it may stay, else *no. */
static bool door_hello(struct agents *a, struct agents_peer *p, const struct packet_hello *h,
                       char text[256], struct door_no *no)
{
    *no = (struct door_no){agents_door_judge(h, a->program, text), true};
    if (no->why)
        return false;
    snprintf(p->card.name, sizeof p->card.name, "%s", h->name);
    p->card.host = mem_strdup(h->host);
    p->card.rack = mem_strdup(h->rack);
    p->card.boot = mem_strdup(h->boot);
    p->card.scratch = mem_strdup(h->scratch);
    p->card.cores_milli = h->cores_milli;
    p->card.memory_mib = h->memory_mib;
    p->card.ahead_us = door_ahead_us(h->clock_us);
    if (!a->badge)
        return door_admit(a, p, "", no);
    p->badge = mem_strdup(h->credential);
    return true;
}

/* Whether it has become an agent, else *no. */
static bool door_ready(struct agents *a, uint32_t index, const struct packet *m, char text[256],
                       struct door_no *no)
{
    struct agents_peer *p = a->peers[index];
    bool shared = m->u.ready.shared;
    uint32_t port = m->u.ready.port;

    *no = (struct door_no){0};
    if (a->options.sees && !shared) {
        snprintf(text, 256, "%.60s does not see the folder of the run, %.120s; --pull does without",
                 p->card.host, a->options.dir);
        *no = (struct door_no){text, true};
        return false;
    }
    if (port > UINT16_MAX || (port == 0) != (a->options.plan == NULL)) {
        *no = (struct door_no){"it hands out outputs where it should not, or the other way round",
                               true};
        return false;
    }
    struct agent_link *l = door_link(a, &p->card, &no->why);
    if (!l)
        return false;
    epoll_ctl(a->epoll_fd, EPOLL_CTL_DEL, p->frames.fd, NULL);
    agent_link_join(l, p, shared, (uint16_t)port);
    door_drop(a, index);
    return true;
}

/* One packet of a stranger. False: it is none any more. */
static bool door_packet(struct agents *a, uint32_t index, const struct packet *m)
{
    struct agents_peer *p = a->peers[index];
    char text[256];
    struct door_no no = {"it said what no agent says", true};

    if (m->type == PACKET_HELLO && !p->card.name[0]) {
        if (door_hello(a, p, &m->u.hello, text, &no))
            return true;
    } else if (m->type == PACKET_READY && p->welcome) {
        if (door_ready(a, index, m, text, &no))
            return false;
    } else if (m->type == PACKET_FATAL && p->welcome && agents_card_is_plain(m->u.text)) {
        no.why = m->u.text;
    }
    door_refuse(a, index, &no);
    return false;
}

/* Sends what is to be sent to a stranger, and waits for more. */
static void door_settle(struct agents *a, uint32_t index)
{
    struct agents_peer *p = a->peers[index];

    if (frames_flush(&p->frames) == 0 && frames_watch(&p->frames, a->epoll_fd, index + 1) == 0)
        return;
    door_log(a, p, p->frames.why[0] ? p->frames.why : strerror(errno));
    door_drop(a, index);
}

/* ---- badges ---- */

/* Who has waited longest for the judgement of its badge; AGENTS_PEERS: nobody waits. */
static uint32_t door_next_badge(const struct agents *a)
{
    uint32_t next = AGENTS_PEERS;

    for (uint32_t i = 0; i < AGENTS_PEERS; i++)
        if (a->peers[i] && a->peers[i]->badge &&
            (next == AGENTS_PEERS || a->peers[i]->until_us < a->peers[next]->until_us))
            next = i;
    return next;
}

/* It was not the badge: the agent may try again. */
static void door_cannot_judge(struct agents *a, uint32_t index, const char *why)
{
    door_log(a, a->peers[index], why);
    agents_log_trouble(a, why);
    door_drop(a, index);
}

/* Gives the next badge to the clerk, if that one has none. */
static void door_show(struct agents *a)
{
    uint32_t next;

    while (a->badge && !a->clerk.busy && (next = door_next_badge(a)) < AGENTS_PEERS) {
        struct agents_peer *p = a->peers[next];
        unsigned char number[TLS_NUMBER];
        char *badge = p->badge;
        p->badge = NULL;
        const char *why = "no number of this conversation";
        bool asked = tls_number(p->frames.tls, number);
        if (asked && !badge_clerk_ask(&a->clerk, badge, number)) {
            why = strerror(errno);
            asked = false;
        }
        mem_free(badge);
        a->shown = asked ? next : AGENTS_PEERS;
        if (!asked)
            door_cannot_judge(a, next, why);
    }
}

/* Why the badge is not good. Credentials are good for minutes only, before and behind which MUNGE
 * calls them rewound and expired; the clocks say it better. */
static const char *door_why_not(const struct agents *a, uint32_t index,
                                const struct badge_answer *answer, char text[256])
{
    char clock[64];

    if (index >= AGENTS_PEERS || a->peers[index]->card.ahead_us == 0)
        return answer->why;
    agents_card_clock(a->peers[index]->card.ahead_us, clock);
    snprintf(text, 256, "%.150s; its clock is %s ours", answer->why, clock);
    return text;
}

void agents_door_judged(struct agents *a)
{
    struct badge_answer answer;
    char text[256];

    while (badge_clerk_hear(&a->clerk, &answer)) {
        uint32_t index = a->shown;
        struct door_no no = {door_why_not(a, index, &answer, text), answer.wrong};
        a->shown = AGENTS_PEERS;
        if (index < AGENTS_PEERS && answer.good &&
            door_admit(a, a->peers[index], answer.reply, &no))
            door_settle(a, index);
        else if (index < AGENTS_PEERS && !answer.good && !answer.wrong)
            door_cannot_judge(a, index, answer.why);
        else if (index < AGENTS_PEERS)
            door_refuse(a, index, &no);
        door_show(a);
    }
}

/* ---- events ---- */

void agents_door_event(struct agents *a, uint32_t index)
{
    struct agents_peer *p = index < AGENTS_PEERS ? a->peers[index] : NULL;
    struct packet m;
    int got = p ? frames_greet(&p->frames) : 0;

    while (got > 0 && (got = frames_receive(&p->frames, &m)) > 0)
        if (!door_packet(a, index, &m))
            return;
    if (!p)
        return;
    if (got < 0) {
        door_log(a, p, p->frames.why);
        door_drop(a, index);
        return;
    }
    door_settle(a, index);
    door_show(a);
}

/* Strangers who come in numbers are told of: of each minute in the log, and to the user while no
 * agent has come. */
static void door_tell_strangers(struct agents *a, int64_t now_us, int64_t *next_us)
{
    uint32_t more = agents_refusals_turn(&a->refused, now_us, next_us);

    if (more > 0)
        agents_log(a, "refused %u more in a minute", more);
    if (a->connected > 0 || a->opened_us == 0)
        a->opened_us = a->connected > 0 ? 0 : a->opened_us;
    else if (a->refused.all >= DOOR_MANY && now_us >= a->opened_us + DOOR_ALONE_US) {
        a->opened_us = 0;
        agents_log_note(
            a,
            "no agent has come yet, but %llu strangers without the key, who were refused; "
            "agents.log has the addresses of some",
            (unsigned long long)a->refused.all);
    }
}

int64_t agents_door_turn(struct agents *a)
{
    int64_t now_us = clock_now_us(), next_us = INT64_MAX;

    door_tell_strangers(a, now_us, &next_us);
    agents_door_judged(a);
    if (a->clerk.busy)
        next_us = a->clerk.until_us;
    if (a->deaf_until_us && now_us >= a->deaf_until_us && door_listen(a, EPOLL_CTL_ADD) == 0)
        a->deaf_until_us = 0;
    if (a->deaf_until_us && a->deaf_until_us < next_us)
        next_us = a->deaf_until_us;
    for (uint32_t i = 0; i < AGENTS_PEERS; i++) {
        struct agents_peer *p = a->peers[i];
        if (!p)
            continue;
        if (now_us >= p->until_us) {
            door_log(a, p,
                     p->badge ? "MUNGE has not answered for too long"
                              : "it has not said who it is for too long");
            door_drop(a, i);
        } else if (p->until_us < next_us) {
            next_us = p->until_us;
        }
    }
    return next_us;
}
