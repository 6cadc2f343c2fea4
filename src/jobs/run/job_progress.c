/* job_progress.c - how far a data-parallel job is. See job_progress.h. */
#include "jobs/run/job_progress.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "ui/words.h"

bool job_progress_open(struct job_progress *p)
{
    progress_line_init(&p->line);
    return p->line.terminal;
}

void job_progress_fini(struct job_progress *p)
{
    progress_line_clear(&p->line);
    for (uint32_t i = 0; i < p->phases.count; i++)
        mem_free(p->phases.at[i].percent);
    vec_free(&p->phases);
}

void job_progress_begin(struct job_progress *p, const struct task_plan *plan)
{
    p->plan = plan;
    for (uint32_t i = 0; i < plan->phases.count; i++)
        vec_push(&p->phases,
                 ((struct job_progress_phase){mem_zalloc(plan->phases.at[i].tasks, 1), 0}));
}

/* ---- what happens ---- */

static bool is_ours(const struct job_progress *p, struct attempt_ref at)
{
    return at.phase < p->phases.count && at.task < p->plan->phases.at[at.phase].tasks;
}

static void set_percent(struct job_progress *p, struct attempt_ref at, uint8_t percent)
{
    if (!is_ours(p, at))
        return;
    struct job_progress_phase *phase = &p->phases.at[at.phase];
    phase->sum += percent;
    phase->sum -= phase->percent[at.task];
    phase->percent[at.task] = percent;
}

static void launched(void *ctx, const struct live_place *place, const struct decision *d)
{
    (void)place;
    ((struct job_progress *)ctx)->clones += d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP;
}

/* The task goes as far as the furthest attempt, and has to be committed to be done. */
static void see_event(void *ctx, const struct event *e)
{
    struct job_progress *p = ctx;
    int64_t done = e->u.progress.done, total = e->u.progress.total;

    p->running += e->type == EV_ATTEMPT_STARTED;
    if (e->type != EV_ATTEMPT_PROGRESS || total <= 0 || done <= 0 || !is_ours(p, e->at))
        return;
    uint8_t percent = done >= total ? 99 : (uint8_t)((double)done / (double)total * 99);
    if (percent > p->phases.at[e->at.phase].percent[e->at.task])
        set_percent(p, e->at, percent);
}

static void ended(void *ctx, const struct live_place *place, const struct event *e,
                  const struct live_attempt *a)
{
    struct job_progress *p = ctx;
    bool in_vain = e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LOST;

    (void)a;
    if (in_vain && place->task->winner == LIVE_NO_WINNER) /* those beside it soon report again */
        set_percent(p, e->at, 0);
    p->running -= e->type != EV_ATTEMPT_LAUNCH_FAILED && p->running > 0;
    if (attempt_equal(e->at, p->status_of))
        p->status[0] = 0;
}

static void won(void *ctx, const struct live_place *place, const struct event *e,
                const struct live_attempt *a)
{
    (void)place, (void)a;
    set_percent(ctx, e->at, 100);
}

static void unwon(void *ctx, const struct live_place *place, const struct event *e)
{
    (void)place;
    set_percent(ctx, e->at, 0);
}

void job_progress_subscribe(struct job_progress *p, struct follow *f)
{
    static const struct follow_hooks hooks = {
        .launched = launched, .ended = ended, .won = won, .unwon = unwon, .event = see_event};

    follow_subscribe(f, p, &hooks);
}

/* What a command says may be any bytes: a terminal gets those that can be printed. */
void job_progress_status(struct job_progress *p, struct attempt_ref at, const char *text)
{
    size_t length = strnlen(text, sizeof p->status - 1);

    for (size_t i = 0; i < length; i++)
        p->status[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    p->status[length] = 0;
    p->status_of = at;
}

/* ---- what is shown ---- */

void job_progress_describe(const struct job_progress *p, struct str *out)
{
    for (uint32_t i = 0; i < p->phases.count; i++)
        str_addf(out, "%s%s %" PRIu64 " %%", i ? ", " : "", p->plan->phases.at[i].name,
                 p->phases.at[i].sum / p->plan->phases.at[i].tasks);
    str_addf(out, ", %" PRIu32 " running", p->running);
    if (p->clones > 0)
        str_addf(out, ", %s", words_count(p->clones, "clone").text);
    if (*p->status && is_ours(p, p->status_of))
        str_addf(out, "; %s %" PRIu32 ": %s", p->plan->phases.at[p->status_of.phase].name,
                 p->status_of.task, p->status);
}

void job_progress_draw(struct job_progress *p, int64_t now_us)
{
    struct str text = {0};
    uint64_t sum = 0, tasks = 0;

    if (!p->plan || !progress_line_is_due(&p->line, now_us))
        return;
    for (uint32_t i = 0; i < p->phases.count; i++) {
        sum += p->phases.at[i].sum;
        tasks += p->plan->phases.at[i].tasks;
    }
    job_progress_describe(p, &text);
    progress_line_put(&p->line, now_us, (double)sum / (double)tasks / 100, text.text, NULL, false);
    str_free(&text);
}
