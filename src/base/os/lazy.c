/* lazy.c - libraries that are loaded when they are needed first. See lazy.h. */
#include "base/os/lazy.h"

#include <dlfcn.h>
#include <string.h>

int lazy_load(struct lazy_library *l, struct err *err)
{
    char *to = l->functions;

    if (l->loaded)
        return 0;
    void *library = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_system(err, "a library that this needs cannot be loaded: %s", dlerror());
    for (const char *const *name = l->names; *name; name++) {
        void *found = dlsym(library, *name);
        if (!found) {
            err_system(err, "the library %s has no function %s", l->file, *name);
            dlclose(library);
            return -1;
        }
        memcpy(to, &found, sizeof found);
        to += sizeof found;
    }
    l->loaded = true;
    return 0;
}
