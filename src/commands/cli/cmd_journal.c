/* `dolly journal`: what stands in a journal, and whether the brain would decide it again.
 *
 * Three views of one file: every record as a line of JSON; sums, with the numbers of `dolly sim`;
 * and whether the brain decides the same again. A torn tail is
 * what a crash leaves and is only remarked on; damage in the middle is an error, because what
 * is missing cannot be known. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "commands/explain/explain_open.h"
#include "commands/sim/sim_print.h"
#include "record/journal/journal_play.h"
#include "record/journal/journal_verify.h"
#include "record/run/run.h"
#include "record/stats/summary.h"
#include "ui/cli.h"
#include "ui/journal_json.h"
#include "ui/json_out.h"
#include "ui/opt.h"

enum { STDOUT_BYTES = 1 << 16 };

struct request {
    const char *path;
    bool verify, stats, json;
    int64_t warmup_us, jobs;
};

#define OPTIONS struct request

static const struct field options[] = {
    {FLAG("verify", verify, "feed the events to the brain again and compare its decisions")},
    {FLAG("stats", stats, "print sums instead of records")},
    {FLAG("json", json, "print the answer of --verify or --stats as one JSON object")},
    {OPTION("warmup", "TIME", FIELD_TIME, warmup_us,
            "with --stats --json: jobs that arrive before this are not measured; default 0")},
    {OPTION("jobs", "N", FIELD_INT, jobs,
            "with --stats --json: number of later jobs that are measured; default all"),
     .min = 1},
    {0},
};

static const struct opt_command command = {
    .name = "journal",
    .usage =
        "usage: dolly journal FILE [--verify | --stats] [--json] [--warmup TIME]\n"
        "                          [--jobs N]\n\n"
        "Prints the journal of a run, simulated or real, as JSON lines: one object per record, "
        "with\n"
        "the time in \"t_us\" and its kind in \"record\" and \"type\". FILE may be the folder of a "
        "run.\n"
        "docs/reference/journal.md has all keys.\n",
    .options = options,
    .notes = "\n"
             "Examples:\n"
             "  dolly journal run.journal | head\n"
             "  dolly journal run.journal | jq -c 'select(.type == \"verdict\") | {job, why}'\n"
             "  dolly journal run.journal --stats\n"
             "  dolly journal run.journal --stats --json | jq .numbers.mean_jct_s\n"
             "  dolly journal run.journal --verify\n"
             "\n"
             "Exit status: 0 done, also when the last record is torn (a run that was killed "
             "leaves that;\n"
             "dolly prints a warning); 1 the decisions differ; 2 not a journal, or damaged.",
    .has_operand = true,
    .operand_at = offsetof(struct request, path),
};

/* True, or false with *status. */
static bool parse(struct request *q, int argc, char **argv, int *status)
{
    if (!opt_parse(&command, argc, argv, q, status))
        return false;
    if (!q->path)
        *status = cli_usage("journal", "the journal's file is missing");
    else if (q->verify && q->stats)
        *status = cli_usage("journal", "--verify and --stats exclude each other");
    else if ((q->warmup_us || q->jobs) && !(q->stats && q->json))
        *status = cli_usage("journal", "--warmup and --jobs need --stats --json");
    return *status == 0;
}

static void warn_torn(const struct request *q, const struct journal_reader *r)
{
    if (journal_reader_torn(r))
        fprintf(stderr,
                "dolly: journal %s: the last %llu bytes are a torn record and were left out\n",
                q->path, (unsigned long long)journal_reader_torn(r));
}

/* jansson prints in small pieces: taking a lock for each would cost a third of the time. */
static int put_piece(const char *text, size_t length, void *to)
{
    return fwrite_unlocked(text, 1, length, to) == length ? 0 : -1;
}

static int print_records(const struct request *q, struct journal_reader *r)
{
    struct record record;
    struct err err;
    int status = 0;
    while (!ferror(stdout) && (status = journal_reader_next(r, &record, &err)) > 0) {
        json_t *o = journal_json_record(&record);
        json_dump_callback(o, put_piece, stdout, journal_json_flags(&record));
        putchar('\n');
        json_decref(o);
    }
    if (status < 0) {
        fflush(stdout); /* what is good comes first, also on a terminal */
        return cli_fail(&err);
    }
    warn_torn(q, r);
    return EXIT_DONE;
}

struct sums {
    uint64_t seed, records, intents;
    uint64_t events[EV_TYPE_END], decisions[DO_TYPE_END];
    int64_t first_us;
    char *policy, *body; /* of the run; NULL before it */
    struct journal_played played;
    struct follow *follow; /* NULL: no numbers are wanted */
    const char *odd;       /* why there are no numbers, or NULL */
    struct err why;
};

static int sums_run(void *ctx, const struct record *record, struct err *err)
{
    struct sums *s = ctx;
    (void)err;
    s->seed = record->u.run.seed;
    s->policy = mem_strdup(record->u.run.policy);
    s->body = mem_strdup(record->u.run.body);
    s->records++;
    return 0;
}

static void sums_intent(void *ctx, const struct record *record)
{
    struct sums *s = ctx;
    (void)record;
    s->intents++;
    s->records++;
}

static int sums_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct sums *s = ctx;
    (void)err;
    if (s->records == 1)
        s->first_us = turn->now_us;
    s->records += 1 + (uint64_t)turn->event_count + turn->decision_count;
    for (uint32_t i = 0; i < turn->event_count; i++)
        s->events[turn->events[i].type]++;
    for (uint32_t i = 0; i < turn->decision_count; i++)
        s->decisions[turn->decisions[i].type]++;
    /* Sums can be had of any journal, numbers only of one that can be of a run. */
    if (s->follow && !s->odd && follow_tap(s->follow).turn(s->follow, turn, &s->why) < 0)
        s->odd = s->why.text;
    return 0;
}

static json_t *counts_json(const uint64_t *counts, uint8_t end, const char *(*name)(uint8_t))
{
    json_t *o = json_object();
    for (uint8_t i = 1; i < end; i++)
        if (counts[i])
            json_out_put(o, name(i), counts[i]);
    return o;
}

static void print_sums_json(const struct request *q, const struct sums *s, json_t *numbers,
                            const struct journal_reader *r)
{
    json_t *o = json_object();
    json_out_put(o, "journal", q->path);
    json_out_put(o, "version", journal_reader_version(r));
    json_out_members(o, s, policy, body, seed, records);
    json_out_put(o, "turns", s->played.turns);
    json_out_put(o, "first_us", s->first_us);
    json_out_put(o, "last_us", s->played.last_us);
    json_out_set(o, "events", counts_json(s->events, EV_TYPE_END, event_name));
    json_out_set(o, "decisions", counts_json(s->decisions, DO_TYPE_END, decision_name));
    json_out_put(o, "intents", s->intents);
    json_out_put(o, "complete", s->played.complete);
    json_out_put(o, "torn_bytes", journal_reader_torn(r));
    json_out_set(o, "digest", json_out_hex(journal_reader_digest(r)));
    json_out_set(o, "numbers", numbers);
    json_out_print(o);
}

static void print_counts(const char *what, const uint64_t *counts, uint8_t end,
                         const char *(*name)(uint8_t))
{
    printf("\n%s\n", what);
    for (uint8_t i = 1; i < end; i++)
        if (counts[i])
            printf("  %-22s %12llu\n", name(i), (unsigned long long)counts[i]);
}

static void print_sums(const struct request *q, const struct sums *s,
                       const struct journal_reader *r)
{
    printf("journal %s: %s, %s\n", q->path, s->body ? s->body : "no run",
           s->played.complete ? "complete" : "not closed");
    printf("  policy   %s\n  seed     %llu\n", s->policy ? s->policy : "-",
           (unsigned long long)s->seed);
    printf("  version  %u\n", journal_reader_version(r));
    printf("  records  %llu\n  turns    %llu\n  intents  %llu\n", (unsigned long long)s->records,
           (unsigned long long)s->played.turns, (unsigned long long)s->intents);
    printf("  time     %.6f s to %.6f s\n", (double)s->first_us / 1e6,
           (double)s->played.last_us / 1e6);
    printf("  digest   %016llx\n", (unsigned long long)journal_reader_digest(r));
    print_counts("events", s->events, EV_TYPE_END, event_name);
    print_counts("decisions", s->decisions, DO_TYPE_END, decision_name);
}

/* The numbers of `dolly sim --json`, or null. */
static json_t *numbers_of(const struct request *q, const struct sums *s, struct summary *summary)
{
    struct summary_result result = summary_result(summary);
    if (!s->odd)
        return sim_print_json_summary(&result);
    fprintf(stderr, "dolly: journal %s: not the journal of a run, so it has no statistics: %s\n",
            q->path, s->odd);
    return json_null();
}

static int print_stats(const struct request *q, struct journal_reader *r)
{
    struct sums s = {.follow = q->json ? follow_create(q->warmup_us, (uint64_t)q->jobs) : NULL};
    struct summary *summary = q->json ? summary_create(s.follow) : NULL;
    struct tap tap = {.ctx = &s, .turn = sums_turn};
    struct journal_play play = {
        .taps = &tap, .tap_count = 1, .ctx = &s, .run = sums_run, .intent = sums_intent};
    struct err err;
    int status = journal_play_on(r, &play, &s.played, &err);
    s.records += s.played.complete;
    if (status == 0 && q->json)
        print_sums_json(q, &s, numbers_of(q, &s, summary), r);
    else if (status == 0)
        print_sums(q, &s, r);
    follow_destroy(s.follow);
    summary_destroy(summary);
    mem_free(s.policy);
    mem_free(s.body);
    if (status < 0)
        return cli_fail(&err);
    warn_torn(q, r);
    return EXIT_DONE;
}

static void print_verified(const struct request *q, const struct journal_reader *r, uint64_t turns)
{
    printf("journal %s: %llu turns re-fed, decisions identical\n", q->path,
           (unsigned long long)turns);
    if (!journal_verify_knows_shared(journal_reader_version(r)))
        printf(
            "version %u does not record whether each read was shared, so that was not compared\n",
            journal_reader_version(r));
}

static int verify(const struct request *q, struct journal_reader *r)
{
    struct err err;
    uint64_t turns;
    bool same = run_verify(r, q->path, &turns, &err) == 0;

    /* Of the two ways to fail, only a difference is an answer; damage is bad input. */
    if (!same && err.kind == ERR_INPUT)
        return cli_fail(&err);
    if (q->json) {
        json_t *o = json_object();
        json_out_put(o, "journal", q->path);
        json_out_put(o, "version", journal_reader_version(r));
        json_out_put(o, "turns", turns);
        json_out_put(o, "identical", same);
        json_out_set(o, "difference", same ? json_null() : json_out_text(err.text));
        json_out_put(o, "torn_bytes", journal_reader_torn(r));
        json_out_print(o);
    } else if (same) {
        print_verified(q, r, turns);
    } else {
        fprintf(stderr, "dolly: journal %s: %s\n", q->path, err.text);
    }
    if (same)
        warn_torn(q, r);
    return same ? EXIT_DONE : EXIT_JOB_FAILED;
}

/* Everything has been printed, or some of it could not be. A reader that has seen
 * enough (head, a pager) is not a failure. Anything else is reported here, once. */
static int settle_output(int status)
{
    if (!ferror(stdout) && fflush(stdout) == 0)
        return status;
    if (errno != EPIPE) {
        fprintf(stderr, "dolly: cannot write the output: %s\n", strerror(errno));
        status = EXIT_JOB_FAILED;
    }
    if (!freopen("/dev/null", "w", stdout))
        status = EXIT_JOB_FAILED;
    return status;
}

int cmd_journal(int argc, char **argv)
{
    struct request q = {0};
    struct err err;
    int status;
    if (!parse(&q, argc, argv, &status))
        return status;
    char *path = explain_open_path(q.path, &err);
    struct journal_reader *r = path ? journal_reader_open(path, NULL, &err) : NULL;
    if (!r) {
        mem_free(path);
        return cli_fail(&err);
    }
    q.path = path;
    static char buffer[STDOUT_BYTES]; /* without one glibc takes the size of a disk's block */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    signal(SIGPIPE, SIG_IGN);
    if (q.verify)
        status = verify(&q, r);
    else
        status = q.stats ? print_stats(&q, r) : print_records(&q, r);
    status = settle_output(status);
    journal_reader_close(r);
    mem_free(path);
    return status;
}
