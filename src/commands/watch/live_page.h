/* live_page.h - the page of `dolly report` about a run as it is now, made anew when it is asked for
 * and old.
 *
 * Making it takes as long as `dolly report` does, so it is made at most once in twenty times that
 * time, however many clients ask. */
#ifndef COMMANDS_WATCH_LIVE_PAGE_H
#define COMMANDS_WATCH_LIVE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Zero-initialise; free with live_page_fini. */
struct live_page {
    struct str text; /* the page that was made last */
    uint64_t turn;   /* of which it is */
    int64_t made_us, cost_us;
};

/* Returns the page of the journal, of which `turn` is known; the text is borrowed until the next
 * call. `running`: the end of the file may be half a record, which is then not reported. Returns
 * NULL with *err if the journal cannot be read. */
const struct str *live_page_get(struct live_page *p, const char *path, uint64_t turn, bool running,
                                struct err *err);
void live_page_fini(struct live_page *p);

/* Returns the number of seconds for which a page should be shown before the next one is asked for.
 */
double live_page_period_s(const struct live_page *p);

/* Appends the page that asks for the token, the scripts, and the style. */
void live_page_login(struct str *to);
void live_page_script(struct str *to);
void live_page_login_script(struct str *to);
void live_page_style(struct str *to);

#endif
