/* The history survives damage, other runs at the same time, and its own growth. */
#include "jobs/args/history.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* A path for a history inside a new folder. */
static const char *fresh_path(void)
{
    static char path[64];
    char folder[] = "/tmp/dolly-history-XXXXXX";

    snprintf(path, sizeof path, "%s/a/history", mkdtemp(folder));
    return path;
}

static void remove_all(const char *path)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %.*s", (int)(strlen(path) - 10), path);
    expect(system(command) == 0);
}

static uint32_t files_beside(const char *path)
{
    char folder[64];
    uint32_t n = 0;

    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - 8), path);
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static struct history_entry entry_of(uint64_t hash, int64_t time_us)
{
    return (struct history_entry){.hash = hash,
                                  .used_s = (int64_t)hash,
                                  .seen = 2,
                                  .straggled = 1,
                                  .count = 1,
                                  .times_us = {time_us}};
}

TEST(history_keeps_the_newest_times_first)
{
    const char *path = fresh_path();
    struct history_entry e;
    uint32_t damaged;

    expect(!history_find(path, 7, &e, &damaged) && damaged == 0);
    for (int64_t i = 1; i <= 100; i++) {
        struct history_entry run = entry_of(7, i);
        expect(history_add(path, &run));
    }
    expect(history_find(path, 7, &e, &damaged) && damaged == 0);
    expect(e.count == JOB_PAST_MAX && e.times_us[0] == 100 && e.times_us[63] == 37);
    expect(e.seen == 200 && e.straggled == 100);
    expect(!history_find(path, 8, &e, &damaged));
    remove_all(path);
}

TEST(history_is_bounded)
{
    const char *path = fresh_path();
    struct history_entry e;
    struct stat st;
    uint32_t damaged;

    for (uint64_t i = 1; i <= HISTORY_COMMANDS_MAX + 10; i++) {
        struct history_entry run = entry_of(i, 5);
        expect(history_add(path, &run));
    }
    expect(!history_find(path, 10, &e, &damaged) && history_find(path, 11, &e, &damaged));
    expect(stat(path, &st) == 0 && st.st_size < 300000);
    char line[4096] = "";
    FILE *f = fopen(path, "r+e");
    while (f && fgets(line, sizeof line, f))
        ;
    expect(f && fputs(line, f) >= 0 && fclose(f) == 0); /* one line more than there may be */
    expect(history_find(path, 11, &e, &damaged) && damaged == 1);
    struct history_entry many = entry_of(11, 5);
    many.seen = 900;
    expect(history_add(path, &many) && history_add(path, &many));
    expect(history_find(path, 11, &e, &damaged) && e.seen <= HISTORY_SEEN_MAX);
    remove_all(path);
}

TEST(history_leaves_damaged_lines_out)
{
    const char *path = fresh_path();
    struct history_entry e, first = entry_of(1, 5), second = entry_of(2, 6);
    uint32_t damaged;

    expect(history_add(path, &first) && history_add(path, &second));
    FILE *f = fopen(path, "r+");
    expect(f && fseek(f, 16 + 3, SEEK_SET) == 0 && fputc('f', f) == 'f' && fclose(f) == 0);
    expect(!history_find(path, 1, &e, &damaged) && damaged == 1);
    expect(history_find(path, 2, &e, &damaged) && e.times_us[0] == 6);
    expect(history_add(path, &first)); /* which mends it */
    expect(history_find(path, 1, &e, &damaged) && damaged == 0);

    f = fopen(path, "w"); /* not ours at all */
    expect(f && fputs("junk\nmore junk\n", f) >= 0 && fclose(f) == 0);
    expect(!history_find(path, 1, &e, &damaged) && damaged == 1);
    expect(history_add(path, &first) && history_find(path, 1, &e, &damaged) && damaged == 0);

    f = fopen(path, "w"); /* of a later dolly: left alone */
    expect(f && fputs("dolly history 2\nwho knows\n", f) >= 0 && fclose(f) == 0);
    expect(!history_find(path, 1, &e, &damaged) && damaged == 1 && !history_add(path, &first));
    remove_all(path);
}

TEST(history_takes_turns)
{
    enum { WRITERS = 4, RUNS = 20 };
    const char *path = fresh_path();
    struct history_entry e;
    uint32_t damaged;
    int status;

    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            alarm(60);
            for (int i = 0; i < RUNS; i++) {
                struct history_entry run = entry_of((uint64_t)w + 1, i);
                while (!history_add(path, &run)) /* gives up when others are slow with the lock */
                    usleep(1000);
            }
            _exit(0);
        }
    for (int w = 0; w < WRITERS; w++)
        expect(wait(&status) > 0 && status == 0);
    for (uint64_t w = 1; w <= WRITERS; w++)
        expect(history_find(path, w, &e, &damaged) && e.seen == 2 * RUNS && damaged == 0);
    remove_all(path);
}

/* A run that is killed while it writes leaves a file that the next one removes. */
TEST(history_removes_what_killed_runs_have_left)
{
    static const char *const others[] = {"history.0123456789abcdeg.new",
                                         "history.012345678.new",
                                         "history.0123456789abcdef.new2",
                                         "history.new",
                                         "histor",
                                         "histori.0123456789abcdef.new"};
    enum { OTHERS = sizeof others / sizeof *others };
    const char *path = fresh_path();
    struct history_entry run = entry_of(7, 1);
    char name[128];
    int status;

    expect(history_add(path, &run));
    uint32_t before = files_beside(path);
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            signal(SIGXFSZ, SIG_DFL);
            limits_set(RLIMIT_FSIZE, 20);
            history_add(path, &run);
            _exit(1);
        }
        expect(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
        expect(files_beside(path) == before + 1); /* one in all */
    }
    for (int i = 0; i < OTHERS; i++) {
        snprintf(name, sizeof name, "%.*s%s", (int)(strlen(path) - 7), path, others[i]);
        fclose(fopen(name, "w"));
    }
    expect(history_add(path, &run) && files_beside(path) == before + OTHERS);
    remove_all(path);
}

TEST(history_summarises_a_run)
{
    float times[200], stopped[] = {1, 5};
    struct history_entry e = {0};

    for (int i = 0; i < 200; i++)
        times[i] = i % 10 ? 1 : 3;
    history_summarise(&e, times, 200, stopped, 1, 0.15);
    /* 180 x weight(1 + 1 / 180, .15) = 178.8, rounded by chance. */
    expect(e.count == JOB_PAST_MAX && e.seen >= 198 && e.seen <= 199 && e.straggled == 20);
    e = (struct history_entry){0};
    history_summarise(&e, times, 200, stopped + 1, 1, 0.15); /* nobody was stopped too early */
    expect(e.seen == 201 && e.straggled == 21);
    e = (struct history_entry){0};
    history_summarise(&e, times, 1, NULL, 0, 0.15);
    expect(e.count == 1 && e.times_us[0] == 3000000 && e.seen == 0);
}

/* Tasks of 1 s with three copies, stragglers take 8 s. */
static struct history_entry cloned_run(uint32_t tasks, uint32_t all_slow, double p)
{
    struct history_entry e = {0};
    float *times = mem_zalloc(tasks, sizeof *times);
    float *stopped = mem_zalloc(tasks, 2 * sizeof *stopped);

    for (uint32_t i = 0; i < tasks; i++)
        times[i] = stopped[2 * i] = stopped[2 * i + 1] = i < all_slow ? 8 : 1;
    history_summarise(&e, times, tasks, stopped, 2 * tasks, p);
    mem_free(times);
    mem_free(stopped);
    return e;
}

TEST(history_does_not_take_the_best_of_three_for_healthy_ones)
{
    /* 3 x .15^2 x .85 / (1 - .15^3) = .0576 of 300. */
    struct history_entry e = cloned_run(300, 0, 0.15);
    expect(e.straggled == 0 && (e.seen == 17 || e.seen == 18));
    expect(history_p(&e) > 0.12 && history_p(&(struct history_entry){0}) == 0.15);

    /* p = .2: of 1000 tasks all three are slow in 8, and the other 992 count as 96. */
    e = cloned_run(1000, 8, 0.2);
    expect(e.straggled == 24 && e.seen >= 120 && e.seen <= 121);

    /* Whoever believes in too few stragglers finds more, and the other way round. */
    e = cloned_run(1000, 8, 0.1);
    expect(e.straggled > 0.3 * e.seen);
    e = cloned_run(1000, 8, 0.3);
    expect(e.straggled < 0.12 * e.seen);
}

TEST(history_does_not_count_clones_that_yielded_as_rivals)
{
    float times[100], stopped[100];
    struct history_entry e = {0};

    for (int i = 0; i < 100; i++) {
        times[i] = 1;
        stopped[i] = 0.01F;
    }
    history_summarise(&e, times, 100, stopped, 100, 0.15);
    expect(e.straggled == 0 && e.seen >= 98 && e.seen <= 100);
}
