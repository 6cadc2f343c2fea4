/* expect.c - learns how long tasks take (expect.h describes the use).
 *
 * Three accounts take in the time of a task: that of its phase and that of its application at once,
 * that of its name when the phase is over. So a phase is judged by its earlier runs and not by its
 * own first tasks, which are the short ones. Accounts that jobs share are entries of a bounded
 * table; a job holds on to its entries while it lives, so that looking one up is an index.
 *
 * In a job that is cloned as a whole the lead keeps the accounts, and the tasks of all copies
 * count. */
#include "core/brain/expect.h"

#include <string.h>

#include "base/hash.h"
#include "core/brain/state.h"

/* An entry of what is recalled, in use: of a phase of all jobs of this name, or of an application.
 * There is none for an empty name. */
static uint32_t expect_entry(struct brain *b, const char *name, const char *what, uint32_t number)
{
    unsigned char digits[4];
    if (!name || !*name)
        return RECALL_NONE;
    for (int i = 0; i < 4; i++)
        digits[i] = (unsigned char)(number >> 8 * i);
    uint64_t hash = hash_bytes(hash_text(what), digits, sizeof digits);
    return recall_take(&b->world.recall, hash_bytes(hash, name, strlen(name)));
}

/* What a job brings along counts until there is something newer. */
static void expect_bring(struct brain *b, uint32_t entry, const struct phase_spec *s)
{
    struct recall *r = &b->world.recall;
    if (entry == RECALL_NONE || r->entries.at[entry].times.count > 0)
        return;
    for (uint32_t i = s->past_count; i-- > 0;)
        moments_add(&r->entries.at[entry].times, (double)s->past_us[i]);
}

void expect_job_made(struct brain *b, struct job *j, const struct job_spec *spec)
{
    j->app = RECALL_NONE;
    if (!b->world.keeps_expected)
        return;
    j->app = expect_entry(b, spec->app, "app", 0);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase_spec *s = &spec->phases[k];
        uint32_t history = expect_entry(b, spec->name, "phase", k);
        expect_bring(b, history, s);
        j->phases[k].times = (struct task_times){
            .declared_us = s->expect_us, .declared_dev_us = s->expect_dev_us, .history = history};
    }
}

void expect_job_gone(struct brain *b, const struct job *j)
{
    struct recall *r = &b->world.recall;
    if (!b->world.keeps_expected)
        return;
    if (j->app != RECALL_NONE)
        recall_release(r, j->app);
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (j->phases[k].times.history != RECALL_NONE)
            recall_release(r, j->phases[k].times.history);
}

void expect_job_promoted(struct job *j, struct job *old)
{
    uint32_t app = j->app;
    j->app = old->app;
    old->app = app;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct task_times times = j->phases[k].times;
        j->phases[k].times = old->phases[k].times;
        old->phases[k].times = times;
    }
}

/* An entry has learnt something. Keys of other jobs that use it follow when it knows twice as much
 * as when they last did. */
static void expect_learnt(struct brain *b, uint32_t entry)
{
    struct recall_entry *e = &b->world.recall.entries.at[entry];
    if (e->times.count < 2 * e->followed)
        return;
    e->followed = e->times.count;
    if (e->users > 1)
        queue_follow(b, NULL, FOLLOWS_EXPECTED);
}

void expect_task_done(struct brain *b, const struct phase *p, const struct task *t)
{
    struct job *lead = job_lead(p->job);
    if (p->job->copy > 0 && !p->job->holds)
        return; /* what a copy held is committed: it was done before */
    moments_add(&lead->phases[p->index].times.own, (double)t->took_us);
    queue_follow(b, lead, FOLLOWS_EXPECTED);
    if (lead->app == RECALL_NONE)
        return;
    moments_add(&b->world.recall.entries.at[lead->app].times, (double)t->took_us);
    expect_learnt(b, lead->app);
}

void expect_phase_over(struct brain *b, const struct phase *p)
{
    struct job *lead = job_lead(p->job);
    struct task_times *times = &lead->phases[p->index].times;
    if (times->history == RECALL_NONE || times->taught)
        return;
    times->taught = true;
    moments_merge(&b->world.recall.entries.at[times->history].times, &times->own);
    queue_follow(b, lead, FOLLOWS_EXPECTED);
    expect_learnt(b, times->history);
}
