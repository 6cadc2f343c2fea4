/* explain_open.h - reads a journal into the structs that the views of explain.h use. */
#pragma once

#include "base/err.h"
#include "commands/explain/explain.h"
#include "core/engine/engine.h"
#include "record/journal/journal_reader.h"
#include "record/story/story.h"

struct explain_input {
    struct explain x;
    struct story *story;
    struct story_join join;
    const struct explain_watch *watch; /* while it is read; NULL: none */
    uint64_t turns;                    /* number of turns read */
    struct str failures;               /* x.failures */
    uint32_t told;                     /* number of failed tasks in it */
    bool joins;                        /* the jobs that it had at first are joined */
    bool grown; /* another one arrived: the story ends before it; a followed run is opened again */
};

/* Returns the path of the journal that the user names: a file, the folder of a run, or the output
 * of an unfinished data-parallel job. Warns if another user has written it. Free with mem_free.
 * Returns NULL with *err for the results of a job, which have no journal. */
char *explain_open_path(const char *name, struct err *err);

/* Callbacks while a journal is read about the run as a whole; each may be NULL. */
struct explain_watch {
    void *ctx;
    /* Subscribes to the account, before the first turn. Jobs that users see as one (story_join.h)
     * are one there, and the account ends with explain_open. */
    void (*begin)(void *ctx, struct follow *f);
    void (*job)(void *ctx, const struct explain *x); /* gets each job when it is over, as x->job */
    /* NULL: the journal is read to its end. Else the run may go on: see journal_reader_open. While
     * it is asked for more, *s is as of the last turn; x.complete and x.job are not set yet. */
    const struct journal_follow *follow;
    void (*turn)(void *ctx); /* a turn was read */
};

/* Reads the journal at `path`, which is borrowed: about one job, or about the run (NULL). `watch`
 * may be NULL. Returns 0, or -1 with *err, also if a followed run has grown. Close with
 * explain_open_end in both cases. */
int explain_open(struct explain_input *s, const char *path, const char *job,
                 const struct explain_watch *watch, struct err *err);
void explain_open_end(struct explain_input *s);

/* Adds a warning about the journal itself, if one is needed. */
void explain_open_caveat(const struct explain *x, struct str *out);
