/* node_walk.c - the method is in node_walk.h.
 *
 * The next server of a walk is the first that has grown or that has room for a new entry. New
 * entries are few, mostly those of one job that has just arrived, and each is looked up in the
 * index once: the result is true until the walk reaches that server, because it changes no server
 * ahead of it. If very many are added at once, it is cheaper to compare all servers with the
 * smallest demands. */
#include "core/match/node_walk.h"

/* More than these are not looked for one by one: every server is compared with the least that
 * anybody asks for. */
enum { NEW_MAX = 16 };

void node_walk_fini(struct node_walk *s)
{
    match_list_fini(&s->list);
    node_set_fini(&s->grown);
    vec_free(&s->new);
    vec_free(&s->walked);
}

static void note_new(struct node_walk *s, void *what, uint32_t fit)
{
    if (s->all_new)
        return;
    vec_push(&s->new, ((struct node_walk_new){.what = what, .fit = fit}));
    s->all_new = s->new.count > NEW_MAX;
    if (s->all_new)
        vec_clear(&s->new);
}

void node_walk_add(struct node_walk *s, const struct match_entry *e, uint32_t fit)
{
    match_list_insert(&s->list, e);
    note_new(s, e->what, fit);
}

/* Both lists are short, and mostly empty. */
#define FORGET(list, gone)                                                                         \
    for (uint32_t i_ = (list)->count; i_-- > 0;)                                                   \
        if ((list)->at[i_].what == (gone))                                                         \
    (list)->at[i_] = (list)->at[--(list)->count]

void node_walk_remove(struct node_walk *s, const struct match_entry *e)
{
    match_list_remove(&s->list, e);
    FORGET(&s->new, e->what);
    FORGET(&s->walked, e->what);
}

void node_walk_rekey(struct node_walk *s, const struct match_entry *e, int64_t key)
{
    struct match_entry moved = *e;
    moved.key = key;
    match_list_remove(&s->list, e);
    match_list_insert(&s->list, &moved);
}

bool node_walk_begin(struct node_walk *s)
{
    vec_clear(&s->walked);
    for (uint32_t i = 0; i < s->new.count; i++)
        vec_push(&s->walked, s->new.at[i]);
    for (uint32_t i = 0; i < s->walked.count; i++)
        s->walked.at[i].from = NODE_WALK_END;
    vec_clear(&s->new);
    s->all_walked = s->all_new;
    s->all_new = false;
    return s->list.count > 0 &&
           (s->all_walked || s->walked.count > 0 || node_set_next(&s->grown, 0) != NODE_SET_END);
}

/* The first server from `from` on with room for it. Servers that the walk has yet to come to do not
 * change meanwhile: what was found further on is still true. */
static uint32_t next_fitting(struct node_walk_new *x, const struct fit_index *fit, uint32_t from)
{
    if (x->from <= from && x->next >= from)
        return x->next;
    uint32_t found = fit_index_next(fit, x->fit, from);
    x->from = from;
    x->next = found != FIT_NONE ? found : NODE_WALK_END;
    return x->next;
}

static uint32_t next_for_new(struct node_walk *s, const struct fit_index *fit, uint32_t from)
{
    uint32_t next = NODE_WALK_END;
    if (s->all_walked) {
        for (next = from; next < fit->count; next++)
            if (match_list_may_fit(&s->list, &fit->free[next]))
                return next;
        return NODE_WALK_END;
    }
    for (uint32_t i = 0; i < s->walked.count; i++) {
        uint32_t one = next_fitting(&s->walked.at[i], fit, from);
        next = one < next ? one : next;
    }
    return next;
}

uint32_t node_walk_next(struct node_walk *s, const struct fit_index *fit, uint32_t from)
{
    if (s->list.count == 0)
        return NODE_WALK_END;
    uint32_t grown = node_set_next(&s->grown, from), next = next_for_new(s, fit, from);
    next = grown < next ? grown : next;
    if (next != NODE_WALK_END)
        node_set_remove(&s->grown, next);
    return next;
}
