/* map_progress.c - how far the run is: a bar on a terminal, else plain lines. */
#include "jobs/map/map_progress.h"

#include "jobs/args/quote.h"
#include "jobs/map/map.h"
#include "ui/words.h"

void map_progress_warn(void *ctx, const char *text)
{
    progress_line_say(&((struct map *)ctx)->progress, text);
}

void map_progress_ending(void *ctx, int64_t left_us, uint32_t running)
{
    const struct map *m = ctx;
    uint64_t known = m->counts.done + m->counts.failed + running;
    uint64_t waiting = m->tasks > known ? m->tasks - known : 0;
    struct str text = {0};

    str_addf(&text, "the allocation ends in %lld s: %s %s, %llu %s", (long long)(left_us / 1000000),
             words_count(running, "task").text, running == 1 ? "runs" : "run",
             (unsigned long long)waiting, waiting == 1 ? "waits" : "wait");
    if (!m->dir_private) {
        str_add(&text, "; to continue later: dolly resume ");
        quote_add_path(&text, m->dir);
    }
    map_progress_warn(ctx, text.text);
    str_free(&text);
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

static void describe(const struct map *m, struct str *out)
{
    str_addf(out, "%llu of %u tasks done", (unsigned long long)m->counts.done, m->tasks);
    if (m->counts.failed)
        str_addf(out, ", %llu failed", (unsigned long long)m->counts.failed);
    str_addf(out, ", %u running", map_slots_tasks(&m->slots));
    if (m->coordinator)
        str_addf(out, " on %s", words_count(coordinator_connected(m->coordinator), "node").text);
    if (m->cloning)
        str_addf(out, ", %llu clones, %llu won", (unsigned long long)m->counts.extras,
                 (unsigned long long)m->counts.extras_won);
}

static void describe_eta(const struct map *m, int64_t now_us, struct str *out)
{
    uint64_t over = m->counts.done + m->counts.failed;

    if (over > 0 && over < m->tasks)
        str_addf(out, "ETA %.0f s",
                 (double)now_us / 1e6 * (double)(m->tasks - over) / (double)over);
    else if (over == 0 && m->past.count) /* as earlier runs went */
        str_addf(out, "ETA %.0f s", expected_s(m));
}

void map_progress_draw(struct map *m, int64_t now_us, bool last)
{
    const struct options *o = &m->options;
    struct str text = {0}, eta = {0};

    if (!o->bar && !o->eta && !o->progress)
        return;
    if (!last && !progress_line_is_due(&m->progress, now_us))
        return;
    describe(m, &text);
    describe_eta(m, now_us, &eta);
    uint64_t over = m->counts.done + m->counts.failed;
    progress_line_put(&m->progress, now_us, m->tasks ? (double)over / (double)m->tasks : 1,
                      text.text, eta.text, last);
    str_free(&text);
    str_free(&eta);
}
