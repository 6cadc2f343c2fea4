/* interrupt.h - ^C as a question that loops ask, not as a sudden end. */
#ifndef UI_INTERRUPT_H
#define UI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are only noted, unless they were ignored before; a third
 * one ends the program as usual. */
void interrupt_catch(void);

/* Whether one has come. */
bool interrupt_came(void);

#endif
