/* words.h - numbers as people say them. */
#ifndef UI_WORDS_H
#define UI_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/reason.h"
#include "record/story/story_facts.h"

/* A short text by value, for arguments of printf. */
struct words {
    char text[48];
};

/* A time in seconds: "0.25 s", "12.345 s", "312.3 s"; "0.4 ms" where that would be 0. */
struct words words_time(int64_t us);
struct words words_span(int64_t us); /* from ten minutes on in hours and minutes */
struct words words_seconds(double s);

/* A guess, with as many digits as its range leaves: a tenth of that is worth saying. */
struct words words_guess(int64_t us, int64_t range_us);

/* "1 task", "40 tasks": adds an s. */
struct words words_count(uint64_t n, const char *noun);

/* The same of a number that a reason gives, which a changed journal may make any number. */
struct words words_counted(double n, const char *noun);

/* "1 task was", "40 tasks were"; "is" and "are". */
struct words words_were(uint64_t n, const char *noun);
struct words words_are(uint64_t n, const char *noun);

/* "64 MiB", "1.5 GiB". */
struct words words_bytes(double bytes);

/* A share in percent: "17 %", "0.4 %". */
struct words words_share(double share);

/* A number with up to `digits` significant digits and no trailing zeros: "0.15", "120". */
struct words words_number(double value, int digits);

/* The number of a reason that has this name; NAN when it has none. */
double words_reason_number(const struct reason *r, const char *name);

/* What extra attempts saved: "about 15 s (12 s to 18 s)", "2.004 s" where that is known, and "at
 * least 3 s" if `unsure`: of some that were beaten it is not known how long they would have taken.
 * Nothing that could be said unless is_known. */
struct words_saved {
    char text[192];
    bool is_known;
};
struct words_saved words_saved(const struct story_difference *d, bool unsure);

#endif
