#include "map/map_shell.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* Shells that read what we quote as we mean it. */
static bool is_shell(const char *path)
{
    static const char *const known[] = {"sh",    "bash", "dash", "zsh", "ksh",
                                        "ksh93", "mksh", "ash",  "yash"};
    const char *slash = path ? strrchr(path, '/') : NULL;

    for (size_t i = 0; slash && i < sizeof known / sizeof *known; i++)
        if (strcmp(slash + 1, known[i]) == 0)
            return true;
    return false;
}

/* The parent of a process; 0: it has none, or is gone. */
static int parent_of(int pid)
{
    char path[64], text[512];
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *name_end = strrchr(text, ')'); /* a name may hold anything */
    if (!name_end || sscanf(name_end, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

char *map_shell(void)
{
    const char *named = getenv("PARALLEL_SHELL"), *own = getenv("SHELL");
    char link[64], path[PATH_MAX];

    if (named && *named)
        return mem_strdup(named);
    for (int pid = (int)getppid(); pid > 0; pid = parent_of(pid)) {
        snprintf(link, sizeof link, "/proc/%d/exe", pid);
        ssize_t n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
        if (is_shell(path))
            return mem_strdup(path);
    }
    return is_shell(own) && access(own, X_OK) == 0 ? mem_strdup(own) : NULL;
}
