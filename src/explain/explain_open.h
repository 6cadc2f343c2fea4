/* explain_open.h - reads a journal into what the views of explain.h stand on. */
#ifndef EXPLAIN_EXPLAIN_OPEN_H
#define EXPLAIN_EXPLAIN_OPEN_H

#include "base/err.h"
#include "engine/engine.h"
#include "explain/explain.h"
#include "stats/story.h"

struct explain_source {
    struct explain x;
    struct story *story;
    struct story_join join;
};

/* The journal that the user names: a file, or the folder of a run. Warns if somebody else has
 * written it. Free with mem_free. */
char *explain_open_path(const char *name);

/* Reads the journal at `path`, which is borrowed: about one job, or about the run (NULL). `also`
 * sees every turn too (NULL: nobody). 0, or -1 with *err; either way it ends with explain_open_end.
 */
int explain_open(struct explain_source *s, const char *path, const char *job,
                 const struct tap *also, struct err *err);
void explain_open_end(struct explain_source *s);

/* Adds what the reader should know about the journal itself, if anything. */
void explain_open_caveat(const struct explain *x, struct str *out);

#endif
