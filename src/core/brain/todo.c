/* todo.c - notes the consequences of events; todo_run.c carries them out. */
#include "core/brain/todo.h"

#include "core/brain/state.h"

void todo_add(struct brain *b, const struct job *j, enum todo_what what, struct attempt_ref at)
{
    struct todo *t = vec_add(&b->todo);
    t->what = (uint8_t)what;
    t->copy = j->copy;
    t->at = at;
}

void todo_fill(struct brain *b, struct phase *p)
{
    if (!shuffle_ops(b)->fill || p->fill_due || (!p->cloned && !p->early))
        return;
    p->fill_due = true;
    todo_add(b, p->job, TODO_FILL, phase_ref(p));
}

void todo_fill_readers(struct brain *b, struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++)
        todo_fill(b, &p->job->phases[p->consumers[i]]);
}
