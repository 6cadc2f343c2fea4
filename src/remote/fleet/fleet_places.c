/* fleet_places.c - processes that are agents, or have them run elsewhere. What they
 * write to stderr is read when they have ended. */
#include "remote/fleet/fleet_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_errors.h"
#include "remote/fleet/fleet_words.h"
#include "remote/wire/lease.h"

enum {
    PLACES_GRACE_US = 10000000,
    PLACES_GROW_US = 1000000,  /* tasks wait so long before another agent is started */
    PLACES_AGAIN_US = 500000,  /* before the first new start */
    PLACES_MUTE_US = 10000000, /* who has not connected by then, and says so, is no hope */
    PLACES_STARTS_MAX = 5,     /* vain ones in a row: without joining */
    PLACES_LOOK_US = 1000000,  /* between two looks whether one of these is still there */
};

struct fleet_place {
    struct fleet_process process;
    int64_t started_us, next_us; /* when it was started last, and may be again */
    uint32_t vain;
    bool wanted; /* there should be an agent here */
    bool joined; /* there was, since it was started last */
    bool mute;   /* it says that it cannot connect */
    bool moves;  /* ... and is ended, to be started by another way */
};

struct fleet_places {
    struct fleet fleet; /* first */
    struct fleet_options options;
    struct fleet_places_options ways;
    struct fleet_place *places; /* fleet.max of them */
    int64_t grown_us;
    bool waits; /* the user knows that we do, for agents of an earlier coordinator */
};

static struct fleet_places *places_of(struct fleet *f)
{
    return (struct fleet_places *)(void *)f;
}

static void place_ended(struct fleet_places *p, struct fleet_place *place, const char *how)
{
    char name[FLEET_NAME_MAX + 1], line[300], why[400];
    int64_t now_us = clock_now_us();

    place->vain = place->joined ? 0 : place->vain + 1;
    place->next_us = now_us + ((int64_t)PLACES_AGAIN_US << place->vain);
    p->ways.name(p->ways.ctx, (uint32_t)(place - p->places), name);
    fleet_errors_take(p->options.dir, name, line, sizeof line);
    snprintf(why, sizeof why, "%s%s%s", how, line[0] ? ": " : "", line);
    p->options.on_ended(p->options.ctx, name, why);
}

static void place_start(struct fleet_places *p, struct fleet_place *place)
{
    char name[FLEET_NAME_MAX + 1], text[128];
    const struct fleet_options *o = &p->options;
    uint32_t number = (uint32_t)(place - p->places);
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = o->epoll_tag + number};
    struct fleet_words words = {0};

    p->ways.name(p->ways.ctx, number, name);
    p->ways.command(p->ways.ctx, number, name, &words);
    place->started_us = clock_now_us();
    place->joined = place->mute = place->moves = false;
    int fd = fleet_errors_open(o->dir, name);
    if (fleet_process_start(&place->process, fleet_words_argv(&words), o->key, FLEET_KEY_TEXT, -1,
                            fd, o->stays) < 0 ||
        sys_epoll_ctl(o->epoll_fd, EPOLL_CTL_ADD, place->process.pid_fd, &e) < 0) {
        snprintf(text, sizeof text, "cannot be started: %s", strerror(errno));
        fleet_process_end(&place->process, 0);
        place_ended(p, place, text);
    }
    sys_close(&fd);
    fleet_words_fini(&words);
}

/* Removes what the process has written. */
static void place_forget(struct fleet_places *p, uint32_t number)
{
    char name[FLEET_NAME_MAX + 1], line[16];

    p->ways.name(p->ways.ctx, number, name);
    fleet_errors_take(p->options.dir, name, line, sizeof line);
}

/* An agent that left with status 0 was told to. */
static void places_event(struct fleet *f, uint32_t tag)
{
    struct fleet_places *p = places_of(f);
    struct fleet_place *place = tag < f->max ? &p->places[tag] : NULL;
    char text[64];
    int status;

    if (!place || !fleet_process_ended(&place->process, &status))
        return;
    if (place->moves) {
        place->next_us = clock_now_us();
        place->mute = false;
        place_forget(p, tag);
        return;
    }
    if (status == 0) {
        place->wanted = false;
        place_forget(p, tag);
        return;
    }
    fleet_process_tell(status, text, sizeof text);
    place_ended(p, place, text);
    if (WIFEXITED(status) && WEXITSTATUS(status) == FLEET_STATUS_NEVER)
        place->vain = PLACES_STARTS_MAX;
}

static bool place_given_up(const struct fleet_place *place)
{
    return place->vain >= PLACES_STARTS_MAX;
}

/* Whether an agent of this place is there. We need not have started it, and its process here may
 * have ended: a connection of ssh that broke does not end it. */
static bool place_is_taken(const struct fleet_places *p, uint32_t number,
                           const struct fleet_need *need)
{
    char name[FLEET_NAME_MAX + 1];

    p->ways.name(p->ways.ctx, number, name);
    for (uint32_t i = 0; i < need->connected; i++)
        if (strcmp(need->agents[i].name, name) == 0)
            return true;
    return false;
}

/* Whether the agent has joined; or says, on its stderr, that it cannot. Returns when to look
 * again. */
static int64_t place_look(struct fleet_places *p, uint32_t number, const struct fleet_need *need)
{
    struct fleet_place *place = &p->places[number];
    char name[FLEET_NAME_MAX + 1], line[300], text[340];

    if (place->joined || place->mute || !place->process.pid)
        return INT64_MAX;
    place->joined = place_is_taken(p, number, need);
    if (place->joined)
        return INT64_MAX;
    p->ways.name(p->ways.ctx, number, name);
    fleet_errors_look(p->options.dir, name, line, sizeof line);
    const char *why = strstr(line, FLEET_UNREACHABLE);
    if (!why)
        return clock_now_us() + PLACES_LOOK_US;
    place->mute = true;
    place->moves = p->ways.detour && p->ways.detour(p->ways.ctx, number);
    if (place->moves)
        kill(place->process.pid, SIGTERM);
    snprintf(text, sizeof text, "%s%s", why, place->moves ? "; trying through ssh" : "");
    if (p->options.on_mute)
        p->options.on_mute(p->options.ctx, name, text);
    return INT64_MAX;
}

static int64_t places_turn(struct fleet *f, const struct fleet_need *need)
{
    struct fleet_places *p = places_of(f);
    int64_t now_us = clock_now_us(), next_us = INT64_MAX;
    if (p->options.again && !p->waits && p->options.on_note)
        p->options.on_note(p->options.ctx, FLEET_WAITS);
    p->waits = true;
    bool grow = need->waiting_us >= PLACES_GROW_US && now_us >= p->grown_us + PLACES_GROW_US;
    uint32_t wanted = 0;

    for (uint32_t i = 0; i < f->max; i++)
        wanted += p->places[i].wanted && !place_given_up(&p->places[i]);
    for (uint32_t i = 0; i < f->max; i++) {
        struct fleet_place *place = &p->places[i];
        int64_t look_us = place_look(p, i, need);
        next_us = look_us < next_us ? look_us : next_us;
        if (!place->wanted && !place_given_up(place) && (wanted < f->min || grow)) {
            place->wanted = true;
            p->grown_us = now_us;
            grow = false;
            wanted++;
        }
        if (!place->wanted || place->process.pid || place_given_up(place))
            continue;
        if (now_us >= place->next_us && place_is_taken(p, i, need))
            place->next_us = now_us + PLACES_LOOK_US;
        if (now_us >= place->next_us)
            place_start(p, place);
        else if (place->next_us < next_us)
            next_us = place->next_us;
    }
    return next_us;
}

static bool places_hopes(const struct fleet *f)
{
    const struct fleet_places *p = (const struct fleet_places *)(const void *)f;

    for (uint32_t i = 0; i < f->max; i++) {
        const struct fleet_place *place = &p->places[i];
        bool mute = place->mute && clock_now_us() - place->started_us >= PLACES_MUTE_US;
        if (!place_given_up(place) && !mute)
            return true;
    }
    return false;
}

static void places_close(struct fleet *f)
{
    struct fleet_places *p = places_of(f);

    /* One that has not joined yet was not told to leave. */
    for (uint32_t i = 0; i < f->max; i++)
        if (p->places[i].process.pid)
            kill(p->places[i].process.pid, SIGTERM);
    for (uint32_t i = 0; i < f->max; i++) {
        if (p->places[i].process.pid == 0)
            continue;
        fleet_process_end(&p->places[i].process, PLACES_GRACE_US);
        place_forget(p, i);
    }
    if (p->ways.free)
        p->ways.free(p->ways.ctx);
    mem_free(p->places);
    mem_free(p);
}

struct fleet *fleet_places_open(const struct fleet_places_options *options)
{
    struct fleet_places *p = mem_zalloc(1, sizeof *p);

    p->fleet = (struct fleet){options->min, options->max, places_event, places_turn,
                              places_hopes, places_close, false};
    p->ways = *options;
    p->options = *options->fleet;
    p->places = mem_zalloc(options->max, sizeof *p->places);
    for (uint32_t i = 0; p->options.again && i < options->max; i++)
        p->places[i].next_us = clock_now_us() + LEASE_US; /* by then those that were left know */
    return &p->fleet;
}
