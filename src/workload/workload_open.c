#include "workload/workload_open.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

const struct synth_model *workload_model(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 ? NULL : synth_find(name);
}

struct workload *workload_open(const char *name, const struct cluster *cluster, uint64_t seed,
                               bool again, struct err *err)
{
    struct stat st;

    if (stat(name, &st) == 0) {
        if (again && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
            err_set(err, "%s: several runs read the workload again, so it must be a plain file",
                    name);
            return NULL;
        }
        return workload_file_read(name, cluster, err);
    }
    if (errno == ENOENT) {
        const struct synth_model *model = synth_find(name);
        if (model)
            return synth_create(model, seed);
        err_set(err, "%s: there is no workload file or generated workload of this name", name);
        return NULL;
    }
    err_set(err, "%s: %s", name, strerror(errno));
    return NULL;
}

int workload_take_scale(void *load, const char *text, struct err *err)
{
    static const char key[] = "load=";
    double value;

    if (strncmp(text, key, sizeof key - 1) != 0 || !text_real(text + sizeof key - 1, &value) ||
        value < 0.01 || value > 100)
        return err_set(err, "--scale must be load=F with F from 0.01 to 100, not '%s'", text);
    *(double *)load = value;
    return 0;
}

const struct synth_model *workload_scale(const struct synth_model *m, double load,
                                         struct synth_model *scaled)
{
    if (load == 1)
        return m;
    *scaled = *m;
    scaled->arrivals_per_s *= load;
    return scaled;
}
