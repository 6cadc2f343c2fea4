#include "remote/agent/agent_pace.h"

#include <string.h>

static int64_t pace_window(const struct agent_pace *p)
{
    return p->window ? p->window : AGENT_PACE_FIRST;
}

bool agent_pace_allows(const struct agent_pace *p)
{
    return p->total - p->behind < pace_window(p);
}

int64_t agent_pace_piece(const struct agent_pace *p)
{
    return pace_window(p) / 4;
}

void agent_pace_sent(struct agent_pace *p, int64_t bytes)
{
    p->total += bytes;
}

bool agent_pace_wants_beat(const struct agent_pace *p)
{
    return p->count < AGENT_PACE_MARKS && p->total - p->marked >= agent_pace_piece(p);
}

void agent_pace_mark(struct agent_pace *p, int64_t sent_us)
{
    if (p->count == AGENT_PACE_MARKS || p->total == p->marked)
        return;
    p->marks[p->count].sent_us = sent_us;
    p->marks[p->count++].total = p->total;
    p->marked = p->total;
}

void agent_pace_answered(struct agent_pace *p, int64_t sent_us, int64_t now_us)
{
    int64_t before = p->behind, window = pace_window(p);
    uint32_t answered = 0;

    while (answered < p->count && p->marks[answered].sent_us < sent_us)
        p->behind = p->marks[answered++].total;
    if (answered < p->count && p->marks[answered].sent_us == sent_us) /* the first of these */
        p->behind = p->marks[answered++].total;
    p->count -= answered;
    memmove(p->marks, p->marks + answered, p->count * sizeof *p->marks);
    if (p->behind == before)
        return;
    if (now_us - sent_us > AGENT_PACE_SLOW_US) {
        if (p->behind > p->halved) { /* else it was sent before the last time */
            window /= 2;
            p->halved = p->total;
        }
    } else if (now_us - sent_us < AGENT_PACE_QUICK_US) {
        window += p->behind - before;
    }
    p->window = window < AGENT_PACE_LEAST  ? AGENT_PACE_LEAST
                : window > AGENT_PACE_MOST ? AGENT_PACE_MOST
                                           : window;
}
