/* The problem: what did straggling cost this job, and what did its clones and backups save?
 *
 * The method: the median task of a phase is the yardstick. What straggling cost is the difference
 * to a phase in which every task that went at less than half the median rate took as long as the
 * median one; earlier attempts that failed are not straggling (summary.c counts them, because it
 * asks what there is to gain). What extra attempts saved is the difference to a phase in which each
 * task ends as story_race.c says it would have without them. story_replay.c runs those phases on
 * the slots that this one had, because who waits for a slot waits for stragglers too. The
 * differences are carried through the phases of the job: a phase opens when those above it end, so
 * what is lost in one of two parallel phases may cost nothing.
 *
 * Other jobs stay as they were. Where they wait for the slots of this one, all of them together
 * lost or gained more than the sum.
 *
 * Rejected: adding up the seconds of single tasks. Only the last task of a phase is waited for. */
#include "record/story/story_facts.h"

#include <stddef.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"
#include "record/story/story_pace.h"
#include "record/story/story_race.h"
#include "record/story/story_replay.h"

/* ---- one phase ---- */

/* Per committed task; the medians reorder `sorted` only. */
struct sample {
    double launched, committed, work, read, bytes;
    double hold; /* from the launch of the attempt it had in any case to its end */
};

struct samples {
    VEC(struct sample) at;
    VEC(double) sorted;
};

static void samples_take(struct samples *s, const struct story_job *j, const struct story_phase *p,
                         int64_t opened_us)
{
    vec_clear(&s->at);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct story_task *t = &p->tasks[i];
        struct story_race race = story_race_winner(j, p, i);
        if (!race.winner)
            continue;
        int64_t begun_us =
            story_job_max_us(race.own ? race.own->launched_us : t->launched_us, opened_us);
        vec_push(&s->at,
                 ((struct sample){(double)t->launched_us, (double)t->committed_us,
                                  (double)story_pace_work_us(race.winner),
                                  (double)story_race_read_us(race.winner),
                                  story_pace_bytes(j, race.winner),
                                  (double)story_job_max_us(race.winner->ended_us - begun_us, 0)}));
    }
    vec_reserve(&s->sorted, s->at.count + 1);
}

/* The median of one member, or of its quotient by bytes. */
static double samples_median(struct samples *s, size_t member, bool per_byte)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->at.count; i++) {
        double value = *(const double *)(const void *)((const char *)&s->at.at[i] + member);
        if (per_byte && s->at.at[i].bytes <= 0)
            continue;
        s->sorted.at[n++] = per_byte ? value / s->at.at[i].bytes : value;
    }
    return n ? stat_quantile(s->sorted.at, n, 0.5) : 0;
}

#define MEDIAN(s, member, per_byte) samples_median(s, offsetof(struct sample, member), per_byte)

static void phase_medians(struct story_phase_facts *f, struct samples *s)
{
    double bytes = MEDIAN(s, bytes, false);
    f->has_medians = s->at.count >= 2;
    f->median_bytes = bytes > 0 ? bytes : 1;
    f->median_per_byte = MEDIAN(s, work, bytes > 0);
    f->median_hold_per_byte = MEDIAN(s, hold, bytes > 0);
    f->median_launched_us = (int64_t)MEDIAN(s, launched, false);
    f->median_committed_us = (int64_t)MEDIAN(s, committed, false);
    f->median_work_us = (int64_t)MEDIAN(s, work, false);
    f->median_read_us = (int64_t)MEDIAN(s, read, false);
}

static void phase_races(const struct story_job *j, const struct story_phase *p,
                        struct story_phase_facts *f)
{
    int64_t end_us = 0, over_us = 0, longest_us = -1;
    f->slowest = STORY_NONE;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct story_task *t = &p->tasks[i];
        struct story_race r = story_race(j, f, p, i);
        over_us = story_job_max_us(over_us, story_job_max_us(t->committed_us, t->given_up_us));
        if (!r.winner)
            continue;
        int64_t took_us = t->committed_us - t->launched_us;
        if (f->slowest == STORY_NONE || t->committed_us > end_us ||
            (t->committed_us == end_us && took_us > longest_us)) {
            f->slowest = i;
            longest_us = took_us;
        }
        end_us = story_job_max_us(end_us, t->committed_us);
        if (!story_is_extra(r.winner))
            continue;
        bool straggled = r.own && story_race_straggled(j, f, r.own);
        bool fine = r.own && story_race_rate(j, f, r.own) == RATE_FINE;
        f->won_by_extra++;
        f->unsure += r.alone == ALONE_AT_LEAST || r.alone == ALONE_UNKNOWN;
        f->beat_straggler += straggled;
        f->beat_unknown += !straggled && !fine;
    }
    if (p->committed + p->given_up >= p->count)
        f->ended_us = over_us;
}

enum { LITTLE = 20 }; /* a share of the phase */

static void phase_differences(struct story_phase_facts *f, const struct story_job *j,
                              uint16_t phase, bool alone)
{
    int64_t end_us[IF_END];
    story_replay(j, phase, f, alone, end_us);
    /* The replay may be out by a little: that must neither cost nor save anything. */
    int64_t base_us = story_job_max_us(end_us[IF_AS_IT_WAS], f->ended_us);
    f->would.straggling_us = story_job_max_us(end_us[IF_AS_IT_WAS] - end_us[IF_HEALTHY], 0);
    if (f->won_by_extra == 0)
        return;
    f->would.saved_us = story_job_max_us(end_us[IF_ALONE_LEAST] - base_us, 0);
    f->would.pace_saved_us = story_job_max_us(end_us[IF_ALONE] - base_us, 0);
    f->would.low_saved_us = story_job_max_us(end_us[IF_ALONE_LOW] - base_us, 0);
    f->would.high_saved_us = story_job_max_us(end_us[IF_ALONE_HIGH] - base_us, 0);
    /* Where something is not known, the little that is certain is not worth a word. */
    if (f->unsure > 0 && f->would.low_saved_us < (f->ended_us - f->opened_us) / LITTLE)
        f->would = (struct story_difference){.straggling_us = f->would.straggling_us};
}

static void phase_facts(struct story_facts *facts, const struct story_job *j, uint16_t index,
                        bool alone, struct samples *s)
{
    const struct story_phase *p = &j->phases[index];
    struct story_phase_facts *f = &facts->phases[index];
    *f = (struct story_phase_facts){.opened_us = j->submitted_us, .begun_us = -1, .ended_us = -1};
    for (uint16_t e = 0; e < p->edge_count && p->edges[e].from < index; e++) {
        int64_t above_us = facts->phases[p->edges[e].from].ended_us;
        f->opened_us =
            above_us < 0 || f->opened_us < 0 ? -1 : story_job_max_us(f->opened_us, above_us);
    }
    for (uint32_t t = 0; t < p->count; t++)
        if (p->tasks[t].launched_us >= 0 &&
            (f->begun_us < 0 || p->tasks[t].launched_us < f->begun_us))
            f->begun_us = p->tasks[t].launched_us;
    samples_take(s, j, p, f->opened_us);
    phase_medians(f, s);
    story_pace_init(f, j, p);
    phase_races(j, p, f);
    if (f->ended_us >= 0 && f->opened_us >= 0)
        phase_differences(f, j, index, alone);
}

/* ---- the job ---- */

static bool may_win(const struct story_job *j, const struct story_attempt *a)
{
    const struct story_task *t = &j->phases[a->phase].tasks[a->task];

    return a->ended_us < 0 ||
           (a->ending == EV_ATTEMPT_FINISHED && t->committed_us < 0 && t->given_up_us < 0);
}

static void job_attempts(struct story_facts *f, const struct story_job *j, int64_t now_us)
{
    for (uint32_t i = 0; i < j->attempts.count; i++) {
        const struct story_attempt *a = &j->attempts.at[i];
        struct story_phase_facts *p = &f->phases[a->phase];
        int64_t end_us = a->ended_us >= 0 ? a->ended_us : now_us;
        double held_s = (double)(end_us - a->launched_us) / 1e6 *
                        (double)res_slots(&j->kinds, &j->phases[a->phase].demand) / RES_SLOT;
        f->slot_s += held_s;
        f->won[a->kind] += a->won;
        f->killed += a->ending == EV_ATTEMPT_KILLED;
        if (!a->won) {
            f->vain_slot_s[a->kind] += held_s;
            f->open_slot_s += may_win(j, a) ? held_s : 0;
        }
        p->stragglers += story_race_straggled(j, p, a);
    }
}

/* The end of the job if each phase took `sign` times that member of its differences longer than it
 * did (NO_CHANGE: none): phases begin when those above them end. */
#define NO_CHANGE SIZE_MAX

static int64_t changed_us(const struct story_phase_facts *p, size_t member, int sign)
{
    if (member == NO_CHANGE)
        return 0;
    return sign * *(const int64_t *)(const void *)((const char *)&p->would + member);
}

static int64_t job_end(const struct story_facts *f, const struct story_job *j, int64_t *ends,
                       size_t member, int sign)
{
    int64_t last_us = j->submitted_us;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct story_phase *p = &j->phases[k];
        const struct story_phase_facts *pf = &f->phases[k];
        int64_t opened_us = j->submitted_us;
        for (uint16_t e = 0; e < p->edge_count && p->edges[e].from < k; e++)
            opened_us = story_job_max_us(opened_us, ends[p->edges[e].from]);
        int64_t took_us =
            story_job_max_us(pf->ended_us - pf->opened_us + changed_us(pf, member, sign), 0);
        ends[k] = opened_us + took_us;
        last_us = story_job_max_us(last_us, ends[k]);
    }
    return last_us;
}

static void job_differences(struct story_facts *f, const struct story_job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (f->phases[k].ended_us < 0)
            return;
    int64_t *ends = mem_zalloc(j->phase_count, sizeof *ends);
    int64_t end_us = job_end(f, j, ends, NO_CHANGE, 0);
    struct story_difference *w = &f->would;
#define CHANGED(member, sign) job_end(f, j, ends, offsetof(struct story_difference, member), sign)
    w->straggling_us = end_us - CHANGED(straggling_us, -1);
    w->saved_us = CHANGED(saved_us, 1) - end_us;
    w->pace_saved_us = CHANGED(pace_saved_us, 1) - end_us;
    w->low_saved_us = CHANGED(low_saved_us, 1) - end_us;
    w->high_saved_us = CHANGED(high_saved_us, 1) - end_us;
#undef CHANGED
    mem_free(ends);
}

void story_facts_init(struct story_facts *f, const struct story_job *j, bool alone, int64_t now_us)
{
    struct samples samples = {0};
    *f = (struct story_facts){.begun_us = -1, .ended_us = -1};
    f->phases = mem_zalloc(j->phase_count, sizeof *f->phases);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct story_phase_facts *p = &f->phases[k];
        phase_facts(f, j, k, alone, &samples);
        if (p->begun_us >= 0 && (f->begun_us < 0 || p->begun_us < f->begun_us))
            f->begun_us = p->begun_us;
        if (p->slowest != STORY_NONE)
            f->ended_us =
                story_job_max_us(f->ended_us, j->phases[k].tasks[p->slowest].committed_us);
    }
    job_attempts(f, j, now_us);
    job_differences(f, j);
    vec_free(&samples.at);
    vec_free(&samples.sorted);
}

void story_facts_fini(struct story_facts *f)
{
    mem_free(f->phases);
    f->phases = NULL;
}
