#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

const struct fuzz_target fuzz_targets[] = {
    {"workload", fuzz_workload},
    {"cluster", fuzz_cluster},
    {"model", fuzz_model},
    {"policy", fuzz_policy},
    {"history", fuzz_history},
    {"joblog", fuzz_joblog},
    {"packet", fuzz_packet},
    {"frames", fuzz_frames},
    {"hello", fuzz_hello},
    {"fetch", fuzz_fetch},
    {"array", fuzz_array},
    {"chaos", fuzz_chaos},
    {"halt", fuzz_halt},
    {"slots", fuzz_slots},
    {"template", fuzz_template},
    {"inputs", fuzz_inputs},
    {"options", fuzz_options},
    {"resume", fuzz_resume},
    {"experiment", fuzz_experiment},
    {"journal", fuzz_journal},
    {"verify", fuzz_verify},
    {"explain", fuzz_explain},
    {"report", fuzz_report},
    {"replay", fuzz_replay},
    {"whatif", fuzz_whatif},
    {"job", fuzz_job},
    {"plan", fuzz_plan},
    {"counters", fuzz_counters},
    {"sorted_file", fuzz_sorted_file},
    {"trace_any", fuzz_trace_any},
    {"trace_google_attempts", fuzz_trace_google_attempts},
    {"trace_google_events", fuzz_trace_google_events},
    {"trace_alibaba2018_task", fuzz_trace_alibaba2018_task},
    {"trace_alibaba2018_instance", fuzz_trace_alibaba2018_instance},
    {"trace_alibaba2018_dag", fuzz_trace_alibaba2018_dag},
    {"trace_alibaba2017_task", fuzz_trace_alibaba2017_task},
    {"trace_alibaba2017_instance", fuzz_trace_alibaba2017_instance},
    {"trace_swim", fuzz_trace_swim},
    {"trace_coflow", fuzz_trace_coflow},
    {"trace_hawk", fuzz_trace_hawk},
    {"trace_swf", fuzz_trace_swf},
    {"trace_nextflow", fuzz_trace_nextflow},
    {"trace_spark", fuzz_trace_spark},
    {"trace_wfcommons", fuzz_trace_wfcommons},
    {"trace_rumen", fuzz_trace_rumen},
    {"trace_journal", fuzz_trace_journal},
    {"rows", fuzz_rows},
    {"spool", fuzz_spool},
    {"blocks", fuzz_blocks},
    {"request", fuzz_request},
    {NULL, NULL},
};

const struct fuzz_target *fuzz_target(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

const char *fuzz_file(const uint8_t *at, size_t length)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    check(fd >= 0 && ftruncate(fd, 0) == 0);
    check(length == 0 || pwrite(fd, at, length, 0) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

char *fuzz_text(const uint8_t *at, size_t length)
{
    char *text = mem_zalloc(length + 1, 1);

    if (length)
        memcpy(text, at, length);
    return text;
}
