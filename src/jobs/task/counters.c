/* counters.c - numbers with names. See counters.h. */
#include "jobs/task/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/text.h"

/* A command that makes a counter of each record has misunderstood something. */
enum { COUNTERS_MAX = 10000, NAME_MAX_BYTES = 200 };

void counters_fini(struct counters *c)
{
    for (uint32_t i = 0; i < c->at.count; i++) {
        mem_free(c->at.at[i].group);
        mem_free(c->at.at[i].name);
    }
    vec_free(&c->at);
}

static char *plain(const char *text)
{
    size_t length = strnlen(text, NAME_MAX_BYTES);
    char *copy = mem_zalloc(length + 1, 1);

    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] == '\t' || text[i] == '\n' ? ' ' : text[i];
    return copy;
}

/* Where the counter is, or would be. */
static uint32_t place_of(const struct counters *c, const char *group, const char *name, bool *found)
{
    uint32_t low = 0, high = c->at.count;

    *found = false;
    while (low < high && !*found) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(group, c->at.at[middle].group);
        if (order == 0)
            order = strcmp(name, c->at.at[middle].name);
        *found = order == 0;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return *found ? high : low;
}

int counters_add(struct counters *c, const char *group, const char *name, int64_t n)
{
    char *clean_group = plain(group), *clean_name = plain(name);
    bool found;
    uint32_t at = place_of(c, clean_group, clean_name, &found);
    bool own = strcmp(clean_group, COUNTERS_OWN) == 0;

    if (!found && (own ? c->own : c->at.count - c->own) < COUNTERS_MAX) {
        c->own += own;
        vec_push(&c->at, ((struct counter){0}));
        memmove(&c->at.at[at + 1], &c->at.at[at], (c->at.count - 1 - at) * sizeof *c->at.at);
        c->at.at[at] = (struct counter){mem_strdup(clean_group), mem_strdup(clean_name), 0};
        found = true;
    }
    if (found && __builtin_add_overflow(c->at.at[at].sum, n, &c->at.at[at].sum))
        c->at.at[at].sum = n > 0 ? INT64_MAX : INT64_MIN;
    mem_free(clean_group);
    mem_free(clean_name);
    return found ? 0 : -1;
}

int counters_write(const struct counters *c, const char *path, struct err *err)
{
    struct str text = {0};

    for (uint32_t i = 0; i < c->at.count; i++)
        str_addf(&text, "%s\t%s\t%" PRId64 "\n", c->at.at[i].group, c->at.at[i].name,
                 c->at.at[i].sum);
    int result = fresh_file_write(path, 0666, text.text, text.length);
    if (result < 0)
        err_system(err, "%s: %s", path, strerror(errno));
    str_free(&text);
    return result;
}

static int read_line(struct counters *c, char *line)
{
    char *group = strsep(&line, "\t"), *name = strsep(&line, "\t"), *number = line;
    int64_t n;

    if (!number)
        return -1;
    number[strcspn(number, "\n")] = 0;
    return text_int(number, &n) ? counters_add(c, group, name, n) : -1;
}

int counters_read(struct counters *c, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;
    int result = 0;

    if (!f)
        return err_system(err, "%s: %s", path, strerror(errno));
    while (result == 0 && getline(&line, &cap, f) > 0)
        result = read_line(c, line);
    if (result < 0)
        err_set(err, "%s: not a file of counters", path);
    else if (ferror(f))
        result = err_system(err, "%s: %s", path, strerror(errno));
    free(line);
    fclose(f);
    return result;
}
