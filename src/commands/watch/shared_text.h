/* shared_text.h - a text that does not change any more, and that several hold: the last of them to
 * let go frees it. Two hundred readers of the same events point into one copy of them. */
#pragma once

#include <stdint.h>

#include "base/text.h"

struct shared_text {
    struct str str;
    uint32_t holders;
};

/* Takes the text over from *str, which is empty then. Returns it with one holder. */
struct shared_text *shared_text_create(struct str *str);

/* Adds a holder. Returns its argument. */
struct shared_text *shared_text_hold(struct shared_text *t);

/* Lets go of it; NULL is fine. */
void shared_text_drop(struct shared_text *t);
