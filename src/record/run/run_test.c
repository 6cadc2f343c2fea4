#include "record/run/run.h"

#include "record/journal/journal_play.h"

#include <stdio.h>
#include <unistd.h>

#include "core/policy/policy.h"
#include "record/journal/journal_reader.h"
#include "tests/unit/test.h"

/* A world in which a timer goes off once, and nothing more. */
struct once {
    int waits;
};

static int once_wait(void *self, struct batch *batch, struct err *err)
{
    struct once *o = self;
    (void)err;
    *batch = (struct batch){.now_us = 5};
    return o->waits++ == 0;
}

static void once_perform(void *self, const struct decision *at, uint32_t count)
{
    (void)self;
    (void)at;
    (void)count;
}

static const struct body_ops once_body = {once_wait, once_perform};

static int count_turn(void *ctx, const struct turn *turn, struct err *err)
{
    (void)turn;
    (void)err;
    ++*(int *)ctx;
    return 0;
}

static int run_to(const char *path, bool journaled, int *turns, uint64_t *digest, struct err *err)
{
    struct once once = {0};
    struct policy *policy = policy_create("none", err);
    struct journal_options journal = {.path = path};
    struct tap tap = {.ctx = turns, .turn = count_turn};
    struct run *r = run_create(
        &(struct run_options){
            .policy = policy, .seed = 7, .journal = journaled ? &journal : NULL, .body = "sim"},
        err);
    int result = -1;
    if (r) {
        expect(journaled == (run_journal(r) != NULL));
        result = run_drive(r, (struct body){&once_body, &once}, &tap, 1, err);
        if (journaled)
            *digest = run_digest(r);
        result = run_close(r, result, err);
    }
    policy_destroy(policy);
    return result;
}

TEST(run_writes_what_the_taps_see)
{
    char path[64];
    struct err err;
    struct journal_played played;
    int turns = 0;
    uint64_t digest = 0, again = 0;

    snprintf(path, sizeof path, "/tmp/dolly-run-test.%d", (int)getpid());
    unlink(path);
    expect(run_to(path, true, &turns, &digest, &err) == 0 && turns == 1);
    expect(journal_play(path, &(struct journal_play){0}, &played, &err) == 0 && played.turns == 1 &&
           played.complete);
    /* The brain, made again from the journal, decides the same. */
    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    uint64_t same = 0;
    expect(r && run_verify(r, path, &same, &err) == 0 && same == 1);
    journal_reader_close(r);
    /* The digest is that of the run, whether or not a file is written. */
    expect(run_to(NULL, true, &turns, &again, &err) == 0 && again == digest && turns == 2);
    /* A journal that is there already is not overwritten. */
    expect(run_to(path, true, &turns, &digest, &err) == -1 && turns == 2);
    unlink(path);
}

TEST(run_needs_no_journal)
{
    struct err err;
    int turns = 0;
    expect(run_to(NULL, false, &turns, NULL, &err) == 0 && turns == 1);
    expect(run_close(NULL, -1, &err) == -1 && run_close(NULL, 0, &err) == 0);
}
