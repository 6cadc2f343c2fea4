/* live_page.h - the page of `dolly report` about a run as it is now, made anew when it is asked for
 * and old.
 *
 * It is made from memory, without reading the journal again, by a child: a large one takes a while,
 * and meanwhile the journal is followed. For the same reason it is made at most once in forty times
 * that time, however many clients ask. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"
#include "commands/report/web.h"
#include "commands/watch/followed_run.h"

/* Zero-initialise; free with live_page_fini. */
struct live_page {
    struct str text;          /* the page that was made last */
    uint64_t turn;            /* of which it is */
    uint32_t resets;          /* how often the journal had been read anew then */
    bool over;                /* whether it had been read to its end */
    int64_t made_us, cost_us; /* cost: in CPU time */

    /* The page that is being made. */
    pid_t child; /* that makes it; 0: none is */
    int file;    /* into which it is written */
    uint64_t next_turn;
    uint32_t next_resets;
    bool next_over;
    bool failed; /* the last child has failed, and the next to ask is to be told */
};

/* Ends the child that makes a page. */
void live_page_fini(struct live_page *p);

/* Returns 1 if p->text is the page of a run that is open and keeps its report, until the next call;
 * 0 if it is being made: ask again once live_page_look has returned true; or -1 with *err if it
 * cannot be packed, no child can be started, or the child has failed. */
int live_page_get(struct live_page *p, struct followed_run *f, struct err *err);

/* Returns true if no page is being made (any more). Never waits. */
bool live_page_look(struct live_page *p);

/* Returns for how long a page should be shown before the next one is asked for. */
int64_t live_page_period_us(const struct live_page *p);

/* Appends the page that asks for the token. */
void live_page_login(struct str *to);

/* Appends the script of the page. */
void live_page_script(struct str *to);

/* Appends a file of web.h, with a newline. */
void live_page_file(const struct web_file *file, struct str *to);
