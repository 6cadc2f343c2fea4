#include "jobs/drive/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "exec/folder/run_lock.h"
#include "tests/unit/test.h"

/* A folder with the workload of one task, and in it the run. */
struct drive_scene {
    char dir[64], workload[96], run[96];
    uint32_t finished;
};

static void scene_make(struct drive_scene *s, const char *command)
{
    *s = (struct drive_scene){.dir = "/tmp/dolly-drive-XXXXXX"};
    expect(mkdtemp(s->dir) != NULL);
    snprintf(s->workload, sizeof s->workload, "%s/workload", s->dir);
    snprintf(s->run, sizeof s->run, "%s/run", s->dir);
    FILE *f = fopen(s->workload, "w");
    fprintf(f, "job one\n  phase only command=\"%s\"\n", command);
    expect(fclose(f) == 0);
}

static void scene_remove(const struct drive_scene *s)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

/* Whoever else wants the folder now is refused. */
static int finish(void *ctx, struct err *err)
{
    struct drive_scene *s = ctx;
    struct err why;

    s->finished++;
    return run_lock_new(s->run, &why) < 0 ? 0 : err_set(err, "the folder is free");
}

static int scene_drive(struct drive_scene *s, struct drive_result *result, struct err *err)
{
    struct drive_options options = {.workload = s->workload,
                                    .run = {.slots = 1,
                                            .policy = "none",
                                            .seed = 1,
                                            .exec = {.dir = s->run},
                                            .hooks = {.ctx = s}},
                                    .finish = finish};

    return drive_run(&options, result, err);
}

TEST(drive_holds_the_folder_until_all_is_finished)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;

    scene_make(&s, "true");
    expect(scene_drive(&s, &result, &err) == 0 && s.finished == 1 && !result.failure);
    int lock = run_lock_new(s.run, &err);
    expect(lock >= 0);
    close(lock);
    scene_remove(&s);
}

/* A complete run is only looked at, and a folder without one is no run. */
TEST(drive_resumes_runs_of_its_own)
{
    struct drive_scene s;
    struct drive_result result, again;
    struct err err;

    scene_make(&s, "true");
    struct drive_options options = {.run = {.exec = {.dir = s.run}, .hooks = {.ctx = &s}},
                                    .finish = finish};
    expect(drive_resume(&options, &again, &err) < 0);
    expect(scene_drive(&s, &result, &err) == 0 && s.finished == 1);
    expect(drive_resume(&options, &again, &err) == 0 && !again.failure);
    scene_remove(&s);
}

TEST(drive_finishes_nothing_of_jobs_that_failed)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;

    scene_make(&s, "exit 3");
    expect(scene_drive(&s, &result, &err) == 0 && s.finished == 0 && result.failure);
    mem_free(result.failure);
    scene_remove(&s);
}

TEST(drive_starts_nothing_when_agents_cannot_be_prepared)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;

    scene_make(&s, "true");
    struct drive_options options = {
        .workload = s.workload,
        .run = {.policy = "none",
                .seed = 1,
                .where = {.spec = "local:1", .pull = true, .inputs = true},
                .exec = {.dir = s.run},
                .hooks = {.ctx = &s}},
        .finish = finish};
    expect(drive_run(&options, &result, &err) < 0 && strstr(err.text, "--pull"));
    expect(s.finished == 0);
    scene_remove(&s);
}

TEST(drive_tells_how_large_outputs_were_when_they_were_committed)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;
    int64_t bytes[2] = {7, 7};

    scene_make(&s, "echo four");
    expect(scene_drive(&s, &result, &err) == 0 && !result.failure);
    expect(drive_sizes(s.run, 0, bytes, 2, &err) == 0 && bytes[0] == 5 && bytes[1] == -1);
    expect(drive_sizes(s.run, 1, bytes, 2, &err) == 0 && bytes[0] == -1);
    expect(drive_sizes(s.dir, 0, bytes, 2, &err) < 0);
    scene_remove(&s);
}
