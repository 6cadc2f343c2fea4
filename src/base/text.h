/* text.h - reading numbers, times, sizes and names that people wrote, and building strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each parser takes the whole string or nothing: it returns false on junk, overflow, or an empty
 * string.
 *
 * Parses a whole number in decimal. */
bool text_int(const char *text, int64_t *value);

/* Parses a finite number. */
bool text_real(const char *text, double *value);

/* Parses a number with an optional per cent sign and sets *percent if there is one. */
bool text_percent(const char *text, double *value, bool *percent);

/* Parses a time with a unit (us, ms, s, m, h, d) or in bare seconds, e.g. "1.5s", "250ms", "90";
 * not negative. */
bool text_duration(const char *text, int64_t *us);

/* Parses a size in bytes with an optional unit (K, M, G, T: powers of 1024; a trailing B or iB is
 * allowed). */
bool text_bytes(const char *text, int64_t *bytes);

/* The candidate nearest to `name` by edit distance, or NULL if no candidate is near enough to
 * suggest. Of equally near ones the one with the longest common beginning, then the first. */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/* Replaces each control character, also those that turn the direction of text, by question marks,
 * for names from outside that are printed: a terminal would obey them, they could end a line, and
 * the text behind them would be shown backwards. Returns its argument, which may be NULL. */
char *text_tame(char *text);

/* A string under construction. Zero-initialise; free with str_free. `text` is NULL before the first
 * call that adds, even an empty string; after it `text` always ends with a zero. */
struct str {
    char *text;
    size_t length, cap;
};
/* Appends a string. */
void str_add(struct str *s, const char *text);
/* Appends bytes, none of which may be zero. */
void str_add_bytes(struct str *s, const char *at, size_t length);
/* Appends formatted text. */
__attribute__((format(printf, 2, 3))) void str_addf(struct str *s, const char *format, ...);
/* Appends the shortest text that text_real reads back exactly. */
void str_add_real(struct str *s, double value);
/* Appends a number of bytes as a whole number of the largest unit that divides it: "3M", "1000". */
void str_add_size(struct str *s, int64_t bytes);
/* Shortens the string to its first `length` bytes, which must not be more than it has. */
void str_cut(struct str *s, size_t length);
/* Frees the string and makes it empty. */
void str_free(struct str *s);
