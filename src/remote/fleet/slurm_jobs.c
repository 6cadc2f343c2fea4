/* slurm_jobs.c - parses the output of squeue --json.
 *
 * jansson reads it as a whole. What is missing or of another type than expected counts as not set:
 * a release of Slurm that we have not seen costs us what it has renamed, not the run. */
#include "remote/fleet/slurm_jobs.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* A number in any of its shapes; `none` if it is not set, null, or infinite. */
static int64_t number_of(const json_t *job, const char *key, int64_t none)
{
    const json_t *v = json_object_get(job, key);

    if (json_is_object(v)) {
        if (json_is_false(json_object_get(v, "set")) ||
            json_is_true(json_object_get(v, "infinite")))
            return none;
        v = json_object_get(v, "number");
    }
    return json_is_integer(v) ? json_integer_value(v) : none;
}

/* A time of Slurm; `none` if it is not set or beyond all clocks. */
static int64_t time_us_of(const json_t *job, const char *key, int64_t none)
{
    int64_t s = number_of(job, key, 0);

    return s > 0 && s < INT64_MAX / 1000000 ? s * 1000000 : none;
}

static const char *string_of(const json_t *job, const char *key)
{
    const char *text = json_string_value(json_object_get(job, key));

    return text ? text : "";
}

/* The states of a job: one, or a list of one and its flags. */
static bool has_state(const json_t *job, const char *state)
{
    const json_t *v = json_object_get(job, "job_state"), *one;
    size_t i;

    if (json_is_string(v))
        return strcmp(json_string_value(v), state) == 0;
    json_array_foreach(v, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), state) == 0)
            return true;
    }
    return false;
}

static const char *state_of(const json_t *job)
{
    const json_t *v = json_object_get(job, "job_state");
    const char *text = json_string_value(json_is_array(v) ? json_array_get(v, 0) : v);

    return text ? text : "unknown";
}

static void read_job(const json_t *job, struct slurm_blocks_job *j)
{
    int64_t number, nodes = number_of(job, "node_count", 0);

    *j = (struct slurm_blocks_job){.job = number_of(job, "job_id", 0),
                                   .nodes = nodes > 0 && nodes < UINT32_MAX ? (uint32_t)nodes : 0,
                                   .phase = BLOCKS_JOB_OVER,
                                   .end_us = time_us_of(job, "end_time", INT64_MAX),
                                   .sent_us = time_us_of(job, "submit_time", 0),
                                   .reason = string_of(job, "state_reason"),
                                   .state = state_of(job)};
    if (text_int(string_of(job, "comment"), &number) && number > 0 && number < UINT32_MAX)
        j->number = (uint32_t)number;
    if (has_state(job, "COMPLETING"))
        j->phase = BLOCKS_JOB_ENDS;
    else if (has_state(job, "PENDING") || has_state(job, "CONFIGURING"))
        j->phase = BLOCKS_JOB_WAITS;
    else if (has_state(job, "RUNNING") || has_state(job, "SUSPENDED"))
        j->phase = BLOCKS_JOB_RUNS;
}

int slurm_jobs_parse(struct slurm_jobs *jobs, const char *text, size_t length, const char *name,
                     int64_t id, struct err *err)
{
    json_error_t where;
    json_t *root = json_loadb(text, length, 0, &where), *list, *job;
    size_t i;

    if (!root)
        return err_system(err, "squeue --json: line %d: %s", where.line, where.text);
    list = json_object_get(root, "jobs");
    if (!json_is_array(list)) {
        json_decref(root);
        return err_system(err, "squeue --json: no list of jobs");
    }
    *jobs = (struct slurm_jobs){.root = root};
    json_array_foreach(list, i, job)
    {
        if (name ? strcmp(string_of(job, "name"), name) == 0 : number_of(job, "job_id", 0) == id)
            read_job(job, vec_add(&jobs->at));
    }
    return 0;
}

void slurm_jobs_fini(struct slurm_jobs *jobs)
{
    vec_free(&jobs->at);
    json_decref(jobs->root);
}
