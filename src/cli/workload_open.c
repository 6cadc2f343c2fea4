#include "cli/workload_open.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
        return workload_read(name, cluster, err);
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
