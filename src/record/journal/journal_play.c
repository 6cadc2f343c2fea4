/* A recorded run for those who watch live ones.
 *
 * Taps want whole turns, a file holds records, and a record's strings and arrays must live until
 * the taps have seen them: the reader keeps what a turn points to until the next one begins, and
 * here events and decisions are gathered until the turn is whole. */
#include "record/journal/journal_play.h"

#include "base/vec.h"

struct gathering {
    VEC(struct event) events;
    VEC(struct decision) decisions;
    struct record start; /* the TURN record */
    bool open;           /* and some of its records are missing */
};

static bool turn_is_whole(const struct gathering *g)
{
    return g->events.count == g->start.u.turn.event_count &&
           g->decisions.count == g->start.u.turn.decision_count;
}

/* An error of kind ERR_INPUT means that the journal cannot be of the run that the tap knows. */
static int show_turn(const struct journal_reader *r, const struct journal_play *play,
                     const struct gathering *g, struct err *err)
{
    struct turn turn = {.now_us = g->start.now_us,
                        .events = g->events.at,
                        .decisions = g->decisions.at,
                        .event_count = g->events.count,
                        .decision_count = g->decisions.count};
    for (uint32_t i = 0; i < play->tap_count; i++)
        if (play->taps[i].turn(play->taps[i].ctx, &turn, err) < 0) {
            struct err why = *err;
            if (why.kind == ERR_INPUT)
                journal_reader_object(r, turn.event_count + turn.decision_count, why.text, err);
            return -1;
        }
    return 0;
}

/* Takes one record. 0, or -1 with *err. */
static int take(const struct journal_reader *r, const struct journal_play *play,
                struct gathering *g, const struct record *record, struct journal_played *played,
                struct err *err)
{
    switch (record->type) {
    case RECORD_RUN:
        played->begun = true;
        return play->run ? play->run(play->ctx, record, err) : 0;
    case RECORD_TURN:
        vec_clear(&g->events);
        vec_clear(&g->decisions);
        g->start = *record;
        g->open = true;
        break;
    case RECORD_EVENT:
        vec_push(&g->events, record->u.event);
        break;
    case RECORD_DECISION:
        vec_push(&g->decisions, record->u.decision);
        break;
    case RECORD_INTENT:
        if (play->intent)
            play->intent(play->ctx, record);
        break;
    case RECORD_END:
        played->complete = true;
        break;
    }
    if (!g->open || !turn_is_whole(g))
        return 0;
    g->open = false;
    played->turns++;
    played->last_us = g->start.now_us;
    return show_turn(r, play, g, err);
}

int journal_play_on(struct journal_reader *r, const struct journal_play *play,
                    struct journal_played *played, struct err *err)
{
    struct gathering g = {0};
    struct journal_played ignored;
    struct record record;
    int status;

    /* Behind END too: nothing may follow it. */
    played = played ? played : &ignored;
    *played = (struct journal_played){0};
    while ((status = journal_reader_next(r, &record, err)) > 0)
        if ((status = take(r, play, &g, &record, played, err)) < 0)
            break;
    vec_free(&g.events);
    vec_free(&g.decisions);
    played->torn_bytes = journal_reader_torn(r);
    return status;
}

int journal_play(const char *path, const struct journal_play *play, struct journal_played *played,
                 struct err *err)
{
    struct journal_reader *r = journal_reader_open(path, play->follow, err);
    int status = r ? journal_play_on(r, play, played, err) : -1;
    journal_reader_close(r);
    return status;
}
