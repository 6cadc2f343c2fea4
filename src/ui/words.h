/* words.h - formats numbers, times and counts as text for people. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/reason.h"
#include "record/story/story_facts.h"

/* A short text by value, for arguments of printf. */
struct words {
    char text[48];
};

/* Formats a time in seconds: "0.25 s", "12.345 s", "312.3 s"; very short ones as "0.4 ms". */
struct words words_time(int64_t us);
struct words words_span(int64_t us); /* in hours and minutes from ten minutes on */
struct words words_seconds(double s);
struct words words_brief(int64_t us); /* with three digits, for headlines; also in hours */

/* Formats an estimate with only as many digits as its range justifies, down to a tenth of the
 * range, but at least two. */
struct words words_guess(int64_t us, int64_t range_us);

/* Formats a number with its noun, adding an s: "1 task", "40 tasks". */
struct words words_count(uint64_t n, const char *noun);

/* As words_count, for a number from a reason, which may be any number in a damaged journal. */
struct words words_counted(double n, const char *noun);

/* Formats "1 task was", "40 tasks were". */
struct words words_were(uint64_t n, const char *noun);

/* Formats "1 task is", "40 tasks are". */
struct words words_are(uint64_t n, const char *noun);

/* Formats a number of bytes: "64 MiB", "1.5 GiB". */
struct words words_bytes(double bytes);

/* Formats a share in percent: "17 %", "0.4 %". */
struct words words_share(double share);

/* Formats a number with up to `digits` significant digits and no trailing zeros: "0.15", "120". */
struct words words_number(double value, int digits);

/* Returns the number with this name in a reason; NAN if it has none. */
double words_reason_number(const struct reason *r, const char *name);

/* The time that extra attempts saved: "about 15 s (12 s to 18 s)", "2.004 s" if it is known
 * exactly, and "at least 3 s" if `unsure`: the duration of some beaten attempts is not known. The
 * text is valid only if is_known. */
struct words_saved {
    char text[192];
    bool is_known;
};
struct words_saved words_saved(const struct story_difference *d, bool unsure);
