#include "commands/watch/shared_text.h"

#include "base/mem.h"

struct shared_text *shared_text_create(struct str *str)
{
    struct shared_text *t = mem_zalloc(1, sizeof *t);

    t->str = *str;
    t->holders = 1;
    *str = (struct str){0};
    return t;
}

struct shared_text *shared_text_hold(struct shared_text *t)
{
    t->holders++;
    return t;
}

void shared_text_drop(struct shared_text *t)
{
    if (!t || --t->holders > 0)
        return;
    str_free(&t->str);
    mem_free(t);
}
