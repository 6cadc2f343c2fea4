#include "exec/folder/attempt_dir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "tests/unit/test.h"

struct yard {
    char run[64];
    struct attempt_dirs dirs;
    uint32_t place; /* the one taken last */
    struct path dir, reuse;
};

static bool yard_open(struct yard *y)
{
    char path[96];

    *y = (struct yard){.run = "/tmp/dolly-place-XXXXXX"};
    if (!mkdtemp(y->run))
        return false;
    y->dirs.run = y->run;
    snprintf(path, sizeof path, "%s/attempts", y->run);
    return mkdir(path, 0777) == 0;
}

static void yard_close(struct yard *y)
{
    tree_remove(y->run);
    attempt_dirs_fini(&y->dirs);
}

static void yard_file(struct yard *y, const char *name, const char *text)
{
    FILE *f = fopen(attempt_dirs_path(&y->dirs, y->place, name).text, "w");

    expect(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

/* What the runner does: makes the folder, unless there is one to begin with. */
static void yard_take(struct yard *y, uint32_t task, bool own_name)
{
    y->place = attempt_dirs_take(&y->dirs, (struct attempt_ref){.task = task}, own_name, &y->dir,
                                 &y->reuse);
    struct path tmp = attempt_dirs_path(&y->dirs, y->place, "tmp");
    if (!*y->reuse.text)
        expect(mkdir(y->dir.text, 0777) == 0 && mkdir(tmp.text, 0777) == 0);
    else
        expect(strcmp(y->reuse.text, y->dir.text) == 0 || rename(y->reuse.text, y->dir.text) == 0);
    yard_file(y, "stdout", "");
    yard_file(y, "stderr", "");
}

/* Lets the place be bare for longer than a clock is coarse. */
static void yard_age(struct yard *y)
{
    for (int i = 0; i < 3; i++) {
        attempt_dirs_release(&y->dirs, y->place, false);
        usleep(60000);
        yard_take(y, 2, false);
        expect(*y->reuse.text);
    }
}

TEST(place_is_used_again_when_nothing_was_left)
{
    struct yard y;

    expect(yard_open(&y));
    yard_take(&y, 1, false);
    expect(!*y.reuse.text);
    struct path first = y.dir;
    for (int i = 0; i < 3; i++) {
        attempt_dirs_release(&y.dirs, y.place, false);
        yard_take(&y, 2, false);
        expect(strcmp(y.dir.text, first.text) == 0 && strcmp(y.reuse.text, first.text) == 0);
    }
    attempt_dirs_release(&y.dirs, y.place, false);
    attempt_dirs_clear_spare(&y.dirs);
    expect(access(first.text, F_OK) < 0);
    yard_close(&y);
}

TEST(place_gets_the_name_of_its_attempt_where_that_matters)
{
    struct yard y;

    expect(yard_open(&y));
    yard_take(&y, 1, true);
    attempt_dirs_release(&y.dirs, y.place, false);
    yard_take(&y, 2, true);
    expect(strstr(y.reuse.text, "/0.0.1.0") && strstr(y.dir.text, "/0.0.2.0"));
    yard_close(&y);
}

/* Whoever left something, in either folder, in its stderr, however long the place was bare before:
 * nobody else gets to see it. */
TEST(place_that_was_used_for_more_is_not_used_again)
{
    static const char *const left[] = {"tmp/x", "x", "stderr"};
    struct yard y;

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        for (int old = 0; old < 2; old++) {
            expect(yard_open(&y));
            yard_take(&y, 1, false);
            if (old)
                yard_age(&y);
            expect(y.dirs.at.at[y.place].dir.still == (old == 1));
            expect(y.dirs.at.at[y.place].tmp.still == (old == 1));
            yard_file(&y, left[i], "text");
            attempt_dirs_release(&y.dirs, y.place, false);
            expect(access(y.dir.text, F_OK) < 0);
            yard_take(&y, 3, false);
            expect(!*y.reuse.text);
            yard_close(&y);
        }
}

/* The stderr of an attempt that failed may be kept, and nothing else of it. */
TEST(place_is_cleared_but_for_the_stderr_that_is_kept)
{
    struct yard y;

    expect(yard_open(&y));
    yard_take(&y, 1, true);
    yard_file(&y, "stdout", "text");
    yard_file(&y, "tmp/x", "text");
    attempt_dirs_clear(&y.dirs, y.place, true);
    expect(access(attempt_dirs_path(&y.dirs, y.place, "stdout").text, F_OK) < 0);
    expect(access(attempt_dirs_path(&y.dirs, y.place, "tmp").text, F_OK) < 0);
    expect(access(attempt_dirs_path(&y.dirs, y.place, "stderr").text, F_OK) == 0);
    attempt_dirs_clear(&y.dirs, y.place, false);
    expect(access(y.dir.text, F_OK) < 0);
    yard_close(&y);
}
