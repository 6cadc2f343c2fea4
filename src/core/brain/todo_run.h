/* todo_run.h - does the work that todo.h has noted. */
#pragma once

struct brain;

/* Does the work of the list, including items added meanwhile, and empties it. */
void todo_run(struct brain *b);

/* Does only the fills that launches and kills after todo_run have made necessary: a reader may have
 * waited for an attempt that was ended. Leaves the other items for the next decide. */
void todo_run_fills(struct brain *b);
