/* interrupt.h - notes ^C in a flag that loops ask for, instead of ending the program at once. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Notes SIGINT, SIGTERM and SIGHUP from now on, except those that were ignored before; a third one
 * ends the program as usual. */
void interrupt_catch(void);

/* Returns true if a signal was noted. */
bool interrupt_came(void);

/* Prints the error as cli_fail does, and returns the exit status of a command that ends with it:
 * EXIT_INTERRUPTED if a signal was noted. */
int interrupt_fail(const struct err *err);
