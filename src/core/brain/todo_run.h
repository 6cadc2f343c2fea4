/* todo_run.h - does what todo.h has noted. */
#ifndef CORE_BRAIN_TODO_RUN_H
#define CORE_BRAIN_TODO_RUN_H

struct brain;

/* Works through the list, including what is added meanwhile, and empties it. */
void todo_run(struct brain *b);

/* Does only the fills that launches and kills after todo_run have made necessary: a reader may have
 * waited for an attempt that was ended. Everything else stays on the list until the next decide. */
void todo_run_fills(struct brain *b);

#endif
