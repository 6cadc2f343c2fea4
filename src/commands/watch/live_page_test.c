#include "commands/watch/live_page.h"

#include <stdio.h>
#include <string.h>

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

static void look(struct growing_run *g)
{
    struct live_page page = {0};
    struct str read = {0};
    struct err err;
    const struct str *made = live_page_get(&page, &g->followed, &err);

    write_page(&read);
    g->wrong += !made || strcmp(made->text, read.text) != 0;
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
    str_free(&page.text);
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
