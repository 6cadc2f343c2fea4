#include "core/shepherd/luck.h"

#include <math.h>

double luck_mean(const struct luck_record *l)
{
    return (l->won + 1) / (l->won + l->lost + 2);
}

void luck_add(struct luck_record *l, bool won)
{
    double bound = log(LUCK_BOUND), q = fmin(fmax(luck_mean(l), LUCK_Q_MIN), LUCK_Q_MAX);
    l->evidence = fmin(fmax(l->evidence + log(2 * (won ? q : 1 - q)), -bound), bound);
    double fade = l->won + l->lost >= LUCK_MEMORY ? 1 - 1 / LUCK_MEMORY : 1;
    l->won = l->won * fade + won;
    l->lost = l->lost * fade + !won;
}

bool luck_is_proven(const struct luck_record *l)
{
    return l->evidence >= log(LUCK_PROOF);
}
