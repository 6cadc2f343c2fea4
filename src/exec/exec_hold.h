/* exec_hold.h - a run that the user stops (^Z) and has go on (fg). */
#ifndef EXEC_EXEC_HOLD_H
#define EXEC_EXEC_HOLD_H

struct exec;

/* Has all attempts of this machine stand still until a SIGCONT, or a signal that ends the run. */
void exec_hold(struct exec *x);

#endif
