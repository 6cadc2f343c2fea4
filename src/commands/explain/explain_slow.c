/* explain_slow.c - the slowest task of a phase, and what held it up.
 *
 * Several things may: it was launched late, ran again, was backed up late, waited for its input,
 * has more input, or its attempt was slow. record/story/story_race.h says how many seconds each
 * took compared with the median task; the heaviest comes first, and what does not matter is left
 * out.
 */
#include <inttypes.h>

#include "commands/explain/explain.h"
#include "record/story/story_pace.h"
#include "ui/words.h"

static void add_again(const struct explain *x, const struct story_attempt *w, struct str *out)
{
    const struct story_task *t = &x->job->phases[w->phase].tasks[w->task];
    for (uint16_t i = 0; i < w->ordinal; i++) {
        const struct story_attempt *a = story_job_attempt(x->job, t, i);
        if (!a || a->ended_us < 0 || a->ended_us > w->launched_us)
            continue;
        str_addf(out, " attempt %u ", i);
        if (a->won)
            str_add(out, "won and its output was lost");
        else
            explain_attempt_failure(x, a, out);
        str_add(out, i + 1 < w->ordinal ? "," : ".");
    }
}

static void add_slow(const struct explain *x, const struct story_attempt *w,
                     const struct story_slow *s, struct str *out)
{
    struct explain_name node = explain_node(x, w->node);
    int64_t work_us = story_pace_work_us(w);
    str_addf(out,
             "Attempt %u on %s was slow: %s for what takes %s at the median rate, %s times as "
             "long.",
             w->ordinal, node.text, words_time(work_us).text, words_time(work_us - s->slow_us).text,
             words_number(s->ratio, 3).text);
    double median = x->facts.phases[w->phase].median_bytes;
    if (median > 1 && s->bytes < 0.9 * median) /* who has less to do may be slow in no more time */
        str_addf(out, " It had less to read than the median task: %s, not %s.",
                 words_bytes(s->bytes).text, words_bytes(median).text);
    if (2 * w->still_us >= s->slow_us)
        str_addf(out, " It stood still for at least %s at %s.", words_time(w->still_us).text,
                 words_share(w->still_at).text);
    if (s->node_others == 0)
        str_addf(out, " Nothing else of the phase ran on %s to compare with.", node.text);
    else if (2 * s->node_slow > s->node_others)
        str_addf(out, " The node seems to be slow: so were %u of %u others on %s.", s->node_slow,
                 s->node_others, node.text);
    else
        str_addf(out, " It was not the node: %u of %u others on %s were not slow.",
                 s->node_others - s->node_slow, s->node_others, node.text);
}

static void add_burden(const struct explain *x, const struct story_attempt *w,
                       const struct story_slow *s, enum story_cause what, int64_t us,
                       struct str *out)
{
    double bytes = x->facts.phases[w->phase].median_bytes;
    struct words time = words_time(us);
    switch (what) {
    case STORY_LATE:
        str_addf(out, "It was launched %s later than the median task: it had to wait its turn.",
                 time.text);
        return;
    case STORY_AGAIN:
        str_addf(out, "It had to run again, which cost %s:", time.text);
        add_again(x, w, out);
        return;
    case STORY_NOTICED:
        str_addf(out,
                 "The attempt before it was slow, and attempt %u, a backup, came only after %s.",
                 w->ordinal, time.text);
        return;
    case STORY_READS:
        str_addf(out, "It waited %s longer for its inputs than the median task.", time.text);
        return;
    case STORY_SKEW:
        str_addf(out, "Its input is %s times the median (%s, not %s): at the median rate %s more.",
                 words_number(s->bytes / bytes, 3).text, words_bytes(s->bytes).text,
                 words_bytes(bytes).text, time.text);
        return;
    case STORY_SLOW_ATTEMPT:
    case STORY_SLOW_NODE:
    default:
        add_slow(x, w, s, out);
        return;
    }
}

/* Other tasks that took more than twice what they should: the longest first, a few of them. */
static void add_others(const struct explain *x, uint16_t phase, struct str *out)
{
    enum { SHOWN_MAX = 5 };
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    struct {
        int64_t us;
        uint32_t task;
    } shown[SHOWN_MAX + 1];
    uint32_t count = 0, kept = 0;
    for (uint32_t t = 0; t < p->count; t++) {
        struct story_race r = story_race_winner(x->job, p, t);
        if (!r.winner || t == f->slowest)
            continue;
        const struct story_attempt *own = r.own ? r.own : r.winner;
        int64_t us = p->tasks[t].committed_us - own->launched_us;
        double bytes = f->median_bytes > 1 ? story_pace_bytes(x->job, r.winner) : 1;
        if ((double)us <= 2 * f->median_hold_per_byte * bytes)
            continue;
        count++;
        uint32_t at = kept;
        for (; at > 0 && shown[at - 1].us < us; at--)
            shown[at] = shown[at - 1];
        shown[at].us = us;
        shown[at].task = t;
        kept = kept < SHOWN_MAX ? kept + 1 : SHOWN_MAX;
    }
    if (count == 0)
        return;
    str_addf(out, "%s also took more than twice the median:\n", words_count(count, "task").text);
    for (uint32_t i = 0; i < kept; i++) {
        str_addf(out, "  task %" PRIu64 ": %s", explain_number(x, shown[i].task),
                 words_time(shown[i].us).text);
        explain_command(x, shown[i].task, " (", ")", out);
        str_add(out, "\n");
    }
    if (count > kept)
        str_addf(out, "  and %u more\n", count - kept);
}

void explain_slow(const struct explain *x, uint16_t phase, struct str *out)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    if (f->slowest == STORY_NONE || !f->has_medians)
        return;
    struct story_slow s = story_race_slow(x->job, f, p, f->slowest);
    struct story_race race = story_race_winner(x->job, p, f->slowest);
    int64_t held_us[STORY_CAUSES];
    story_race_causes(f, &s, held_us);
    bool open = f->ended_us < 0;
    str_addf(out, "The slowest task %swas %" PRIu64, open ? "so far " : "",
             explain_number(x, f->slowest));
    explain_command(x, f->slowest, " (", ")", out);
    str_addf(out, ": done at %s", words_time(p->tasks[f->slowest].committed_us).text);
    if (s.behind_us > 0)
        str_addf(out, ", %s after the median one.\n", words_time(s.behind_us).text);
    else
        str_add(out, ", no later than the median one.\n");
    bool any = false;
    while (!open) { /* the heaviest first; what holds up a phase is known at its end */
        int worst = 0;
        for (int i = 1; i < STORY_CAUSES; i++)
            if (held_us[i] > held_us[worst])
                worst = i;
        if (held_us[worst] == 0)
            break;
        str_add(out, "  ");
        add_burden(x, race.winner, &s, (enum story_cause)worst, held_us[worst], out);
        str_add(out, "\n");
        held_us[worst] = 0;
        any = true;
    }
    if (!open && !any && s.behind_us > 0)
        str_add(out, "  Nothing in particular held it up.\n");
    add_others(x, phase, out);
}
