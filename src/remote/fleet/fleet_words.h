/* fleet_words.h - builds the words of commands that start agents. */
#pragma once

#include "base/vec.h"
#include "remote/fleet/fleet.h"

/* Zero-initialise. All words are copies. */
struct fleet_words {
    VEC(char *) at;
};

/* Adds words. */
#define fleet_words_add(w, ...)                                                                    \
    fleet_words_add_all(w, (const char *const[]){__VA_ARGS__},                                     \
                        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
void fleet_words_add_all(struct fleet_words *w, const char *const *words, size_t count);

/* Adds a formatted word. */
__attribute__((format(printf, 2, 3))) void fleet_words_addf(struct fleet_words *w,
                                                            const char *format, ...);

/* Adds PROGRAM agent with all its options except --name; it reads the key from its standard input.
 */
void fleet_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *host);

/* Returns the words with NULL at their end; no more may be added then. */
char *const *fleet_words_argv(struct fleet_words *w);
void fleet_words_fini(struct fleet_words *w);
