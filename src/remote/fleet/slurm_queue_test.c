#include "remote/fleet/slurm_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

TEST(slurm_queue_reads_jobs_that_wait)
{
    struct slurm_queue q = {0};

    slurm_queue_read(&q, mem_strdup("12|4|2026-11-17T18:00:00|Resources\n"
                                    "13|1-4|N/A|(ReqNodeNotAvail, UnavailableNodes:n1|n2)\n"));
    expect(q.at.count == 2);
    expect(strcmp(q.at.at[0].id, "12") == 0 && strcmp(q.at.at[0].nodes, "4") == 0);
    expect(strcmp(q.at.at[0].start, "2026-11-17T18:00:00") == 0);
    expect(strcmp(q.at.at[0].reason, "Resources") == 0);
    expect(strcmp(q.at.at[1].start, "N/A") == 0);
    expect(strcmp(q.at.at[1].reason, "(ReqNodeNotAvail, UnavailableNodes:n1|n2)") == 0);
    slurm_queue_fini(&q);
}

TEST(slurm_queue_leaves_other_lines_out)
{
    struct slurm_queue q = {0};

    slurm_queue_read(&q, mem_strdup("\nslurm_load_jobs error\n|4|N/A|x\n1|2\n7|1|N/A|Priority"));
    expect(q.at.count == 1 && strcmp(q.at.at[0].id, "7") == 0);
    slurm_queue_fini(&q);
}

/* Asks a squeue that is this script, or, if it is NULL, where there is none. */
static int ask(const char *script, struct slurm_queue *q, struct err *err)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], paths[4096];
    char *was = mem_strdup(getenv("PATH"));

    test_folder(dir);
    snprintf(path, sizeof path, "%s/squeue", dir);
    if (script) {
        FILE *f = fopen(path, "we");
        expect(f && fprintf(f, "#!/bin/sh\n%s\n", script) > 0 && fclose(f) == 0);
        expect(chmod(path, 0700) == 0);
    }
    snprintf(paths, sizeof paths, "%s:%s", dir, was);
    setenv("PATH", script ? paths : dir, 1);
    int result = slurm_queue_ask(q, "dolly-7", err);
    setenv("PATH", was, 1);
    mem_free(was);
    tree_remove(dir);
    return result;
}

TEST(slurm_queue_asks_for_what_waits)
{
    struct slurm_queue q = {0}, none = {0};
    struct err err = {0};

    expect(
        ask("[ \"$*\" = '--me --noheader --states=PENDING --name=dolly-7 --format=%i|%D|%S|%r' ] "
            "&& echo '12|4|N/A|Priority'",
            &q, &err) == 0);
    expect(q.at.count == 1 && strcmp(q.at.at[0].id, "12") == 0);
    slurm_queue_fini(&q);
    expect(ask("exit 1", &none, &err) < 0 &&
           strstr(err.text, "squeue failed to list waiting jobs"));
    expect(ask(NULL, &none, &err) < 0 && strstr(err.text, "squeue is not in PATH"));
    int64_t count = 0;
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EAGAIN, .count = &count, .call = "fork"});
    expect(ask("echo '12|4|N/A|Priority'", &none, &err) < 0);
    sys_plan_set(NULL);
    expect(strncmp(err.text, "squeue cannot be started: Resource", 34) == 0 && !none.at.count);
}
