/* text.h - reading numbers, times, sizes and names that people wrote, and building strings. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each parser takes the whole string or nothing: false on junk, overflow, or an empty string. */
bool text_int(const char *text, int64_t *value);
bool text_real(const char *text, double *value); /* finite only */

/* A number, perhaps with a per cent sign. */
bool text_percent(const char *text, double *value, bool *percent);

/* A time with a unit (us, ms, s, m, h, d) or bare seconds, e.g. "1.5s", "250ms", "90"; not
 * negative. */
bool text_duration(const char *text, int64_t *us);

/* A size in bytes with an optional unit (K, M, G, T: powers of 1024; a trailing B or iB is fine).
 */
bool text_bytes(const char *text, int64_t *bytes);

/* The candidate nearest to `name` (edit distance; of equals the one that begins alike for longest,
 * then the first), or NULL when nothing is near enough to suggest. */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/* Puts a question mark for each control character, which a terminal would obey and which could end
 * a line: names that others wrote are shown. Returns its argument, which may be NULL. */
char *text_tame(char *text);

/* A string under construction. Zero-initialise; free with str_free. `text` is NULL until something
 * is added, be it empty; from then on it ends with a zero, always. */
struct str {
    char *text;
    size_t length, cap;
};
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *at, size_t length); /* none of them zero */
__attribute__((format(printf, 2, 3))) void str_addf(struct str *s, const char *format, ...);
void str_add_real(struct str *s, double value); /* the shortest text that text_real reads back */
void str_cut(struct str *s, size_t length); /* keeps the first bytes only; no more than there are */
void str_free(struct str *s);

#endif
