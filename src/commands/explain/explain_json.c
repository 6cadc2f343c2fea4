/* explain_json.c - the facts behind the sentences, as one object per view. Times are in seconds
 * from the start of the run; what is not known or has not happened is null. */
#include <stdio.h>

#include "commands/explain/explain.h"
#include "ui/json_out.h"
#include "ui/words.h"

/* `unsure`: of some that extra attempts beat it is not known how long they would have taken. */
static void add_difference(json_t *o, const struct story_difference *d, bool unsure)
{
    bool at_least = !unsure || words_saved(d, true).is_known;
    json_out_members(o, d, straggling_us);
    json_out_set(o, "saved_at_least_s", json_out_seconds(at_least ? d->saved_us : -1));
    json_out_set(o, "saved_about_s", json_out_seconds(unsure ? -1 : d->pace_saved_us));
    json_out_set(o, "saved_low_s", json_out_seconds(at_least ? d->low_saved_us : -1));
    json_out_set(o, "saved_high_s", json_out_seconds(unsure ? -1 : d->high_saved_us));
}

static json_t *reason_json(const struct reason *r)
{
    if (r->code == WHY_NONE)
        return json_null();
    json_t *o = json_object();
    json_out_set(o, "code", json_string(reason_name(r->code)));
    for (uint8_t i = 0; i < r->count; i++) {
        const char *name = reason_number_name(r->code, i);
        char place[16];
        snprintf(place, sizeof place, "number_%d", i + 1);
        json_out_set(o, name[0] == '?' ? place : name, json_out_number(r->num[i], false));
    }
    return o;
}

static json_t *why_json(const struct explain *x, struct story_why why)
{
    struct reason r = story_job_reason(x->job, why);
    return reason_json(&r);
}

static json_t *standing_json(const struct explain *x, uint16_t phase)
{
    struct reason r = explain_standing_at(x, phase);
    return reason_json(&r);
}

static void add_task(const struct explain *x, json_t *o, uint32_t task)
{
    struct str command = {0};
    if (x->look && task < map_look_tasks(x->look))
        map_look_command(x->look, task, &command);
    json_out_put(o, "task", explain_number(x, task));
    json_out_put(o, "command", command.text);
    str_free(&command);
}

static json_t *head_json(const struct explain *x)
{
    json_t *o = json_object();
    json_out_put(o, "journal", x->path);
    json_out_members(o, x, policy, body, seed, complete, torn_bytes);
    json_out_members(o, x->run, last_us);
    return o;
}

/* ---- the run ---- */

static json_t *kinds_json(const struct story_run *r)
{
    json_t *o = json_object();
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++) {
        json_t *one = json_out_object(o, decision_kind_name(k));
        json_out_put(one, "launched", r->launched[k]);
        json_out_put(one, "won", r->won[k]);
        json_out_put(one, "vain_slot_s", r->vain_slot_s[k]);
    }
    return o;
}

static json_t *nodes_json(const struct explain *x)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->run->nodes.count; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        if (n->avoided == 0 && n->downs == 0)
            continue;
        json_t *o = json_out_add(list);
        json_out_put(o, "node", i);
        json_out_members(o, n, name, downs, avoided);
        json_out_set(o, "why", reason_json(&n->avoid_why));
    }
    return list;
}

static json_t *slowest_json(const struct story_run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->slowest_count; i++) {
        const struct story_slow_job *j = &r->slowest[i];
        json_t *o = json_out_add(list);
        json_out_put(o, "job", j->id.v);
        json_out_members(o, j, name, tasks, took_us, waited_us);
        add_difference(o, &j->would, j->unsure > 0);
        json_out_members(o, j, cloned, failed);
    }
    return list;
}

static json_t *held_json(const struct story_run *r)
{
    json_t *o = json_object();
    for (int i = 0; i < STORY_CAUSES; i++) {
        json_t *one = json_out_object(o, explain_causes[i].name);
        json_out_members(one, &r->held[i], phases);
        json_out_set(one, "seconds", json_out_seconds(r->held[i].us));
    }
    return o;
}

json_t *explain_json_run(const struct explain *x)
{
    const struct story_run *r = x->run;
    json_t *o = head_json(x);
    json_out_members(o, r, first_us, jobs);
    json_out_put(o, "jobs_not_counted", r->others);
    json_out_set(o, "mean_s",
                 r->done ? json_real(r->took_us / (double)r->done / 1e6) : json_null());
    json_out_members(o, r, done, failed, tasks, tasks_done, tasks_failed, jobs_cloned);
    json_out_put(o, "phases_considered", r->phases);
    json_out_members(o, r, phases_cloned);
    json_t *not_cloned = json_out_object(o, "not_cloned");
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        if (r->not_cloned[code])
            json_out_put(not_cloned, reason_name(code), r->not_cloned[code]);
    json_out_set(o, "attempts", kinds_json(r));
    json_out_members(o, r, withdrawn, killed, failures, slot_s, won_by_extra, beat_straggler,
                     beat_unknown, stragglers);
    add_difference(o, &r->would, r->unsure > 0);
    json_out_set(o, "held_up", held_json(r));
    json_out_set(o, "nodes", nodes_json(x));
    json_out_set(o, "slowest", slowest_json(r));
    return o;
}

/* ---- a phase ---- */

static json_t *slow_json(const struct explain *x, uint16_t phase)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    if (f->slowest == STORY_NONE || !f->has_medians)
        return json_null();
    struct story_slow s = story_race_slow(x->job, f, p, f->slowest);
    json_t *o = json_object();
    add_task(x, o, f->slowest);
    json_out_set(o, "done_s", json_out_seconds(p->tasks[f->slowest].committed_us));
    json_out_members(o, &s, behind_us, late_us, again_us, noticed_us, read_us, skew_us, slow_us,
                     ratio);
    json_out_set(o, "bytes", json_out_number(s.bytes, true));
    json_out_members(o, &s, node_others, node_slow);
    return o;
}

static json_t *verdicts_json(const struct explain *x, const struct story_phase *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->verdicts.count; i++) {
        const struct story_verdict *v = &p->verdicts.at[i];
        json_t *o = json_out_add(list);
        json_out_members(o, v, at_us);
        json_out_set(o, "task",
                     v->task == TASK_ALL ? json_null() : json_out_u64(explain_number(x, v->task)));
        json_out_set(o, "why", why_json(x, v->why));
    }
    return list;
}

static json_t *phase_json(const struct explain *x, uint16_t phase)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *f = &x->facts.phases[phase];
    json_t *o = json_object();
    json_out_put(o, "phase", phase);
    json_out_members(o, p, name);
    json_out_put(o, "tasks", p->count);
    json_out_put(o, "done", p->committed);
    json_out_members(o, p, given_up);
    json_t *attempts = json_out_object(o, "attempts");
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        json_out_put(attempts, decision_kind_name(k), p->launched[k]);
    json_out_members(o, f, opened_us, begun_us, ended_us);
    json_out_set(o, "standing", standing_json(x, phase));
    json_out_set(o, "cloned", json_boolean(p->launched[LAUNCH_CLONE] > 0));
    json_out_set(o, "why", why_json(x, p->cloning.why));
    json_out_set(o, "verdicts", verdicts_json(x, p));
    json_out_set(o, "median_s", f->has_medians ? json_out_seconds(f->median_work_us) : json_null());
    json_out_members(o, f, stragglers, won_by_extra, beat_straggler, beat_unknown, unsure);
    add_difference(o, &f->would, f->unsure > 0);
    json_out_set(o, "slowest", slow_json(x, phase));
    return o;
}

/* ---- the job ---- */

static json_t *job_head_json(const struct explain *x)
{
    const struct story_job *j = x->job;
    json_t *o = head_json(x);
    json_out_put(o, "job", j->id.v);
    json_out_members(o, j, name);
    json_out_put(o, "jobs_of_that_name", x->namesakes);
    json_out_members(o, j, tasks);
    json_out_put(o, "state", j->over_us < 0 ? "open" : j->failed ? "failed" : "done");
    json_out_set(o, "why", why_json(x, j->over_why));
    json_out_members(o, j, arrived_us, submitted_us);
    json_out_members(o, &x->facts, begun_us);
    json_out_set(o, "ended_s", json_out_seconds(j->over_us));
    json_out_set(o, "standing", standing_json(x, EXPLAIN_ANY));
    return o;
}

json_t *explain_json_job(const struct explain *x)
{
    json_t *o = job_head_json(x);
    uint32_t unsure = 0;
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        unsure += x->facts.phases[k].unsure;
    add_difference(o, &x->facts.would, unsure > 0);
    json_t *phases = json_out_list(o, "phases");
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        json_array_append_new(phases, phase_json(x, k));
    return o;
}

json_t *explain_json_phase(const struct explain *x, uint16_t phase)
{
    json_t *o = job_head_json(x);
    json_out_set(o, "phase", phase_json(x, phase));
    return o;
}

/* ---- a task ---- */

static json_t *attempt_json(const struct explain *x, const struct story_attempt *a)
{
    json_t *o = json_object();
    const struct story_reads *r = story_job_reads(x->job, a);
    json_out_put(o, "attempt", a->ordinal);
    json_out_put(o, "kind", decision_kind_name(a->kind));
    json_out_set(o, "why", why_json(x, a->why));
    json_out_put(o, "node", explain_node(x, a->node).text);
    json_out_members(o, a, launched_us, started_us, ended_us);
    json_out_put(o, "ending", a->ending ? event_name(a->ending) : NULL);
    json_out_members(o, a, won);
    json_out_put(o, "cause", a->cause ? event_cause_name(a->cause) : NULL);
    json_out_members(o, a, detail, stop_us);
    json_out_set(o, "stop_why", why_json(x, a->stop_why));
    json_out_set(o, "progress", a->done < 0 ? json_null() : json_real(a->done));
    json_out_set(o, "stood_still_s", json_out_seconds(a->still_us));
    json_out_put(o, "reads", r ? r->assigned : 0);
    json_out_put(o, "reads_whole", r ? r->whole : 0);
    json_out_set(o, "reads_shared",
                 r && r->said < r->assigned ? json_null() : json_integer(r ? r->shared : 0));
    json_out_put(o, "reads_failed", r ? r->failed : 0);
    json_out_set(o, "given_s", json_out_seconds(r && r->assigned ? r->given_us : -1));
    json_out_members(o, a, fed_us);
    return o;
}

static void add_stderr(const struct explain *x, json_t *o, uint16_t phase, uint32_t task)
{
    struct explain_tail tail;
    struct attempt_ref at = {.job = x->job->id, .phase = phase, .task = task};

    if (!explain_stderr_tail(x, at, EXPLAIN_STDERR_LINES, &tail))
        return;
    json_out_put(o, "stderr_path", tail.path.text);
    json_out_put(o, "stderr_tail", tail.text.text);
    str_free(&tail.text);
}

json_t *explain_json_task(const struct explain *x, uint16_t phase, uint32_t task)
{
    static const char *const alone[] = {"same", "known", "pace", "at_least", "unknown"};
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_task *t = &p->tasks[task];
    struct story_race r = story_race(x->job, &x->facts.phases[phase], p, task);
    json_t *o = job_head_json(x);
    json_out_put(o, "phase", phase);
    json_out_put(o, "phase_name", p->name);
    add_task(x, o, task);
    json_out_set(o, "done_s", json_out_seconds(t->committed_us));
    json_out_set(o, "winner", r.winner ? json_integer(t->winner) : json_null());
    json_out_members(o, t, failures);
    json_out_set(o, "given_up", json_boolean(t->given_up_us >= 0));
    if (explain_failure_is(x, phase, task))
        add_stderr(x, o, phase, task);
    json_out_members(o, t, outputs_lost);
    json_out_put(o, "alone", r.winner ? alone[r.alone] : NULL);
    json_out_set(o, "alone_at_least_s", r.winner ? json_out_seconds(r.least_us) : json_null());
    json_out_set(o, "alone_about_s", r.winner ? json_out_seconds(r.pace_us) : json_null());
    json_out_set(o, "alone_low_s", r.winner ? json_out_seconds(r.low_us) : json_null());
    json_out_set(o, "alone_high_s", r.winner ? json_out_seconds(r.high_us) : json_null());
    json_t *attempts = json_out_list(o, "attempts");
    for (uint32_t i = t->newest; i != STORY_NONE; i = x->job->attempts.at[i].older)
        json_array_insert_new(attempts, 0, attempt_json(x, &x->job->attempts.at[i]));
    return o;
}
