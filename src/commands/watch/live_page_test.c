#include "commands/watch/live_page.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/report/page.h"
#include "commands/watch/kept_jobs.h"
#include "tests/unit/command.h"

enum { PIECES = 12 };

/* A journal that grows piece by piece while it is followed. */
struct growing_run {
    struct followed_run followed;
    struct kept_jobs jobs;
    char bytes[1 << 20];
    size_t length, written;
    int pieces;
    uint64_t wrong, open_jobs;
};

static void write_more(struct growing_run *g)
{
    size_t to = ++g->pieces == PIECES ? g->length : g->length * (size_t)g->pieces / PIECES;
    FILE *f = fopen("run", g->written ? "ae" : "we");

    expect(f && fwrite(g->bytes + g->written, 1, to - g->written, f) == to - g->written &&
           fclose(f) == 0);
    g->written = to;
}

/* The page of what lies there, read from its beginning. */
static void write_page(struct str *to)
{
    struct read_run r;
    struct err err;

    expect(read_run_open(&r, "run", false, &err) == 0);
    r.input.x.torn_bytes = 0; /* half a record, which its writer will complete */
    page_write(&r, NULL, to);
    read_run_close(&r);
}

static void see_job(void *ctx, const struct explain *x)
{
    uint64_t *count = ctx;
    *count += x && x->job;
}

static void until_made(struct live_page *page)
{
    while (!live_page_look(page))
        usleep(1000);
}

static void look(struct growing_run *g)
{
    struct live_page page = {0};
    struct str read = {0};
    struct err err;

    expect(live_page_get(&page, &g->followed, &err) == 0); /* nobody waits for it */
    until_made(&page);
    expect(live_page_get(&page, &g->followed, &err) == 1);
    expect(page.turn == g->followed.input.turns);
    write_page(&read);
    g->wrong += strcmp(page.text.text, read.text) != 0;
    for (uint32_t job = 0; job < g->followed.jobs_end; job++) {
        uint64_t before = g->open_jobs, shown = 0;
        bool open = followed_run_open_job(&g->followed, job, &g->open_jobs, see_job);
        expect(open == (g->open_jobs > before));
        if (open) {
            expect(kept_jobs_show(&g->jobs, &g->followed, job, &shown, see_job, &err) == 0);
            expect(shown == 1);
        }
    }
    str_free(&read);
    live_page_fini(&page);
}

static bool pause_reading(void *ctx, bool idle)
{
    struct growing_run *g = ctx;

    if (idle && g->followed.open && g->followed.input.turns > 0)
        look(g);
    if (idle && g->pieces < PIECES)
        write_more(g);
    return true;
}

static void begin(struct growing_run *g, const char *words)
{
    expect(command_run(cmd_sim, words, NULL, NULL) == 0);
    FILE *f = fopen("whole", "re");
    g->length = f ? fread(g->bytes, 1, sizeof g->bytes, f) : 0;
    expect(f && fclose(f) == 0 && g->length > 0 && g->length < sizeof g->bytes);
    write_more(g);
}

static void follow(struct growing_run *g)
{
    struct followed_pause pause = {.ctx = g, .pause = pause_reading};
    struct err err;

    expect(followed_run_init(&g->followed, "run", &err) == 0);
    g->followed.keeps = true;
    expect(followed_run_read(&g->followed, &pause, &err) == 0);
    look(g);
    expect(g->wrong == 0 && g->open_jobs > 0);
    expect(g->jobs.reads == 0); /* all of them were in the account */
}

/* The page and the jobs that are not over come from the account, and are what a new reading of the
 * journal would give, wherever it ends. */
TEST(live_page_is_that_of_a_new_reading)
{
    static struct growing_run g;
    struct command_folder f;
    uint64_t shown = 0;
    struct err err;

    g = (struct growing_run){0};
    command_begin(&f);
    command_file("w", "job sort at=0s\n"
                      "  phase map tasks=20 sizes=10s,11s,12s,10s,9s,10s,10s,80s,10s,11s,12s,10s,"
                      "9s,10s,10s,10s,10s,60s,10s,30s\n"
                      "  phase reduce tasks=3 after=map pattern=all-to-all size=5s\n"
                      "job scan at=5s\n  phase map tasks=2 size=10s\n"
                      "job late at=90s\n  phase map tasks=7 size=4s\n");
    begin(&g, "sim --workload w --cluster 6x4 --policy dolly+late --seed 3 --journal whole");
    follow(&g);
    for (int i = 0; i < 3; i++) /* over, and asked for again */
        expect(kept_jobs_show(&g.jobs, &g.followed, 1, &shown, see_job, &err) == 0);
    expect(shown == 3 && g.jobs.reads == 1);
    expect(kept_jobs_show(&g.jobs, &g.followed, 3, &shown, see_job, &err) == 0);
    expect(shown == 3 && g.jobs.reads == 1); /* there is none */
    for (uint32_t job = 0; job < 3; job++)
        expect(kept_jobs_show(&g.jobs, &g.followed, job, &shown, see_job, &err) == 0);
    expect(shown == 6 && g.jobs.reads == 3);
    kept_jobs_fini(&g.jobs);
    followed_run_fini(&g.followed);
    command_end(&f);
}

/* A child that makes a page waits before it begins. */
static bool stops;

static void stop(void)
{
    if (stops)
        raise(SIGSTOP);
}

/* Asks for a page, and returns the child that is to make it, stopped. */
static pid_t begin_page(struct live_page *page, struct followed_run *f)
{
    siginfo_t info;
    struct err err;

    stops = true;
    expect(live_page_get(page, f, &err) == 0 && page->child > 0);
    stops = false;
    expect(waitid(P_PID, (id_t)page->child, &info, WSTOPPED | WNOWAIT) == 0);
    return page->child;
}

/* A run of one job, read to its end, in a folder of its own. */
static void read_whole(struct followed_run *f, struct command_folder *folder)
{
    static struct growing_run g;
    static bool knows_stop;
    struct followed_pause pause = {.ctx = &g, .pause = pause_reading};
    struct err err;

    if (!knows_stop)
        knows_stop = pthread_atfork(NULL, NULL, stop) == 0;
    command_begin(folder);
    command_file("w", "job j at=0s\n  phase p tasks=3 size=5s\n");
    g = (struct growing_run){.pieces = PIECES};
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(followed_run_init(f, "run", &err) == 0);
    f->keeps = true;
    expect(followed_run_read(f, &pause, &err) == 0);
}

/* While a page is being made nobody waits, and nobody gets half of it: whoever asks meanwhile gets
 * the one that has been begun. */
TEST(live_page_is_made_meanwhile)
{
    static struct followed_run run;
    struct live_page page = {0};
    struct command_folder f;
    struct err err = {0};

    read_whole(&run, &f);
    expect(live_page_look(&page)); /* none is being made */
    pid_t child = begin_page(&page, &run);
    expect(!live_page_look(&page) && live_page_get(&page, &run, &err) == 0);
    expect(page.child == child && !page.text.text);
    run.input.turns += 5; /* the run goes on */
    expect(kill(child, SIGCONT) == 0);
    until_made(&page);
    expect(live_page_get(&page, &run, &err) == 1);
    expect(page.turn == run.input.turns - 5 && page.cost_us > 0 && page.child == 0);
    run.resets++; /* that page is about another journal */
    expect(live_page_get(&page, &run, &err) == 0 && page.child > 0);
    until_made(&page);
    expect(live_page_get(&page, &run, &err) == 1 && page.turn == run.input.turns);
    live_page_fini(&page);
    followed_run_fini(&run);
    command_end(&f);
}

/* A child that is killed leaves the page as it was; the next to ask starts another. */
TEST(live_page_whose_child_is_killed_is_an_error_once)
{
    static struct followed_run run;
    struct live_page page = {0};
    struct command_folder f;
    struct err err = {0};

    read_whole(&run, &f);
    expect(kill(begin_page(&page, &run), SIGKILL) == 0);
    until_made(&page);
    expect(live_page_get(&page, &run, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "cannot make the page: the process that makes it has failed") == 0);
    pid_t child = begin_page(&page, &run);
    live_page_fini(&page);
    expect(kill(child, 0) < 0); /* ended, and waited for */
    followed_run_fini(&run);
    command_end(&f);
}
