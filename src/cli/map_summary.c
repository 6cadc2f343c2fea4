#include <stdio.h>

#include "base/stat.h"
#include "cli/map_state.h"

/* The words at the end: how long, who was slowest and why, what cloning did or could do, what it
 * all cost. On stderr, because stdout belongs to the tasks. */

static double median_of(const struct map *m)
{
    if (m->runtimes.count == 0)
        return 0;
    double *copy = mem_zalloc(m->runtimes.count, sizeof *copy);
    for (uint32_t i = 0; i < m->runtimes.count; i++)
        copy[i] = (double)m->runtimes.at[i];
    double median = stat_quantile(copy, m->runtimes.count, 0.5);
    mem_free(copy);
    return median;
}

/* When the run would have ended had nobody taken longer than the limit: starts as they were. */
static double end_without_stragglers(const struct map *m, double limit_s)
{
    double last = 0;

    for (uint32_t i = 0; i < m->ends.count; i++) {
        double took = (double)m->runtimes.at[i], end = (double)m->ends.at[i];
        if (took > limit_s)
            end -= took - limit_s;
        last = end > last ? end : last;
    }
    return last;
}

static void print_slowest(const struct map *m, double median)
{
    const struct map_end *e = &m->slowest.end;
    double busy = e->runtime_s > 0 ? e->cpu_s / e->runtime_s : 0;
    struct str command = {0};

    plan_command(m->plan, m->slowest.task, 1, &command);
    fprintf(stderr, "dolly: slowest task %llu: %.3g s, %.2g times the median of %.3g s: ",
            (unsigned long long)plan_seq(m->plan, m->slowest.task), e->runtime_s,
            median > 0 ? e->runtime_s / median : 1, median);
    if (e->runtime_s < 2 * median)
        fputs("no straggler", stderr);
    else if (busy > 0.7)
        fprintf(stderr, "it computed (%.0f %% CPU), so it had more to do or a slow core",
                busy * 100);
    else
        fprintf(stderr, "it mostly waited (%.0f %% CPU)", busy * 100);
    fprintf(stderr, " (%.60s)\n", command.text);
    str_free(&command);
}

static void print_cloning(const struct map *m, double median)
{
    double end = 0, healthy = end_without_stragglers(m, 2 * median);
    uint32_t stragglers = 0;

    for (uint32_t i = 0; i < m->ends.count; i++) {
        end = (double)m->ends.at[i] > end ? (double)m->ends.at[i] : end;
        stragglers += (double)m->runtimes.at[i] > 2 * median;
    }
    if (m->cloning)
        fprintf(stderr,
                "dolly: cloning: %llu clones; %llu stragglers averted (a clone won while the first "
                "attempt still ran); %u tasks took over twice the median all the same\n",
                (unsigned long long)m->counts.extras, (unsigned long long)m->counts.averted,
                stragglers);
    else if (stragglers > 0 && end - healthy > 0.01 * end)
        fprintf(stderr,
                "dolly: cloning was off; %u tasks took over twice the median and cost up to %.3g s "
                "of %.3g s: if the command is safe to run twice, try --pure\n",
                stragglers, end - healthy, end);
    else
        fputs("dolly: cloning was off and would have saved nothing\n", stderr);
}

void map_summary(const struct map *m)
{
    const struct map_counts *c = &m->counts;
    double median = median_of(m), took_s = 0;

    for (uint32_t i = 0; i < m->ends.count; i++)
        took_s = (double)m->ends.at[i] > took_s ? (double)m->ends.at[i] : took_s;
    fprintf(stderr, "dolly: %u tasks in %.3g s: %llu done, %llu failed, %llu attempts\n", m->tasks,
            took_s, (unsigned long long)c->done, (unsigned long long)c->failed,
            (unsigned long long)c->attempts);
    if (m->runtimes.count > 0) {
        print_slowest(m, median);
        print_cloning(m, median);
    }
    fprintf(stderr,
            "dolly: resources: %.3g slot-seconds, %.3g of them for attempts that did not win; "
            "%.3g s of CPU; largest process %.3g MiB\n",
            c->busy_s, c->wasted_s, c->cpu_s, (double)c->peak_rss_kib / 1024);
}
