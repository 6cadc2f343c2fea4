#include "commands/reproduce/repro_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    bool does = n >= k && strcmp(text + n - k, end) == 0;
    if (!does)
        printf("%s\n", text);
    return does;
}

static bool is_refused(const char *store, const char *why)
{
    struct repro_work w;
    struct err err = {0};
    bool is = repro_work_init(&w, store, false, false, 1, &err) == -1 && !w.store &&
              strcmp(err.text, why) == 0;
    if (!is)
        printf("%s\n", err.text);
    repro_work_fini(&w);
    return is;
}

static void make_script(const char *name, const char *text)
{
    command_file(name, text);
    chmod(name, 0755);
}

/* The folder that is named, that of caches, or that of the user; only the latter two are private.
 */
TEST(repro_work_makes_its_store)
{
    static const struct {
        const char *named, *cache, *home, *store;
        mode_t mode;
    } t[] = {{"a/b", "c", "h", "/a/b", 0755},
             {NULL, "c", "h", "/c/dolly/reproduce", 0700},
             {NULL, "", "h", "/h/.cache/dolly/reproduce", 0700},
             {NULL, NULL, "h", "/h/.cache/dolly/reproduce", 0700}};
    struct command_folder f;
    struct repro_work w;
    struct err err = {0};
    struct stat st;
    command_begin(&f);
    umask(022);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        if (t[i].cache)
            setenv("XDG_CACHE_HOME", t[i].cache, 1);
        else
            unsetenv("XDG_CACHE_HOME");
        setenv("HOME", t[i].home, 1);
        expect(repro_work_init(&w, t[i].named, i == 0, i == 1, 7, &err) == 0);
        expect(w.store[0] == '/' && ends_with(w.store, t[i].store));
        expect(stat(w.store, &st) == 0 && (st.st_mode & 0777) == t[i].mode);
        expect(w.fresh == (i == 0) && w.quick == (i == 1) && w.parallel == 7 && w.kept == 0);
        expect(strcmp(getenv("DOLLY"), w.dolly) == 0 && w.dolly_digest != 0);
        expect(strcmp(getenv("DOLLY_QUICK"), i == 1 ? "1" : "") == 0);
        repro_work_fini(&w);
    }
    unsetenv("HOME");
    expect(is_refused(NULL, "HOME is not set; name a folder for the results: --store DIR"));
    setenv("HOME", "", 1);
    expect(is_refused(NULL, "HOME is not set; name a folder for the results: --store DIR"));
    command_file("file", "");
    expect(is_refused("file/x", "cannot make the folder file/x: Not a directory"));
    expect(symlink("nowhere", "link") == 0);
    expect(is_refused("link", "cannot use the folder link: No such file or directory"));
    expect(rmdir("a/b") == 0 && rmdir("a") == 0 && unlink("link") == 0);
    command_end(&f);
}

/* A result is named by its command, the files that the command names, and, of a script, all files
 * beside it. */
TEST(repro_work_knows_what_a_result_depends_on)
{
    struct command_folder f;
    struct repro_work w, quick;
    struct err err = {0};
    command_begin(&f);
    make_script("s.sh", "echo 1\n");
    command_file("data", "1");
    expect(repro_work_init(&w, "store", false, false, 2, &err) == 0);
    expect(repro_work_add(&w, "script s.sh a", ".", &err) == 0);
    expect(repro_work_add(&w, "script s.sh b", ".", &err) == 1);
    expect(repro_work_add(&w, "sim --workload data", ".", &err) == 2);
    expect(repro_work_add(&w, "sim --workload none", ".", &err) == 3);
    expect(repro_work_add(&w, "model --p 1", ".", &err) == 4);
    expect(repro_work_add(&w, "workload facebook", ".", &err) == 5);
    expect(repro_work_add(&w, "script s.sh a", ".", &err) == 0 && w.units.count == 6);
    command_file(".hidden", "1");
    command_file("x.experiment", "1");
    expect(repro_work_add(&w, "script s.sh a", ".", &err) == 0);
    command_file("beside", "1");
    expect(repro_work_add(&w, "script s.sh a", ".", &err) == 6);
    expect(repro_work_add(&w, "sim --workload data", ".", &err) == 2);
    command_file("data", "2");
    expect(repro_work_add(&w, "sim --workload data", ".", &err) == 7);
    expect(repro_work_add(&w, "sim --workload none", ".", &err) == 3);
    for (uint32_t i = 0; i < w.units.count; i++)
        expect(strncmp(w.units.at[i].path, w.store, strlen(w.store)) == 0 &&
               strlen(w.units.at[i].path) == strlen(w.store) + 1 + 16 + 5 &&
               ends_with(w.units.at[i].path, ".json") && !w.units.at[i].done);
    expect(repro_work_add(&w, "map echo", ".", &err) == -1 &&
           strcmp(err.text, "a run is one of sim, model, workload and script, not 'map echo'") ==
               0);
    expect(repro_work_add(&w, "sim", ".", &err) == -1);
    expect(repro_work_init(&quick, "store", false, true, 2, &err) == 0);
    expect(repro_work_add(&quick, "script s.sh a", ".", &err) == 0);
    expect(repro_work_add(&quick, "sim --workload data", ".", &err) == 1);
    expect(strcmp(quick.units.at[0].path, w.units.at[6].path) != 0);
    expect(strcmp(quick.units.at[1].path, w.units.at[7].path) == 0);
    repro_work_fini(&quick);
    repro_work_fini(&w);
    command_end(&f);
}

static char *run(struct repro_work *w, int result, struct err *err)
{
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    int got = repro_work_run(w, err);
    char *text = capture_end(&c);
    expect(got == result);
    return text;
}

static int files_in(const char *folder)
{
    struct str command = {0};
    int count = -1;
    str_addf(&command, "ls -A %s | wc -l", folder);
    FILE *f = popen(command.text, "r");
    if (f && fscanf(f, "%d", &count) != 1)
        count = -1;
    if (f)
        pclose(f);
    str_free(&command);
    return count;
}

TEST(repro_work_runs_each_command_once)
{
    struct command_folder f;
    struct repro_work w;
    struct err err = {0};
    command_begin(&f);
    make_script("s.sh", "read -r line; echo \"$1-$line-${PWD##*/}\"; echo noise >&2\n");
    expect(mkdir("in", 0700) == 0);
    for (int round = 0; round < 3; round++) {
        expect(repro_work_init(&w, "store", round == 2, false, 2, &err) == 0);
        for (int i = 0; i < 3; i++) {
            char command[32];
            snprintf(command, sizeof command, "script ../s.sh %d", i);
            expect(repro_work_add(&w, command, "in", &err) == i);
        }
        expect(w.kept == (round == 1 ? 3 : 0));
        char *said = run(&w, 0, &err);
        const char *begins = round == 1 ? "reproduce: 3 of 3 runs are there already, in /"
                                        : "reproduce: 3 of 3 runs, ";
        expect(strncmp(said, begins, strlen(begins)) == 0);
        expect(strchr(said, '\n') == said + strlen(said) - 1);
        mem_free(said);
        for (uint32_t i = 0; i < 3; i++) {
            char line[16] = "", want[16];
            FILE *in = fopen(w.units.at[i].path, "r");
            snprintf(want, sizeof want, "%u--in\n", i);
            expect(in && fgets(line, sizeof line, in) && strcmp(line, want) == 0);
            if (in)
                fclose(in);
            expect(w.units.at[i].done && w.units.at[i].pid == 0);
        }
        repro_work_fini(&w);
        expect(files_in("store") == 3);
    }
    command_end(&f);
}

/* One fails: its last words are told, the others are ended, and nothing is left. */
TEST(repro_work_ends_all_after_one_that_failed)
{
    static const struct {
        const char *text, *why;
    } t[] = {{"echo first >&2; echo last >&2; echo >&2; exit 3\n", "'script bad.sh' failed: last"},
             {"exit 1\n", "'script bad.sh' failed: no message"},
             {"kill -9 $$\n", "'script bad.sh' failed: no message"}};
    struct command_folder f;
    struct repro_work w;
    struct err err = {0};
    command_begin(&f);
    make_script("long.sh", "exec sleep 1000\n");
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        make_script("bad.sh", t[i].text);
        expect(repro_work_init(&w, "store", false, false, 2, &err) == 0);
        expect(repro_work_add(&w, "script long.sh", ".", &err) == 0);
        expect(repro_work_add(&w, "script bad.sh", ".", &err) == 1);
        expect(repro_work_add(&w, "script long.sh 2", ".", &err) == 2);
        char *said = run(&w, -1, &err);
        expect(said[0] == '\0' && strcmp(err.text, t[i].why) == 0);
        for (uint32_t k = 0; k < 3; k++)
            expect(!w.units.at[k].done && w.units.at[k].pid == 0);
        mem_free(said);
        repro_work_fini(&w);
        expect(files_in("store") == 0);
    }
    command_end(&f);
}

/* A run that cannot be started, or whose result cannot be kept, leaves nothing. */
TEST(repro_work_reports_what_the_machine_refuses)
{
    struct command_folder f;
    struct repro_work w;
    struct str why = {0};
    struct err err = {0};

    if (test_lacks_vfork())
        return;
    command_begin(&f);
    make_script("s.sh", "echo 1\n");
    expect(repro_work_init(&w, "store", false, false, 2, &err) == 0);
    expect(repro_work_add(&w, "script s.sh", "nowhere", &err) == 0);
    char *said = run(&w, -1, &err);
    expect(!*said && err.kind == ERR_SYSTEM && files_in("store") == 0);
    expect(strcmp(err.text, "cannot start 'script s.sh': No such file or directory") == 0);
    expect(!w.units.at[0].done && w.units.at[0].pid == 0);
    mem_free(said);
    repro_work_fini(&w);

    expect(repro_work_init(&w, "store", false, false, 2, &err) == 0);
    expect(repro_work_add(&w, "script s.sh", ".", &err) == 0);
    expect(mkdir(w.units.at[0].path, 0777) == 0);
    said = run(&w, -1, &err);
    str_addf(&why, "cannot keep %s: Is a directory", w.units.at[0].path);
    expect(!*said && err.kind == ERR_SYSTEM && strcmp(err.text, why.text) == 0);
    expect(!w.units.at[0].done && files_in("store") == 1 && rmdir(w.units.at[0].path) == 0);
    mem_free(said);
    str_free(&why);
    repro_work_fini(&w);
    command_end(&f);
}
