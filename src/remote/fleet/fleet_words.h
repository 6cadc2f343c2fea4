/* fleet_words.h - builds the words of commands that start agents. */
#pragma once

#include "base/vec.h"
#include "remote/fleet/fleet.h"

/* Zero-initialise. All words are copies. */
struct fleet_words {
    VEC(char *) at;
};

void fleet_words_add(struct fleet_words *w, const char *text);
/* Adds the texts as one word. */
void fleet_words_join(struct fleet_words *w, const char *a, const char *b, const char *c);
/* Adds a formatted word of at most 127 bytes. */
__attribute__((format(printf, 2, 3))) void fleet_words_addf(struct fleet_words *w,
                                                            const char *format, ...);

/* Adds PROGRAM agent with all its options except --name; it reads the key from its standard input.
 */
void fleet_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *host);

/* Returns the words with NULL at their end; no more may be added then. */
char *const *fleet_words_argv(struct fleet_words *w);
void fleet_words_fini(struct fleet_words *w);
