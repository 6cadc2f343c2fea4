/* fleet_words.h - the words of commands that have our agents started. */
#ifndef REMOTE_FLEET_FLEET_WORDS_H
#define REMOTE_FLEET_FLEET_WORDS_H

#include "base/vec.h"
#include "remote/fleet/fleet.h"

/* Zero-initialise. All words are copies. */
struct fleet_words {
    VEC(char *) at;
};

void fleet_words_add(struct fleet_words *w, const char *text);
/* Texts that are one word together. */
void fleet_words_join(struct fleet_words *w, const char *a, const char *b, const char *c);
/* At most 127 bytes. */
__attribute__((format(printf, 2, 3))) void fleet_words_addf(struct fleet_words *w,
                                                            const char *format, ...);

/* Adds PROGRAM agent with all its options but for --name; it takes the key from its standard input.
 */
void fleet_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *host);

/* The words with NULL at their end; nothing may be added any more. */
char *const *fleet_words_argv(struct fleet_words *w);
void fleet_words_fini(struct fleet_words *w);

#endif
