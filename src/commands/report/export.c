/* export.c - a file for each purpose, written row by row. gzdopen writes plain text where asked to,
 * so there is one way of writing for both. */
#include "commands/report/export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/model/event.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

int export_open(struct export_file *e, const char *path, struct err *err)
{
    e->f = NULL;
    if (strcmp(path, "-") == 0)
        e->file = (struct fresh_file){.fd = dup(STDOUT_FILENO), .path = mem_strdup("stdout")};
    else if (fresh_file_open(&e->file, path, 0666) < 0)
        return err_system(err, "cannot write %s: %s", path, strerror(errno));
    e->f = gzdopen(e->file.fd, ends_with(path, ".gz") ? "wb6" : "wbT");
    if (e->f)
        return 0;
    fresh_file_close(&e->file, false);
    return err_system(err, "cannot write %s: %s", path, strerror(ENOMEM));
}

int export_close(struct export_file *e, bool whole, struct err *err)
{
    int broken;

    errno = 0;
    gzerror(e->f, &broken);
    int closed = gzclose(e->f); /* the descriptor as well */
    e->f = NULL;
    e->file.fd = -1;
    bool fine = broken == Z_OK && closed == Z_OK;
    if (!fine)
        err_system(err, "cannot write %s: %s", e->file.path,
                   errno ? strerror(errno) : "it broke off");
    char *path = mem_strdup(e->file.path);
    if (fresh_file_close(&e->file, fine && whole) < 0)
        fine = err_system(err, "cannot write %s: %s", path, strerror(errno)) == 0;
    mem_free(path);
    return fine && whole ? 0 : -1;
}

const char *export_fate(uint8_t fate)
{
    static const char *const names[FATE_COUNT] = {"running", "won",  "spare",    "killed",
                                                  "failed",  "lost", "withdrawn"};
    return names[fate];
}

int export_exit(const struct attempt_row_shown *r)
{
    if (r->fate == FATE_WON || r->fate == FATE_SPARE)
        return 0;
    if (r->fate != FATE_FAILED)
        return -1;
    return r->cause == CAUSE_EXIT ? r->detail : r->cause == CAUSE_SIGNAL ? 128 + r->detail : -1;
}

void export_number(gzFile f, char mark, int64_t number, const char *none)
{
    gzputc(f, mark);
    if (number >= 0)
        gzprintf(f, "%" PRId64, number);
    else
        gzputs(f, none);
}

void export_phase(const struct gather_job *j, uint16_t phase, struct str *to)
{
    const char *name = j ? j->phases : NULL;

    for (uint16_t k = 0; name && k < phase; k++)
        name = strchr(name, '\n') ? strchr(name, '\n') + 1 : NULL;
    if (name && *name)
        str_add_bytes(to, name, strcspn(name, "\n"));
    else
        str_addf(to, "phase %u", phase);
}
