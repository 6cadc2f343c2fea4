/* job_files_hint.c - a file that is missing where commands run. See job_files_hint.h. */
#include "jobs/run/job_files_hint.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

#define FOLDER "work/" /* of an attempt, where commands run */

static bool is_here(const struct task_plan *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat st;

    if (!*path || path[0] == '/' || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    for (uint32_t i = 0; i < p->files.count; i++)
        if (strcmp(p->files.at[i].name, name) == 0)
            return false;
    return true;
}

/* Words of shells and interpreters for what they cannot find. */
static bool says_missing(const char *words)
{
    static const char *const known[] = {"o such file", "not found", "an't open", "annot open",
                                        "ould not open"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(words, known[i]))
            return true;
    return false;
}

bool job_files_hint(const struct task_plan *p, const char *words, char *path, size_t size)
{
    char *copy = mem_strdup(words);
    bool found = false;

    if (says_missing(words))
        for (char *rest = copy, *word; !found && (word = strsep(&rest, " \t'\":,`()[]"));) {
            const char *inside = strstr(word, FOLDER), *name = word;
            if (inside && inside > word && inside[-1] == '/')
                name = inside + strlen(FOLDER);
            while (strncmp(name, "./", 2) == 0)
                name += 2;
            found = is_here(p, name);
            if (found)
                snprintf(path, size, "%s", name);
        }
    mem_free(copy);
    return found;
}
