#include "jobs/drive/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/run_lock.h"
#include "inputs/cluster/about.h"
#include "record/journal/journal.h"
#include "tests/unit/test.h"
#include "ui/cli.h"

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
    struct drive_options options = {.run = {.exec = {.dir = s.run}, .hooks = {.ctx = &s}},
                                    .finish = finish};
    expect(drive_resume(&options, &result, &err) == 0 && s.finished == 0 && result.failure);
    expect(strcmp(result.failure, "the job has failed and cannot be resumed") == 0);
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

static void count(void *ctx, uint32_t task, int64_t us)
{
    uint32_t *tasks = ctx;

    expect(us >= 0 && task < 3);
    tasks[task]++;
}

TEST(drive_has_times_of_the_first_job_with_the_phase)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;
    uint32_t tasks[3] = {0};
    char journal[128];

    scene_make(&s, "true");
    FILE *f = fopen(s.workload, "w");
    fputs("job one\n  phase other command=true\n"
          "job two\n  phase before command=true\n  phase only tasks=2 command=true\n"
          "job three\n  phase before command=true\n  phase only tasks=3 command=true\n",
          f);
    expect(fclose(f) == 0 && scene_drive(&s, &result, &err) == 0 && !result.failure);
    snprintf(journal, sizeof journal, "%s/journal", s.run);
    expect(drive_times(journal, "only", count, tasks, &err) == 0);
    expect(tasks[0] == 1 && tasks[1] == 1 && tasks[2] == 0);
    expect(drive_times(journal, "none", count, tasks, &err) == -1 && err.kind == ERR_INPUT);
    expect(strncmp(err.text, journal, strlen(journal)) == 0 &&
           strcmp(err.text + strlen(journal), ": no job there has a phase 'none'") == 0);
    scene_remove(&s);
}

/* A journal without its first record is of a run that has not begun; one that cannot be read may
 * be of one that has. */
TEST(drive_has_begun_when_its_journal_has)
{
    struct drive_scene s;
    struct drive_result result;
    struct err err;
    char journal[128];

    scene_make(&s, "true");
    expect(!drive_has_begun(s.run) && scene_drive(&s, &result, &err) == 0);
    expect(drive_has_begun(s.run));
    snprintf(journal, sizeof journal, "%s/journal", s.run);
    expect(truncate(journal, 5) == 0 && drive_has_begun(s.run));
    expect(truncate(journal, 0) == 0 && !drive_has_begun(s.run));
    expect(unlink(journal) == 0 && !drive_has_begun(s.run));
    scene_remove(&s);
}

/* ---- runs that are not resumed ---- */

/* Writes the journal of a run that was interrupted at once, and returns true if it is not resumed,
 * with this line after the name of its folder. */
static bool refuses(const struct drive_scene *s, const char *body, const struct about *about,
                    const char *asked, const char *why)
{
    struct cluster *cluster = cluster_plain(1, 1);
    struct drive_options options = {.run = {.exec = {.dir = s->run}}};
    struct assembly_options map = {.body = asked, .exec = {.dir = s->run}};
    struct assembly a = {0};
    struct drive_result result = {0};
    struct str text = {0};
    struct err err = {0}, ignored;
    char path[128], line[300];

    snprintf(path, sizeof path, "%s/journal", s->run);
    unlink(path);
    about_write(about, cluster, &text);
    struct journal *j = journal_create(&(struct journal_options){.path = path, .about = text.text},
                                       1, "none", body, &err);
    expect(j && journal_close(j, false, &err) == 0);
    bool exec = strcmp(asked, "exec") == 0;
    int done = exec ? drive_resume(&options, &result, &err) : assembly_recollect(&a, &map, &err);
    snprintf(line, sizeof line, "%s: %s", s->run, why);
    bool same = done == -1 && err.kind == ERR_INPUT && strcmp(err.text, line) == 0;
    if (!same)
        printf("%d: %s\n    not\n%s\n", done, err.text, line);
    assembly_close(&a, -1, &ignored);
    cluster_destroy(cluster);
    str_free(&text);
    return same;
}

TEST(drive_resumes_no_runs_of_others)
{
#define THIS "dolly " DOLLY_VERSION
#define WITH_IT ", this is " THIS "; resume it with the version that started it"
    struct drive_scene s;
    struct err err;
    char changed[200], gone[300];

    scene_make(&s, "true");
    expect(run_dir_create(s.run, &err) == 0);
    int lock = run_lock_new(s.run, &err);
    expect(lock >= 0);
    close(lock);
    struct about_hash hash = about_hash(s.workload);
    struct about now = {.program = THIS, .workload = s.workload, .workload_hash = hash.text};
    expect(refuses(&s, "map", &now, "exec", "not a run folder of dolly run, streaming or exec"));
    expect(refuses(&s, "sim", &now, "exec", "not a run folder of dolly run, streaming or exec"));
    expect(refuses(&s, "exec", &now, "map", "not a run folder of dolly map"));
    expect(refuses(&s, "sim", &now, "map", "not a run folder of dolly map"));
    struct about old = now;
    old.program = "dolly 0.0.1";
    expect(refuses(&s, "exec", &old, "exec", "was started by dolly 0.0.1" WITH_IT));
    old.program = NULL;
    expect(refuses(&s, "map", &old, "map", "was started by another version of dolly" WITH_IT));
    snprintf(changed, sizeof changed, "its jobs, %s, have changed since the run began", s.workload);
    old = now;
    old.workload_hash = NULL;
    expect(refuses(&s, "exec", &old, "exec", changed));
    old.workload = NULL;
    expect(refuses(&s, "exec", &old, "exec",
                   "its jobs, which it does not name, have changed since the run began"));
    FILE *f = fopen(s.workload, "a");
    expect(f && fputs("# more\n", f) >= 0 && fclose(f) == 0);
    expect(refuses(&s, "exec", &now, "exec", changed));
    expect(unlink(s.workload) == 0);
    snprintf(gone, sizeof gone, "its jobs, %s, do not exist: a run cannot be moved; move it back",
             s.workload);
    expect(refuses(&s, "exec", &now, "exec", gone));
    scene_remove(&s);
#undef WITH_IT
#undef THIS
}

static bool is(const char *text, const char *expected)
{
    bool same = text && strcmp(text, expected) == 0;

    if (!same)
        printf("\"%s\", not \"%s\"\n", text ? text : "nothing", expected);
    return same;
}

/* All that a later look at the journal, or who goes on with it, wants to know of the run. */
TEST(drive_writes_what_the_run_is)
{
    struct drive_scene s;
    struct drive_result result;
    struct record first;
    struct about_text about;
    char journal[120], cluster[96];
    struct err err;

    scene_make(&s, "true");
    snprintf(cluster, sizeof cluster, "%s/machines", s.dir);
    FILE *f = fopen(cluster, "w");
    expect(f && fputs("nodes n[0-1] cpu=2\n", f) >= 0 && fclose(f) == 0);
    struct drive_options options = {.workload = s.workload,
                                    .run = {.cluster = cluster,
                                            .policy = "late",
                                            .seed = 7,
                                            .chaos = "slow=0x2",
                                            .exec = {.dir = s.run},
                                            .hooks = {.ctx = &s}},
                                    .finish = finish};
    vec_push(&options.run.settings.texts, "late.cap=0.3");
    expect(drive_run(&options, &result, &err) == 0 && s.finished == 1);
    vec_free(&options.run.settings.texts);
    snprintf(journal, sizeof journal, "%s/journal", s.run);
    struct journal_reader *reader = journal_reader_open(journal, NULL, &err);
    expect(reader && journal_reader_next(reader, &first, &err) == 1);
    expect(is(first.u.run.body, "exec") && first.u.run.seed == 7);
    expect(strstr(first.u.run.policy, "mitigate=late"));
    expect(strstr(first.u.run.policy, "late.cap=0.29"));
    expect(about_read(first.u.run.about, "about", &about, &err) == 0);
    expect(is(about.about.program, "dolly " DOLLY_VERSION) && is(about.about.chaos, "slow=0x2"));
    expect(is(about.about.workload, s.workload));
    expect(is(about.about.workload_hash, about_hash(s.workload).text));
    expect(is(about.about.cluster_name, cluster));
    expect(is(about.about.cluster_hash, about_hash(cluster).text));
    expect(is(about.about.host, about_here().host) && is(about.about.typed, about_here().typed));
    expect(about.about.began && strlen(about.about.began) == 20 && about.about.began[19] == 'Z');
    expect(about.cluster->node_count == 2);
    about_free(&about);
    journal_reader_close(reader);
    scene_remove(&s);
}
