/* exec_hold.h - stops a run on ^Z and continues it on fg. */
#pragma once

struct exec;

/* Stops all attempts of this machine until a SIGCONT, or a signal that ends the run. */
void exec_hold(struct exec *x);
