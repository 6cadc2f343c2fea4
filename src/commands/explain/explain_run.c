/* explain_run.c - the story of a run: how many were cloned and why not, what extra attempts did,
 * which nodes were avoided, and which jobs to ask about next. */
#include <inttypes.h>

#include "commands/explain/explain.h"
#include "core/policy/policy.h"
#include "jobs/args/quote.h"
#include "ui/settings.h"
#include "ui/words.h"

static void add_cloning(const struct story_run *r, struct str *out)
{
    if (r->phases == 0) {
        str_add(out, "No phase was considered for cloning: the policy makes no clones.\n");
        return;
    }
    str_addf(out, "%" PRIu64 " of %s had clones; %" PRIu64 " of %s cloned.\n", r->jobs_cloned,
             words_count(r->jobs, "job").text, r->phases_cloned,
             words_were(r->phases, "phase").text);
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        if (r->not_cloned[code])
            str_addf(out, "  %s not cloned: %s\n", words_were(r->not_cloned[code], "phase").text,
                     explain_cloning_refusal(code));
}

static void add_attempts(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;
    bool idle = x->policy && settings_took_idle(x->policy, r->launched[LAUNCH_BACKUP]);
    static const char *const nouns[LAUNCH_KIND_END] = {"first attempt", "clone", "backup",
                                                       "restart", "recomputation"};
    double vain_s = 0, extra_s = 0;
    for (int k = 0; k < LAUNCH_KIND_END; k++) {
        vain_s += r->vain_slot_s[k];
        extra_s += k == LAUNCH_CLONE || k == LAUNCH_BACKUP ? r->vain_slot_s[k] : 0;
        if (r->launched[k])
            str_addf(out, "%s launched, %" PRIu64 " won.\n",
                     words_count(r->launched[k], nouns[k]).text, r->won[k]);
    }
    if (r->withdrawn)
        str_addf(out, "%s withdrawn before starting.\n", words_were(r->withdrawn, "attempt").text);
    str_addf(out, "%s killed; %s failed.\n", words_were(r->killed, "attempt").text,
             words_count(r->failures, "attempt").text);
    if (vain_s <= 0)
        return;
    double unit_s = r->slot_s < 36000 ? 1 : 3600;
    str_addf(out,
             "Attempts that did not win held %s slot-%s of %s (%s); %s of them were held by "
             "clones and backups%s.\n",
             words_number(vain_s / unit_s, 4).text, unit_s > 1 ? "hours" : "seconds",
             words_number(r->slot_s / unit_s, 4).text, words_share(vain_s / r->slot_s).text,
             words_number(extra_s / unit_s, 4).text,
             idle ? ", which take only slots that no first attempt needs" : "");
}

static void add_effect(const struct story_run *r, struct str *out)
{
    const char *who = r->jobs > 1 ? "jobs" : "the job";
    const char *each = r->jobs > 1 ? " in all, each taken by itself" : "";
    if (r->won_by_extra) {
        str_addf(out, "Clones or backups won %s: %" PRIu64 " of the attempts they beat straggled",
                 words_count(r->won_by_extra, "task").text, r->beat_straggler);
        if (r->beat_unknown)
            str_addf(out, ", %" PRIu64 " ended too early to tell", r->beat_unknown);
        str_add(out, ".\n");
        struct words_saved saved = words_saved(&r->would, r->unsure > 0);
        if (saved.is_known)
            str_addf(out, "Without them %s would have ended %s later%s.\n", who, saved.text, each);
    }
    str_addf(out, "%s known to have straggled", words_are(r->stragglers, "attempt").text);
    if (r->would.straggling_us > 0)
        str_addf(out, "; straggling cost %s about %s%s", who,
                 words_span(r->would.straggling_us).text, each);
    str_add(out, ".\n");
}

/* What phases waited for at their ends, the longest first. That a task waited for its turn is no
 * trouble: there were more tasks than slots. */
static void add_causes(const struct story_run *r, struct str *out)
{
    bool told[STORY_CAUSES] = {[STORY_LATE] = true};

    if (r->held[STORY_LATE].phases)
        str_addf(out, "In %s the last task had waited for its turn: more tasks than slots.\n",
                 words_count(r->held[STORY_LATE].phases, "phase").text);
    for (int line = 0;; line++) {
        int next = -1;
        for (int i = 0; i < STORY_CAUSES; i++)
            if (!told[i] && r->held[i].phases && (next < 0 || r->held[i].us > r->held[next].us))
                next = i;
        if (next < 0)
            return;
        told[next] = true;
        if (line == 0)
            str_add(out, "Phases waited for a last task that\n");
        str_addf(out, "  %s: %s, %s\n", explain_causes[next].words,
                 words_count(r->held[next].phases, "phase").text,
                 words_span(r->held[next].us).text);
    }
}

static void add_nodes(const struct explain *x, struct str *out)
{
    enum { SHOWN_MAX = 10 };
    static const char *const words[WHY_CODE_END] = {
        [WHY_BAD_NODE] = "it was predicted to straggle with probability {p|2} (limit {limit|2}; "
                         "{last|2} in the last window, {long_term|2} in the long run)",
        [WHY_DISK_FULL] = "its disk was full",
        [WHY_NODE_FAULT] = "it could not do its part for an attempt",
    };
    uint32_t downs = 0, shown = 0, avoided = 0;
    for (uint32_t i = 0; i < x->run->nodes.count; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        downs += n->downs;
        avoided += n->avoided > 0;
        if (n->avoided == 0 || shown == SHOWN_MAX)
            continue;
        shown++;
        str_addf(out, "Node %s was avoided %s, the last time because ",
                 explain_node(x, (struct node_id){i}).text, words_count(n->avoided, "time").text);
        explain_why(words, "", "", &n->avoid_why, out);
        str_add(out, ".\n");
    }
    if (avoided > shown)
        str_addf(out, "%s avoided as well.\n", words_were(avoided - shown, "node").text);
    if (downs)
        str_addf(out, "Nodes went down %s%s.\n", words_count(downs, "time").text,
                 explain_is_simulated(x) ? "" : " (each one does when a run is interrupted)");
}

static void add_slowest(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;
    if (r->slowest_count == 0)
        return;
    str_add(out, "\nThe slowest jobs:\n");
    for (uint32_t i = 0; i < r->slowest_count; i++) {
        const struct story_slow_job *j = &r->slowest[i];
        str_addf(out, "  job %u (%s), %s: %s", j->id.v, j->name, words_count(j->tasks, "task").text,
                 words_time(j->took_us).text);
        if (j->waited_us >= 1000)
            str_addf(out, ", of which it waited %s", words_time(j->waited_us).text);
        if (j->would.straggling_us > 0)
            str_addf(out, "; straggling cost about %s", words_time(j->would.straggling_us).text);
        struct words_saved saved = words_saved(&j->would, j->unsure > 0);
        if (saved.is_known)
            str_addf(out, "; extra attempts saved %s", saved.text);
        str_add(out, j->failed ? "; failed\n" : j->cloned ? "; cloned\n" : "; not cloned\n");
    }
    str_add(out, "Ask for one with: dolly explain ");
    quote_add_path(out, x->path);
    str_addf(out, " %u\n", r->slowest[0].id.v);
}

/* Failures first: the first few, and how to run them again. */
static void add_failures(const struct explain *x, struct str *out)
{
    uint64_t failed = x->run->tasks_failed;

    if (!x->failures)
        return;
    str_add(out, x->failures);
    if (failed > STORY_FAILED)
        str_addf(out, "%s failed as well.\n", words_count(failed - STORY_FAILED, "task").text);
    size_t before = out->length;
    explain_failure_retry(x, out);
    if (out->length > before)
        str_add(out, " runs again what failed.\n");
    before = out->length;
    explain_failure_since(x, out);
    if (out->length > before)
        str_add(out, " shows how that went the last time.\n");
}

void explain_run(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;
    uint64_t over = r->done + r->failed, open = r->jobs > over ? r->jobs - over : 0;
    explain_headline_run(x, out);
    add_failures(x, out);
    str_add(out, "A run of the policy "); /* --json has it in full */
    policy_shorten(x->policy ? x->policy : "?", out);
    str_addf(out, " %s, from %s to %s.\n",
             explain_is_simulated(x) ? "in the simulator" : "on real processes",
             words_time(r->first_us).text, words_time(r->last_us).text);
    str_addf(out, "%s with %s: ", words_count(r->jobs, "job").text,
             words_count(r->tasks, "task").text);
    if (r->jobs > 1) {
        str_addf(out, "%s done, %" PRIu64 " failed", words_count(r->done, "job").text, r->failed);
        str_addf(out, open ? ", %" PRIu64 " not over; " : "; ", open);
    }
    str_addf(out, "%s done, %" PRIu64 " failed", words_count(r->tasks_done, "task").text,
             r->tasks_failed);
    if (r->tasks > r->tasks_done + r->tasks_failed)
        str_addf(out, ", %" PRIu64 " not done", r->tasks - r->tasks_done - r->tasks_failed);
    str_add(out, ".\n");
    if (r->others > 0)
        str_addf(out,
                 "These are the measured jobs; %" PRIu64
                 " that came before or after them are not counted.\n",
                 r->others);
    if (r->jobs > 1 && r->done > 0)
        str_addf(out, "A job took %s on average.\n",
                 words_span((int64_t)(r->took_us / (double)r->done)).text);
    for (uint64_t i = 0; i < r->failed && i < STORY_FAILED; i++) {
        str_addf(out, "Job %u failed; why: dolly explain ", r->failed_first[i].v);
        quote_add_path(out, x->path);
        str_addf(out, " %u\n", r->failed_first[i].v);
    }
    if (r->jobs == 0)
        return;
    add_cloning(r, out);
    add_attempts(x, out);
    add_effect(r, out);
    add_causes(r, out);
    add_nodes(x, out);
    add_slowest(x, out);
}
