#include "remote/fleet/fleet_words.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

void fleet_words_add(struct fleet_words *w, const char *text)
{
    vec_push(&w->at, mem_strdup(text));
}

void fleet_words_join(struct fleet_words *w, const char *a, const char *b, const char *c)
{
    struct str text = {0};

    str_addf(&text, "%s%s%s", a, b, c);
    vec_push(&w->at, text.text);
}

void fleet_words_addf(struct fleet_words *w, const char *format, ...)
{
    char text[128];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fleet_words_add(w, text);
}

void fleet_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *host)
{
    char port[8];

    snprintf(port, sizeof port, "%u", o->port);
    fleet_words_add(w, o->program);
    fleet_words_add(w, "agent");
    fleet_words_add(w, "--connect");
    fleet_words_join(w, host, ":", port);
    fleet_words_add(w, "--connect-file");
    fleet_words_add(w, o->at_file);
    fleet_words_add(w, "--key-fd");
    fleet_words_add(w, "0");
    if (o->scratch) {
        fleet_words_add(w, "--scratch");
        fleet_words_add(w, o->scratch);
    }
    if (o->munge) {
        fleet_words_add(w, "--munge");
        fleet_words_add(w, o->munge);
    }
    if (o->linger) {
        fleet_words_add(w, "--linger");
        fleet_words_add(w, o->linger);
    }
}

char *const *fleet_words_argv(struct fleet_words *w)
{
    vec_push(&w->at, NULL);
    return w->at.at;
}

void fleet_words_fini(struct fleet_words *w)
{
    for (uint32_t i = 0; i < w->at.count; i++)
        mem_free(w->at.at[i]);
    vec_free(&w->at);
}
