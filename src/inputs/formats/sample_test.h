/* sample_test.h - for tests of formats: text in, jobs out. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "inputs/formats/formats.h"
#include "inputs/formats/request.h"
#include "inputs/workload/job_equal_test.h"
#include "inputs/workload/scratch_test.h"
#include "inputs/workload/workload.h"

enum { SAMPLE_JOBS = 16 };

/* A trace made of a text, and its jobs. */
struct sample_trace {
    struct scratch file;
    struct trace_request request;
    struct import *import; /* NULL: failed, see err */
    struct err err;
    struct workload_job *jobs[SAMPLE_JOBS];
    uint32_t count; /* of jobs */
};

static inline void sample_jobs(struct sample_trace *s)
{
    struct workload *w = import_jobs(s->import, &IMPORT_VIEW_ALL, &s->err);
    check(w);
    for (struct workload_job *job; (job = w->next(w));) {
        check(s->count < SAMPLE_JOBS);
        s->jobs[s->count++] = job;
    }
    w->destroy(w);
}

/* Reads `text`; `assume` may be NULL. Free with sample_end. */
static inline void sample_begin(struct sample_trace *s, const char *text, const char *assume)
{
    *s = (struct sample_trace){.file = scratch_write(text, strlen(text)),
                               .request = REQUEST_DEFAULT};
    vec_push(&s->request.files.texts, s->file.path);
    if (assume)
        vec_push(&s->request.assumes.texts, assume);
    s->import = request_open(&s->request, &s->err);
    if (s->import)
        sample_jobs(s);
}

static inline void sample_end(struct sample_trace *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        workload_job_free(s->jobs[i]);
    import_close(s->import);
    request_fini(&s->request);
    scratch_remove(&s->file);
}

/* Writes all jobs as a workload file; free with str_free. */
static inline struct str sample_text(const struct sample_trace *s)
{
    struct str text = {0};
    str_add(&text, "");
    for (uint32_t i = 0; i < s->count; i++)
        workload_write(s->jobs[i], NULL, &text);
    return text;
}

/* Returns true if the text of the jobs, read again, gives the same jobs. */
static inline bool sample_comes_back(const struct sample_trace *s, const struct str *text)
{
    struct scratch file = scratch_write(text->text, text->length);
    struct err err;
    struct workload *w = workload_file_read(file.path, NULL, &err);
    bool same = w != NULL;
    for (uint32_t i = 0; i < s->count && same; i++) {
        struct workload_job *job = w->next(w);
        same = job_equal(s->jobs[i], job);
        workload_job_free(job);
    }
    if (w)
        w->destroy(w);
    scratch_remove(&file);
    return same;
}

/* Returns true if the trace is of this format and has these jobs; prints its jobs otherwise. */
static inline bool sample_is(const char *trace, const char *assume, const char *format,
                             const char *jobs)
{
    struct sample_trace s;
    sample_begin(&s, trace, assume);
    struct str text = sample_text(&s);
    bool same = s.import && !strcmp(s.import->formats, format) && !strcmp(text.text, jobs) &&
                sample_comes_back(&s, &text);
    if (!same)
        printf("%s\n%s", s.import ? s.import->formats : s.err.text, text.text);
    str_free(&text);
    sample_end(&s);
    return same;
}
