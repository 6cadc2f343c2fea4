/* explain_failure.c - a task that failed for good, in the few lines that a reader wants first: how,
 * what it ran, and its last words. */
#include <inttypes.h>
#include <unistd.h>

#include "commands/explain/explain.h"
#include "jobs/args/quote.h"
#include "ui/words.h"

bool explain_failure_is(const struct explain *x, uint16_t phase, uint32_t task)
{
    const struct story_task *t = &x->job->phases[phase].tasks[task];
    return t->given_up_us >= 0 || story_job_failed_task(x->job) == t;
}

void explain_failure(const struct explain *x, uint16_t phase, uint32_t task, struct str *out)
{
    const struct story_task *t = &x->job->phases[phase].tasks[task];
    const struct story_attempt *a = story_job_last_failed(x->job, t);

    str_addf(out, "Task %" PRIu64 " ", explain_number(x, task));
    if (!x->from_one) /* a run of dolly map has one phase of one job */
        str_addf(out, "of %s of job %u ", x->job->phases[phase].name, x->job->id.v);
    if (!a) {
        str_add(out, "failed");
        return;
    }
    explain_attempt_failure(x, a, out);
    if (a->started_us >= 0 && a->ended_us >= a->started_us)
        str_addf(out, " after %s", words_time(a->ended_us - a->started_us).text);
    str_addf(out, " on %s", explain_node(x, a->node).text);
    if (t->launches > 1)
        str_addf(out, ", the last of %s", words_count(t->launches, "attempt").text);
}

void explain_failure_first(const struct explain *x, uint32_t *told, struct str *out)
{
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        for (uint32_t i = 0; i < x->job->phases[k].count && *told < STORY_FAILED; i++) {
            if (!explain_failure_is(x, k, i))
                continue;
            ++*told;
            explain_failure(x, k, i, out);
            str_add(out, ".\n");
            explain_command(x, i, "It runs: ", "\n", out);
            explain_stderr(x, k, i, out);
        }
}

void explain_failure_retry(const struct explain *x, struct str *out)
{
    struct path folder = explain_folder(x->path);

    if (!x->look || !x->complete || !*folder.text)
        return;
    str_add(out, "dolly resume --retry-failed ");
    quote_add_path(out, folder.text);
}

void explain_failure_since(const struct explain *x, struct str *out)
{
    struct path folder = explain_folder(x->path), last = {""};

    for (int i = 1; *folder.text; i++) {
        struct path next = path_of("%s/resumed-%d", folder.text, i);
        if (access(path_of("%s/journal", next.text).text, F_OK) < 0)
            break;
        last = next;
    }
    if (!*last.text)
        return;
    str_add(out, "dolly explain ");
    quote_add_path(out, last.text);
}
