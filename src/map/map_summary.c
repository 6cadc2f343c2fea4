/* map_summary.c - the words at the end: how long, who was slowest and why, what cloning saved or
 * could have saved, what it all cost. On stderr, because stdout belongs to the tasks.
 *
 * All numbers about time and cloning are worked out from the turns of the run as stats/story does
 * it for `dolly explain`, so both say the same: there is one definition of "saved". */
#include "map/map_summary.h"

#include <stdio.h>

#include "base/stat.h"
#include "map/map.h"
#include "stats/story.h"
#include "ui/words.h"

/* ---- numbers ---- */

struct map_summary_facts map_summary_facts(const struct map *m)
{
    struct map_summary_facts facts = {
        .median_s = stat_median(m->counts.runtimes.at, m->counts.runtimes.count)};
    const struct story_job *j = m->summary.story ? story_job(m->summary.story) : NULL;
    struct story_facts f;

    if (!j)
        return facts;
    int64_t last_us = story_run(m->summary.story)->last_us;
    story_facts_init(&f, j, true, last_us);
    facts.took_us = (j->over_us >= 0 ? j->over_us : last_us) - j->submitted_us;
    facts.would = f.would;
    facts.won_by_extra = f.phases[0].won_by_extra;
    facts.beat_straggler = f.phases[0].beat_straggler;
    facts.stragglers = f.phases[0].stragglers;
    facts.unsure = f.phases[0].unsure;
    facts.slot_s = f.slot_s;
    for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
        facts.vain_slot_s += f.vain_slot_s[kind];
    story_facts_fini(&f);
    return facts;
}

/* ---- words ---- */

/* The slowest task against the others. */
static void add_comparison(struct str *out, const struct map_end *e, double median)
{
    double busy = e->runtime_s > 0 ? e->cpu_s / e->runtime_s : 0;

    str_addf(out, "%.2g times the median of %.3g s: ", median > 0 ? e->runtime_s / median : 1,
             median);
    if (e->runtime_s <= 2 * median)
        str_add(out, "no straggler");
    else if (busy > 0.7)
        str_addf(out, "it computed (%.0f %% CPU), so it had more to do or a slow core", busy * 100);
    else
        str_addf(out, "it mostly waited (%.0f %% CPU)", busy * 100);
}

static void print_slowest(const struct map *m, double median)
{
    const struct map_end *e = &m->counts.slowest_end;
    struct str command = {0}, out = {0};

    if (m->counts.runtimes.count > 1)
        add_comparison(&out, e, median);
    else
        str_add(&out, "the only one that is done");
    plan_command(m->plan, m->counts.slowest, 1, &command);
    fprintf(stderr, "dolly: slowest task %llu: %.3g s, %s (%.60s)\n",
            (unsigned long long)plan_seq(m->plan, m->counts.slowest), e->runtime_s, out.text,
            command.text ? command.text : "");
    str_free(&command);
    str_free(&out);
}

static void print_cloning(const struct map *m, const struct map_summary_facts *f)
{
    struct str out = {0};
    struct words_saved saved = words_saved(&f->would, f->unsure > 0);
    struct words cost = words_time(f->would.straggling_us);
    bool straggled = f->would.straggling_us * 100 > f->took_us;

    if (m->cloning) {
        str_addf(&out, "cloning: %s, %llu won; %s averted; ",
                 words_count(m->counts.extras, "clone").text, (unsigned long long)f->won_by_extra,
                 words_count(f->beat_straggler, "straggler").text);
        if (saved.is_known)
            str_addf(&out, "saved %s", saved.text);
        else if (f->unsure > 0)
            str_add(&out,
                    "what they saved cannot be known, those they beat did not run to their end");
        else
            str_add(&out, "saved nothing");
        if (straggled)
            str_addf(&out, "; straggling cost about %s all the same", cost.text);
    } else if (straggled) {
        str_addf(&out,
                 "cloning was off; straggling cost about %s of %s: if the command is safe to run "
                 "twice, try --pure",
                 cost.text, words_time(f->took_us).text);
    } else {
        str_add(&out, m->counts.runtimes.count > 1
                          ? "cloning was off and would have saved next to nothing"
                          : "cloning was off");
    }
    fprintf(stderr, "dolly: %s\n", out.text);
    str_free(&out);
}

void map_summary(const struct map *m)
{
    const struct map_counts *c = &m->counts;
    struct map_summary_facts f = map_summary_facts(m);

    fprintf(stderr, "dolly: %s in %s: %llu done, %llu failed, %llu attempts\n",
            words_count(m->tasks, "task").text, words_time(f.took_us).text,
            (unsigned long long)c->done, (unsigned long long)c->failed,
            (unsigned long long)c->attempts);
    if (m->counts.runtimes.count > 0) {
        print_slowest(m, f.median_s);
        print_cloning(m, &f);
    }
    fprintf(stderr,
            "dolly: resources: %.3g slot-seconds, %.3g of them for attempts that did not win; "
            "%.3g s of CPU; largest process %.3g MiB\n",
            f.slot_s, f.vain_slot_s, c->cpu_s, (double)c->peak_rss_kib / 1024);
}
