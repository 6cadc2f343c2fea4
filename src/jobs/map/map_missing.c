#include "jobs/map/map_missing.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINE_MAX_READ = 512 };

void map_missing_fini(struct map_missing *m)
{
    mem_free(m->line);
    *m = (struct map_missing){0};
}

/* The length of the name in "bash: line 1: NAME: command not found", or in dash's "sh: 1: NAME: not
 * found", and where it begins; 0: it is neither. */
static size_t name_in(const char *line, const char **name)
{
    static const char *const ends[] = {": command not found", ": not found"};
    size_t length = strlen(line);

    for (int i = 0; i < 2; i++) {
        size_t tail = strlen(ends[i]);
        if (length <= tail || strcmp(line + length - tail, ends[i]) != 0)
            continue;
        const char *end = line + length - tail, *at = end;
        while (at > line && !(at[-1] == ' ' && at - line > 1 && at[-2] == ':'))
            at--;
        *name = at;
        return at > line ? (size_t)(end - at) : 0;
    }
    return 0;
}

/* Reads a file of one line, without its newline. */
static bool read_line(const char *path, char line[LINE_MAX_READ])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, LINE_MAX_READ);

    if (fd >= 0)
        close(fd);
    if (n < 2 || n == LINE_MAX_READ || line[n - 1] != '\n' || memchr(line, '\n', (size_t)n - 1) ||
        memchr(line, '\0', (size_t)n))
        return false;
    line[n - 1] = '\0';
    return true;
}

bool map_missing_again(struct map_missing *m, const char *path, uint64_t seq)
{
    char line[LINE_MAX_READ];
    const char *name;

    if (!read_line(path, line) || name_in(line, &name) == 0)
        return false;
    bool is_first = !m->line;
    if (is_first)
        m->line = mem_strdup(line);
    if (strcmp(m->line, line) != 0)
        return false;
    if (m->tasks < MAP_MISSING_TOLD)
        m->first[m->tasks] = seq;
    m->tasks++;
    return !is_first;
}

void map_missing_print(const struct map_missing *m, FILE *to)
{
    const char *name;

    if (m->tasks < 2)
        return;
    size_t length = name_in(m->line, &name);
    fprintf(to, "dolly map: %.*s: no such command (tasks", (int)length, name);
    for (uint64_t i = 0; i < m->tasks && i < MAP_MISSING_TOLD; i++)
        fprintf(to, "%s %" PRIu64, i ? "," : "", m->first[i]);
    if (m->tasks > MAP_MISSING_TOLD)
        fprintf(to, " and %" PRIu64 " more", m->tasks - MAP_MISSING_TOLD);
    fprintf(to, ")\n");
}
