/* run.c - see run.h; the order of making and ending is all there is to it. */
#include "record/run/run.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/brain/brain.h"
#include "core/policy/policy.h"
#include "record/journal/journal_verify.h"

enum { TAPS_MAX = 8 };

struct run {
    struct brain *brain;
    struct journal *journal;
};

static struct journal *open_journal(const struct run_options *o, struct err *err)
{
    struct str text = {0};

    if (!o->policy_text)
        policy_describe(o->policy, &text);
    struct journal *j =
        journal_create(o->journal, o->seed, text.text ? text.text : o->policy_text, o->body, err);
    str_free(&text);
    return j;
}

struct run *run_create(const struct run_options *options, struct err *err)
{
    struct journal *journal = options->journal ? open_journal(options, err) : NULL;

    if (options->journal && !journal)
        return NULL;
    struct run *r = mem_zalloc(1, sizeof *r);
    r->journal = journal;
    r->brain = brain_create(options->policy, options->seed);
    return r;
}

struct journal *run_journal(const struct run *r)
{
    return r->journal;
}

/* Copies `first` and `taps` behind it to `all`, which has room for TAPS_MAX; how many there are. */
static uint32_t join_taps(struct tap first, const struct tap *taps, uint32_t count, struct tap *all)
{
    check(count < TAPS_MAX);
    all[0] = first;
    for (uint32_t i = 0; i < count; i++)
        all[i + 1] = taps[i];
    return count + 1;
}

int run_recall(struct run *r, struct journal_reader *reader, const char *path,
               const struct journal_play *play, struct journal_played *played, struct err *err)
{
    struct journal_verify verify = {.brain = r->brain, .version = journal_reader_version(reader)};
    struct journal_options options = {.path = path, .each_turn = true};
    struct tap taps[TAPS_MAX];
    struct journal_play with_brain = *play;

    check(!r->journal);
    with_brain.taps = taps;
    with_brain.tap_count =
        join_taps(journal_verify_tap(&verify), play->taps, play->tap_count, taps);
    if (journal_play_on(reader, &with_brain, played, err) < 0)
        return -1;
    if (!played->complete)
        r->journal = journal_continue(&options, reader, err);
    return played->complete || r->journal ? 0 : -1;
}

int run_drive(struct run *r, struct body body, const struct tap *taps, uint32_t tap_count,
              struct err *err)
{
    struct tap all[TAPS_MAX];

    if (r->journal) {
        tap_count = join_taps(journal_tap(r->journal), taps, tap_count, all);
        taps = all;
    }
    return engine_run(r->brain, body.ops, body.self, taps, tap_count, err);
}

uint64_t run_digest(const struct run *r)
{
    return journal_digest(r->journal);
}

int run_close(struct run *r, int result, struct err *err)
{
    struct err closing;

    if (!r)
        return result;
    if (journal_close(r->journal, result == 0, &closing) < 0 && result == 0) {
        *err = closing;
        result = -1;
    }
    brain_destroy(r->brain);
    mem_free(r);
    return result;
}

int run_verify(struct journal_reader *r, const char *path, uint64_t *turns, struct err *err)
{
    struct record record;
    struct err why;
    int status = journal_reader_next(r, &record, err);

    *turns = 0;
    if (status < 0)
        return -1;
    if (status == 0 || record.type != RECORD_RUN)
        return err_set(err, "journal %s: ends before the record of its run", path);
    struct policy *policy = policy_create(record.u.run.policy, &why);
    if (!policy)
        return err_set(err, "journal %s: cannot make its policy: %s", path, why.text);
    struct brain *brain = brain_create(policy, record.u.run.seed);
    status = journal_verify(r, brain, turns, err);
    brain_destroy(brain);
    policy_destroy(policy);
    return status;
}
