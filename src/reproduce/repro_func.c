/* repro_func.c - what formulas can ask of results.
 *
 * Comparisons of two policies are paired: both saw the same jobs with the same luck, so that a job
 * (or phase) is looked up in both results and compared with itself. Rows of `dolly sim --detail`
 * are columns of numbers; those of each job are in the order in which jobs ended, which differs
 * between policies, so the second one is sorted by job first. */
#include "reproduce/repro_func.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"

/* ---- columns ---- */

/* A column of numbers under node.rows.name; the caller frees `at`. */
struct column {
    double *at;
    size_t count;
};

static int column(const struct repro_value *v, const char *rows, const char *name,
                  struct column *out, struct err *err)
{
    const json_t *list = json_object_get(json_object_get(v->node, rows), name);

    if (!json_is_array(list))
        return err_set(err, "this needs the result of a `sim --detail`");
    out->count = json_array_size(list);
    out->at = mem_zalloc(out->count ? out->count : 1, sizeof *out->at);
    for (size_t i = 0; i < out->count; i++) {
        const json_t *x = json_array_get(list, i);
        out->at[i] = json_is_number(x) ? json_number_value(x) : (double)NAN;
    }
    return 0;
}

static void columns_free(struct column *c, int count)
{
    for (int i = 0; i < count; i++)
        mem_free(c[i].at);
}

/* Several columns of the same rows; all or nothing. */
static int columns(const struct repro_value *v, const char *rows, const char *const *names,
                   int count, struct column *out, struct err *err)
{
    int have = 0;

    while (have < count && column(v, rows, names[have], &out[have], err) == 0) {
        have++;
        if (out[have - 1].count != out[0].count) {
            err_set(err, "the columns of %s are not equally long", rows);
            break;
        }
    }
    if (have == count && out[count - 1].count == out[0].count)
        return 0;
    columns_free(out, have);
    return -1;
}

static int bin_of(double tasks)
{
    return tasks <= 10 ? 1 : tasks <= 50 ? 2 : tasks <= 150 ? 3 : tasks <= 500 ? 4 : 5;
}

static bool in_bin(double tasks, double bin)
{
    return bin == 0 || bin_of(tasks) == bin;
}

/* ---- quantiles, with weights ---- */

struct weighed {
    double value, weight;
};

static int by_value(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;

    return x->value < y->value ? -1 : x->value > y->value;
}

/* The value at which the share q of all weight is reached. */
static double quantile(struct weighed *at, size_t count, double q)
{
    double all = 0, below = 0;

    qsort(at, count, sizeof *at, by_value);
    for (size_t i = 0; i < count; i++)
        all += at[i].weight;
    for (size_t i = 0; i < count; i++) {
        below += at[i].weight;
        if (below >= q * all * (1 - 1e-12))
            return at[i].value;
    }
    return count ? at[count - 1].value : (double)NAN;
}

/* ---- pairs ---- */

struct keyed {
    double key, value;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

static struct keyed *keyed_of(const double *key, const double *value, size_t count)
{
    struct keyed *k = mem_zalloc(count ? count : 1, sizeof *k);

    for (size_t i = 0; i < count; i++)
        k[i] = (struct keyed){key[i], value[i]};
    qsort(k, count, sizeof *k, by_key);
    return k;
}

static double look_up(const struct keyed *k, size_t count, double key)
{
    struct keyed want = {key, 0};
    const struct keyed *found = bsearch(&want, k, count, sizeof *k, by_key);

    return found ? found->value : (double)NAN;
}

/* Jobs of a bin (0: all): the q-quantile of what the second policy saves of a column, in percent;
 * weight: 1, or the job's slot-seconds under the first. */
static int job_gain(const struct repro_value *v, const char *name, bool by_slots, double *out,
                    struct err *err)
{
    const char *names[] = {"job", "tasks", name, "slot_s"};
    struct column a[4], b[4];
    VEC(struct weighed) gains = {0};

    if (columns(&v[0], "each_job", names, 4, a, err) < 0)
        return -1;
    if (columns(&v[1], "each_job", names, 4, b, err) < 0) {
        columns_free(a, 4);
        return -1;
    }
    struct keyed *other = keyed_of(b[0].at, b[2].at, b[0].count);
    for (size_t i = 0; i < a[0].count; i++) {
        double gain = 100 * (1 - look_up(other, b[0].count, a[0].at[i]) / a[2].at[i]);
        if (in_bin(a[1].at[i], v[2].number) && !isnan(gain))
            vec_push(&gains, ((struct weighed){gain, by_slots ? a[3].at[i] : 1}));
    }
    *out = quantile(gains.at, gains.count, v[3].number);
    mem_free(other);
    vec_free(&gains);
    columns_free(a, 4);
    columns_free(b, 4);
    return 0;
}

/* Jobs of a bin with so many phases: what the second policy saves of their mean time, in percent.
 */
static int phases_gain(const struct repro_value *v, double *out, struct err *err)
{
    static const char *const names[] = {"tasks", "phases", "jct_s"};
    double mean[2];

    for (int side = 0; side < 2; side++) {
        struct column c[3];
        double sum = 0, count = 0;
        if (columns(&v[side], "each_job", names, 3, c, err) < 0)
            return -1;
        for (size_t i = 0; i < c[0].count; i++)
            if (in_bin(c[0].at[i], v[2].number) && c[1].at[i] == v[3].number) {
                sum += c[2].at[i];
                count++;
            }
        mean[side] = sum / count;
        columns_free(c, 3);
    }
    *out = 100 * (1 - mean[1] / mean[0]);
    return 0;
}

/* Which phases, and whether each weighs as much as its value under A. */
enum phases { PHASES_ALIKE, PHASES_WEIGHTED, PHASES_THAT_READ /* weighted, too */ };

/* Phases of jobs of a bin (0: all), looked up in both results: the q-quantile of 100 (1 - B/A) of a
 * column. */
static int phase_gain(const struct repro_value *v, const char *name, double bin, double q,
                      enum phases which, double *out, struct err *err)
{
    const char *names[] = {"job", "phase", name, "read_s"}, *of_jobs[] = {"job", "tasks"};
    struct column a[4], b[4], jobs[2];
    VEC(struct weighed) gains = {0};
    const double phases_max = 65536;

    if (columns(&v[0], "each_job", of_jobs, 2, jobs, err) < 0)
        return -1;
    if (columns(&v[0], "each_phase", names, 4, a, err) < 0) {
        columns_free(jobs, 2);
        return -1;
    }
    if (columns(&v[1], "each_phase", names, 4, b, err) < 0) {
        columns_free(jobs, 2);
        columns_free(a, 4);
        return -1;
    }
    for (size_t i = 0; i < b[0].count; i++)
        b[0].at[i] = b[0].at[i] * phases_max + b[1].at[i];
    struct keyed *other = keyed_of(b[0].at, b[2].at, b[0].count);
    struct keyed *tasks = keyed_of(jobs[0].at, jobs[1].at, jobs[0].count);
    for (size_t i = 0; i < a[0].count; i++) {
        double key = a[0].at[i] * phases_max + a[1].at[i];
        double gain = 100 * (1 - look_up(other, b[0].count, key) / a[2].at[i]);
        if (isfinite(gain) && in_bin(look_up(tasks, jobs[0].count, a[0].at[i]), bin) &&
            (which != PHASES_THAT_READ || isfinite(a[3].at[i])))
            vec_push(&gains, ((struct weighed){gain, which == PHASES_ALIKE ? 1 : a[2].at[i]}));
    }
    *out = quantile(gains.at, gains.count, q);
    mem_free(other);
    mem_free(tasks);
    vec_free(&gains);
    columns_free(a, 4);
    columns_free(b, 4);
    columns_free(jobs, 2);
    return 0;
}

/* ---- one policy ---- */

/* Slot-seconds of clones of the jobs of a bin; share: in percent of those of all jobs. */
static int clone_slots(const struct repro_value *v, bool share, double *out, struct err *err)
{
    static const char *const names[] = {"tasks", "clone_slot_s"};
    struct column c[2];
    double all = 0, part = 0;

    if (columns(&v[0], "each_job", names, 2, c, err) < 0)
        return -1;
    for (size_t i = 0; i < c[0].count; i++) {
        all += c[1].at[i];
        part += in_bin(c[0].at[i], v[1].number) ? c[1].at[i] : 0;
    }
    *out = share ? 100 * part / all : part;
    columns_free(c, 2);
    return 0;
}

/* A quantile that a formula asks for. 0, or -1 with *err. */
static int check_quantile(double q, struct err *err)
{
    return q >= 0 && q <= 1 ? 0 : err_set(err, "a quantile is from 0 to 1");
}

/* A column of phases of two tasks or more, of jobs of a bin: its q-quantile; q above 1: the mean.
 * `unread`: only of phases that read no other. */
static int phase_quantile(const struct repro_value *v, const char *name, bool unread, double *out,
                          struct err *err)
{
    static const char *const of_jobs[] = {"job", "tasks"};
    const char *of_phases[] = {"job", "tasks", name, "read_s"};
    struct column jobs[2], c[4];
    VEC(double) values = {0};

    if (!(v[2].number > 1) && check_quantile(v[2].number, err) < 0)
        return -1;
    if (columns(&v[0], "each_job", of_jobs, 2, jobs, err) < 0)
        return -1;
    if (columns(&v[0], "each_phase", of_phases, 4, c, err) < 0) {
        columns_free(jobs, 2);
        return -1;
    }
    struct keyed *tasks = keyed_of(jobs[0].at, jobs[1].at, jobs[0].count);
    for (size_t i = 0; i < c[0].count; i++)
        if (c[1].at[i] >= 2 && !isnan(c[2].at[i]) && (!unread || isnan(c[3].at[i])) &&
            in_bin(look_up(tasks, jobs[0].count, c[0].at[i]), v[1].number))
            vec_push(&values, c[2].at[i]);
    *out = values.count == 0 ? (double)NAN
           : v[2].number > 1 ? stat_mean(values.at, values.count)
                             : stat_quantile(values.at, values.count, v[2].number);
    mem_free(tasks);
    vec_free(&values);
    columns_free(jobs, 2);
    columns_free(c, 4);
    return 0;
}

/* The q-quantile of the omegas that were chosen for a bin. */
static int omega_quantile(const struct repro_value *v, double *out, struct err *err)
{
    static const char *const names[] = {"bin", "omega_s"};
    struct column c[2];
    VEC(double) values = {0};

    if (check_quantile(v[2].number, err) < 0 || columns(&v[0], "each_omega", names, 2, c, err) < 0)
        return -1;
    for (size_t i = 0; i < c[0].count; i++)
        if (c[0].at[i] == v[1].number)
            vec_push(&values, c[1].at[i]);
    *out = values.count ? stat_quantile(values.at, values.count, v[2].number) : (double)NAN;
    vec_free(&values);
    columns_free(c, 2);
    return 0;
}

/* The sum of a column of phases. */
static int phase_sum(const struct repro_value *v, const char *name, double *out, struct err *err)
{
    struct column c;

    if (column(&v[0], "each_phase", name, &c, err) < 0)
        return -1;
    *out = 0;
    for (size_t i = 0; i < c.count; i++)
        *out += c.at[i];
    mem_free(c.at);
    return 0;
}

/* ---- numbers ---- */

/* A number as it is; of a policy or a bin, its mean completion time. */
static double time_of(const struct repro_value *v)
{
    const json_t *mean = json_object_get(v->node, "mean_jct_s");

    if (!v->node)
        return v->number;
    return json_is_number(mean) ? json_number_value(mean) : (double)NAN;
}

/* reach(LEVEL, x1, y1, x2, y2, ...): the first x from which on y never falls below LEVEL again. */
static double reach(const struct repro_value *v, int count)
{
    double x = (double)NAN;

    for (int i = 1; i + 1 < count; i += 2) {
        if (!(v[i + 1].number >= v[0].number))
            x = (double)NAN;
        else if (isnan(x))
            x = v[i].number;
    }
    return x;
}

static double extreme(const struct repro_value *v, int count, bool largest)
{
    double x = v[0].number;

    for (int i = 1; i < count; i++)
        x = largest ? fmax(x, v[i].number) : fmin(x, v[i].number);
    return x;
}

/* ---- the table ---- */

enum func {
    FUNC_GAIN,
    FUNC_FASTER,
    FUNC_MIN,
    FUNC_MAX,
    FUNC_ABS,
    FUNC_MEAN_TIME,
    FUNC_REACH,
    FUNC_WHEN,
    FUNC_JOB_GAIN,
    FUNC_JOB_GAIN_BY_SLOTS,
    FUNC_PHASES_GAIN,
    FUNC_PHASE_GAIN,
    FUNC_READERS_GAIN,
    FUNC_READ_SLOWDOWN,
    FUNC_READ_RATIO,
    FUNC_JOB_SAVED,
    FUNC_OMEGA,
    FUNC_CLONE_SHARE,
    FUNC_CLONE_SLOTS,
    FUNC_SLOWDOWN,
    FUNC_SLOWDOWN_UNREAD,
    FUNC_STRAGGLERS,
    FUNC_PHASE_TASKS,
};

static const struct {
    const char *name;
    int least, most;
} table[] = {
    [FUNC_GAIN] = {"gain", 2, 2},
    [FUNC_FASTER] = {"faster", 2, 2},
    [FUNC_MIN] = {"min", 1, REPRO_ARGS_MAX},
    [FUNC_MAX] = {"max", 1, REPRO_ARGS_MAX},
    [FUNC_ABS] = {"abs", 1, 1},
    [FUNC_MEAN_TIME] = {"time", 1, 1},
    [FUNC_REACH] = {"reach", 3, REPRO_ARGS_MAX},
    [FUNC_WHEN] = {"when", 2, 2},
    [FUNC_JOB_GAIN] = {"jobgain", 4, 4},
    [FUNC_JOB_GAIN_BY_SLOTS] = {"jobgain_by_slots", 4, 4},
    [FUNC_PHASES_GAIN] = {"phasesgain", 4, 4},
    [FUNC_PHASE_GAIN] = {"phasegain", 3, 3},
    [FUNC_READ_SLOWDOWN] = {"readslowdown", 4, 4},
    [FUNC_READERS_GAIN] = {"readersgain", 3, 3},
    [FUNC_READ_RATIO] = {"readratio", 3, 3},
    [FUNC_JOB_SAVED] = {"jobsaved", 4, 4},
    [FUNC_OMEGA] = {"omega", 3, 3},
    [FUNC_CLONE_SHARE] = {"cloneshare", 2, 2},
    [FUNC_CLONE_SLOTS] = {"cloneslots", 2, 2},
    [FUNC_SLOWDOWN] = {"slowdown", 3, 3},
    [FUNC_SLOWDOWN_UNREAD] = {"slowdown_unread", 3, 3},
    [FUNC_STRAGGLERS] = {"stragglers", 1, 1},
    [FUNC_PHASE_TASKS] = {"phasetasks", 1, 1},
};

static int find(const char *name, int count)
{
    for (int i = 0; i < (int)(sizeof table / sizeof table[0]); i++)
        if (strcmp(table[i].name, name) == 0 && count >= table[i].least && count <= table[i].most)
            return i;
    return -1;
}

bool repro_func_known(const char *name, int count)
{
    return find(name, count) >= 0;
}

int repro_func_call(const char *name, const struct repro_value *v, int count, double *out,
                    struct err *err)
{
    switch ((enum func)find(name, count)) {
    case FUNC_GAIN:
        *out = 100 * (1 - time_of(&v[1]) / time_of(&v[0]));
        return 0;
    case FUNC_FASTER:
        *out = 100 * (time_of(&v[0]) / time_of(&v[1]) - 1);
        return 0;
    case FUNC_MIN:
    case FUNC_MAX:
        *out = extreme(v, count, find(name, count) == FUNC_MAX);
        return 0;
    case FUNC_ABS:
        *out = fabs(v[0].number);
        return 0;
    case FUNC_MEAN_TIME:
        *out = time_of(&v[0]);
        return 0;
    case FUNC_REACH:
        *out = reach(v, count);
        return 0;
    case FUNC_WHEN:
        *out = v[0].number > 0 ? v[1].number : (double)NAN;
        return 0;
    case FUNC_JOB_GAIN:
        return job_gain(v, "jct_s", false, out, err);
    case FUNC_JOB_GAIN_BY_SLOTS:
        return job_gain(v, "jct_s", true, out, err);
    case FUNC_PHASES_GAIN:
        return phases_gain(v, out, err);
    case FUNC_PHASE_GAIN:
        return phase_gain(v, "took_s", 0, v[2].number, PHASES_WEIGHTED, out, err);
    case FUNC_READERS_GAIN:
        return phase_gain(v, "took_s", 0, v[2].number, PHASES_THAT_READ, out, err);
    case FUNC_READ_SLOWDOWN: /* the slowdowns' q-quantile is the gains' (1 - q)-quantile, mirrored
                              */
        if (phase_gain(v, "read_s", v[2].number, 1 - v[3].number, PHASES_ALIKE, out, err) < 0)
            return -1;
        *out = -*out;
        return 0;
    case FUNC_READ_RATIO:
        return phase_quantile(v, "read_ratio", false, out, err);
    case FUNC_JOB_SAVED:
        return job_gain(v, "slot_s", false, out, err);
    case FUNC_OMEGA:
        return omega_quantile(v, out, err);
    case FUNC_CLONE_SHARE:
        return clone_slots(v, true, out, err);
    case FUNC_CLONE_SLOTS:
        return clone_slots(v, false, out, err);
    case FUNC_SLOWDOWN:
        return phase_quantile(v, "slowdown", false, out, err);
    case FUNC_SLOWDOWN_UNREAD:
        return phase_quantile(v, "slowdown", true, out, err);
    case FUNC_STRAGGLERS:
        return phase_sum(v, "stragglers", out, err);
    case FUNC_PHASE_TASKS:
        return phase_sum(v, "tasks", out, err);
    }
    return err_set(err, "no function %s", name);
}
