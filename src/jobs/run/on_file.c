/* on_file.c - a line for each option: its name, a blank, its value. See on_file.h. */
#include "jobs/run/on_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { ON_FILE_MAX = 1 << 16 };

/* Options that are texts. */
static const struct {
    const char *name;
    size_t at;
} texts[] = {
    {"on", offsetof(struct on_options, on)},
    {"scratch", offsetof(struct on_options, scratch)},
    {"slurm", offsetof(struct on_options, slurm)},
    {"linger", offsetof(struct on_options, linger)},
    {"munge", offsetof(struct on_options, munge)},
    {"lease", offsetof(struct on_options, lease)},
    {"listen", offsetof(struct on_options, listen)},
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(struct on_options *on, size_t i)
{
    return (const char **)(void *)((char *)on + texts[i].at);
}

int on_file_write(const struct on_options *on, const char *path, struct err *err)
{
    struct on_options copy = *on;

    if (!on->on)
        return 0;
    for (size_t i = 0; i < TEXTS; i++)
        if (*text_of(&copy, i) && strchr(*text_of(&copy, i), '\n'))
            return err_set(err, "--%s: expected one line", texts[i].name);
    FILE *f = fopen(path, "we");
    for (size_t i = 0; f && i < TEXTS; i++)
        if (*text_of(&copy, i))
            fprintf(f, "%s %s\n", texts[i].name, *text_of(&copy, i));
    if (f)
        fprintf(f,
                "grow %" PRId64 "\nidle %" PRId64 "\ndrain %" PRId64 "\nslots %" PRIu32
                "\npull %d\n",
                on->grow_us, on->idle_us, on->drain_us, on->slots, on->pull);
    bool written = f && !ferror(f);
    if (f && fclose(f) != 0)
        written = false;
    return written ? 0 : err_system(err, "%s: %s", path, strerror(errno));
}

/* Whether it is an option, with a value that can be one. */
static bool take_line(struct on_options *on, const char *name, const char *value)
{
    int64_t number;

    for (size_t i = 0; i < TEXTS; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *text_of(on, i) = value;
            return true;
        }
    if (!text_int(value, &number) || number < 0)
        return false;
    if (strcmp(name, "slots") == 0 && number <= UINT32_MAX)
        on->slots = (uint32_t)number;
    else if (strcmp(name, "pull") == 0)
        on->pull = number != 0;
    else if (strcmp(name, "grow") == 0)
        on->grow_us = number;
    else if (strcmp(name, "idle") == 0)
        on->idle_us = number;
    else if (strcmp(name, "drain") == 0)
        on->drain_us = number;
    else
        return false;
    return true;
}

int on_file_read(struct on_options *on, char **text, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");

    if (!f)
        return errno == ENOENT ? 0 : err_system(err, "%s: %s", path, strerror(errno));
    mem_free(*text);
    *text = mem_zalloc(ON_FILE_MAX, 1);
    size_t n = fread(*text, 1, ON_FILE_MAX - 1, f);
    bool good = !ferror(f) && feof(f) && strlen(*text) == n;
    fclose(f);
    for (char *line = *text, *next; good && *line; line = next) {
        char *end = strchr(line, '\n'), *blank = strchr(line, ' ');
        good = end && blank && blank < end;
        next = good ? end + 1 : line;
        if (good)
            *end = *blank = 0;
        good = good && take_line(on, line, blank + 1);
    }
    return good && on->on ? 0
                          : err_set(err, "%s: it does not say on which nodes the job runs", path);
}
