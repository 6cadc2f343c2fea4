/* live_page.h - the page of `dolly report` about a run as it is now, made anew when it is asked for
 * and old.
 *
 * It is made from memory, without reading the journal again. A large one takes a while, so it is
 * made at most once in forty times that time, however many clients ask. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "commands/report/web.h"
#include "commands/watch/followed_run.h"

/* Zero-initialise; free with str_free(&text). */
struct live_page {
    struct str text;          /* the page that was made last */
    uint64_t turn;            /* of which it is */
    uint32_t resets;          /* how often the journal had been read anew then */
    int64_t made_us, cost_us; /* cost: in CPU time */
};

/* Returns the page of a run that is open and keeps its report; the text is borrowed until the next
 * call. Returns NULL with *err if it cannot be packed, or no child can be started. */
const struct str *live_page_get(struct live_page *p, struct followed_run *f, struct err *err);

/* Returns for how long a page should be shown before the next one is asked for. */
int64_t live_page_period_us(const struct live_page *p);

/* Appends the page that asks for the token. */
void live_page_login(struct str *to);

/* Appends the script of the page. */
void live_page_script(struct str *to);

/* Appends a file of web.h, with a newline. */
void live_page_file(const struct web_file *file, struct str *to);
