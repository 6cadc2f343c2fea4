/* where_file.c - a line for each option: its name, a blank, its value. See where_file.h. */
#include "jobs/run/where_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/text.h"
#include "remote/coordinator/where_fields.h"

enum { ON_FILE_MAX = 1 << 16 };

struct where_kept {
    struct where_options where;
    int pull; /* as a choice */
};

static const struct field rows[] = {
    WHERE_FIELDS(struct where_kept, where),
    {FIELD_ROW("slots", FIELD_COUNT, struct where_kept, where.slots, 0, UINT32_MAX)},
    {FIELD_ROW("pull", FIELD_CHOICE, struct where_kept, pull, 0, 0), .choices = "no|yes"},
    {0},
};

static bool is_said(const struct field *f, const struct where_kept *kept)
{
    const void *at = (const char *)kept + f->offset;

    return f->type != FIELD_TEXT || *(const char *const *)at;
}

int where_file_write(const struct where_options *where, const char *path, struct err *err)
{
    struct where_kept kept = {*where, where->pull};
    struct str text = {0};
    int result = 0;

    if (!where->spec)
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

int where_file_read(struct where_options *where, char **text, const char *path, struct err *err)
{
    struct where_kept kept = {*where, 0};
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
    if (!good || !kept.where.spec)
        return err_set(err, "%s: expected the nodes on which the job runs", path);
    *where = kept.where;
    where->pull = kept.pull != 0;
    return 0;
}
