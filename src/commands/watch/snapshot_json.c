/* snapshot_json.c - the numbers of a snapshot for programs.
 *
 * The sums of the run are those of `dolly explain`, made by the same code from the same account, so
 * that a reader of both never sees two answers. Everything else is of this moment. */
#include "commands/watch/snapshot_json.h"

#include "commands/report/page.h"
#include "inputs/cluster/about.h"
#include "ui/json_out.h"
#include "ui/words.h"

static json_t *seconds(double us)
{
    return us < 0 ? json_null() : json_real(us / 1e6);
}

static json_t *tasks_json(const struct snapshot *s)
{
    json_t *o = json_object();

    json_out_put(o, "total", s->sums.tasks);
    json_out_put(o, "done", s->sums.tasks_done);
    json_out_put(o, "failed", s->sums.tasks_failed);
    json_out_members(o, s, running, waiting);
    return o;
}

static json_t *attempts_json(const struct snapshot *s, const struct followed_run *f)
{
    json_t *o = json_object();

    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++) {
        json_t *one = json_out_object(o, decision_kind_name(k));
        json_out_put(one, "launched", f->launched[k]);
        json_out_put(one, "running", s->attempts_running[k]);
        for (int e = FATE_WON; e < FATE_COUNT; e++)
            json_out_put(one, followed_run_end_name((enum attempt_fate)e), f->ended[k][e]);
    }
    return o;
}

static json_t *ends_json(const struct snapshot *s)
{
    json_t *o = json_object();

    json_out_set(o, "about_s", seconds(s->ends_us[ENDING_ABOUT]));
    json_out_set(o, "low_s", seconds(s->ends_us[ENDING_LOW]));
    json_out_set(o, "high_s", seconds(s->ends_us[ENDING_HIGH]));
    json_out_put(o, "no_times_of", s->ends_unknown);
    json_out_put(o, "why", s->ends_why);
    return o;
}

static json_t *phases_json(const struct snapshot *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->phases.count; i++) {
        const struct snapshot_phase *p = &s->phases.at[i];
        json_t *o = json_out_add(list);
        json_out_put(o, "phase", p->name);
        json_out_members(o, p, tasks, done, failed, running, waiting, rescued);
        json_out_set(o, "median_s",
                     p->took.known ? seconds(p->took.us[ENDING_ABOUT]) : json_null());
    }
    return list;
}

json_t *snapshot_json_sums(const struct snapshot *s, const struct followed_run *f)
{
    json_t *o = json_object();

    json_out_put(o, "turn", s->turn);
    json_out_set(o, "now_s", seconds((double)s->now_us));
    json_out_put(o, "state", followed_run_state_name(s->state));
    json_out_set(o, "tasks", tasks_json(s));
    json_out_set(o, "attempts", attempts_json(s, f));
    json_out_set(o, "ends", ends_json(s));
    json_out_put(o, "slots", f->capacity_slots);
    json_out_put(o, "slots_held", f->held_slots);
    json_out_put(o, "extra_share", f->extra_share);
    json_out_set(o, "oldest_wait_s", seconds((double)s->oldest_wait_us));
    json_out_set(o, "phases", phases_json(s));
    return o;
}

static void add_about(const struct explain *x, json_t *o)
{
    struct about_text a = explain_about(x);

    json_out_put(o, "command", a.about.typed);
    json_out_put(o, "host", a.about.host);
    json_out_put(o, "version", a.about.program);
    json_out_put(o, "began", a.about.began);
    about_free(&a);
}

json_t *snapshot_json_run(const struct snapshot *s, const struct followed_run *f)
{
    struct explain x = f->input.x;
    json_t *o = json_object();
    char *name = page_run_name(f->path);

    json_out_put(o, "name", name);
    add_about(&x, o);
    json_t *sums = snapshot_json_sums(s, f);
    json_object_update(o, sums);
    json_decref(sums);
    x.run = &s->sums;
    json_out_set(o, "explain", explain_json_run(&x));
    mem_free(name);
    return o;
}

static json_t *node_json(const struct followed_run *f, struct node_id node)
{
    return json_out_text(explain_node(&f->input.x, node).text);
}

json_t *snapshot_json_attempts(const struct snapshot *s, const struct followed_run *f,
                               uint32_t limit)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->attempts.count && i < limit; i++) {
        const struct snapshot_attempt *a = &s->attempts.at[i];
        json_t *o = json_out_add(list);
        json_out_put(o, "job", a->at.job.v);
        json_out_put(o, "phase", s->phases.at[a->phase].name);
        json_out_put(o, "task", a->number);
        json_out_put(o, "attempt", a->at.attempt);
        json_out_put(o, "kind", decision_kind_name(a->kind));
        json_out_set(o, "node", node_json(f, a->node));
        json_out_set(o, "age_s", seconds((double)a->age_us));
        json_out_set(o, "done", a->done < 0 ? json_null() : json_out_number(a->done, false));
        json_out_set(o, "left_s", seconds(a->left_us));
        json_out_members(o, a, copies, slow);
    }
    return list;
}

json_t *snapshot_json_failures(const struct snapshot *s, const struct followed_run *f)
{
    json_t *list = json_array();
    const struct failure *failed;

    for (uint32_t i = 0; (failed = snapshot_failure(s, f, i)); i++) {
        json_t *o = json_out_add(list);
        json_out_put(o, "job", failed->at.job.v);
        json_out_put(o, "phase", failed->phase);
        json_out_put(o, "task", failed->number);
        json_out_put(o, "node", failed->node);
        json_out_set(o, "at_s", seconds((double)failed->at_us));
        json_out_put(o, "why", failed->why);
    }
    return list;
}

json_t *snapshot_json_nodes(const struct snapshot *s, const struct followed_run *f)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->nodes.count; i++) {
        const struct snapshot_node *n = &s->nodes.at[i];
        json_t *o = json_out_add(list);
        json_out_put(o, "node", i);
        json_out_set(o, "name", node_json(f, (struct node_id){i}));
        json_out_put(o, "state", n->state ? event_name(n->state) : NULL);
        json_out_members(o, n, slots, busy, slow);
        const struct story_node *known = &f->input.x.run->nodes.at[i];
        json_out_put(o, "avoided", known->avoided);
        json_out_put(o, "why", known->avoided ? reason_name(known->avoid_why.code) : NULL);
        json_out_put(o, "downs", known->downs);
        json_out_set(o, "seen_s",
                     n->seen_us < 0 ? json_null() : seconds((double)(s->now_us - n->seen_us)));
    }
    return list;
}

json_t *snapshot_json_verdicts(const struct followed_run *f)
{
    json_t *list = json_array();

    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        if (f->verdicts[code] == 0)
            continue;
        json_t *o = json_out_add(list);
        json_out_put(o, "code", reason_name(code));
        json_out_put(o, "count", f->verdicts[code]);
        json_out_put(o, "words", explain_cloning_verdict(code));
    }
    return list;
}
