#include "core/estimate/healthy.h"

#include <math.h>

double healthy_inputs(const struct phase *p)
{
    if (!p->input_each)
        return (double)p->input_bytes * p->count;
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++)
        sum += (double)p->input_each[i];
    return sum;
}

double healthy_mean_bytes(const struct phase *p, double inputs)
{
    double mean = (inputs + (double)p->read_sum) / p->count;
    return mean > 0 ? mean : 1;
}

/* An expert's opinion about a task of mean bytes. */
struct opinion {
    double log_us;
    int expert;
};

enum { OPINIONS_MAX = 2 };

static int opinions(const struct world *w, const struct phase *p, double bytes, struct opinion *out)
{
    int n = 0;
    struct expected e = phase_expected(w, p);
    if (e.basis != EXPECTED_PRIOR)
        out[n++] = (struct opinion){log(e.mean_us), e.basis};
    if (bytes > 1)
        out[n++] = (struct opinion){log(bytes), HEALTHY_BYTES};
    return n;
}

/* An expert that was never scored errs by a factor of e, and bytes have no unit before that. */
double healthy_guess(const struct healthy *h, const struct world *w, const struct phase *p,
                     double bytes)
{
    struct opinion all[OPINIONS_MAX];
    int n = opinions(w, p, bytes, all), best = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        const struct healthy_expert *x = &h->experts[all[i].expert];
        double error = x->count ? x->error : 1;
        if ((x->count || all[i].expert != HEALTHY_BYTES) && error < least) {
            least = error;
            best = i;
        }
    }
    return best < 0 ? 0 : exp(all[best].log_us + h->experts[all[best].expert].bias) / bytes;
}

void healthy_learn(struct healthy *h, const struct world *w, const struct phase *p, double bytes,
                   double per_byte)
{
    struct opinion all[OPINIONS_MAX];
    int n = opinions(w, p, bytes, all);
    double truth = log(per_byte * bytes);
    for (int i = 0; i < n; i++) {
        struct healthy_expert *x = &h->experts[all[i].expert];
        double off = truth - all[i].log_us - x->bias;
        if (x->count < HEALTHY_MEMORY)
            x->count++;
        if (x->count > 1)
            x->error += (fabs(off) - x->error) / (x->count - 1);
        else
            x->error = 1;
        x->bias += off / x->count;
    }
}
