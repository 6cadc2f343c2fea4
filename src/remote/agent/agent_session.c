/* agent_session.c - the conversation of an agent with its coordinator.
 *
 * One thread, one epoll: the connection, signals, and what the runner needs. The states are those
 * of the greeting: connecting, greeting (TLS), hello sent, joined. Until it has joined, whatever
 * goes wrong is tried again until the agent has lingered for long enough; afterwards the end of the
 * conversation is the end of the session.
 *
 * Once joined, the agent holds a lease (remote/wire/lease.h): a beat goes out each second, and when
 * the last one that was answered is too old, the coordinator will take us for gone, so everything
 * that runs here ends first. */
#include "remote/agent/agent_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/os/clock.h"
#include "exec/folder/run_dir.h"
#include "exec/process/doubt.h"
#include "exec/process/runner.h"
#include "exec/process/sys.h"
#include "remote/agent/agent_lease.h"
#include "remote/agent/agent_outputs.h"
#include "remote/agent/agent_places.h"
#include "remote/fetch/fetch_server.h"
#include "remote/fetch/fetch_store.h"
#include "remote/fleet/fleet.h"
#include "remote/wire/dial.h"
#include "remote/wire/frames.h"
#include "remote/wire/identity.h"
#include "remote/wire/lease.h"

enum {
    SESSION_EVENTS = 64,
    SESSION_PACKETS = 256,      /* taken in one go, so that children are not forgotten */
    SESSION_RETRY_US = 200000,  /* between the first two tries to connect, */
    SESSION_RARE_US = 1000000,  /* and in the end */
    SESSION_GREET_US = 5000000, /* from connecting to having joined */
    SESSION_TELL_US = 5000000,  /* in vain, before whoever has started us hears of it */
};

enum { TAG_SIGNAL, TAG_SOCKET, TAG_SERVER, TAG_RUNNER }; /* of epoll: and what follows */

enum session_state {
    SESSION_IDLE,
    SESSION_CONNECTING,
    SESSION_GREETING,
    SESSION_HELLO,
    SESSION_JOINED
};

struct session {
    const struct agent_session_options *options;
    enum session_state state;
    int epoll_fd, signal_fd;
    struct dial dial;
    struct tls_side *side;
    struct frames frames;
    char where[DIAL_TEXT]; /* HOST:PORT that is tried */
    int64_t retry_us;      /* when to connect again */
    int64_t pause_us;      /* ... after such a wait */
    int64_t until_us;      /* when the greeting has to be over */
    int64_t give_up_us;    /* when to stop looking for a coordinator, */
    int64_t tell_us;       /* and to say that it cannot be reached; INT64_MAX: that was said */
    int64_t hello_us;      /* by the clock of the lease: when the hello was sent */
    struct agent_lease lease;
    int64_t beat_us;     /* when the next one is sent */
    bool more;           /* packets may be left from the last look */
    struct secret store; /* to what stays with agents */
    char *run, *shell, *workdir;
    struct runner runner;
    bool has_runner; /* the runner was made */
    struct agent_places places;
    struct agent_outputs outputs;
    VEC(int64_t) ends;  /* when those were reported that are in doubt still (doubt.h) */
    uint32_t settled;   /* how many are no more */
    int64_t settled_us; /* when that was last told */
    int server_fd; /* ends with the process that hands out what stays here; -1: there is none */
    bool over;
    int status;
    struct err *err;
    char last[FRAMES_WHY_MAX + 32]; /* why the last try failed */
};

static void session_end(struct session *s, int status)
{
    if (!s->over)
        s->status = status;
    s->over = true;
}

/* It cannot go on here, which the coordinator shall know; and leaves with this status. */
static void session_leave(struct session *s, const char *text, int status)
{
    struct packet m = {.type = PACKET_FATAL, .u.text = text};

    if (s->over)
        return;
    frames_send(&s->frames, &m);
    frames_flush(&s->frames);
    err_system(s->err, "%s", text);
    session_end(s, status);
}

static void session_fatal(struct session *s, const char *text)
{
    session_leave(s, text, 1);
}

static void session_beat(struct session *s)
{
    struct packet m = {.type = PACKET_BEAT};
    int64_t free_bytes = run_dir_free_bytes(s->options->dir);

    m.u.beat.sent_us = clock_boot_us();
    agent_pace_mark(&s->outputs.pace, m.u.beat.sent_us);
    m.u.beat.free_bytes = free_bytes == INT64_MAX ? -1 : free_bytes;
    m.u.beat.running = agent_places_count(&s->places);
    m.u.beat.told_us = s->lease.answered_us;
    frames_send(&s->frames, &m);
    s->beat_us = clock_now_us() + LEASE_BEAT_US;
}

/* ---- the runner ---- */

/* An end was reported, and is in doubt. */
static void session_doubt(struct session *s)
{
    vec_push(&s->ends, clock_now_us());
}

static void session_on_sent(void *ctx, uint32_t handle)
{
    struct session *s = ctx;

    session_doubt(s);
    agent_places_release(&s->places, handle);
}

static void session_on_packet(void *ctx, const struct packet *p)
{
    struct session *s = ctx;
    const struct agent_place *place = agent_places_find(&s->places, p->handle);

    if (p->type == PACKET_EXITED && place && (s->outputs.pull || !place->control)) {
        /* The owner has to know before it judges the attempt. */
        if (s->outputs.pull && run_dir_is_full(run_dir_free_bytes(s->options->dir)))
            session_beat(s);
        agent_outputs_add(&s->outputs, place->dir, place->keep, p);
        return;
    }
    frames_send(&s->frames, p);
    if (p->type == PACKET_EXITED)
        session_doubt(s);
    if (p->type == PACKET_EXITED || p->type == PACKET_KILLED || p->type == PACKET_LAUNCH_FAILED)
        agent_places_release(&s->places, p->handle);
}

static void session_on_lost(void *ctx, const char *why)
{
    session_fatal(ctx, why);
}

static void session_launch(struct session *s, struct packet *m)
{
    if (agent_places_take(&s->places, m) == 0) {
        runner_order(&s->runner, m);
        return;
    }
    struct packet answer = {.type = PACKET_LAUNCH_FAILED, .handle = m->handle, .u.error = errno};
    answer.u.ours = errno != EREMOTE && errno != EINVAL;
    frames_send(&s->frames, &answer);
}

/* An attempt that has ended meanwhile is told nothing; a path that leads elsewhere is no
 * coordinator's. */
static void session_tell(struct session *s, struct packet *m)
{
    if (!agent_places_find(&s->places, m->handle))
        return;
    if (agent_places_read(&s->places, m) == 0)
        runner_order(&s->runner, m);
    else
        session_fatal(s, "the coordinator sent an invalid packet");
}

/* An attempt that is to read from other agents needs the key to their stores, which it is given
 * here, by our own hands. */
static void session_place(struct session *s, struct packet *m)
{
    struct packet key = {.type = PACKET_KEY, .handle = m->handle};

    if (!agent_places_find(&s->places, m->handle))
        return;
    int needs = agent_places_tell(&s->places, m);
    if (needs < 0) {
        session_fatal(s, "the coordinator sent an invalid packet");
        return;
    }
    key.u.key.bytes = (const char *)s->store.bytes;
    key.u.key.length = SECRET_BYTES;
    if (needs)
        runner_order(&s->runner, &key);
    runner_order(&s->runner, m);
}

static void session_file(struct session *s, const struct packet *m)
{
    char text[256];

    if (agent_places_file(&s->places, m) == 0)
        return;
    snprintf(text, sizeof text, "cannot write the plan of the job to its scratch: %s",
             strerror(errno));
    session_fatal(s, text);
}

static int session_start_runner(struct session *s, int nice)
{
    struct runner_options options = {.epoll_fd = s->epoll_fd,
                                     .epoll_tag = TAG_RUNNER,
                                     .ctx = s,
                                     .on_packet = session_on_packet,
                                     .on_lost = session_on_lost,
                                     .lock_fd = s->options->lock_fd,
                                     .shell = s->shell,
                                     .workdir = s->workdir,
                                     .nice = nice};

    s->has_runner = true;
    return runner_init(&s->runner, &options);
}

/* ---- joining ---- */

/* Has a process hand out what will stay here. */
static int session_serve(struct session *s, uint32_t *port)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_SERVER};
    uint16_t at = 0;
    struct err err;

    s->places.keep = true;
    s->outputs.store = s->options->dir;
    if (fetch_store_make(s->options->dir) < 0)
        return -1;
    s->server_fd = fetch_server_start(s->options->dir, &s->store, s->frames.fd, &at, &err);
    *port = at;
    return s->server_fd < 0 ? -1 : sys_epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, s->server_fd, &e);
}

static void session_broke(struct session *s, const char *why);

/* Whether the other end has shown that it is a process of our user, or need not; else the
 * conversation is over. Who has the key alone is let in by nobody, and runs nothing here. */
static bool session_is_ours(struct session *s, const char *credential)
{
    const char *munge = s->options->agent->munge;
    unsigned char number[TLS_NUMBER];
    char why[IDENTITY_WHY] = "its nonce is missing or invalid", text[IDENTITY_WHY + 64];
    bool wrong;

    if (!munge)
        return true;
    struct identity *b = identity_open(strcmp(munge, AGENT_MUNGE_USUAL) == 0 ? NULL : munge, why);
    bool ours = b && tls_number(s->frames.tls, number) &&
                identity_check(b, IDENTITY_COORDINATOR, credential, number, why, &wrong);
    identity_close(b);
    if (!ours) {
        snprintf(text, sizeof text, "it did not prove that it is a coordinator of this user: %s",
                 why);
        session_broke(s, text);
    }
    return ours;
}

static void session_welcome(struct session *s, const struct packet_welcome *w)
{
    struct packet ready = {.type = PACKET_READY};
    char text[1024];

    if (!session_is_ours(s, w->credential))
        return;
    if (w->keep && w->store_length != sizeof s->store.bytes) {
        session_fatal(s, "the coordinator sent an invalid packet");
        return;
    }
    if (w->keep)
        secret_copy(&s->store, w->store);
    if (*w->workdir && access(w->workdir, X_OK) < 0) {
        snprintf(text, sizeof text, "%s does not see the working folder %.300s: %s",
                 s->options->node->host, w->workdir, strerror(errno));
        session_leave(s, text, FLEET_STATUS_NEVER);
        return;
    }
    if (w->keep && s->dial.through) {
        session_leave(s,
                      "it was reached through ssh, and cannot hand out outputs to other nodes: "
                      "--listen must name an address that the agent can reach",
                      FLEET_STATUS_NEVER);
        return;
    }
    s->run = mem_strdup(w->dir);
    s->shell = *w->shell ? mem_strdup(w->shell) : NULL;
    s->workdir = *w->workdir ? mem_strdup(w->workdir) : NULL;
    ready.u.ready.shared = !w->pull && agent_places_sees(w);
    s->places.run = s->run;
    s->places.scratch = s->options->dir;
    s->places.pull = s->outputs.pull = !ready.u.ready.shared;
    /* The server before the runner, which would take it for what an attempt has left behind. */
    if ((w->keep && session_serve(s, &ready.u.ready.port) < 0) ||
        session_start_runner(s, w->nice) < 0) {
        snprintf(text, sizeof text, "cannot prepare for attempts: %s", strerror(errno));
        session_fatal(s, text);
        return;
    }
    s->state = SESSION_JOINED;
    if (!agent_lease_answered(&s->lease, s->hello_us, w->lease_us)) {
        session_fatal(s, "the coordinator sent an invalid packet");
        return;
    }
    s->beat_us = 0;
    frames_send(&s->frames, &ready);
}

/* The connection has ended or never was. */
static void session_broke(struct session *s, const char *why)
{
    snprintf(s->last, sizeof s->last, "%s", why);
    if (s->state == SESSION_JOINED) {
        session_end(s, AGENT_SESSION_AGAIN);
    } else if (s->frames.alien && !s->options->joined) { /* and would be the next time */
        err_set(s->err, "%s does not have the key of this agent: %s", s->where, why);
        session_end(s, 1);
    }
    frames_fini(&s->frames);
    s->frames = (struct frames){.fd = -1};
    s->state = SESSION_IDLE;
    s->pause_us = s->pause_us ? 2 * s->pause_us : SESSION_RETRY_US;
    s->pause_us = s->pause_us < SESSION_RARE_US ? s->pause_us : SESSION_RARE_US;
    s->retry_us = clock_now_us() + s->pause_us;
}

/* What shows whose process we are, "" if nobody asks; free with mem_free. NULL: it cannot be had
 * now, which ends this conversation. */
static char *session_badge(struct session *s)
{
    const char *munge = s->options->agent->munge;
    unsigned char number[TLS_NUMBER];
    char why[IDENTITY_WHY] = "its nonce is missing or invalid";

    if (!munge)
        return mem_strdup("");
    struct identity *b = identity_open(strcmp(munge, AGENT_MUNGE_USUAL) == 0 ? NULL : munge, why);
    bool numbered = b && tls_number(s->frames.tls, number);
    char *text = numbered ? identity_make(b, IDENTITY_AGENT, number, why) : NULL;
    identity_close(b);
    if (!text)
        session_broke(s, why);
    return text;
}

static void session_hello(struct session *s)
{
    const struct agent_node *n = s->options->node;
    struct packet m = {.type = PACKET_HELLO};
    char *credential = session_badge(s);

    if (!credential)
        return;

    m.u.hello = (struct packet_hello){.version = PACKET_VERSION,
                                      .program = n->program,
                                      .name = s->options->name,
                                      .host = n->host,
                                      .rack = n->rack,
                                      .boot = n->boot,
                                      .scratch = s->options->dir,
                                      .cores_milli = n->cores_milli,
                                      .memory_mib = n->memory_mib,
                                      .clock_us = (int64_t)time(NULL) * 1000000,
                                      .credential = credential};
    s->hello_us = clock_boot_us();
    s->state = SESSION_HELLO;
    frames_send(&s->frames, &m);
    mem_free(credential);
}

/* ---- the conversation ---- */

static void session_packet(struct session *s, struct packet *m)
{
    bool joined = s->state == SESSION_JOINED;

    if (m->type == PACKET_REFUSED) {
        err_set(s->err, "coordinator %s refused this agent: %.400s", s->where, m->u.refused.text);
        session_end(s, m->u.refused.for_good ? FLEET_STATUS_NEVER : 1);
    } else if (m->type == PACKET_WELCOME && s->state == SESSION_HELLO) {
        session_welcome(s, &m->u.welcome);
    } else if (joined && m->type == PACKET_LEAVE) {
        session_end(s, 0);
    } else if (joined && m->type == PACKET_BEAT &&
               agent_lease_answered(&s->lease, m->u.beat.sent_us, m->u.beat.lease_us)) {
        agent_pace_answered(&s->outputs.pace, m->u.beat.sent_us, clock_boot_us());
    } else if (joined && m->type == PACKET_LEASE &&
               agent_lease_answered(&s->lease, s->lease.answered_us, m->u.lease_us)) {
        return;
    } else if (joined && m->type == PACKET_LAUNCH) {
        session_launch(s, m);
    } else if (joined && m->type == PACKET_KILL) {
        runner_order(&s->runner, m);
    } else if (joined && m->type == PACKET_READ) {
        session_tell(s, m);
    } else if (joined && m->type == PACKET_PLACE) {
        session_place(s, m);
    } else if (joined && m->type == PACKET_FORGET) {
        fetch_store_forget(s->options->dir, m->handle);
    } else if (joined && m->type == PACKET_FILE) {
        session_file(s, m);
    } else {
        session_fatal(s, "the coordinator sent an invalid packet");
    }
}

/* Where to look for a coordinator. False: there will be none any more. */
static bool session_look(struct session *s)
{
    const struct agent_options *agent = s->options->agent;
    int said = agent->connect_file ? dial_read(agent->connect_file, s->where) : 0;

    if (said < 0 && s->options->sees_file)
        return false;
    if (said <= 0)
        snprintf(s->where, sizeof s->where, "%s", agent->connect);
    return true;
}

static void session_connect(struct session *s)
{
    struct err err;

    if (!session_look(s)) {
        session_end(s, 0);
        return;
    }
    int fd = dial_open(&s->dial, s->where, s->options->agent->tunnel, &err);
    if (fd < 0 && err.kind == ERR_INPUT) {
        *s->err = err;
        session_end(s, 2);
    }
    if (fd < 0) {
        session_broke(s, err.text);
        return;
    }
    frames_init(&s->frames, s->side, fd);
    s->frames.full = true; /* until it is connected */
    s->state = SESSION_CONNECTING;
    s->until_us = clock_now_us() + SESSION_GREET_US;
}

static void session_read(struct session *s)
{
    struct packet m;
    int got = 0, count = 0;

    while (!s->over && count++ < SESSION_PACKETS && (got = frames_receive(&s->frames, &m)) > 0)
        session_packet(s, &m);
    s->more = got > 0;
    if (got < 0)
        session_broke(s, s->frames.why);
}

static void session_socket(struct session *s)
{
    if (s->state == SESSION_CONNECTING) {
        int error = dial_result(s->frames.fd);
        if (error) {
            session_broke(s, strerror(error));
            return;
        }
        s->state = SESSION_GREETING;
    }
    if (s->state == SESSION_GREETING) {
        int greeted = frames_greet(&s->frames);
        if (greeted < 0)
            session_broke(s, s->frames.why);
        if (greeted <= 0)
            return;
        session_hello(s);
    }
    if (s->state >= SESSION_HELLO)
        session_read(s);
}

/* ---- the clock ---- */

/* A signal means that the node is needed otherwise: the coordinator hears of it. */
static void session_signal(struct session *s)
{
    struct signalfd_siginfo info;

    if (read(s->signal_fd, &info, sizeof info) != sizeof info)
        return;
    if (s->state == SESSION_JOINED)
        session_fatal(s, "its agent was asked to leave by a signal");
    s->err->text[0] = 0;
    s->status = 0;
    s->over = true;
}

/* Tells the coordinator that we have lived on after ends. Returns when to look again. */
static int64_t session_settle(struct session *s, int64_t now_us)
{
    struct packet m = {.type = PACKET_SETTLED};
    uint32_t n = 0;

    if (s->ends.count == 0)
        return INT64_MAX;
    int64_t due_us = s->ends.at[0] + DOUBT_US, may_us = s->settled_us + DOUBT_TELL_US;
    if (now_us < due_us || now_us < may_us)
        return due_us > may_us ? due_us : may_us;
    session_signal(s); /* whoever has ended them may have meant us, too */
    if (s->over)
        return now_us;
    while (n < s->ends.count && s->ends.at[n] + DOUBT_US <= now_us)
        n++;
    s->ends.count -= n;
    memmove(s->ends.at, s->ends.at + n, s->ends.count * sizeof *s->ends.at);
    m.u.settled = s->settled += n;
    frames_send(&s->frames, &m);
    s->settled_us = now_us;
    return s->ends.count ? now_us + DOUBT_TELL_US : INT64_MAX;
}

static int64_t session_joined_turn(struct session *s, int64_t now_us)
{
    int64_t left_us = s->lease.until_us - clock_boot_us();

    if (left_us <= 0) {
        session_end(s, AGENT_SESSION_AGAIN);
        return now_us;
    }
    if (now_us >= s->beat_us)
        session_beat(s);
    int64_t next_us = runner_turn(&s->runner);
    agent_outputs_turn(&s->outputs);
    int64_t settle_us = session_settle(s, now_us);
    next_us = settle_us < next_us ? settle_us : next_us;
    if (agent_pace_wants_beat(&s->outputs.pace))
        session_beat(s);
    next_us = s->beat_us < next_us ? s->beat_us : next_us;
    next_us = now_us + left_us < next_us ? now_us + left_us : next_us;
    return s->more ? now_us : next_us;
}

/* The first time that nobody is found for a while. Later it may be that the run is over. */
static void session_complain(struct session *s)
{
    char text[sizeof s->where + sizeof s->last + DIAL_ADDRESS + 32], address[DIAL_ADDRESS];

    s->tell_us = INT64_MAX;
    dial_address(&s->dial, address);
    snprintf(text, sizeof text, FLEET_UNREACHABLE "%s%s%s%s: %s", s->where, *address ? " (" : "",
             address, *address ? ")" : "", s->last);
    if (s->options->agent->note && !s->options->joined)
        s->options->agent->note(text);
}

/* Whatever is due. Returns when the next thing is. */
static int64_t session_turn(struct session *s)
{
    int64_t now_us = clock_now_us(), next_us = s->until_us;

    if (s->state == SESSION_IDLE) {
        if (now_us >= s->give_up_us) {
            err_system(s->err, "cannot join a run at %s: %s", s->where, s->last);
            session_end(s, 1);
        } else if (now_us >= s->tell_us) {
            session_complain(s);
        } else if (now_us >= s->retry_us) {
            session_connect(s);
        }
        next_us = s->state == SESSION_IDLE ? s->retry_us : s->until_us;
    } else if (s->state == SESSION_JOINED) {
        next_us = session_joined_turn(s, now_us);
    } else if (now_us >= s->until_us) {
        session_broke(s, "no answer");
        next_us = s->retry_us;
    }
    if (s->state >= SESSION_HELLO && frames_flush(&s->frames) < 0)
        session_broke(s, s->frames.why);
    if (s->frames.fd >= 0 && frames_watch(&s->frames, s->epoll_fd, TAG_SOCKET) < 0)
        session_broke(s, strerror(errno));
    if (s->state == SESSION_JOINED && agent_outputs_due(&s->outputs))
        next_us = now_us;
    return next_us;
}

static void session_wait(struct session *s, int64_t until_us)
{
    struct epoll_event events[SESSION_EVENTS];
    int n = sys_epoll_wait(s->epoll_fd, events, SESSION_EVENTS,
                           clock_timeout_ms(clock_now_us(), until_us));

    if (n < 0 && errno != EINTR)
        session_fatal(s, "cannot wait for events");
    for (int i = 0; i < n && !s->over; i++) {
        uint64_t tag = events[i].data.u64;
        if (tag >= TAG_RUNNER)
            runner_event(&s->runner, tag - TAG_RUNNER);
        else if (tag == TAG_SIGNAL)
            session_signal(s);
        else if (tag == TAG_SERVER)
            session_fatal(s, "its process that hands out outputs has ended");
        else
            session_socket(s);
    }
    if (s->more && !s->over)
        session_read(s);
}

/* ---- making and ending ---- */

static int session_open(struct session *s, struct err *err)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_SIGNAL};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    s->signal_fd = sys_signalfd(&mask);
    s->epoll_fd = sys_epoll_create();
    if (s->signal_fd < 0 || s->epoll_fd < 0 ||
        sys_epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, s->signal_fd, &e) < 0)
        return err_system(err, "cannot wait for events: %s", strerror(errno));
    s->side = tls_side_create(&s->options->agent->secret, false, err);
    return s->side ? 0 : -1;
}

static void session_close(struct session *s)
{
    frames_fini(&s->frames);
    if (s->has_runner && s->runner.descendants.self)
        descendants_end_all(&s->runner.descendants);
    if (s->has_runner)
        runner_fini(&s->runner);
    agent_outputs_fini(&s->outputs);
    vec_free(&s->ends);
    agent_places_fini(&s->places);
    dial_fini(&s->dial);
    tls_side_destroy(s->side);
    sys_close(&s->epoll_fd);
    sys_close(&s->signal_fd);
    sys_close(&s->server_fd);
    mem_free(s->run);
    mem_free(s->shell);
    mem_free(s->workdir);
    secret_wipe(&s->store);
}

int agent_session(const struct agent_session_options *options, struct err *err)
{
    struct session s = {.options = options,
                        .epoll_fd = -1,
                        .signal_fd = -1,
                        .frames.fd = -1,
                        .server_fd = -1,
                        .give_up_us = clock_now_us() + options->agent->linger_us,
                        .tell_us = clock_now_us() + SESSION_TELL_US,
                        .lease.shared_us = options->until_us,
                        .err = err,
                        .status = 1};

    s.outputs = (struct agent_outputs){.frames = &s.frames, .ctx = &s, .on_sent = session_on_sent};
    if (session_open(&s, err) == 0)
        while (!s.over) {
            int64_t next_us = session_turn(&s);
            if (!s.over)
                session_wait(&s, next_us);
        }
    session_close(&s);
    return s.status;
}
