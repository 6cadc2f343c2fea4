#include "core/shepherd/share.h"

#include "base/sort.h"

void share_fini(struct share *s)
{
    vec_free(&s->late);
    vec_free(&s->groups);
}

static bool ends_later(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const struct share_late *)a)->left_s > ((const struct share_late *)b)->left_s;
}

/* Adds a group behind the others, into which it takes those that are worth no more. */
static void add_group(struct share *s, struct share_group g)
{
    for (; s->groups.count > 0; s->groups.count--) {
        const struct share_group *before = &s->groups.at[s->groups.count - 1];
        if (before->step_s * g.takes_s > g.step_s * before->takes_s)
            break;
        g.step_s += before->step_s;
        g.takes_s += before->takes_s;
        g.count += before->count;
    }
    vec_push(&s->groups, g);
}

void share_work_out(struct share *s, double deadline_s)
{
    sort_stable(s->late.at, s->late.count, sizeof *s->late.at, ends_later, NULL);
    vec_clear(&s->groups);
    for (uint32_t i = 0; i < s->late.count; i++) {
        const struct share_late *t = &s->late.at[i];
        double next_s = i + 1 < s->late.count ? t[1].left_s : deadline_s;
        add_group(s, (struct share_group){t->left_s - next_s, t->takes_s, 1});
    }
    struct share_late *t = s->late.at;
    for (uint32_t k = 0; k < s->groups.count; k++)
        for (uint32_t i = 0; i < s->groups.at[k].count; i++, t++)
            t->value = s->groups.at[k].step_s / s->groups.at[k].takes_s;
}
