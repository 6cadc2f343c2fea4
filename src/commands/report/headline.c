/* headline.c - what a reader wants in five seconds.
 *
 * One headline is chosen, the worst news first: who has a failed task does not ask about
 * stragglers. A tenth of the run's time is the least that is worth naming in it. The sentences
 * below answer the next questions, in the order in which they are asked; of a long list the first
 * few are named, and a table of the page has the rest. */
#include "commands/report/headline.h"

#include <inttypes.h>
#include <string.h>

#include "base/stat.h"
#include "commands/explain/explain_open.h"
#include "ui/settings.h"
#include "ui/words.h"

/* ---- the headline ---- */

/* Returns the only job of the run if it is done, or NULL. */
static const struct story_slow_job *only_job(const struct story_run *r)
{
    return r->jobs == 1 && r->done == 1 && r->slowest_count == 1 ? &r->slowest[0] : NULL;
}

static bool is_interrupted(const struct explain *x)
{
    const struct story_run *r = x->run;
    return !x->complete && r->tasks > r->tasks_done + r->tasks_failed;
}

/* The first sentence of explain, without its full stop. */
static void add_progress(const struct explain *x, struct str *to)
{
    struct str text = {0};

    explain_headline(x, x->run->tasks_done, x->run->tasks, &text);
    str_add_bytes(to, text.text, text.length > 2 ? text.length - 2 : 0);
    str_free(&text);
}

static void add_failed(const struct story_run *r, struct str *to)
{
    if (r->tasks_failed > 0)
        str_addf(to, "%" PRIu64 " of %s failed", r->tasks_failed,
                 words_count(r->tasks, "task").text);
    else
        str_addf(to, "%" PRIu64 " of %s failed", r->failed, words_count(r->jobs, "job").text);
}

/* A tenth of the time is worth a headline. */
static bool is_notable(int64_t part_us, int64_t whole_us)
{
    return part_us >= 1000 && part_us >= whole_us / 10;
}

static void add_job(struct headline *h, const struct story_run *r, int64_t took_us)
{
    bool unsure = r->unsure > 0;
    int64_t saved_us = unsure ? r->would.low_saved_us : r->would.pace_saved_us;
    int64_t range_us = r->would.high_saved_us - r->would.low_saved_us;

    str_addf(&h->text, "%s", words_brief(took_us).text);
    if (is_notable(saved_us, took_us + saved_us)) {
        str_addf(&h->text, " instead of %s%s",
                 unsure         ? "at least "
                 : range_us > 0 ? "about "
                                : "",
                 range_us > 0 ? words_guess(took_us + saved_us, range_us).text
                              : words_brief(took_us + saved_us).text);
        if (!unsure && range_us > 0)
            str_addf(&h->range, "(%s to %s)",
                     words_guess(took_us + r->would.low_saved_us, range_us).text,
                     words_guess(took_us + r->would.high_saved_us, range_us).text);
    } else if (is_notable(r->would.straggling_us, took_us)) {
        str_addf(&h->text, "; stragglers cost about %s", words_brief(r->would.straggling_us).text);
    } else {
        str_add(&h->text, "; no straggler held it up");
    }
}

/* Of jobs that are not kept it is known that they were shorter than all others. */
static int64_t percentile_us(const struct gather *g, uint64_t done, double q)
{
    VEC(double) times = {0};
    uint64_t rank = stat_rank((size_t)done, q); /* of jobs that we have counted one by one */
    double us = -1;

    for (uint32_t i = 0; i < g->jobs.count; i++) {
        const struct gather_job *j = &g->jobs.at[i];
        if (j->measured && !j->open && !j->failed)
            vec_push(&times, (double)(j->ended_us - j->arrived_us));
    }
    uint64_t dropped = done > times.count ? done - times.count : 0;
    if (times.count > 0 && rank >= dropped && rank - dropped < times.count) {
        stat_sort(times.at, times.count);
        us = times.at[rank - dropped];
    }
    vec_free(&times);
    return (int64_t)us;
}

static void add_jobs(struct headline *h, const struct read_run *r)
{
    const struct story_run *run = r->input.x.run;
    int64_t p95_us = percentile_us(&r->gather, run->done, 0.95);

    str_addf(&h->text, "%s, mean %s", words_count(run->jobs, "job").text,
             words_brief((int64_t)(run->took_us / (double)run->done)).text);
    if (p95_us >= 0)
        str_addf(&h->text, ", p95 %s", words_brief(p95_us).text);
}

void headline_init(struct headline *h, const struct read_run *r)
{
    const struct explain *x = &r->input.x;
    const struct story_run *run = x->run;

    *h = (struct headline){.is_bad = run->tasks_failed + run->failed > 0};
    str_add(&h->range, "");
    if (h->is_bad)
        add_failed(run, &h->text);
    else if (run->jobs == 0)
        str_add(&h->text, "No job was submitted");
    else if (is_interrupted(x) || run->done == 0)
        add_progress(x, &h->text);
    else if (only_job(run))
        add_job(h, run, only_job(run)->took_us);
    else
        add_jobs(h, r);
}

void headline_fini(struct headline *h)
{
    str_free(&h->text);
    str_free(&h->range);
}

/* ---- sentences ---- */

static uint64_t extra_of(const uint64_t counts[LAUNCH_KIND_END])
{
    return counts[LAUNCH_CLONE] + counts[LAUNCH_BACKUP];
}

/* "1 clone was", "7 clones and backups were". */
static struct words extra_were(const struct story_run *r)
{
    uint64_t extra = extra_of(r->launched);
    struct words w;

    if (r->launched[LAUNCH_BACKUP] == 0)
        return words_were(extra, "clone");
    if (r->launched[LAUNCH_CLONE] == 0)
        return words_were(extra, "backup");
    snprintf(w.text, sizeof w.text, "%" PRIu64 " clones and backups were", extra);
    return w;
}

/* "3 and 10", "3, 4, 5 and 12 more". */
static void add_numbers(const struct read_run *r, struct str *out)
{
    enum { NAMED = 5 };
    uint32_t named = 0, left = 0;

    for (uint32_t i = 0; i < r->races.won.count; i++)
        left += r->races.won.at[i].rescued;
    for (uint32_t i = 0; i < r->races.won.count && named < NAMED; i++) {
        if (!r->races.won.at[i].rescued)
            continue;
        str_addf(out, "%s%" PRIu64,
                 named == 0  ? ": "
                 : left == 1 ? " and "
                             : ", ",
                 explain_number(&r->input.x, r->races.won.at[i].at.task));
        named++;
        left--;
    }
    if (left > 0)
        str_addf(out, " and %u more", left);
}

/* The rescued task that would have ended last, as far as that is known; NULL: none. */
static const struct race *longest_alone(const struct races *races)
{
    const struct race *longest = NULL;

    for (uint32_t i = 0; i < races->won.count; i++) {
        const struct race *one = &races->won.at[i];
        bool known = one->rescued && (one->alone == ALONE_KNOWN || one->alone == ALONE_PACE);
        if (known && (!longest || one->about_us > longest->about_us))
            longest = one;
    }
    return longest;
}

static void add_rescued(const struct read_run *r, struct str *out)
{
    const struct story_run *run = r->input.x.run;
    const struct race *longest = longest_alone(&r->races);

    if (run->beat_straggler == 0)
        return;
    str_addf(out, "%s rescued %" PRIu64 " of %s",
             run->won[LAUNCH_BACKUP] == 0  ? "Clones"
             : run->won[LAUNCH_CLONE] == 0 ? "Backups"
                                           : "Clones and backups",
             run->beat_straggler, words_count(run->tasks, "task").text);
    if (run->jobs > 1) {
        struct words_saved saved = words_saved(&run->would, run->unsure > 0);
        if (saved.is_known)
            str_addf(out,
                     "; without them jobs would have ended %s later in all, each taken by itself",
                     saved.text);
        str_add(out, ".\n");
        return;
    }
    add_numbers(r, out);
    if (longest && run->beat_straggler > 1)
        str_addf(out, "; alone, task %" PRIu64, explain_number(&r->input.x, longest->at.task));
    else if (longest)
        str_add(out, "; alone, it");
    if (longest)
        str_addf(out, " would have ended at about %s",
                 words_guess(longest->about_us, longest->high_us - longest->low_us).text);
    str_add(out, ".\n");
}

static void add_cost(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;
    double vain_s = r->vain_slot_s[LAUNCH_CLONE] + r->vain_slot_s[LAUNCH_BACKUP];

    if (extra_of(r->launched) == 0) {
        if (r->phases == 0 && is_notable(r->would.straggling_us, r->last_us - r->first_us))
            str_addf(out,
                     "Each task had one attempt at a time: the policy starts no second one%s.\n",
                     x->from_one ? "; commands that may run twice can have it, with --pure" : "");
        return;
    }
    str_addf(out, "%s started and %" PRIu64 " won; ", extra_were(r).text, extra_of(r->won));
    if (x->policy && settings_took_idle(x->policy, r->launched[LAUNCH_BACKUP]))
        str_add(out, "they took only slots that no first attempt wanted.\n");
    else
        str_addf(out, "those that did not held %s of all slot-seconds.\n",
                 words_share(r->slot_s > 0 ? vain_s / r->slot_s : 0).text);
}

static void add_left(const struct story_run *r, struct str *out)
{
    const char *who = r->jobs > 1 ? "jobs" : "the job";
    const char *each = r->jobs > 1 ? " in all" : "";
    int cause = -1;

    for (int i = 0; i < STORY_CAUSES; i++)
        if (i != STORY_LATE && r->held[i].phases &&
            (cause < 0 || r->held[i].us > r->held[cause].us))
            cause = i;
    if (r->would.straggling_us < 1000 && cause < 0)
        return;
    if (r->would.straggling_us >= 1000)
        str_addf(out, "%s cost %s about %s%s",
                 r->beat_straggler ? "Remaining: stragglers" : "Stragglers", who,
                 words_brief(r->would.straggling_us).text, each);
    if (cause >= 0)
        str_addf(out, "%s of %s %s (%s)",
                 r->would.straggling_us >= 1000 ? "; the last task" : "The last task",
                 words_count(r->held[cause].phases, "phase").text, explain_causes[cause].words,
                 words_brief(r->held[cause].us).text);
    str_add(out, ".\n");
}

static void add_nodes(const struct explain *x, struct str *out)
{
    uint32_t downs = 0, avoided = 0, most = 0;
    struct node_id worst = {0};

    for (uint32_t i = 0; i < x->run->nodes.count; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        downs += n->downs;
        avoided += n->avoided > 0;
        if (n->avoided > most) {
            most = n->avoided;
            worst = (struct node_id){i};
        }
    }
    if (avoided > 0)
        str_addf(out, "%s avoided, %s most often%s", words_were(avoided, "node").text,
                 explain_node(x, worst).text, downs ? "; " : "");
    if (downs > 0)
        str_addf(out, avoided > 0 ? "nodes went down %s" : "Nodes went down %s",
                 words_count(downs, "time").text);
    if (avoided + downs > 0)
        str_add(out, " (see the table of nodes).\n");
}

static void add_unknown(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;

    if (r->others > 0)
        str_addf(out, "%s before or after the %" PRIu64 " measured ones %s not counted.\n",
                 words_count(r->others, "job").text, r->jobs, r->others == 1 ? "is" : "are");
    else if (r->unsure > 0)
        str_addf(out, "%s lost to a clone or backup; how long %s would have taken is not known.\n",
                 words_count(r->unsure, "attempt").text, r->unsure == 1 ? "it" : "they");
}

/* Adds what is wrong with the journal, in one line. */
static void add_caveat(const struct explain *x, struct str *out)
{
    struct str text = {0};

    str_add(&text, "");
    explain_open_caveat(x, &text);
    for (char *rest = text.text, *line; (line = strsep(&rest, "\n"));)
        if (*line)
            str_addf(out, "%s\n", line);
    str_free(&text);
}

void headline_sentences(const struct read_run *r, struct str *out)
{
    const struct explain *x = &r->input.x;
    struct str all = {0};
    uint32_t count = 0;

    str_add(&all, "");
    if (is_interrupted(x) && x->run->tasks_failed + x->run->failed > 0) {
        add_progress(x, &all);
        str_add(&all, ".\n");
    }
    if (x->torn_bytes > 0 || !is_interrupted(x))
        add_caveat(x, &all);
    if (x->run->jobs > 0) {
        add_rescued(r, &all);
        add_cost(x, &all);
        add_left(x->run, &all);
        add_nodes(x, &all);
        add_unknown(x, &all);
    }
    for (char *rest = all.text, *line; count < HEADLINE_SENTENCES && (line = strsep(&rest, "\n"));)
        if (*line) {
            str_addf(out, "%s\n", line);
            count++;
        }
    str_free(&all);
}
