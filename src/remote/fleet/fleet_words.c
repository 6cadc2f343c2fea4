#include "remote/fleet/fleet_words.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"

void fleet_words_add_all(struct fleet_words *w, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vec_push(&w->at, mem_strdup(words[i]));
}

void fleet_words_addf(struct fleet_words *w, const char *format, ...)
{
    char *text;
    va_list list;

    va_start(list, format);
    check(vasprintf(&text, format, list) >= 0);
    va_end(list);
    vec_push(&w->at, text);
}

void fleet_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *host)
{
    fleet_words_add(w, o->program, "agent", "--connect");
    fleet_words_addf(w, "%s:%u", host, o->port);
    fleet_words_add(w, "--connect-file", o->at_file, "--key-fd", "0");
    if (o->scratch)
        fleet_words_add(w, "--scratch", o->scratch);
    if (o->munge)
        fleet_words_add(w, "--munge", o->munge);
    if (o->linger)
        fleet_words_add(w, "--linger", o->linger);
}

char *const *fleet_words_argv(struct fleet_words *w)
{
    vec_push(&w->at, NULL);
    return w->at.at;
}

void fleet_words_fini(struct fleet_words *w)
{
    vec_free_each(&w->at);
}
