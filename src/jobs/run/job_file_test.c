/* What a job's file must not say. run.sh has the rest. */
#include "jobs/run/job_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/run/native_bind.h"
#include "tests/unit/command.h"

static bool refuses(const char *phases, const char *why)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct err err = {0};
    char text[500];

    snprintf(text, sizeof text, "{input: in, output: out, phases: [%s]}\n", phases);
    command_file("job.yaml", text);
    int result = job_file_read(&job, &lines, "job.yaml", &err);
    bool found = result < 0 && strstr(err.text, why);
    if (!found)
        printf("%s: %d, %s\n", phases, result, err.text);
    datajob_fini(&job);
    job_lines_fini(&lines);
    return found;
}

TEST(job_file_refuses_phases_that_do_not_fit)
{
    struct command_folder f;
    command_begin(&f);
    expect(refuses("{name: a, run: cat, order: -k1n}, {name: b, after: a, native: x.so}",
                   "functions read keys in the order of their bytes, and phase 'a' has another"));
    expect(refuses("{name: a, run: cat}, {name: b, run: cat}", "only the first phase reads"));
    expect(refuses("{name: a, run: cat}, {name: b, after: c, run: cat}", "'c'"));
    expect(
        refuses("{name: a, run: cat}, {name: b, after: a, pattern: one-to-one, tasks: 3, run: "
                "cat}",
                "tasks: expected as many as in the phase above, because this one is one-to-one"));
    expect(refuses("{name: a, native: x.so, order: -k1n}",
                   "order: expected only where a command prints the keys"));
    expect(refuses("{name: a, run: cat, sim: {time: 1s, output: much}}",
                   "output: 'much' is not a size"));
    expect(refuses("{name: a, run: cat, sim: {tim: 1s}}",
                   "sim: 'tim=1s' is neither time, journal nor output"));
    command_end(&f);
}

TEST(job_file_names_no_objects_with_paths_that_are_too_long)
{
    struct task_plan plan = {0};
    struct err err = {0};
    char path[PATH_MAX + 1];

    memset(path, 'x', PATH_MAX);
    path[PATH_MAX] = 0;
    struct plan_phase *p = plan_add_phase(&plan, "a", "");
    expect(native_bind(&plan, p, path, &err) == -1 && err.kind == ERR_INPUT);
    expect(strcmp(err.text, "expected the path of a shared object, not "
                            "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'") == 0);
    path[PATH_MAX - 1] = 0;
    expect(native_bind(&plan, p, path, &err) == -1 && strncmp(err.text, "xxxxxxxx", 8) == 0);
    expect(!p->native && !p->functions && !p->native_hash);
    plan_fini(&plan);
}
