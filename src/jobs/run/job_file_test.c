/* What a job's file must not say. run.sh has the rest. */
#include "jobs/run/job_file.h"

#include <stdio.h>
#include <string.h>

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
    command_end(&f);
}
