/* What users write: workloads, clusters, models; and what dolly keeps beside the runs. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/policy/policy.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/format.h"
#include "inputs/models/synth_file.h"
#include "jobs/args/history.h"
#include "jobs/streams/joblog.h"
#include "tests/fuzz/fuzz.h"

enum { JOBS_MAX = 20 };

static void drain(struct workload *w)
{
    struct workload_job *job;

    for (int i = 0; w && i < JOBS_MAX && (job = w->next(w)); i++)
        workload_job_free(job);
    if (w)
        w->destroy(w);
}

void fuzz_workload(const uint8_t *at, size_t length)
{
    struct cluster *cluster = cluster_plain(3, 2);
    struct named_workload named;
    struct err err;

    /* Every format that is a file of jobs; models have a case of their own. */
    if (format_find(&named, fuzz_file(at, length), &err) == 0 && !named.model)
        drain(format_open(&named, cluster, 1, &err));
    format_fini(&named);
    cluster_destroy(cluster);
}

void fuzz_cluster(const uint8_t *at, size_t length)
{
    struct err err;
    char *text = fuzz_text(at, length);

    cluster_destroy(cluster_file_read(fuzz_file(at, length), &err));
    if (length < 16)
        cluster_destroy(cluster_parse_shape(text, &err));
    mem_free(text);
}

void fuzz_model(const uint8_t *at, size_t length)
{
    struct err err;

    synth_file_free(synth_file_read(fuzz_file(at, length), &err));
}

void fuzz_policy(const uint8_t *at, size_t length)
{
    struct err err;
    struct str again = {0};
    char *text = fuzz_text(at, length), **list = NULL;
    struct policy *p = policy_create(text, &err);

    if (p)
        policy_describe(p, &again);
    policy_destroy(p);
    str_free(&again);
    uint32_t count = policy_split(text, &list);
    for (uint32_t i = 0; i < count; i++)
        mem_free(list[i]);
    mem_free(list);
    mem_free(text);
}

/* Each line gets its checksum. */
void fuzz_history(const uint8_t *at, size_t length)
{
    struct history_entry e;
    struct str lines = {0};
    uint32_t damaged;
    char *text = fuzz_text(at, length), *rest = text;

    str_add(&lines, "dolly history 1\n");
    for (char *line; (line = strsep(&rest, "\n"));) {
        uint64_t h = hash_text(line);
        str_addf(&lines, "%s %08x\n", line, (uint32_t)(h ^ h >> 32));
    }
    const char *path = fuzz_file((const uint8_t *)lines.text, lines.length);
    history_find(path, 0x1234, &e, &damaged);
    str_free(&lines);
    mem_free(text);
}

void fuzz_joblog(const uint8_t *at, size_t length)
{
    struct joblog_entry e;
    struct str out = {0};
    char *text = fuzz_text(at, length), *rest = text;

    for (char *line; (line = strsep(&rest, "\n"));)
        if (joblog_read(line, strlen(line), &e))
            joblog_add(&out, &e);
    str_free(&out);
    mem_free(text);
}
