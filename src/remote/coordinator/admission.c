/* admission.c - authenticates peers, until they are known to be agents of this run.
 *
 * A stranger costs a descriptor, some 20 KiB and one handshake, for a few seconds at most, and
 * there are never more than ADMISSION_PEERS of them: one that has taken its time makes room for the
 * next, and otherwise the next has to wait, as when a thousand agents come at once. One that says
 * nothing never comes up: the kernel keeps it (TCP_DEFER_ACCEPT). The first thing that an agent
 * says proves that it has the key, so who has not shown it in DOOR_MUTE_US makes room for others
 * before those who have. Agents that were let in do not notice. What a stranger gets wrong is
 * written to the log with its address, for the first few of a minute; only one that has the key is
 * told what it was.
 *
 * A limit for each address was rejected: all agents of a run may come from one, and so may an
 * attacker on the same machine. */
#include "remote/coordinator/admission.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/coordinator/agent_info.h"
#include "remote/coordinator/agent_link.h"
#include "remote/coordinator/coordinator_log.h"
#include "remote/coordinator/coordinator_state.h"

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

static int admission_listen(struct coordinator *a, int op)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 0};
    return sys_epoll_ctl(a->epoll_fd, op, a->listen_fd, &e);
}

int admission_open(struct coordinator *a, struct err *err)
{
    a->listen_fd =
        coordinator_listen_open(&a->listen, a->options.way->loopback, DOOR_BACKLOG, &a->port, err);
    if (a->listen_fd < 0)
        return -1;
    setsockopt(a->listen_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &(int){DOOR_DEFER_S}, sizeof(int));
    if (admission_listen(a, EPOLL_CTL_ADD) < 0)
        return err_system(err, "cannot listen for agents: %s", strerror(errno));
    a->peers = mem_zalloc(ADMISSION_PEERS, sizeof *a->peers);
    a->opened_us = clock_now_us();
    return 0;
}

static void admission_drop(struct coordinator *a, uint32_t index)
{
    struct admission_peer *p = a->peers[index];

    frames_fini(&p->frames);
    agent_info_fini(&p->info);
    mem_free(p->credential);
    mem_free(p);
    a->peers[index] = NULL;
    if (a->shown == index)
        a->shown = ADMISSION_PEERS;
}

void admission_close(struct coordinator *a)
{
    for (uint32_t i = 0; a->peers && i < ADMISSION_PEERS; i++)
        if (a->peers[i])
            admission_drop(a, i);
    mem_free(a->peers);
    sys_close(&a->listen_fd);
}

/* ---- refusing ---- */

static void admission_log(struct coordinator *a, const struct admission_peer *p, const char *why)
{
    if (admission_refusals_add(&a->refused, clock_now_us()) || p->info.name[0])
        coordinator_log(a, "refused %s%s%s: %s", p->address, p->info.name[0] ? " " : "",
                        p->info.name, why);
}

/* Why a stranger has to go. */
struct admission_refusal {
    const char *why;
    bool for_good; /* another try would be in vain */
};

/* One that has the key is told, and its user reads it where the agent was started. */
static void admission_refuse(struct coordinator *a, uint32_t index,
                             const struct admission_refusal *no)
{
    struct admission_peer *p = a->peers[index];
    const char *why = no->why;
    struct packet m = {.type = PACKET_REFUSED, .u.refused = {why, no->for_good}};

    admission_log(a, p, why);
    frames_send(&p->frames, &m);
    frames_flush(&p->frames);
    coordinator_log_trouble(a, why);
    admission_drop(a, index);
}

/* ---- accepting ---- */

static void admission_address(const struct sockaddr_storage *at, char text[ADMISSION_ADDRESS])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)at;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)at;
    char host[INET6_ADDRSTRLEN] = "?";
    bool is_six = at->ss_family == AF_INET6;

    inet_ntop(at->ss_family, is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr,
              host, sizeof host);
    snprintf(text, ADMISSION_ADDRESS, is_six ? "[%s]:%u" : "%s:%u", host,
             ntohs(is_six ? six->sin6_port : four->sin_port));
}

/* When a stranger has taken too long, if others wait. */
static int64_t admission_patience(const struct admission_peer *p)
{
    return p->until_us - DOOR_PEER_US + (p->frames.greeted ? DOOR_SLOW_US : DOOR_MUTE_US);
}

/* A free place; if there is none, that of whoever has been there for too long by most; else
 * ADMISSION_PEERS. */
static uint32_t admission_place(struct coordinator *a)
{
    uint32_t oldest = 0;

    for (uint32_t i = 0; i < ADMISSION_PEERS; i++) {
        if (!a->peers[i])
            return i;
        if (admission_patience(a->peers[i]) < admission_patience(a->peers[oldest]))
            oldest = i;
    }
    if (admission_patience(a->peers[oldest]) > clock_now_us())
        return ADMISSION_PEERS;
    admission_log(a, a->peers[oldest], "it took too long to identify itself while others waited");
    admission_drop(a, oldest);
    return oldest;
}

/* Nobody can be let in for now: they stay where they are, and we do not ask again at once. */
static void admission_deafen(struct coordinator *a, int64_t pause_us)
{
    if (admission_listen(a, EPOLL_CTL_DEL) == 0)
        a->deaf_until_us = clock_now_us() + pause_us;
}

static void admission_failed(struct coordinator *a, int error)
{
    if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ECONNABORTED)
        return;
    coordinator_log(a, "cannot accept: %s", strerror(error));
    admission_deafen(a, DOOR_DEAF_US);
}

void admission_accept(struct coordinator *a)
{
    for (int i = 0; i < DOOR_ACCEPTS; i++) {
        struct sockaddr_storage at = {0};
        socklen_t size = sizeof at;
        int on = 1;
        uint32_t index = admission_place(a);
        if (index == ADMISSION_PEERS) {
            admission_deafen(a, DOOR_PAUSE_US);
            return;
        }
        int fd = accept4(a->listen_fd, (struct sockaddr *)&at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            admission_failed(a, errno);
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct admission_peer *p = a->peers[index] = mem_zalloc(1, sizeof *p);
        admission_address(&at, p->address);
        p->until_us = clock_now_us() + DOOR_PEER_US;
        frames_init(&p->frames, a->side, fd);
        if (frames_watch(&p->frames, a->epoll_fd, index + 1) < 0)
            admission_drop(a, index);
    }
}

/* ---- greeting ---- */

static bool admission_is_name(const char *text)
{
    size_t length = strlen(text);

    return length && length <= FLEET_NAME_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

const char *admission_judge(const struct packet_hello *h, const char *program, char text[256])
{
    if (h->version != PACKET_VERSION) {
        snprintf(text, 256, "it speaks version %u, and this coordinator version %d", h->version,
                 PACKET_VERSION);
        return text;
    }
    if (strcmp(h->program, program) != 0) {
        snprintf(text, 256, "its program differs (%.16s, the coordinator's is %.16s)",
                 agent_info_is_plain(h->program) ? h->program : "?", program);
        return text;
    }
    if (!admission_is_name(h->name))
        return "its name is not valid";
    if (!agent_info_is_plain(h->host) || !agent_info_is_plain(h->rack) ||
        !agent_info_is_plain(h->boot) || !agent_info_is_plain(h->scratch))
        return "its report about its node cannot be printed";
    if (h->cores_milli <= 0 || h->cores_milli > 1000 * 1000 * 1000 || h->memory_mib < 0)
        return "its node reports impossible capacities";
    return NULL;
}

/* How far a clock that shows this is ahead of ours; a little is nothing. */
static int64_t admission_ahead_us(int64_t clock_us)
{
    int64_t ours_us = clock_read_us(CLOCK_REALTIME);
    int64_t ahead_us = clock_us > 0 && ours_us > 0 ? clock_us - ours_us : 0;
    return ahead_us < DOOR_CLOCK_US && ahead_us > -DOOR_CLOCK_US ? 0 : ahead_us;
}

static struct agent_link *admission_link_of(struct coordinator *a, const char *name)
{
    for (uint32_t i = 0; i < a->link_count; i++)
        if (a->links[i] && strcmp(a->links[i]->info.name, name) == 0)
            return a->links[i];
    return NULL;
}

/* The link for an agent: its old one, one that nobody had, or one whose agent has left. NULL with
 * *why: there is none. */
static struct agent_link *admission_link(struct coordinator *a, const struct agent_info *info,
                                         const char **why)
{
    struct agent_link *own = admission_link_of(a, info->name), *spare = NULL;

    if (own && own->connected && strcmp(own->info.boot, info->boot) != 0) {
        *why = "an agent of the same name is connected";
        return NULL;
    }
    if (own)
        return own;
    for (uint32_t i = 0; i < a->link_count; i++) {
        struct agent_link *l = a->links[i];
        if (l && !l->info.name[0])
            return l;
        if (l && !l->connected && (!spare || l->heard_us < spare->heard_us))
            spare = l;
    }
    *why = "the maximum number of agents is connected";
    return spare;
}

static void admission_welcome(struct coordinator *a, struct admission_peer *p,
                              const struct agent_link *l, const char *credential)
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
static bool admission_admit(struct coordinator *a, struct admission_peer *p, const char *credential,
                            struct admission_refusal *no)
{
    *no = (struct admission_refusal){0};
    const struct agent_link *l = admission_link(a, &p->info, &no->why);
    if (l)
        admission_welcome(a, p, l, credential);
    return l != NULL;
}

/* Whether it may stay, else *no. */
static bool admission_hello(struct coordinator *a, struct admission_peer *p,
                            const struct packet_hello *h, char text[256],
                            struct admission_refusal *no)
{
    *no = (struct admission_refusal){admission_judge(h, a->program, text), true};
    if (no->why)
        return false;
    snprintf(p->info.name, sizeof p->info.name, "%s", h->name);
    p->info.host = mem_strdup(h->host);
    p->info.rack = mem_strdup(h->rack);
    p->info.boot = mem_strdup(h->boot);
    p->info.scratch = mem_strdup(h->scratch);
    p->info.cores_milli = h->cores_milli;
    p->info.memory_mib = h->memory_mib;
    p->info.ahead_us = admission_ahead_us(h->clock_us);
    if (!a->identity)
        return admission_admit(a, p, "", no);
    p->credential = mem_strdup(h->credential);
    return true;
}

/* Whether it has become an agent, else *no. */
static bool admission_ready(struct coordinator *a, uint32_t index, const struct packet *m,
                            char text[256], struct admission_refusal *no)
{
    struct admission_peer *p = a->peers[index];
    bool shared = m->u.ready.shared;
    uint32_t port = m->u.ready.port;

    *no = (struct admission_refusal){0};
    if (a->options.sees && !shared) {
        snprintf(text, 256, "%.60s does not see the folder of the run, %.120s; use --pull",
                 p->info.host, a->options.dir);
        *no = (struct admission_refusal){text, true};
        return false;
    }
    if (port > UINT16_MAX || (port == 0) != (a->options.plan == NULL)) {
        *no = (struct admission_refusal){"its fetch server and the --pull of this run disagree",
                                         true};
        return false;
    }
    struct agent_link *l = admission_link(a, &p->info, &no->why);
    if (!l)
        return false;
    epoll_ctl(a->epoll_fd, EPOLL_CTL_DEL, p->frames.fd, NULL);
    agent_link_join(l, p, shared, (uint16_t)port);
    admission_drop(a, index);
    return true;
}

/* One packet of a stranger. False: it is none any more. */
static bool admission_packet(struct coordinator *a, uint32_t index, const struct packet *m)
{
    struct admission_peer *p = a->peers[index];
    char text[256];
    struct admission_refusal no = {"it sent an invalid packet", true};

    if (m->type == PACKET_HELLO && !p->info.name[0]) {
        if (admission_hello(a, p, &m->u.hello, text, &no))
            return true;
    } else if (m->type == PACKET_READY && p->welcome) {
        if (admission_ready(a, index, m, text, &no))
            return false;
    } else if (m->type == PACKET_FATAL && p->welcome && agent_info_is_plain(m->u.text)) {
        no.why = m->u.text;
    }
    admission_refuse(a, index, &no);
    return false;
}

/* Sends what is to be sent to a stranger, and waits for more. */
static void admission_settle(struct coordinator *a, uint32_t index)
{
    struct admission_peer *p = a->peers[index];

    if (frames_flush(&p->frames) == 0 && frames_watch(&p->frames, a->epoll_fd, index + 1) == 0)
        return;
    admission_log(a, p, p->frames.why[0] ? p->frames.why : strerror(errno));
    admission_drop(a, index);
}

/* ---- credentials ---- */

/* Who has waited longest for the judgement of its credential; ADMISSION_PEERS: nobody waits. */
static uint32_t admission_next_credential(const struct coordinator *a)
{
    uint32_t next = ADMISSION_PEERS;

    for (uint32_t i = 0; i < ADMISSION_PEERS; i++)
        if (a->peers[i] && a->peers[i]->credential &&
            (next == ADMISSION_PEERS || a->peers[i]->until_us < a->peers[next]->until_us))
            next = i;
    return next;
}

/* It was not the credential: the agent may try again. */
static void admission_cannot_judge(struct coordinator *a, uint32_t index, const char *why)
{
    admission_log(a, a->peers[index], why);
    coordinator_log_trouble(a, why);
    admission_drop(a, index);
}

/* Gives the next credential to the checker, if that one has none. */
static void admission_show(struct coordinator *a)
{
    uint32_t next;

    while (a->identity && !a->checker.busy &&
           (next = admission_next_credential(a)) < ADMISSION_PEERS) {
        struct admission_peer *p = a->peers[next];
        unsigned char number[TLS_NUMBER];
        char *credential = p->credential;
        p->credential = NULL;
        const char *why = "its nonce is missing or invalid";
        bool asked = tls_number(p->frames.tls, number);
        if (asked && !identity_checker_ask(&a->checker, credential, number)) {
            why = strerror(errno);
            asked = false;
        }
        mem_free(credential);
        a->shown = asked ? next : ADMISSION_PEERS;
        if (!asked)
            admission_cannot_judge(a, next, why);
    }
}

/* Why the credential is not good. Credentials are good for minutes only, before and behind which
 * MUNGE calls them rewound and expired; the clocks say it better. */
static const char *admission_why_not(const struct coordinator *a, uint32_t index,
                                     const struct identity_answer *answer, char text[256])
{
    char clock[64];

    if (index >= ADMISSION_PEERS || a->peers[index]->info.ahead_us == 0)
        return answer->why;
    agent_info_clock(a->peers[index]->info.ahead_us, clock);
    snprintf(text, 256, "%.150s; its clock is %s the coordinator's", answer->why, clock);
    return text;
}

void admission_judged(struct coordinator *a)
{
    struct identity_answer answer;
    char text[256];

    while (identity_checker_hear(&a->checker, &answer)) {
        uint32_t index = a->shown;
        struct admission_refusal no = {admission_why_not(a, index, &answer, text), answer.wrong};
        a->shown = ADMISSION_PEERS;
        if (index < ADMISSION_PEERS && answer.good &&
            admission_admit(a, a->peers[index], answer.reply, &no))
            admission_settle(a, index);
        else if (index < ADMISSION_PEERS && !answer.good && !answer.wrong)
            admission_cannot_judge(a, index, answer.why);
        else if (index < ADMISSION_PEERS)
            admission_refuse(a, index, &no);
        admission_show(a);
    }
}

/* ---- events ---- */

void admission_event(struct coordinator *a, uint32_t index)
{
    struct admission_peer *p = index < ADMISSION_PEERS ? a->peers[index] : NULL;
    struct packet m;
    int got = p ? frames_greet(&p->frames) : 0;

    while (got > 0 && (got = frames_receive(&p->frames, &m)) > 0)
        if (!admission_packet(a, index, &m))
            return;
    if (!p)
        return;
    if (got < 0) {
        admission_log(a, p, p->frames.why);
        admission_drop(a, index);
        return;
    }
    admission_settle(a, index);
    admission_show(a);
}

/* Strangers who come in numbers are told of: of each minute in the log, and to the user while no
 * agent has come. */
static void admission_tell_strangers(struct coordinator *a, int64_t now_us, int64_t *next_us)
{
    uint32_t more = admission_refusals_turn(&a->refused, now_us, next_us);

    if (more > 0)
        coordinator_log(a, "refused %u more in a minute", more);
    if (a->connected > 0 || a->opened_us == 0)
        a->opened_us = a->connected > 0 ? 0 : a->opened_us;
    else if (a->refused.all >= DOOR_MANY && now_us >= a->opened_us + DOOR_ALONE_US) {
        a->opened_us = 0;
        coordinator_log_note(
            a,
            "no agent has joined yet, but %llu peers without the key were refused; "
            "agents.log has the addresses of some",
            (unsigned long long)a->refused.all);
    }
}

int64_t admission_turn(struct coordinator *a)
{
    int64_t now_us = clock_now_us(), next_us = INT64_MAX;

    admission_tell_strangers(a, now_us, &next_us);
    admission_judged(a);
    if (a->checker.busy)
        next_us = a->checker.until_us;
    if (a->deaf_until_us && now_us >= a->deaf_until_us && admission_listen(a, EPOLL_CTL_ADD) == 0)
        a->deaf_until_us = 0;
    if (a->deaf_until_us && a->deaf_until_us < next_us)
        next_us = a->deaf_until_us;
    for (uint32_t i = 0; i < ADMISSION_PEERS; i++) {
        struct admission_peer *p = a->peers[i];
        if (!p)
            continue;
        if (now_us >= p->until_us) {
            admission_log(a, p,
                          p->credential ? "MUNGE has not answered for too long"
                                        : "it has not identified itself in time");
            admission_drop(a, i);
        } else if (p->until_us < next_us) {
            next_us = p->until_us;
        }
    }
    return next_us;
}
