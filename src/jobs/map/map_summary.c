/* map_summary.c - the words at the end: how long, who was slowest and why, what cloning saved or
 * could have saved, what it all cost.
 *
 * All numbers about time and cloning are worked out from the turns of the run as stats/story does
 * it for `dolly explain`, so both say the same: there is one definition of "saved". */
#include "jobs/map/map_summary.h"

#include <string.h>

#include "base/stat.h"
#include "jobs/args/quote.h"
#include "jobs/map/map.h"
#include "record/story/story.h"
#include "record/story/story_race.h"
#include "ui/words.h"

/* ---- numbers ---- */

static struct map_slowest slowest_of(const struct story_job *j, const struct story_phase_facts *f)
{
    const struct story_phase *p = &j->phases[0];

    if (f->slowest == STORY_NONE)
        return (struct map_slowest){.task = STORY_NONE};
    const struct story_task *t = &p->tasks[f->slowest];
    const struct story_race race = story_race_winner(j, p, f->slowest);
    const struct story_attempt *w = race.winner;
    return (struct map_slowest){.task = f->slowest,
                                .took_s = (double)(t->committed_us - t->launched_us) / 1e6,
                                .ran_s = (double)story_job_max_us(w->ran_us, 0) / 1e6,
                                .cpu_s = (double)story_job_max_us(w->cpu_us, 0) / 1e6,
                                .by_extra = story_is_extra(w),
                                .rescued = story_race_rescued(j, f, &race),
                                .again = w->kind == LAUNCH_RESTART};
}

struct map_summary_facts map_summary_facts(const struct map *m)
{
    struct map_summary_facts facts = {
        .median_s = stat_median(m->counts.runtimes.at, m->counts.runtimes.count),
        .slowest.task = STORY_NONE};
    const struct story_job *j = m->summary.story ? story_job(m->summary.story) : NULL;
    struct story_facts f;

    if (!j)
        return facts;
    int64_t last_us = story_run(m->summary.story)->last_us;
    story_facts_init(&f, j, true, last_us);
    facts.took_us = (j->over_us >= 0 ? j->over_us : last_us) - j->arrived_us;
    facts.would = f.would;
    facts.phase = f.phases[0];
    facts.slot_s = f.slot_s;
    facts.slowest = slowest_of(j, &f.phases[0]);
    if (f.phases[0].has_medians)
        facts.median_s = (double)f.phases[0].median_work_us / 1e6;
    for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
        facts.vain_slot_s += f.vain_slot_s[kind];
    story_facts_fini(&f);
    return facts;
}

/* ---- words ---- */

/* Whether what straggling cost is worth a word. */
static bool is_straggling(const struct map_summary_facts *f)
{
    return f->would.straggling_us * 100 > f->took_us;
}

/* The slowest task against the others. */
static void add_slowest(const struct map *m, const struct map_summary_facts *f, struct str *out)
{
    const struct map_slowest *s = &f->slowest;
    double busy = s->ran_s > 0 ? s->cpu_s / s->ran_s : 0;
    struct str command = {0};

    str_addf(out, "dolly: slowest task %llu: %.3g s, ",
             (unsigned long long)plan_seq(m->plan, s->task), s->took_s);
    if (m->counts.runtimes.count > 1)
        str_addf(out,
                 "%.2g times the median of %.3g s: ", f->median_s > 0 ? s->took_s / f->median_s : 1,
                 f->median_s);
    if (m->counts.runtimes.count == 1)
        str_add(out, "the only one that is done");
    else if (s->took_s <= 2 * f->median_s)
        str_add(out, is_straggling(f) ? "not a straggler itself" : "not a straggler");
    else if (s->by_extra)
        str_add(out, s->rescued ? "another attempt of it straggled, and a clone won"
                                : "a clone of it won");
    else if (s->again)
        str_add(out, "an earlier attempt of it failed or was lost, and it ran again");
    else if (busy > 0.7)
        str_addf(out, "it computed (%.0f %% CPU), so it had more to do or a slow core", busy * 100);
    else
        str_addf(out, "it mostly waited (%.0f %% CPU)", busy * 100);
    plan_command(m->plan, s->task, 0, &command);
    str_addf(out, " (%.60s)\n", command.text ? command.text : "");
    str_free(&command);
}

/* A run without a single clone: why, and what lifts that. */
static void add_unwanted(const struct map *m, struct str *out)
{
    const struct reason *r = &m->counts.unwanted;
    double charge = words_reason_number(r, "charge"), limit = words_reason_number(r, "limit");

    str_add(out, "dolly: no clones: ");
    if (m->options.policy && strncmp(m->options.policy, "none", 4) == 0)
        str_add(out, "the policy is `none`");
    else if (r->code == WHY_OVER_BUDGET)
        str_addf(out,
                 "they would have taken %s, and the budget allowed %s; --set budget=idle "
                 "lifts this limit",
                 words_counted(charge, "slot").text, words_number(limit, 3).text);
    else if (r->code == WHY_OVER_TAU)
        str_addf(out, "more than %s would have been in use; --set tau=1 lifts this limit",
                 words_counted(limit, "slot").text);
    else if (r->code == WHY_NO_NEED)
        str_add(out, "stragglers are too rare here to need them (--set eps)");
    else if (r->code == WHY_NO_IDLE_CORE)
        str_add(out, "no core was idle");
    else if (r->code == WHY_PRESSURE)
        str_addf(out, "tasks waited for %s already",
                 r->num[1] >= r->num[2] ? "the disk" : "memory");
    else
        str_add(out, "no slot was idle, or nothing looked slow");
}

static void add_cloning(const struct map *m, const struct map_summary_facts *f, struct str *out)
{
    struct words_saved saved = words_saved(&f->would, f->phase.unsure > 0);
    struct words cost = words_time(f->would.straggling_us);
    bool straggled = is_straggling(f);

    if (m->cloning && m->counts.extras == 0) {
        add_unwanted(m, out);
        if (straggled)
            str_addf(out, "; straggling cost about %s", cost.text);
    } else if (m->cloning) {
        str_addf(out, "dolly: cloning: %s, %llu won; %s averted; ",
                 words_count(m->counts.extras, "clone").text,
                 (unsigned long long)f->phase.won_by_extra,
                 words_count(f->phase.beat_straggler, "straggler").text);
        if (saved.is_known)
            str_addf(out, "saved %s", saved.text);
        else
            str_add(out, f->phase.unsure > 0
                             ? "the time saved is unknown, because the attempts they "
                               "beat were stopped"
                             : "saved nothing");
        if (straggled)
            str_addf(out, "; straggling cost about %s all the same", cost.text);
    } else if (straggled) {
        str_addf(out,
                 "dolly: cloning was off; straggling cost about %s of %s: if the command is safe "
                 "to run twice, try --pure",
                 cost.text, words_time(f->took_us).text);
    } else {
        str_addf(out, "dolly: cloning was off%s",
                 m->counts.runtimes.count > 1 ? " and would have saved next to nothing" : "");
    }
    str_add(out, "\n");
}

void map_summary(const struct map *m, const struct map_summary_facts *f, struct str *out)
{
    const struct map_counts *c = &m->counts;

    str_addf(out, "dolly: %s in %s: %llu done, %llu failed, %s\n",
             words_count(m->tasks, "task").text, words_time(f->took_us).text,
             (unsigned long long)c->done, (unsigned long long)c->failed,
             words_count(c->attempts, "attempt").text);
    if (f->slowest.task != STORY_NONE) {
        add_slowest(m, f, out);
        add_cloning(m, f, out);
    }
    str_addf(out,
             "dolly: resources: %s slot-seconds, %s of them for attempts that did not win; "
             "%s s of CPU; largest process %s MiB\n",
             words_number(f->slot_s, 3).text, words_number(f->vain_slot_s, 3).text,
             words_number(c->cpu_s, 3).text, words_number((double)c->peak_rss_kib / 1024, 3).text);
}

void map_summary_failed(const struct map *m, struct str *out)
{
    const struct map_counts *c = &m->counts;
    const struct options *o = &m->options;

    if (c->failed == 0)
        return;
    str_addf(out, "dolly: %llu of %s failed", (unsigned long long)c->failed,
             words_count(m->tasks, "task").text);
    for (uint64_t i = 0; i < c->failed && i < MAP_FAILED_TOLD; i++) {
        const struct map_failed *f = &c->failed_first[i];
        str_addf(out, "%s%llu", i ? ", " : ": ", (unsigned long long)plan_seq(m->plan, f->task));
        if (f->signal > 0)
            str_addf(out, " (signal %d)", f->signal);
        else if (f->exit > 0)
            str_addf(out, " (exit status %d)", f->exit);
    }
    if (c->failed > MAP_FAILED_TOLD)
        str_addf(out, " and %llu more", (unsigned long long)(c->failed - MAP_FAILED_TOLD));
    if (m->dir && !m->dir_private) {
        struct str dir = {0};
        quote_add_path(&dir, m->dir);
        str_addf(out, ". Why: dolly explain %s map/map/%llu", dir.text,
                 (unsigned long long)plan_seq(m->plan, c->failed_first[0].task));
        if (!o->array && !o->pipe && !o->pipepart && !o->tee) /* cmd_resume.c */
            str_addf(out, "; to run them again: dolly resume --retry-failed %s", dir.text);
        str_free(&dir);
    }
    str_add(out, "\n");
}
