/* explain_open.h - reads a journal into what the views of explain.h stand on. */
#ifndef COMMANDS_EXPLAIN_EXPLAIN_OPEN_H
#define COMMANDS_EXPLAIN_EXPLAIN_OPEN_H

#include "base/err.h"
#include "commands/explain/explain.h"
#include "core/engine/engine.h"
#include "record/story/story.h"

struct explain_source {
    struct explain x;
    struct story *story;
    struct story_join join;
};

/* The journal that the user names: a file, the folder of a run, or the output of a data-parallel
 * job that is not done. Warns if another user has written it. Free with mem_free; NULL with *err
 * for the results of a job, which keep none. */
char *explain_open_path(const char *name, struct err *err);

/* A watcher of the reading of a journal about the run as a whole. */
struct explain_watch {
    void *ctx;
    /* Subscribes to the account, before the first turn. Jobs that are one to users (story_join.h)
     * are one there, and the account ends with explain_open. */
    void (*begin)(void *ctx, struct follow *f);
    void (*job)(void *ctx, const struct explain *x); /* sees each job when it is over, as x->job */
};

/* Reads the journal at `path`, which is borrowed: about one job, or about the run (NULL). `watch`
 * may be NULL. 0, or -1 with *err; either way it ends with explain_open_end. */
int explain_open(struct explain_source *s, const char *path, const char *job,
                 const struct explain_watch *watch, struct err *err);
void explain_open_end(struct explain_source *s);

/* Adds what the reader should know about the journal itself, if anything. */
void explain_open_caveat(const struct explain *x, struct str *out);

#endif
