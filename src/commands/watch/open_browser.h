/* open_browser.h - opens an address in the user's browser.
 *
 * Other users of the machine see the arguments of programs, so the address, which has the token, is
 * not among them: the browser gets the name of a file of mode 0600 that leads there. */
#pragma once

#include "base/err.h"

/* Zero-initialise; remove the file with open_browser_end. */
struct open_browser {
    char folder[64], file[80];
};

/* Starts xdg-open. Returns 0, or -1 with *err, also if it is not installed. */
int open_browser(struct open_browser *o, const char *address, struct err *err);

/* Removes the file. Call when the browser has had time to read it. */
void open_browser_end(struct open_browser *o);
