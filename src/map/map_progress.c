/* map_progress.c - how far the run is: a bar on a terminal, else plain lines. */
#include "map/map_progress.h"

#include <stdio.h>

#include "map/map.h"
#include "ui/bar.h"
#include "ui/words.h"

enum { DRAW_US = 200000, LINE_US = 5000000 }; /* between two bars, and two plain lines */

void map_progress_clear(struct map *m)
{
    if (!m->progress.drawn)
        return;
    fputs("\r\033[K", stderr);
    m->progress.drawn = false;
}

void map_progress_warn(void *ctx, const char *text)
{
    map_progress_clear(ctx);
    fprintf(stderr, "dolly: %s\n", text);
}

/* Of the whole run, by the mean of earlier ones. */
static double expected_s(const struct map *m)
{
    double sum_us = 0;

    for (uint32_t i = 0; i < m->past.count; i++)
        sum_us += (double)m->past.times_us[i];
    uint32_t rounds = (m->tasks + m->slot_count - 1) / m->slot_count;
    return sum_us / m->past.count / 1e6 * rounds;
}

static void describe(const struct map *m, int64_t now_us, struct str *out)
{
    uint64_t over = m->counts.done + m->counts.failed;

    str_addf(out, "%llu of %u tasks done", (unsigned long long)m->counts.done, m->tasks);
    if (m->counts.failed)
        str_addf(out, ", %llu failed", (unsigned long long)m->counts.failed);
    str_addf(out, ", %u running", map_slots_tasks(&m->slots));
    if (m->on.agents)
        str_addf(out, " on %s", words_count(agents_connected(m->on.agents), "node").text);
    if (m->cloning)
        str_addf(out, ", %llu clones, %llu won", (unsigned long long)m->counts.extras,
                 (unsigned long long)m->counts.extras_won);
    if (over > 0 && over < m->tasks)
        str_addf(out, ", ETA %.0f s",
                 (double)now_us / 1e6 * (double)(m->tasks - over) / (double)over);
    else if (over == 0 && m->past.count) /* as earlier runs went */
        str_addf(out, ", ETA %.0f s", expected_s(m));
}

void map_progress_draw(struct map *m, int64_t now_us, bool last)
{
    const struct options *o = &m->options;
    struct str text = {0};

    if (!o->bar && !o->eta && !o->progress)
        return;
    if (!last && now_us - m->progress.drawn_us < (m->progress.terminal ? DRAW_US : LINE_US))
        return;
    m->progress.drawn_us = now_us;
    describe(m, now_us, &text);
    if (!m->progress.terminal) {
        fprintf(stderr, "dolly: %s\n", text.text);
    } else {
        uint64_t over = m->counts.done + m->counts.failed;
        bar_put(m->tasks ? (double)over / (double)m->tasks : 1, text.text);
        fputs(last ? "\n" : "", stderr);
        m->progress.drawn = !last;
    }
    str_free(&text);
}
