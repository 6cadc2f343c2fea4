/* snapshot_json.c - the numbers of a snapshot for programs.
 *
 * The sums of the run are those of `dolly explain`, made by the same code from the same account, so
 * that a reader of both never sees two answers. Everything else is of this moment. */
#include "commands/watch/snapshot_json.h"

#include "commands/report/page.h"
#include "inputs/cluster/about.h"
#include "ui/journal_json.h"
#include "ui/json_out.h"
#include "ui/words.h"

static json_t *seconds(double us)
{
    return us < 0 ? json_null() : json_real(us / 1e6);
}

static json_t *tasks_json(const struct snapshot *s)
{
    json_t *o = json_object();

    json_out_set(o, "total", journal_json_u64(s->sums.tasks));
    json_out_set(o, "done", journal_json_u64(s->sums.tasks_done));
    json_out_set(o, "failed", journal_json_u64(s->sums.tasks_failed));
    json_out_set(o, "running", journal_json_u64(s->running));
    json_out_set(o, "waiting", journal_json_u64(s->waiting));
    return o;
}

static json_t *attempts_json(const struct snapshot *s, const struct followed_run *f)
{
    json_t *o = json_object();

    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++) {
        json_t *one = json_out_object(o, decision_kind_name(k));
        json_out_set(one, "launched", journal_json_u64(f->launched[k]));
        json_out_set(one, "running", journal_json_u64(s->attempts_running[k]));
        for (int e = FATE_WON; e < FATE_COUNT; e++)
            json_out_set(one, followed_run_end_name((enum attempt_fate)e),
                         journal_json_u64(f->ended[k][e]));
    }
    return o;
}

static json_t *bounds_json(const double us[ENDING_BOUNDS])
{
    json_t *o = json_object();

    json_out_set(o, "about_s", seconds(us[ENDING_ABOUT]));
    json_out_set(o, "low_s", seconds(us[ENDING_LOW]));
    json_out_set(o, "high_s", seconds(us[ENDING_HIGH]));
    return o;
}

static json_t *ends_json(const struct snapshot *s)
{
    json_t *o = bounds_json(s->ends_us);

    json_out_set(o, "no_times_of", journal_json_text(s->ends_unknown));
    return o;
}

static json_t *phases_json(const struct snapshot *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->phases.count; i++) {
        const struct snapshot_phase *p = &s->phases.at[i];
        json_t *o = json_out_add(list);
        json_out_set(o, "phase", journal_json_text(p->name));
        json_out_set(o, "tasks", journal_json_u64(p->tasks));
        json_out_set(o, "done", journal_json_u64(p->done));
        json_out_set(o, "failed", journal_json_u64(p->failed));
        json_out_set(o, "running", journal_json_u64(p->running));
        json_out_set(o, "waiting", journal_json_u64(p->waiting));
        json_out_set(o, "rescued", journal_json_u64(p->rescued));
        json_out_set(o, "median_s",
                     p->took.known ? seconds(p->took.us[ENDING_ABOUT]) : json_null());
    }
    return list;
}

json_t *snapshot_json_sums(const struct snapshot *s, const struct followed_run *f)
{
    json_t *o = json_object();

    json_out_set(o, "turn", journal_json_u64(s->turn));
    json_out_set(o, "now_s", seconds((double)s->now_us));
    json_out_set(o, "state", json_string(followed_run_state_name(s->state)));
    json_out_set(o, "tasks", tasks_json(s));
    json_out_set(o, "attempts", attempts_json(s, f));
    json_out_set(o, "ends", ends_json(s));
    json_out_set(o, "slots", json_out_number(f->capacity_slots, false));
    json_out_set(o, "slots_held", json_out_number(f->held_slots, false));
    json_out_set(o, "extra_share", json_out_number(f->extra_share, false));
    json_out_set(o, "oldest_wait_s", seconds((double)s->oldest_wait_us));
    json_out_set(o, "phases", phases_json(s));
    return o;
}

static void add_about(const struct explain *x, json_t *o)
{
    struct about_text a;
    bool said = explain_about(x, &a);

    json_out_set(o, "command", journal_json_text(a.about.typed));
    json_out_set(o, "host", journal_json_text(a.about.host));
    json_out_set(o, "version", journal_json_text(a.about.program));
    json_out_set(o, "began", journal_json_text(a.about.began));
    if (said)
        about_free(&a);
}

json_t *snapshot_json_run(const struct snapshot *s, const struct followed_run *f)
{
    struct explain x = f->input.x;
    json_t *o = json_object();
    char *name = page_run_name(f->path);

    json_out_set(o, "name", journal_json_text(name));
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
    return journal_json_text(explain_node(&f->input.x, node).text);
}

json_t *snapshot_json_attempts(const struct snapshot *s, const struct followed_run *f,
                               uint32_t limit)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->attempts.count && i < limit; i++) {
        const struct snapshot_attempt *a = &s->attempts.at[i];
        json_t *o = json_out_add(list);
        json_out_set(o, "job", json_integer(a->at.job.v));
        json_out_set(o, "phase", journal_json_text(s->phases.at[a->phase].name));
        json_out_set(o, "task", journal_json_u64(a->number));
        json_out_set(o, "attempt", json_integer(a->at.attempt));
        json_out_set(o, "kind", json_string(decision_kind_name(a->kind)));
        json_out_set(o, "node", node_json(f, a->node));
        json_out_set(o, "age_s", seconds((double)a->age_us));
        json_out_set(o, "done", a->done < 0 ? json_null() : json_out_number(a->done, false));
        json_out_set(o, "left_s", seconds(a->left_us));
        json_out_set(o, "copies", json_integer(a->copies));
        json_out_set(o, "slow", json_boolean(a->slow));
    }
    return list;
}

json_t *snapshot_json_failures(const struct snapshot *s, const struct followed_run *f)
{
    json_t *list = json_array();
    const struct failure *failed;

    for (uint32_t i = 0; (failed = snapshot_failure(s, f, i)); i++) {
        json_t *o = json_out_add(list);
        json_out_set(o, "job", json_integer(failed->at.job.v));
        json_out_set(o, "phase", journal_json_text(failed->phase));
        json_out_set(o, "task", journal_json_u64(failed->number));
        json_out_set(o, "node", journal_json_text(failed->node));
        json_out_set(o, "at_s", seconds((double)failed->at_us));
        json_out_set(o, "why", journal_json_text(failed->why));
    }
    return list;
}

json_t *snapshot_json_nodes(const struct snapshot *s, const struct followed_run *f)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->nodes.count; i++) {
        const struct snapshot_node *n = &s->nodes.at[i];
        json_t *o = json_out_add(list);
        json_out_set(o, "node", json_integer(i));
        json_out_set(o, "name", node_json(f, (struct node_id){i}));
        json_out_set(o, "state", n->state ? json_string(event_name(n->state)) : json_null());
        json_out_set(o, "slots", json_integer(n->slots));
        json_out_set(o, "busy", json_integer(n->busy));
        json_out_set(o, "slow", json_integer(n->slow));
        const struct story_node *known = &f->input.x.run->nodes.at[i];
        json_out_set(o, "avoided", json_integer(known->avoided));
        json_out_set(o, "why",
                     known->avoided ? json_string(reason_name(known->avoid_why.code))
                                    : json_null());
        json_out_set(o, "downs", json_integer(known->downs));
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
        json_out_set(o, "code", json_string(reason_name(code)));
        json_out_set(o, "count", journal_json_u64(f->verdicts[code]));
        json_out_set(o, "words", json_string(explain_cloning_verdict(code)));
    }
    return list;
}
