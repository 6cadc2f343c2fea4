/* workload_file.c - a hand-written workload file as a stream of jobs.
 *
 * The whole file becomes templates (job_template.h) and is checked before the first job is handed
 * out. Then a heap of templates, ordered by the time of their next repetition and then by line,
 * gives the jobs in order of submission. Nothing is parsed twice, and nothing grows with `repeat=`.
 *
 * Rejected: sorting the jobs after expanding them. A short file may stand for a million jobs. */
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "inputs/config/line.h"
#include "inputs/workload/job_template.h"
#include "inputs/workload/workload.h"

struct repetition {
    uint32_t round;      /* repetitions handed out */
    uint32_t heap_index; /* in the heap */
};

struct workload_file {
    struct workload workload; /* first: the stream is cast to this */
    char *name;
    struct line_file *file; /* its text holds the templates' strings */
    struct job_templates t;
    struct heap queue;              /* of templates by (time of the next repetition, index) */
    struct repetition *repetitions; /* one per template */
};

static struct workload_job *file_next(struct workload *w)
{
    struct workload_file *wf = (struct workload_file *)w;
    const struct heap_item *top = w->closed ? NULL : heap_top(&wf->queue);
    if (!top)
        return NULL;
    uint32_t index = (uint32_t)top->tie;
    struct repetition *rep = &wf->repetitions[index];
    const struct job_template *j = &wf->t.jobs.at[index];
    struct workload_job *job = job_template_make(&wf->t, index, rep->round++);
    if (rep->round < j->repeat)
        heap_rekey(&wf->queue, &rep->heap_index, job_template_submit_us(j, rep->round));
    else
        heap_remove(&wf->queue, &rep->heap_index);
    return job;
}

static void file_destroy(struct workload *w)
{
    struct workload_file *wf = (struct workload_file *)w;
    heap_fini(&wf->queue);
    job_templates_fini(&wf->t);
    line_close(wf->file);
    mem_free(wf->repetitions);
    mem_free(wf->name);
    mem_free(wf);
}

static struct workload *read_lines(const char *name, struct line_file *file,
                                   const struct cluster *cluster, struct err *err)
{
    struct workload_file *wf = mem_zalloc(1, sizeof *wf);
    wf->name = mem_strdup(name);
    wf->file = file;
    wf->workload = (struct workload){.name = wf->name, .next = file_next, .destroy = file_destroy};
    if (job_template_read(&wf->t, file, NULL, cluster, err)) {
        file_destroy(&wf->workload);
        return NULL;
    }
    wf->repetitions = mem_zalloc(wf->t.jobs.count, sizeof *wf->repetitions);
    for (uint32_t i = 0; i < wf->t.jobs.count; i++) {
        wf->repetitions[i].heap_index = HEAP_NOWHERE;
        heap_push(&wf->queue, job_template_submit_us(&wf->t.jobs.at[i], 0), i,
                  &wf->repetitions[i].heap_index);
    }
    return &wf->workload;
}

struct workload *workload_file_read(const char *path, const struct cluster *cluster,
                                    struct err *err)
{
    struct line_file *file = line_open(path, err);
    return file ? read_lines(path, file, cluster, err) : NULL;
}

struct workload *workload_file_read_text(const char *shown, const char *text,
                                         const struct cluster *cluster, struct err *err)
{
    return read_lines(shown, line_open_text(shown, text, strlen(text)), cluster, err);
}
