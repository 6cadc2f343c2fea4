/* web.h - the parts of a page that do not depend on the run: files of web/, embedded in the
 * program. */
#pragma once

struct web_file {
    const char *text, *end;
};

extern const struct web_file web_style;

/* Scripts that all pages run first, before one of the others. */
enum { WEB_SHARED = 10 };
extern const struct web_file web_shared[WEB_SHARED];
extern const struct web_file web_report, web_compare, web_figures;

/* Of a page that is served: what keeps it up to date, and what exchanges the token. */
extern const struct web_file web_live, web_login;
