/* explain_open.c - from a journal to the story of a run.
 *
 * Everything comes from the journal, of either body. What is kept depends on the question
 * (record/story/story.h), so the size of the file does not matter. */
#include "commands/explain/explain_open.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/text.h"
#include "exec/folder/trust.h"
#include "inputs/cluster/about.h"
#include "record/journal/journal_play.h"
#include "ui/words.h"

/* *path becomes name/inside; whether that is there. */
static bool find_inside(struct path *path, const char *name, const char *inside)
{
    *path = path_of("%s/%s", name, inside);
    return access(path->text, F_OK) == 0;
}

static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* A folder that holds no run may hold the folders of some. */
static int refuse_folder(const char *name, struct err *err)
{
    enum { NAMED_MAX = 3 };
    struct dirent **entries;
    struct str runs = {0};
    int count = scandir(name, &entries, is_visible, alphasort), found = 0;

    for (int i = 0; i < count; i++) {
        struct path path = path_of("%s/%s/journal", name, entries[i]->d_name);
        if (access(path.text, F_OK) == 0 && found++ < NAMED_MAX)
            str_addf(&runs, "%s%s/%s", runs.length ? ", " : "", name, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (found)
        err_set(err, "%s: holds no run itself; expected one of its folders: %s%s", name, runs.text,
                found > NAMED_MAX ? ", ..." : "");
    else
        err_set(err, "%s: holds no run; expected the folder of one, which has its journal", name);
    str_free(&runs);
    return -1;
}

/* The folder of a run has its journal under this name (docs/inside/executor.md), the output of a
 * data-parallel job the folder of its run until the job is done (docs/use/streaming.md). */
static int find_journal(struct path *path, const char *name, struct err *err)
{
    if (find_inside(path, name, "journal") || find_inside(path, name, "_temporary/run/journal"))
        return 0;
    if (find_inside(path, name, "_SUCCESS"))
        return err_set(err,
                       "%s: the results of a job, without its journal; `dolly run --journal "
                       "FILE` keeps that",
                       name);
    return refuse_folder(name, err);
}

char *explain_open_path(const char *name, struct err *err)
{
    struct stat about;
    struct path inside = path_of("%s", name);
    uid_t owner;

    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode) && find_journal(&inside, name, err) < 0)
        return NULL;
    if (trust_is_foreign(inside.text, &owner))
        fprintf(stderr, "dolly: %s: was written by user %lu; its contents may be false\n",
                inside.text, (unsigned long)owner);
    return mem_strdup(inside.text);
}

/* Finds the jobs of a run of `dolly map`, which are one to its users: how many tasks that has must
 * be known before the story begins. Fails on anything else, which ends the search. */
static int find_run(void *ctx, const struct record *record, struct err *err)
{
    (void)ctx;
    return strcmp(record->u.run.body, "map") == 0 ? 0 : err_set(err, "not of dolly map");
}

static int find_jobs_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct story_join *join = ctx;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct job_spec *job = turn->events[i].u.job;
        if (turn->events[i].type != EV_JOB_SUBMITTED)
            continue;
        if (job->id.v != join->firsts.count || job->phase_count != 1 ||
            job->phases[0].tasks > JOB_TASKS_MAX - join->tasks)
            return err_set(err, "not the next of those that dolly map makes");
        story_join_add(join, job->phases[0].tasks);
    }
    return 0;
}

/* Which jobs a simulation measures; of other runs, and of journals that do not say, all count. */
static void note_measure(const struct explain_input *s)
{
    struct follow *f = story_follow(s->story);
    struct about_text about = explain_about(&s->x);
    int64_t jobs = 0;

    if (explain_is_simulated(&s->x)) {
        about_option(about.about.options, "jobs", &jobs);
        about_option(about.about.options, "warmup", &f->warmup_us);
    }
    about_free(&about);
    f->jobs_max = (uint64_t)jobs;
}

static int note_run(void *ctx, const struct record *record, struct err *err)
{
    struct explain_input *s = ctx;
    struct explain *x = &s->x;
    (void)err;
    x->policy = text_tame(mem_strdup(record->u.run.policy));
    x->body = text_tame(mem_strdup(record->u.run.body));
    x->from_one = strcmp(x->body, "map") == 0;
    s->joins &= x->from_one;
    x->about = mem_strdup(record->u.run.about);
    x->seed = record->u.run.seed;
    note_measure(s);
    return 0;
}

/* Shows each turn to the story. The jobs of a run of `dolly map` are joined as far as they were
 * known when it was opened; one that arrives later cannot be joined any more. */
static int see_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct explain_input *s = ctx;
    struct tap to = story_tap(s->story);

    for (uint32_t i = 0; s->joins && i < turn->event_count; i++)
        s->grown |= turn->events[i].type == EV_JOB_SUBMITTED &&
                    turn->events[i].u.job->id.v >= s->join.firsts.count;
    if (s->grown)
        return err_set(err, "more tasks have arrived");
    if (to.turn(to.ctx, turn, err) < 0)
        return -1;
    s->turns++;
    if (s->watch && s->watch->turn)
        s->watch->turn(s->watch->ctx);
    return 0;
}

/* A story on its way to the watcher, if there is one. */
static void watch_job(void *ctx, const struct story_job *j, const struct story_facts *f)
{
    struct explain_input *s = ctx;
    struct explain x = s->x;

    x.job = j;
    x.facts = *f; /* borrowed */
    explain_failure_first(&x, &s->told, &s->failures);
    x.failures = s->x.failures = s->failures.text;
    if (s->watch && s->watch->job)
        s->watch->job(s->watch->ctx, &x);
}

/* ---- reading ---- */

/* What tasks are called, if the journal is one of `dolly map` and lies where it was written. */
static void name_tasks(struct explain *x, uint64_t tasks)
{
    struct path dir = strcmp(x->path, "journal") == 0 ? path_of(".") : explain_folder(x->path);
    x->look = *dir.text ? map_look_open(dir.text) : NULL;
    if (x->look && !map_look_fits(x->look, tasks)) {
        map_look_close(x->look);
        x->look = NULL;
    }
}

/* In two passes where jobs are to be joined, else in one. */
static int read_journal(struct explain_input *s, const struct explain_watch *watch, struct err *err)
{
    struct explain *x = &s->x;
    struct tap find = {.ctx = &s->join, .turn = find_jobs_turn};
    struct journal_play finding = {.taps = &find, .tap_count = 1, .run = find_run};
    struct journal_played played;

    bool found = journal_play(x->path, &finding, NULL, err) == 0;
    if (found)
        name_tasks(x, s->join.tasks);
    else /* if it is damaged, the second says so */
        story_join_fini(&s->join);
    s->joins = found;
    struct tap tap = {.ctx = s, .turn = see_turn};
    struct journal_play telling = {.taps = &tap,
                                   .tap_count = 1,
                                   .ctx = s,
                                   .run = note_run,
                                   .follow = watch ? watch->follow : NULL};
    s->watch = watch;
    if (watch && watch->begin)
        watch->begin(watch->ctx, story_follow(s->story));
    story_listen(s->story, (struct story_listener){s, watch_job});
    x->run = story_run(s->story);
    int rc = journal_play(x->path, &telling, &played, err);
    if (s->grown && !telling.follow) {
        played = (struct journal_played){0};
        rc = 0;
    }
    if (rc == 0)
        story_end(s->story);
    s->watch = NULL;
    x->complete = rc == 0 && played.complete;
    x->torn_bytes = rc == 0 ? played.torn_bytes : 0;
    return rc;
}

int explain_open(struct explain_input *s, const char *path, const char *job,
                 const struct explain_watch *watch, struct err *err)
{
    struct explain *x = &s->x;

    *s = (struct explain_input){.x.path = path};
    s->story = story_create(job, &s->join);
    if (read_journal(s, watch, err) < 0)
        return -1;
    x->job = story_job(s->story);
    x->namesakes = story_namesakes(s->story);
    if (x->job)
        story_facts_init(&x->facts, x->job, x->run->jobs + x->run->others == 1, x->run->last_us);
    return 0;
}

void explain_open_end(struct explain_input *s)
{
    map_look_close(s->x.look);
    story_facts_fini(&s->x.facts);
    story_destroy(s->story);
    story_join_fini(&s->join);
    mem_free(s->x.policy);
    mem_free(s->x.body);
    mem_free(s->x.about);
    str_free(&s->failures);
}

void explain_open_caveat(const struct explain *x, struct str *out)
{
    if (x->torn_bytes)
        str_addf(out,
                 "\nThe journal is torn: its last %s could not be read, and the story ends at "
                 "%s.\n",
                 words_count(x->torn_bytes, "byte").text, words_time(x->run->last_us).text);
    else if (!x->complete)
        str_addf(out,
                 "\nThe journal was not closed: the run was cut off or is still going on, and "
                 "the story ends at %s.\n",
                 words_time(x->run->last_us).text);
}
