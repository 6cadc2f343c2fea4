/* Who may read what jobs write: with a mask of modes that forbids nothing, all that is of a run is
 * its user's alone, and results and logs have what the user's mask leaves. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "data/sorter.h"
#include "jobs/args/history.h"
#include "jobs/map/map.h"
#include "jobs/map/map_keep.h"
#include "jobs/run/job_files.h"
#include "jobs/run/where_file.h"
#include "jobs/streams/deal.h"
#include "jobs/streams/mark.h"
#include "jobs/task/counters.h"
#include "jobs/task/plan.h"
#include "jobs/task/task_report.h"
#include "tests/unit/command.h"

enum { ALONE = 0600, FOLDER_ALONE = 0700 };

/* Each writes into the folder where it is. */
static bool history(struct err *err)
{
    struct history_entry run = {.hash = 7, .count = 1, .times_us = {5}, .seen = 1};

    (void)err;
    return history_add("config/dolly/history", &run);
}

static bool counters(struct err *err)
{
    struct task_report r = {0};

    counters_add(&r.counters, "a", "b", 4);
    bool ok = counters_write(&r.counters, "counters", err) == 0 &&
              task_report_leave(&r, "left/counters", err) == 0;
    task_report_fini(&r);
    return ok;
}

static bool plan(struct err *err)
{
    struct task_plan p = {.job = NULL};

    p.job = mem_strdup("j");
    plan_add_phase(&p, "a", "cat");
    bool ok = plan_write(&p, "plan", err) == 0;
    plan_fini(&p);
    return ok;
}

static bool where(struct err *err)
{
    struct where_options w = {.spec = "local:1"};

    return where_file_write(&w, "on", err) == 0;
}

static bool streams(struct err *err)
{
    struct deal d;
    bool is_new;
    int ends[2];

    if (mkdir("in", 0700) < 0 || pipe(ends) < 0 || deal_init(&d, "in", ends[0], 1, err) < 0)
        return false;
    bool ok = deal_next(&d, &is_new, err) == 0 && test_mode("in/0") == ALONE;
    deal_fini(&d);
    close(ends[0]);
    close(ends[1]);
    struct mark *k = mark_open(".", 2, false, false, err);
    mark_close(k);
    return ok && k;
}

static bool copies(struct err *err)
{
    struct task_plan p = {.job = NULL};
    char from[TEST_FOLDER + 8];

    p.job = mem_strdup("j");
    if (!getcwd(from, TEST_FOLDER) || mkdir("from", 0755) < 0)
        return false;
    command_file("from/x", "text");
    strcat(from, "/from");
    vec_push(&p.files, ((struct plan_file){mem_strdup(from), mem_strdup("y"), NULL}));
    bool ok = job_files_copy(&p, "copies", err) == 0;
    plan_fini(&p);
    return ok;
}

TEST(modes_of_what_jobs_write)
{
    static const struct {
        bool (*write)(struct err *err);
        const char *path;
        mode_t mode;
    } rows[] = {
        {history, "config", FOLDER_ALONE},
        {NULL, "config/dolly", FOLDER_ALONE},
        {NULL, "config/dolly/history", 0666},
        {NULL, "config/dolly/history.lock", ALONE},
        {counters, "counters", 0666},
        {NULL, "left", FOLDER_ALONE},
        {NULL, "left/counters", 0666},
        {plan, "plan", ALONE},
        {where, "on", ALONE},
        {streams, "printed", ALONE},
        {copies, "copies", FOLDER_ALONE},
        {NULL, "copies/y", FOLDER_ALONE},
        {NULL, "copies/y/x", 0555},
    };
    struct command_folder f;
    struct err err = {.text = ""};
    mode_t before = umask(0);

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(!rows[i].write || rows[i].write(&err));
        if (test_mode(rows[i].path) != rows[i].mode)
            printf("%s: %o, not %o; %s\n", rows[i].path, test_mode(rows[i].path), rows[i].mode,
                   err.text);
        expect(test_mode(rows[i].path) == rows[i].mode);
    }
    umask(before);
    command_end(&f);
}
