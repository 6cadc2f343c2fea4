/* exec_hold.h - a run that the user stops (^Z) and has go on (fg). */
#ifndef EXEC_EXEC_HOLD_H
#define EXEC_EXEC_HOLD_H

#include <stdbool.h>

struct exec;

/* Has a SIGTSTP wait for exec_hold from now on (`wait`), or stop the process at once. */
void exec_hold_begin(struct exec *x, bool wait);

/* Has all attempts of this machine stand still until a SIGCONT, or a signal that ends the run. */
void exec_hold(struct exec *x);

#endif
