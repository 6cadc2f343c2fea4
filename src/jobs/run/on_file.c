/* on_file.c - a line for each option: its name, a blank, its value. See on_file.h. */
#include "jobs/run/on_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/text.h"
#include "remote/coordinator/on_fields.h"

enum { ON_FILE_MAX = 1 << 16 };

struct on_kept {
    struct on_options on;
    int pull; /* as a choice */
};

static const struct field rows[] = {
    ON_FIELDS(struct on_kept, on),
    {FIELD_ROW("slots", FIELD_COUNT, struct on_kept, on.slots, 0, UINT32_MAX)},
    {FIELD_ROW("pull", FIELD_CHOICE, struct on_kept, pull, 0, 0), .choices = "no|yes"},
    {0},
};

static bool is_said(const struct field *f, const struct on_kept *kept)
{
    const void *at = (const char *)kept + f->offset;

    return f->type != FIELD_TEXT || *(const char *const *)at;
}

int on_file_write(const struct on_options *on, const char *path, struct err *err)
{
    struct on_kept kept = {*on, on->pull};
    struct str text = {0};
    int result = 0;

    if (!on->on)
        return 0;
    for (const struct field *f = rows; f->name && result == 0; f++) {
        if (!is_said(f, &kept))
            continue;
        str_addf(&text, "%s ", f->name);
        size_t from = text.length;
        field_text(f, &kept, &text);
        if (memchr(text.text + from, '\n', text.length - from))
            result = err_set(err, "--%s: expected one line", f->name);
        str_add(&text, "\n");
    }
    if (result == 0 && fresh_file_write(path, 0600, text.text, text.length) < 0)
        result = err_system(err, "%s: %s", path, strerror(errno));
    str_free(&text);
    return result;
}

int on_file_read(struct on_options *on, char **text, const char *path, struct err *err)
{
    struct on_kept kept = {*on, 0};
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
        const struct field *row = good ? field_find(rows, line) : NULL;
        good = row && field_read(row, blank + 1, (char *)&kept + row->offset) == FIELD_FINE;
    }
    if (!good || !kept.on.on)
        return err_set(err, "%s: expected the nodes on which the job runs", path);
    *on = kept.on;
    on->pull = kept.pull != 0;
    return 0;
}
