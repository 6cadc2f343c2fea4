/* lazy.c - libraries that are loaded when they are needed first. See lazy.h. */
#include "base/os/lazy.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef DOLLY_STATIC
void *lazy_open(const char *file, const char **why)
{
    static char text[160];

    snprintf(text, sizeof text,
             "%s: this dolly is a static build, which loads no libraries; use the "
             "package or build it with `make`",
             file);
    *why = text;
    return NULL;
}
#else
void *lazy_open(const char *file, const char **why)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    *why = library ? NULL : dlerror();
    return library;
}
#endif

int lazy_load(struct lazy_library *l, struct err *err)
{
    char *to = l->functions;
    const char *why;

    if (l->loaded)
        return 0;
    void *library = l->linked ? NULL : lazy_open(l->file, &why);
    if (!l->linked && !library)
        return err_system(err, "a library that this needs cannot be loaded: %s", why);
    for (size_t i = 0; l->names[i]; i++) {
        void *found = l->linked ? l->linked[i] : dlsym(library, l->names[i]);
        if (!found) {
            if (library)
                dlclose(library);
            return err_system(err, "the library %s has no function %s", l->file, l->names[i]);
        }
        memcpy(to, &found, sizeof found);
        to += sizeof found;
    }
    l->loaded = true;
    return 0;
}
