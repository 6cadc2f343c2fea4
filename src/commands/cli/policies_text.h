/* policies_text.h - what `dolly policies` prints for people. */
#pragma once

#include "base/err.h"

/* Prints in ten lines which policy suits which load. */
void policies_text_choice(void);

/* Prints a recipe, or the parts of this name: parts, parameters, pages. Returns -1 with *err, and
 * prints nothing, if there is neither. */
int policies_text_one(const char *name, struct err *err);

/* Prints every part, parameter and recipe, a line each. */
void policies_text_all(void);
