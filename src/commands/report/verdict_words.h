/* verdict_words.h - the reason of a verdict in words, for tables. */
#pragma once

#include <stdint.h>

/* Returns the meaning of a verdict with this reason: "clones were asked for". */
const char *verdict_words(uint16_t code);
