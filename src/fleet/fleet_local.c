/* fleet_local.c - agents as children of this process.
 *
 * There are as many as the least number says, more while tasks have waited for a while and fewer
 * again when agents are idle (they are told to leave by the coordinator, not by us). One that ends
 * otherwise is started again, each time after twice as long; after some vain starts its place is
 * given up. Their stderr is ours: they only speak up when something is wrong. */
#include "fleet/fleet_local.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "runner/clock.h"
#include "runner/sys.h"

enum {
    LOCAL_GRACE_US = 10000000,
    LOCAL_GROW_US = 1000000,   /* tasks wait so long before another agent is started */
    LOCAL_AGAIN_US = 500000,   /* before the first new start */
    LOCAL_LIVED_US = 10000000, /* an agent that lived so long was not started in vain */
    LOCAL_STARTS_MAX = 5,      /* vain ones in a row */
};

struct local_place {
    struct fleet_process process;
    int64_t started_us, next_us; /* when it was started last, and may be again */
    uint32_t vain;
    bool wanted; /* there should be an agent here */
};

struct fleet_local {
    struct fleet fleet; /* first */
    struct fleet_options options;
    struct local_place *places; /* fleet.max of them */
    int64_t grown_us;
};

static struct fleet_local *local_of(struct fleet *f)
{
    return (struct fleet_local *)(void *)f;
}

static void local_ended(struct fleet_local *l, struct local_place *place, const char *why)
{
    char name[32];
    int64_t now_us = clock_now_us();

    place->vain = now_us - place->started_us >= LOCAL_LIVED_US ? 0 : place->vain + 1;
    place->next_us = now_us + ((int64_t)LOCAL_AGAIN_US << place->vain);
    snprintf(name, sizeof name, "local%u", (unsigned)(place - l->places) + 1);
    l->options.on_ended(l->options.ctx, name, why);
}

static void local_start(struct fleet_local *l, struct local_place *place)
{
    char name[32], connect[32], text[128];
    const struct fleet_options *o = &l->options;
    struct epoll_event e = {.events = EPOLLIN};
    char *argv[16] = {(char *)(uintptr_t)o->program,
                      "agent",
                      "--connect",
                      connect,
                      "--key-fd",
                      "0",
                      "--name",
                      name};
    int count = 8;

    snprintf(name, sizeof name, "local%u", (unsigned)(place - l->places) + 1);
    snprintf(connect, sizeof connect, "127.0.0.1:%u", o->port);
    if (o->scratch) {
        argv[count++] = "--scratch";
        argv[count++] = (char *)(uintptr_t)o->scratch;
    }
    if (o->linger) {
        argv[count++] = "--linger";
        argv[count++] = (char *)(uintptr_t)o->linger;
    }
    place->started_us = clock_now_us();
    e.data.u64 = o->source + (uint64_t)(place - l->places);
    if (fleet_process_start(&place->process, argv, o->key, FLEET_KEY_TEXT, -1, 2, false) == 0 &&
        sys_epoll_ctl(o->epoll_fd, EPOLL_CTL_ADD, place->process.pid_fd, &e) == 0)
        return;
    snprintf(text, sizeof text, "cannot be started: %s", strerror(errno));
    fleet_process_end(&place->process, 0);
    local_ended(l, place, text);
}

/* An agent that left with status 0 was told to. */
static void local_event(struct fleet *f, uint32_t source)
{
    struct fleet_local *l = local_of(f);
    struct local_place *place = &l->places[source];
    char text[64];
    int status;

    if (source >= f->max || !fleet_process_ended(&place->process, &status))
        return;
    if (status == 0) {
        place->wanted = false;
        return;
    }
    fleet_process_tell(status, text, sizeof text);
    local_ended(l, place, text);
}

static bool local_given_up(const struct local_place *place)
{
    return place->vain >= LOCAL_STARTS_MAX;
}

static int64_t local_turn(struct fleet *f, const struct fleet_need *need)
{
    struct fleet_local *l = local_of(f);
    int64_t now_us = clock_now_us(), next_us = INT64_MAX;
    bool grow = need->waiting_us >= LOCAL_GROW_US && now_us >= l->grown_us + LOCAL_GROW_US;
    uint32_t wanted = 0;

    for (uint32_t i = 0; i < f->max; i++)
        wanted += l->places[i].wanted && !local_given_up(&l->places[i]);
    for (uint32_t i = 0; i < f->max; i++) {
        struct local_place *place = &l->places[i];
        if (!place->wanted && !local_given_up(place) && (wanted < f->min || grow)) {
            place->wanted = true;
            l->grown_us = now_us;
            grow = false;
            wanted++;
        }
        if (!place->wanted || place->process.pid || local_given_up(place))
            continue;
        if (now_us >= place->next_us)
            local_start(l, place);
        else if (place->next_us < next_us)
            next_us = place->next_us;
    }
    return next_us;
}

static bool local_hopes(const struct fleet *f)
{
    const struct fleet_local *l = (const struct fleet_local *)(const void *)f;

    for (uint32_t i = 0; i < f->max; i++)
        if (!local_given_up(&l->places[i]))
            return true;
    return false;
}

static void local_close(struct fleet *f)
{
    struct fleet_local *l = local_of(f);

    for (uint32_t i = 0; i < f->max; i++)
        fleet_process_end(&l->places[i].process, LOCAL_GRACE_US);
    mem_free(l->places);
    mem_free(l);
}

struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err)
{
    uint32_t min, max;

    if (fleet_parse_count(options->spec, &min, &max, err) < 0)
        return NULL;
    struct fleet_local *l = mem_zalloc(1, sizeof *l);
    l->fleet = (struct fleet){min, max, local_event, local_turn, local_hopes, local_close};
    l->options = *options;
    l->places = mem_zalloc(max, sizeof *l->places);
    return &l->fleet;
}
