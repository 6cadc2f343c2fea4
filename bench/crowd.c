/* crowd - a thousand agents in one process, which run nothing: what is left is the coordinator's
 * part.
 *
 *     crowd AGENTS PROGRAM HOST:PORT TASK_US RESULT COORDINATOR [MUNGE]
 *
 * COORDINATOR is its process; it gives the key of the run on stdin. MUNGE is what agents get as
 * --munge, if they do.
 *
 * Each agent speaks as docs/inside/protocol.md has it, says that it has one core, and makes the
 * private folders of attempts in the folder of the run. An attempt has started at once and ends
 * well, without output, after TASK_US, half more or half less, by lot: were they all alike, they
 * would end in waves. When the coordinator tells its agents to leave, RESULT gets one line:
 *
 *     how many attempts have ended, how many that were in a second,
 *     from an end to the next launch at the same agent, us: median, 99th percentile,
 *     what the coordinator has used: seconds of processors, KiB of memory at most
 *
 * Agents still come during the first tenth, and tasks run out in the last: these two are left out
 * of all but the sums. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/os/clock.h"
#include "base/rng.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"
#include "remote/agent/agent.h"
#include "remote/wire/dial.h"
#include "remote/wire/frames.h"
#include "remote/wire/identity.h"
#include "remote/wire/lease.h"

enum { CROWD_EVENTS = 256, CROWD_AT_ONCE = 64 }; /* agents that connect at a time */

enum crowd_state { CROWD_IDLE, CROWD_CONNECTING, CROWD_JOINED, CROWD_LEFT };

struct member {
    enum crowd_state state;
    bool greeted, stirred;
    struct frames frames;
    uint32_t handle, place; /* of the attempt that runs there */
    int64_t ended_us;       /* when the last one did; 0: there was none */
    int64_t beat_us;        /* when it has to be heard again */
};

struct crowd {
    uint32_t count, left, connecting;
    int coordinator;
    double cpu_s; /* of the coordinator, when it said goodbye */
    long peak_kib;
    int epoll_fd;
    char program[17], run[PATH_MAX];
    int64_t task_us;
    struct dial dial;
    struct tls_side *side;
    struct identity *identity; /* NULL: none is asked for */
    struct member *at;
    struct rng lot;
    struct heap running; /* members, by the end of their attempts */
    VEC(int64_t) ends;   /* when */
    VEC(int64_t) turns;  /* from an end to the next launch there */
};

static void crowd_die(const char *what)
{
    fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- one agent ---- */

static void member_connect(struct crowd *c, uint32_t i)
{
    int fd = dial_try(&c->dial);

    if (fd < 0)
        crowd_die("connect");
    frames_init(&c->at[i].frames, c->side, fd);
    c->at[i].frames.full = true; /* until it is connected */
    c->at[i].state = CROWD_CONNECTING;
    c->connecting++;
    if (frames_watch(&c->at[i].frames, c->epoll_fd, i) < 0)
        crowd_die("epoll");
}

static void member_hello(struct crowd *c, uint32_t i)
{
    char name[32], why[IDENTITY_WHY] = "its nonce is missing or invalid", *identity = NULL;
    unsigned char number[TLS_NUMBER];
    struct packet m = {.type = PACKET_HELLO};

    if (c->identity &&
        (!tls_number(c->at[i].frames.tls, number) ||
         !(identity = identity_make(c->identity, IDENTITY_AGENT, number, why))))
        crowd_die(why);
    snprintf(name, sizeof name, "a.crowd%u", i);
    m.u.hello = (struct packet_hello){.version = PACKET_VERSION,
                                      .program = c->program,
                                      .name = name,
                                      .host = name,
                                      .rack = "",
                                      .boot = name,
                                      .scratch = "/",
                                      .cores_milli = 1000,
                                      .credential = identity ? identity : ""};
    frames_send(&c->at[i].frames, &m);
    mem_free(identity);
}

static void member_beat(struct member *m, int64_t now_us)
{
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {.sent_us = now_us, .free_bytes = -1}};

    frames_send(&m->frames, &beat);
    m->beat_us = now_us + LEASE_BEAT_US;
    m->stirred = true;
}

/* Makes a private folder as a runner does, unless there is one that can be used again. */
static void member_folder(const struct crowd *c, const char *dir, const char *reuse)
{
    static const char *const files[] = {"stdout", "stderr"};
    char path[2 * PATH_MAX], old[2 * PATH_MAX];

    if (strcmp(dir, reuse) == 0)
        return;
    snprintf(path, sizeof path, "%s/%s", c->run, dir);
    snprintf(old, sizeof old, "%s/%s", c->run, reuse);
    if (!*reuse || rename(old, path) < 0) {
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%s/tmp", c->run, dir);
        mkdir(path, 0700);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", c->run, dir, files[i]);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            crowd_die(path);
        close(fd);
    }
}

static void member_launch(struct crowd *c, uint32_t i, const struct packet *p)
{
    struct member *m = &c->at[i];
    struct packet started = {.type = PACKET_STARTED, .handle = p->handle};
    int64_t takes_us = c->task_us / 2 + (int64_t)rng_below(&c->lot, (uint64_t)c->task_us + 1);

    member_folder(c, p->u.launch.dir, p->u.launch.reuse);
    int64_t now_us = clock_now_us();

    frames_send(&m->frames, &started);
    m->handle = p->handle;
    heap_push(&c->running, now_us + takes_us, i, &m->place);
    if (m->ended_us)
        vec_push(&c->turns, now_us - m->ended_us);
    m->ended_us = 0;
}

/* What the coordinator has used so far. */
static void crowd_look_up(struct crowd *c)
{
    char path[64], line[512];
    unsigned long user = 0, system = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", c->coordinator);
    FILE *f = fopen(path, "r");
    const char *at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (!at ||
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        crowd_die(path);
    fclose(f);
    c->cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%d/status", c->coordinator);
    if (!(f = fopen(path, "r")))
        crowd_die(path);
    while (fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %ld", &c->peak_kib) != 1)
        continue;
    fclose(f);
}

static void member_leave(struct crowd *c, uint32_t i)
{
    frames_fini(&c->at[i].frames);
    if (c->at[i].place != HEAP_NOWHERE)
        heap_remove(&c->running, &c->at[i].place);
    c->connecting -= c->at[i].state == CROWD_CONNECTING;
    c->at[i].state = CROWD_LEFT;
    c->left++;
}

static void member_packet(struct crowd *c, uint32_t i, const struct packet *p)
{
    struct member *m = &c->at[i];
    struct packet ready = {.type = PACKET_READY, .u.ready.shared = 1};

    if (p->type == PACKET_WELCOME) {
        snprintf(c->run, sizeof c->run, "%s", p->u.welcome.dir);
        frames_send(&m->frames, &ready);
        m->state = CROWD_JOINED;
        c->connecting--;
    } else if (p->type == PACKET_LAUNCH) {
        member_launch(c, i, p);
    } else if (p->type == PACKET_LEAVE) {
        if (!c->peak_kib)
            crowd_look_up(c);
        member_leave(c, i);
    } else if (p->type == PACKET_REFUSED) {
        fprintf(stderr, "crowd: refused: %s\n", p->u.text);
        member_leave(c, i);
    }
}

static void member_event(struct crowd *c, uint32_t i)
{
    struct member *m = &c->at[i];
    struct packet p;
    int got = frames_greet(&m->frames);

    if (got > 0 && !m->greeted) {
        m->greeted = true;
        member_hello(c, i);
    }
    m->stirred = true;
    while (got > 0 && m->state != CROWD_LEFT && (got = frames_receive(&m->frames, &p)) > 0)
        member_packet(c, i, &p);
    if (got < 0 && m->state != CROWD_LEFT)
        member_leave(c, i);
}

/* ---- all of them ---- */

/* Ends what is due. Returns when the next is. */
static int64_t crowd_end_due(struct crowd *c, int64_t now_us)
{
    const struct heap_item *next;

    while ((next = heap_top(&c->running)) && next->key <= now_us) {
        struct member *m = &c->at[next->tie];
        struct packet p = {.type = PACKET_EXITED, .handle = m->handle};
        p.u.end = (struct packet_end){.wall_us = c->task_us, .cpu_us = c->task_us};
        heap_remove(&c->running, &m->place);
        frames_send(&m->frames, &p);
        m->stirred = true;
        m->ended_us = now_us;
        vec_push(&c->ends, now_us);
    }
    return next ? next->key : INT64_MAX;
}

static int64_t crowd_turn(struct crowd *c)
{
    int64_t now_us = clock_now_us(), next_us = crowd_end_due(c, now_us);

    for (uint32_t i = 0; i < c->count; i++) {
        struct member *m = &c->at[i];
        if (m->state == CROWD_IDLE && c->connecting < CROWD_AT_ONCE)
            member_connect(c, i);
        if (m->state == CROWD_JOINED && now_us >= m->beat_us)
            member_beat(m, now_us);
        if (m->state == CROWD_JOINED && m->beat_us < next_us)
            next_us = m->beat_us;
        if (!m->stirred || m->state == CROWD_LEFT)
            continue;
        m->stirred = false;
        if (frames_flush(&m->frames) < 0 || frames_watch(&m->frames, c->epoll_fd, i) < 0)
            member_leave(c, i);
    }
    return next_us;
}

static void crowd_run(struct crowd *c)
{
    struct epoll_event events[CROWD_EVENTS];

    while (c->left < c->count) {
        int64_t next_us = crowd_turn(c);
        int n = epoll_wait(c->epoll_fd, events, CROWD_EVENTS,
                           clock_timeout_ms(clock_now_us(), next_us));
        for (int i = 0; i < n; i++)
            if (c->at[events[i].data.u64].state != CROWD_LEFT)
                member_event(c, (uint32_t)events[i].data.u64);
    }
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void crowd_tell(struct crowd *c, const char *path)
{
    FILE *f = fopen(path, "w");
    uint32_t n = c->ends.count, turns = c->turns.count;

    if (!f)
        crowd_die(path);
    if (n < 10 || turns == 0) {
        fprintf(stderr, "crowd: too few attempts to tell anything\n");
        exit(1);
    }
    int64_t took_us = c->ends.at[n - 1 - n / 10] - c->ends.at[n / 10];
    int64_t *at = c->turns.at + turns / 10;
    turns -= turns / 5;
    qsort(at, turns, sizeof *at, by_size);
    fprintf(f, "%u %.0f %lld %lld %.3f %ld\n", n,
            1e6 * (n - n / 5) / (double)(took_us ? took_us : 1), (long long)at[turns / 2],
            (long long)at[turns - 1 - turns / 100], c->cpu_s, c->peak_kib);
    fclose(f);
}

int main(int argc, char **argv)
{
    struct crowd c = {.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    struct secret secret;
    struct err err;
    char why[IDENTITY_WHY];
    int64_t bytes;
    uint64_t checksum;

    if (argc != 7 && argc != 8) {
        fprintf(stderr,
                "usage: crowd AGENTS PROGRAM HOST:PORT TASK_US RESULT COORDINATOR [MUNGE]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    c.count = (uint32_t)atoi(argv[1]);
    c.task_us = atoll(argv[4]);
    c.coordinator = atoi(argv[6]);
    c.at = mem_zalloc(c.count, sizeof *c.at);
    for (uint32_t i = 0; i < c.count; i++)
        c.at[i].place = HEAP_NOWHERE;
    c.lot = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    if (run_dir_checksum(argv[2], &bytes, &checksum) < 0)
        crowd_die(argv[2]);
    snprintf(c.program, sizeof c.program, "%016llx", (unsigned long long)checksum);
    if (secret_read_fd(&secret, 0, &err) < 0 || dial_find(&c.dial, argv[3], &err) < 0 ||
        !(c.side = tls_side_create(&secret, false, &err))) {
        fprintf(stderr, "crowd: %s\n", err.text);
        return 1;
    }
    if (argc == 8 &&
        !(c.identity = identity_open(strcmp(argv[7], AGENT_MUNGE_USUAL) == 0 ? NULL : argv[7], why)))
        crowd_die(why);
    crowd_run(&c);
    crowd_tell(&c, argv[5]);
    return 0;
}
