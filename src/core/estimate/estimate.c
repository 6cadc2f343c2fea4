#include "core/estimate/estimate.h"

uint32_t estimate_times(const struct phase *p, uint32_t stride, double *times)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->count; t += stride)
        if (p->tasks[t].state == TASK_DONE)
            times[n++] = (double)p->tasks[t].took_us / 1e6 / phase_read_load(p, t);
    for (uint32_t i = 0; n < p->past_count; i++)
        times[n++] = (double)p->past_us[i] / 1e6;
    return n;
}

static double left_by_siblings(double elapsed, const double *times, uint32_t count)
{
    double sum = 0;
    uint32_t longer = 0;
    for (uint32_t i = 0; i < count; i++)
        if (times[i] > elapsed) {
            sum += times[i] - elapsed;
            longer++;
        }
    return longer ? sum / longer : elapsed;
}

struct estimate estimate_attempt(const struct world *w, const struct attempt *a,
                                 const double *siblings, uint32_t count)
{
    double elapsed = estimate_elapsed_s(w, a);
    struct estimate e = {0};
    if (elapsed <= 0)
        elapsed = 1e-6;
    if (a->reported) {
        e.score = a->score > 1 ? 1 : a->score;
        e.rate = estimate_rate(w, a);
        e.left_s = e.score > 0 ? (1 - e.score) / e.rate : 1e12;
    } else {
        e.by_elapsed = true;
        double load = phase_read_load(attempt_phase(a), a->task);
        e.left_s = load * left_by_siblings(elapsed / load, siblings, count);
        e.score = elapsed / (elapsed + e.left_s);
        e.rate = e.score / elapsed;
    }
    return e;
}
