#include "stats/straight_line.h"

#include "base/stat.h"

struct straight_line straight_line_fit(const double *x, const double *y, uint32_t n)
{
    double mean_x = stat_mean(x, n), mean_y = stat_mean(y, n), xy = 0, xx = 0;
    for (uint32_t i = 0; i < n; i++) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
    }
    double slope = xx > 0 ? xy / xx : 0;
    return (struct straight_line){mean_y - slope * mean_x, slope};
}
