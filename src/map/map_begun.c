#include "map/map_begun.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder/ends.h"
#include "journal/journal_play.h"
#include "map/map.h"
#include "ui/words.h"

struct begun {
    VEC(struct attempt_ref) at; /* never more than run at a time, or were about to */
};

static void begun_remove(struct begun *b, struct attempt_ref at)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        if (attempt_equal(b->at.at[i], at)) {
            b->at.at[i] = b->at.at[--b->at.count];
            return;
        }
}

/* A launch that was decided may have happened. */
static int begun_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct begun *b = ctx;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *e = &turn->events[i];
        if (event_is_ending(e->type) || e->type == EV_ATTEMPT_LAUNCH_FAILED)
            begun_remove(b, e->at);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++)
        if (turn->decisions[i].type == DO_LAUNCH)
            vec_push(&b->at, turn->decisions[i].at);
    return 0;
}

static void begun_ended(void *ctx, struct attempt_ref at, const struct packet_end *end)
{
    (void)end;
    begun_remove(ctx, at);
}

static int begun_order(const void *a, const void *b)
{
    uint32_t x = ((const struct attempt_ref *)a)->task, y = ((const struct attempt_ref *)b)->task;
    return x < y ? -1 : x > y;
}

static int begun_tell(const struct map *m, struct begun *b, struct err *err)
{
    struct str command = {0};

    if (b->at.count == 0)
        return 0;
    for (uint32_t i = 0; i < b->at.count; i++)
        b->at.at[i] = map_feed_from_brain(&m->feed, b->at.at[i]);
    qsort(b->at.at, b->at.count, sizeof *b->at.at, begun_order);
    for (uint32_t i = 0; i < b->at.count; i++) {
        uint32_t task = b->at.at[i].task;
        str_cut(&command, 0);
        plan_command(m->plan, task, 1, &command);
        fprintf(stderr, "%llu\t%s\n", (unsigned long long)plan_seq(m->plan, task), command.text);
    }
    str_free(&command);
    return err_set(err, "%s: %s running, and would run a second time; without --once they do",
                   m->dir, words_were(b->at.count, "command").text);
}

int map_begun_refuse(const struct map *m, struct err *err)
{
    struct begun b = {0};
    struct tap tap = {&b, begun_turn};
    char path[PATH_MAX];

    if (m->options.clone || m->options.pure)
        return 0;
    snprintf(path, sizeof path, "%s/journal", m->dir);
    int result =
        journal_play(path, &(struct journal_play){.taps = &tap, .tap_count = 1}, NULL, err);
    if (result == 0) {
        ends_read(m->dir, begun_ended, &b);
        result = begun_tell(m, &b, err);
    }
    vec_free(&b.at);
    return result;
}
