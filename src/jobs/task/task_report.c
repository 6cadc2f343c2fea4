/* task_report.c - the reports of an attempt. See task_report.h. */
#include "jobs/task/task_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/path.h"
#include "base/os/write_all.h"
#include "base/text.h"
#include "jobs/task/task_control.h"

#define PREFIX "reporter:"
enum { PREFIX_BYTES = sizeof PREFIX - 1, LINE_MAX_BYTES = 1 << 16 };

/* A status costs this, and as much as the second may be owed: the coordinator has many attempts to
 * listen to. */
enum { STATUS_COST_US = 100000, STATUS_OWED_US = 2000000 };

volatile bool task_report_alive;

void task_report_fini(struct task_report *r)
{
    counters_fini(&r->counters);
    vec_free(&r->line);
    vec_free(&r->rest);
}

void task_report_count(struct task_report *r, const char *group, const char *name, int64_t n)
{
    static const char warning[] = "dolly: there are too many counters; new ones are not counted\n";

    task_report_beat();
    if (counters_add(&r->counters, group, name, n) == 0 || r->told)
        return;
    r->told = true;
    ssize_t ignored = write(STDERR_FILENO, warning, sizeof warning - 1);
    (void)ignored;
}

int task_report_due_ms(struct task_report *r)
{
    struct packet m = {.type = PACKET_STATUS, .u.text = r->status};
    int64_t now_us = clock_now_us(), wait_us = r->told_us - now_us - STATUS_OWED_US;
    struct err ignored; /* nobody hears us: that is no reason to fail */

    if (!r->untold || !r->control)
        return -1;
    if (wait_us > 0)
        return (int)(wait_us / 1000) + 1;
    r->untold = false;
    r->told_us = (r->told_us > now_us ? r->told_us : now_us) + STATUS_COST_US;
    task_control_send(r->control, &m, &ignored);
    return -1;
}

void task_report_status(struct task_report *r, const char *text)
{
    size_t length = strnlen(text, sizeof r->status - 1);

    task_report_beat();
    memcpy(r->status, text, length);
    r->status[length] = 0;
    r->untold = true;
    task_report_due_ms(r);
}

void task_report_say_status(const struct task_report *r)
{
    if (*r->status)
        dprintf(STDERR_FILENO, TASK_REPORT_LAST "%s\n", r->status);
}

/* ---- standard error ---- */

static void pass_on(struct task_report *r)
{
    (void)write_all(STDERR_FILENO, r->rest.at, r->rest.count); /* nobody has to hear us */
    vec_clear(&r->rest);
}

/* GROUP,NAME,N */
static bool take_counter(struct task_report *r, char *text)
{
    char *name = strchr(text, ','), *number = name ? strrchr(name + 1, ',') : NULL;
    int64_t n;

    if (!number || !text_int(number + 1, &n))
        return false;
    *name = 0;
    *number = 0;
    task_report_count(r, text, name + 1, n);
    return true;
}

/* A line that begins with the prefix; false: it says nothing. */
static bool take_line(struct task_report *r, char *line)
{
    char *what = line + PREFIX_BYTES;

    if (strncmp(what, "counter:", 8) == 0)
        return take_counter(r, what + 8);
    if (strncmp(what, "status:", 7) == 0)
        task_report_status(r, what + 7);
    return true; /* a sign of life */
}

static bool may_be_ours(const struct task_report *r)
{
    uint32_t known = r->line.count < PREFIX_BYTES ? r->line.count : PREFIX_BYTES;

    return r->line.count <= LINE_MAX_BYTES && memcmp(r->line.at, PREFIX, known) == 0;
}

/* The line is whole, and has its newline if it ever gets one. */
static void end_line(struct task_report *r)
{
    uint32_t length = r->line.count;
    bool ends = r->line.at[length - 1] == '\n';
    char *copy = mem_zalloc(length + 1, 1);

    memcpy(copy, r->line.at, length - ends);
    if (length - ends < PREFIX_BYTES || !take_line(r, copy))
        vec_append(&r->rest, r->line.at, length);
    mem_free(copy);
    vec_clear(&r->line);
}

static void take(struct task_report *r, const char *at, size_t count, bool ends)
{
    if (r->passing) {
        vec_append(&r->rest, at, count);
        r->passing = !ends;
        return;
    }
    vec_append(&r->line, at, count);
    if (!may_be_ours(r)) {
        vec_append(&r->rest, r->line.at, r->line.count);
        vec_clear(&r->line);
        r->passing = !ends;
    } else if (ends) {
        end_line(r);
    }
}

void task_report_note(struct task_report *r, const char *at, size_t count)
{
    task_report_beat();
    while (count > 0) {
        const char *newline = memchr(at, '\n', count);
        size_t n = newline ? (size_t)(newline - at) + 1 : count;
        take(r, at, n, newline != NULL);
        at += n;
        count -= n;
    }
    pass_on(r);
}

void task_report_note_end(struct task_report *r)
{
    if (r->line.count > 0)
        end_line(r);
    r->passing = false;
    pass_on(r);
}

/* ---- the end ---- */

int task_report_leave(const struct task_report *r, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    struct path folder = path_of("%.*s", slash ? (int)(slash - path) : 0, path);

    if (r->counters.at.count == 0)
        return 0;
    if (slash && mkdir(folder.text, 0700) < 0 && errno != EEXIST)
        return err_system(err, "%s: %s", folder.text, strerror(errno));
    return counters_write(&r->counters, path, err);
}
