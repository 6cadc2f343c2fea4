/* swarm.c - thousands of random worlds, each watched by the referee.
 *
 * A seed is a scenario (scenario.h): it is run once with referee and journal as taps. Then the
 * claims that need a second run are tested on a part of the seeds: the same seed gives the same
 * digest whatever the journal's buffer; the journal, re-fed to a brain made from its own RUN
 * record, gives the same decisions to the byte; and cc and cac give the same run as delay does with
 * omega at its ends.
 *
 * Failures must be reproducible by one command, so nothing depends on the seeds before. A crash or
 * an endless loop inside the brain cannot return here: a signal handler names the seed on the way
 * out. Forking a process per seed would be cleaner and was rejected for its cost. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "core/policy/policy.h"
#include "record/journal/journal.h"
#include "record/journal/journal_reader.h"
#include "record/run/run.h"
#include "sim/sim.h"
#include "tests/swarm/scenario.h"
#include "tests/swarm/selftest.h"

enum {
    REFEED_EVERY = 8,
    RERUN_EVERY = 16,
    TWIN_EVERY = 4,         /* of those with cc or cac */
    SEED_SECONDS_MAX = 120, /* of processor time, so that a loaded machine fails no seed */
    RANGES_MAX = 64,
    COVERAGE_SEEDS = 1000, /* so many seeds must have met everything at least once */
};

struct range {
    uint64_t first, last;
};

struct options {
    struct range ranges[RANGES_MAX];
    uint32_t range_count;
    uint64_t step;
    bool verbose, selftest;
    bool digest;             /* one number for all runs of the first range, to compare builds */
    const char *journal_dir; /* NULL: none */
};

/* ---- crashes ---- */

static volatile uint64_t current_seed;

/* snprintf is not meant for signal handlers; here the program is lost anyway. */
static void say_seed(void)
{
    char text[160];
    unsigned long long seed = current_seed;
    int n = snprintf(text, sizeof text,
                     "seed %llu: crashed or hung; repeat with: swarm --seeds %llu-%llu --verbose\n",
                     seed, seed, seed);
    ssize_t written = write(STDERR_FILENO, text, (size_t)n);
    (void)written;
}

static void on_signal(int number)
{
    say_seed();
    signal(number, SIG_DFL);
    raise(number);
}

/* There in sanitizer builds only; it is called where no signal is raised. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void crash_init(void)
{
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(say_seed);
    } else {
        signal(SIGSEGV, on_signal);
        signal(SIGFPE, on_signal);
        signal(SIGBUS, on_signal);
    }
    signal(SIGABRT, on_signal);
    signal(SIGPROF, on_signal);
}

/* The signal comes when the process has used so much processor time from now on; 0: never. */
static void time_limit(time_t seconds)
{
    struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

/* ---- one run ---- */

struct swarm_run {
    const char *journal; /* path, or NULL for the digest alone */
    const char *policy;  /* instead of the scenario's; NULL: that one */
    bool unnamed;        /* the digest does not cover the policy's name */
    size_t buffer_bytes;
    uint64_t digest;
    uint64_t twins; /* runs that were compared with their twin */
    struct referee_tally tally;
};

/* Joins everything for one run and drives it to its end. 0, or -1 with *err. */
static int run_joined(const struct scenario *s, struct policy *policy, struct swarm_run *run,
                      struct workload *workload, struct err *err)
{
    struct journal_options journal = {.path = run->journal, .buffer_bytes = run->buffer_bytes};
    struct run *r = run_create(&(struct run_options){.policy = policy,
                                                     .seed = s->seed,
                                                     .journal = &journal,
                                                     .body = "sim",
                                                     .policy_text = run->unnamed ? "" : NULL},
                               err);
    if (!r)
        return -1;

    struct sim *sim = sim_create(&(struct sim_options){.cluster = s->cluster,
                                                       .workload = workload,
                                                       .seed = s->seed,
                                                       .reports = s->reports,
                                                       .samples = s->seed % 2});
    struct meddler *meddler = meddler_create(&s->meddling, s->seed, s->cluster, &sim_body, sim);
    struct referee *referee = referee_create(&s->rules);
    struct tap tap = referee_tap(referee);

    int rc = run_drive(r, (struct body){&meddler_body, meddler}, &tap, 1, err);
    if (rc == 0)
        rc = referee_finish(referee, err);
    run->digest = run_digest(r);
    run->tally = *referee_tally(referee);

    referee_destroy(referee);
    meddler_destroy(meddler);
    sim_destroy(sim);
    return run_close(r, rc, err);
}

static int run_scenario(const struct scenario *s, struct swarm_run *run, struct err *err)
{
    struct policy *policy = policy_create(run->policy ? run->policy : s->policy.text, err);
    if (!policy)
        return -1;
    struct workload *workload = job_draw_workload(&s->jobs);
    int rc = run_joined(s, policy, run, workload, err);

    workload->destroy(workload);
    policy_destroy(policy);
    return rc;
}

/* What the referee cannot know: how many jobs there were, and which of them had to fail. */
static int check_jobs(const struct scenario *s, const struct referee_tally *t, struct err *err)
{
    if (t->jobs_done + t->jobs_failed != s->jobs.jobs)
        return err_set(err, "%u jobs, but %llu done and %llu failed", s->jobs.jobs,
                       (unsigned long long)t->jobs_done, (unsigned long long)t->jobs_failed);
    if (t->jobs_failed < s->misfits || (s->nothing_fails && t->jobs_failed > s->misfits))
        return err_set(err, "%llu jobs failed, expected %u", (unsigned long long)t->jobs_failed,
                       s->misfits);
    return 0;
}

static int refeed(const char *path, struct err *err)
{
    struct journal_reader *reader = journal_reader_open(path, NULL, err);
    uint64_t turns;
    int rc = reader ? run_verify(reader, path, &turns, err) : -1;

    journal_reader_close(reader);
    return rc;
}

/* ---- cc and cac are delay with omega at its ends ---- */

/* The scenario's policy with delay in place of cc or cac; false if it has neither. */
static bool twin_policy(const struct scenario *s, struct str *twin)
{
    static const struct {
        const char *part, *delay;
    } ends[] = {{",shuffle=cc", ",shuffle=delay;omega=0s"},
                {",shuffle=cac", ",shuffle=delay;omega=inf;reuse=off"}};

    for (int i = 0; i < 2; i++) {
        const char *at = strstr(s->policy.text, ends[i].part);
        size_t length = strlen(ends[i].part);
        if (!at || (at[length] != ';' && at[length] != 0))
            continue;
        str_addf(twin, "%.*s%s%s", (int)(at - s->policy.text), s->policy.text, ends[i].delay,
                 at + length);
        return true;
    }
    return false;
}

/* Every event and decision is the same, whoever is asked. Adds to *twins if there was a twin. */
static int check_twin(const struct scenario *s, uint64_t *twins, struct err *err)
{
    struct str twin = {0};
    struct swarm_run one = {.unnamed = true}, other = {.unnamed = true};

    if (!twin_policy(s, &twin))
        return 0;
    other.policy = twin.text;
    int rc = run_scenario(s, &one, err);
    if (rc == 0)
        rc = run_scenario(s, &other, err);
    if (rc == 0 && one.digest != other.digest)
        rc = err_set(err, "not the same run as with %s: digest %016llx instead of %016llx",
                     twin.text, (unsigned long long)other.digest, (unsigned long long)one.digest);
    str_free(&twin);
    ++*twins;
    return rc;
}

/* ---- one seed ---- */

static void journal_path(const struct options *o, uint64_t seed, struct str *path)
{
    const char *tmp = getenv("TMPDIR");

    if (o->journal_dir)
        str_addf(path, "%s/%llu.journal", o->journal_dir, (unsigned long long)seed);
    else
        str_addf(path, "%s/swarm-%d.journal", tmp ? tmp : "/tmp", (int)getpid());
}

static int seed_checked(const struct options *o, const struct scenario *s, struct swarm_run *run,
                        struct err *err)
{
    struct str path = {0};
    bool refed = s->seed % REFEED_EVERY == 0;
    int rc;

    if (refed || o->journal_dir) {
        journal_path(o, s->seed, &path);
        unlink(path.text);
        run->journal = path.text;
    }
    rc = run_scenario(s, run, err);
    if (rc == 0)
        rc = check_jobs(s, &run->tally, err);
    if (rc == 0 && refed)
        rc = refeed(path.text, err);
    if (rc == 0 && s->seed % RERUN_EVERY == 0) {
        struct swarm_run again = {.buffer_bytes = (uint32_t)(1 + s->seed % 5000)};
        rc = run_scenario(s, &again, err);
        if (rc == 0 && again.digest != run->digest)
            rc = err_set(err, "the second run has digest %016llx instead of %016llx",
                         (unsigned long long)again.digest, (unsigned long long)run->digest);
    }
    if (rc == 0 && s->seed % TWIN_EVERY == 0)
        rc = check_twin(s, &run->twins, err);
    if (path.text && !o->journal_dir)
        unlink(path.text);
    str_free(&path);
    return rc;
}

/* True when the seed passed. */
static bool seed_run(const struct options *o, uint64_t seed, struct swarm_run *run)
{
    struct scenario s;
    struct str what = {0};
    struct err err = {0};

    current_seed = seed;
    time_limit(SEED_SECONDS_MAX);
    scenario_init(&s, seed);
    scenario_describe(&s, &what);
    if (o->verbose)
        printf("seed %llu: %s\n", (unsigned long long)seed, what.text);
    int rc = seed_checked(o, &s, run, &err);
    if (rc < 0)
        printf("seed %llu failed: %s\n  %s\n  repeat with: swarm --seeds %llu-%llu --verbose "
               "--journal-dir .\n",
               (unsigned long long)seed, err.text, what.text, (unsigned long long)seed,
               (unsigned long long)seed);
    else if (o->verbose)
        printf("  %llu turns, %llu events, %llu launches, %llu clones, digest %016llx\n",
               (unsigned long long)run->tally.turns, (unsigned long long)run->tally.events,
               (unsigned long long)run->tally.launches, (unsigned long long)run->tally.clones,
               (unsigned long long)run->digest);
    scenario_fini(&s);
    str_free(&what);
    return rc == 0;
}

/* ---- all seeds ---- */

static const char *const tally_names[] = {
    "turns",          "events",      "decisions",     "launches",
    "clones",         "kills",       "commits",       "launch_failed",
    "failed",         "lost",        "outputs_lost",  "commits_failed",
    "refused",        "verdicts",    "phases_cloned", "jobs_done",
    "jobs_failed",    "budget_full", "least",         "backups",
    "caps_met",       "avoided",     "reads",         "reads_shared",
    "reads_failed",   "reads_kept",  "wholes_shared", "wholes_of_parts",
    "parts_of_whole", "waits",       "late_losers",   "different",
    "launches_spent", "given_up",    "cost_met",      "replicas_won",
    "copies",         "copies_used", "spares",        "spares_used",
    "restarts",       "changed",     "queues_full",   "disks_full",
    "pressed",        "eased",       "left",          "ranked",
    "yielded",        "returned",    "reads_away",    "parted",
    "gone",           "believed",    "doubted",       "races",
    "proven",
};
enum { TALLY_COUNT = sizeof(struct referee_tally) / sizeof(uint64_t) };
_Static_assert(sizeof tally_names / sizeof *tally_names == TALLY_COUNT, "one name each, in order");

static void tally_add(struct referee_tally *sum, const struct referee_tally *one)
{
    uint64_t to[TALLY_COUNT], from[TALLY_COUNT];

    memcpy(to, sum, sizeof to);
    memcpy(from, one, sizeof from);
    for (int i = 0; i < TALLY_COUNT; i++)
        to[i] += from[i];
    memcpy(sum, to, sizeof to);
}

/* Says what the seeds consisted of. A large swarm that never met something is a failure itself. */
static uint64_t tally_report(const struct referee_tally *sum, uint64_t twins, uint64_t seeds)
{
    uint64_t at[TALLY_COUNT], missing = 0;

    memcpy(at, sum, sizeof at);
    printf("%llu seeds:", (unsigned long long)seeds);
    for (int i = 0; i < TALLY_COUNT; i++)
        printf(" %s %llu,", tally_names[i], (unsigned long long)at[i]);
    printf(" twins %llu\n", (unsigned long long)twins);
    if (twins == 0 && seeds >= COVERAGE_SEEDS) {
        printf("no seed ever had: twins\n");
        missing++;
    }
    for (int i = 0; i < TALLY_COUNT && seeds >= COVERAGE_SEEDS; i++)
        if (at[i] == 0) {
            printf("no seed ever had: %s\n", tally_names[i]);
            missing++;
        }
    return missing;
}

/* What came of all seeds so far. */
struct total {
    struct referee_tally tally;
    uint64_t seeds, passed, failed, twins, digest;
};

static void range_run(const struct options *o, struct range range, struct total *total)
{
    for (uint64_t seed = range.first; seed <= range.last; seed += o->step) {
        struct swarm_run run = {0};
        bool ok = seed_run(o, seed, &run);
        total->seeds++;
        total->passed += ok;
        total->failed += !ok;
        tally_add(&total->tally, &run.tally);
        total->twins += run.twins;
        total->digest = (total->digest ^ run.digest) * UINT64_C(0x100000001b3) + 1;
    }
}

static int swarm_run(const struct options *o)
{
    struct total total = {0};

    for (uint32_t i = 0; i < o->range_count; i++) {
        range_run(o, o->ranges[i], &total);
        if (o->digest && i == 0)
            printf("digest %016llx\n", (unsigned long long)total.digest);
    }
    time_limit(0);
    total.failed += tally_report(&total.tally, total.twins, total.seeds);
    printf("%llu passed, %llu failed\n", (unsigned long long)total.passed,
           (unsigned long long)total.failed);
    return total.failed ? 1 : 0;
}

/* ---- command line ---- */

static int usage(void)
{
    fprintf(stderr, "usage: swarm --selftest\n"
                    "       swarm [--digest] [--verbose] [--journal-dir DIR] [--step N] "
                    "--seeds FIRST[-LAST][,...]\n");
    return 2;
}

static bool parse_range(char *text, struct range *range)
{
    char *dash = strchr(text, '-');
    int64_t first, last;

    if (dash)
        *dash = 0;
    if (!text_int(text, &first) || !text_int(dash ? dash + 1 : text, &last))
        return false;
    *range = (struct range){(uint64_t)first, (uint64_t)last};
    return first >= 0 && first <= last;
}

static bool parse_seeds(char *text, struct options *o)
{
    for (char *next; text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = 0;
        if (o->range_count == RANGES_MAX || !parse_range(text, &o->ranges[o->range_count++]))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    int64_t step = 1;
    bool seeds = false, stepped = true;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--selftest"))
            o.selftest = true;
        else if (!strcmp(argv[i], "--digest"))
            o.digest = true;
        else if (!strcmp(argv[i], "--verbose"))
            o.verbose = true;
        else if (!strcmp(argv[i], "--journal-dir") && i + 1 < argc)
            o.journal_dir = argv[++i];
        else if (!strcmp(argv[i], "--seeds") && i + 1 < argc)
            seeds = parse_seeds(argv[++i], &o);
        else if (!strcmp(argv[i], "--step") && i + 1 < argc)
            stepped = text_int(argv[++i], &step) && step > 0;
        else
            return usage();
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (o.selftest)
        return selftest_run() ? 1 : 0;
    if (!seeds || !stepped)
        return usage();
    o.step = (uint64_t)step;
    crash_init();
    return swarm_run(&o);
}
