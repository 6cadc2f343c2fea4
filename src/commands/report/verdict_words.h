/* verdict_words.h - the reason of a verdict in words, for tables. */
#ifndef COMMANDS_REPORT_VERDICT_WORDS_H
#define COMMANDS_REPORT_VERDICT_WORDS_H

#include <stdint.h>

/* Returns the meaning of a verdict with this reason: "clones were asked for". */
const char *verdict_words(uint16_t code);

#endif
