#include "core/shepherd/flock.h"

#include "base/stat.h"
#include "core/estimate/healthy.h"

static uint64_t key_of(const struct phase *p)
{
    return (uint64_t)p->job->id.v << 16 | p->index;
}

static void fold_free(struct fold *fold)
{
    vec_free(&fold->tasks);
    vec_free(&fold->listed);
    vec_free(&fold->took);
    vec_free(&fold->finished);
    watch_starts_fini(&fold->starts);
}

void flock_fini(struct flock *f)
{
    for (uint32_t i = 0; i < f->folds.count; i++)
        fold_free(&f->folds.at[i]);
    vec_free(&f->folds);
    vec_free(&f->unused);
    lookup_fini(&f->by_phase);
}

struct fold *flock_find(struct flock *f, const struct phase *p)
{
    uint32_t i = lookup_get(&f->by_phase, key_of(p));
    return i == LOOKUP_NONE ? NULL : &f->folds.at[i];
}

static struct fold *fold_create(struct flock *f, const struct phase *p)
{
    uint32_t i = f->folds.count;
    if (f->unused.count > 0)
        i = f->unused.at[--f->unused.count];
    else
        vec_push(&f->folds, (struct fold){0});
    struct fold *fold = &f->folds.at[i];
    *fold = (struct fold){
        .job = p->job->id, .phase = p->index, .used = true, .inputs = healthy_inputs(p)};
    for (uint32_t bits = 0; bits < p->count; bits += 64)
        vec_push(&fold->listed, UINT64_C(0));
    lookup_put(&f->by_phase, key_of(p), i);
    f->next_us = 0;
    return fold;
}

void flock_add(struct flock *f, const struct phase *p, uint32_t task)
{
    struct fold *fold = flock_find(f, p);
    if (!fold)
        fold = fold_create(f, p);
    uint64_t bit = UINT64_C(1) << task % 64;
    if (!(fold->listed.at[task / 64] & bit))
        vec_push(&fold->tasks, task);
    fold->listed.at[task / 64] |= bit;
}

void flock_remove(struct flock *f, const struct phase *p)
{
    struct fold *fold = flock_find(f, p);
    if (!fold)
        return;
    fold_free(fold);
    *fold = (struct fold){0};
    vec_push(&f->unused, (uint32_t)(fold - f->folds.at));
    lookup_remove(&f->by_phase, key_of(p));
}

void flock_ended(struct fold *fold, double per_byte_us, bool finished)
{
    float took = (float)per_byte_us;
    vec_push(&fold->took, finished ? took : -took);
    fold->stopped += !finished;
    if (!finished || fold->took.count > FLOCK_ORDERED)
        return;
    vec_reserve(&fold->finished, fold->finished.count + 1);
    stat_insert(fold->finished.at, fold->finished.count++, (double)took);
}

void flock_prune(struct fold *fold, const struct phase *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fold->tasks.count; i++) {
        uint32_t task = fold->tasks.at[i];
        const struct task *t = &p->tasks[task];
        if (task_is_open(t) && t->live > 0)
            fold->tasks.at[kept++] = task;
        else
            fold->listed.at[task / 64] &= ~(UINT64_C(1) << task % 64);
    }
    fold->tasks.count = kept;
}
