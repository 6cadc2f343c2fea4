/* interrupt.h - notes ^C in a flag that loops ask for, instead of ending the program at once. */
#pragma once

#include <stdbool.h>

/* Notes SIGINT, SIGTERM and SIGHUP from now on, except those that were ignored before; a third one
 * ends the program as usual. */
void interrupt_catch(void);

/* Returns true if a signal was noted. */
bool interrupt_came(void);
