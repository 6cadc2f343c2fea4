/* explain_open.c - from a journal to the story of a run.
 *
 * Everything comes from the journal, of either body. What is kept depends on the question
 * (stats/story.h), so the size of the file does not matter. */
#include "explain/explain_open.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "folder/trust.h"
#include "journal/journal_play.h"
#include "ui/words.h"

char *explain_open_path(const char *name)
{
    struct stat about;
    struct str inside = {0};
    uid_t owner;

    /* The folder of a run has its journal under this name (docs/EXEC.md). */
    str_add(&inside, name);
    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode))
        str_add(&inside, "/journal");
    if (trust_is_foreign(inside.text, &owner))
        fprintf(stderr, "dolly: %s: was written by user %lu; this is what it says, true or not\n",
                inside.text, (unsigned long)owner);
    return inside.text;
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

static int note_run(void *ctx, const struct record *record, struct err *err)
{
    struct explain *x = ctx;
    (void)err;
    x->policy = mem_strdup(record->u.run.policy);
    x->body = mem_strdup(record->u.run.body);
    x->seed = record->u.run.seed;
    return 0;
}

/* In two passes where jobs are to be joined, else in one. */
static int read_journal(struct explain *x, struct story *story, struct story_join *join,
                        const struct tap *also, struct err *err)
{
    struct tap find = {.ctx = join, .turn = find_jobs_turn};
    struct tap tell[2] = {story_tap(story), also ? *also : (struct tap){0}};
    struct journal_play finding = {.taps = &find, .tap_count = 1, .run = find_run};
    struct journal_play telling = {
        .taps = tell, .tap_count = also ? 2 : 1, .ctx = x, .run = note_run};
    struct journal_played played;

    if (journal_play(x->path, &finding, NULL, err) < 0) /* if it is damaged, the second says so */
        story_join_fini(join);
    if (journal_play(x->path, &telling, &played, err) < 0)
        return -1;
    x->complete = played.complete;
    x->torn_bytes = played.torn_bytes;
    return 0;
}

/* What tasks are called, if the journal is one of `dolly map` and lies where it was written. */
static void name_tasks(struct explain *x)
{
    char *dir = mem_strdup(x->path), *slash = strrchr(dir, '/');
    x->from_one = x->body && strcmp(x->body, "map") == 0;
    if (x->from_one && strcmp(slash ? slash + 1 : dir, "journal") == 0) {
        if (slash)
            *slash = '\0';
        x->look = map_look_open(slash == dir ? "/" : slash ? dir : ".");
        if (x->look && !map_look_fits(x->look, x->run->tasks)) {
            map_look_close(x->look);
            x->look = NULL;
        }
    }
    mem_free(dir);
}

int explain_open(struct explain_source *s, const char *path, const char *job,
                 const struct tap *also, struct err *err)
{
    struct explain *x = &s->x;

    *s = (struct explain_source){.x.path = path};
    s->story = story_create(job, &s->join);
    if (read_journal(x, s->story, &s->join, also, err) < 0)
        return -1;
    story_end(s->story);
    x->run = story_run(s->story);
    x->job = story_job(s->story);
    x->namesakes = story_namesakes(s->story);
    if (x->job)
        story_facts_init(&x->facts, x->job, x->run->jobs == 1, x->run->last_us);
    name_tasks(x);
    return 0;
}

void explain_open_end(struct explain_source *s)
{
    map_look_close(s->x.look);
    story_facts_fini(&s->x.facts);
    story_destroy(s->story);
    story_join_fini(&s->join);
    mem_free(s->x.policy);
    mem_free(s->x.body);
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
