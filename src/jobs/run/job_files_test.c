#include "jobs/run/job_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/command.h"

static bool said(const struct err *err, const char *text)
{
    bool same = strcmp(err->text, text) == 0;
    if (!same)
        printf("%s\n", err->text);
    return same;
}

static void files_fini(struct task_plan *p)
{
    for (uint32_t i = 0; i < p->files.count; i++) {
        mem_free(p->files.at[i].path);
        mem_free(p->files.at[i].name);
        mem_free(p->files.at[i].hash);
    }
    vec_free(&p->files);
}

TEST(job_files_have_a_path_and_a_name)
{
    static const struct {
        const char *text, *name; /* name NULL: refused */
        const char *why;
    } t[] = {
        {"a", "a", NULL},
        {"a#b", "b", NULL},
        {"dir/", "dir", NULL},
        {"link", "a", NULL},
        {"", NULL, "-files: expected a path, not ''"},
        {"none", NULL, "-files: none does not exist"},
        {"none#x", NULL, "-files: none does not exist"},
        {"a#", NULL, "-files: '' is not a valid file name"},
        {"a#b/c", NULL, "-files: 'b/c' is not a valid file name"},
        {"a#.", NULL, "-files: '.' is not a valid file name"},
        {"a#..", NULL, "-files: '..' is not a valid file name"},
    };
    struct command_folder f;
    struct plan_file found;
    struct err err = {0};
    char here[PATH_MAX], *whole;
    command_begin(&f);
    command_file("a", "1");
    expect(mkdir("dir", 0700) == 0 && symlink("a", "link") == 0 && realpath(".", here));
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        int result = job_files_find("-files", t[i].text, &found, &err);
        expect(result == (t[i].name ? 0 : -1));
        if (result < 0) {
            expect(said(&err, t[i].why) && err.kind == ERR_INPUT);
            continue;
        }
        expect(strcmp(found.name, t[i].name) == 0 && found.path[0] == '/');
        expect(strncmp(found.path, here, strlen(here)) == 0 && !found.hash);
        mem_free(found.path);
        mem_free(found.name);
    }
    whole = mem_zalloc(PATH_MAX + 1, 1);
    memset(whole, 'x', PATH_MAX);
    expect(job_files_find("-files", whole, &found, &err) == -1 &&
           said(&err, "-files: expected a path, not 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"));
    mem_free(whole);
    command_end(&f);
}

TEST(job_files_are_named_once)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    char here[PATH_MAX], want[4 * PATH_MAX];
    command_begin(&f);
    command_file("a", "1");
    command_file("b", "1");
    expect(realpath(".", here) != NULL);
    expect(job_files_add(&p, "-files", "a", &err) == 0 && p.files.count == 1);
    expect(job_files_add(&p, "-files", "b#c", &err) == 0 && p.files.count == 2);
    expect(job_files_add(&p, "-files", "a", &err) == 0 && p.files.count == 2); /* again */
    expect(job_files_add(&p, "-files", "a#b", &err) == 0 && p.files.count == 3);
    expect(job_files_add(&p, "-files", "b#a", &err) == -1 && p.files.count == 3);
    snprintf(want, sizeof want,
             "-files: %s/a and %s/b have the same name; expected %s/b#OTHER_NAME", here, here,
             here);
    expect(said(&err, want));
    expect(job_files_add(&p, "-files", "none", &err) == -1 && p.files.count == 3);
    files_fini(&p);
    command_end(&f);
}

static bool holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    if (f && !fgets(found, sizeof found, f))
        found[0] = '\0';
    if (f)
        fclose(f);
    return f && strcmp(found, text) == 0;
}

/* Files, folders in folders, and links; no pipes, and not the folder of copies itself. */
TEST(job_files_are_copied)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    struct stat st;
    char link[16] = "";
    command_begin(&f);
    expect(job_files_copy(&p, "copies", &err) == 0 && access("copies", F_OK) < 0);
    command_file("a", "1");
    expect(mkdir("dir", 0700) == 0 && mkdir("dir/in", 0700) == 0);
    command_file("dir/in/b", "22");
    expect(symlink("in/b", "dir/to") == 0 && mkfifo("dir/pipe", 0600) == 0);
    expect(symlink("a", "link") == 0);
    expect(job_files_add(&p, "-files", "link#x", &err) == 0);
    expect(job_files_add(&p, "-files", "dir", &err) == 0);
    expect(job_files_copy(&p, "dir/copies", &err) == 0);
    expect(stat("dir/copies", &st) == 0 && (st.st_mode & 0777) == 0700);
    expect(strcmp(p.files.at[0].path, "dir/copies/x") == 0 &&
           strcmp(p.files.at[1].path, "dir/copies/dir") == 0);
    expect(holds("dir/copies/x", "1") && holds("dir/copies/dir/in/b", "22"));
    expect(lstat("dir/copies/x", &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0555);
    expect(readlink("dir/copies/dir/to", link, sizeof link - 1) == 4 && !strcmp(link, "in/b"));
    expect(access("dir/copies/dir/pipe", F_OK) < 0 && access("dir/copies/dir/copies", F_OK) < 0);
    command_file("a", "changed");
    expect(holds("dir/copies/x", "1"));

    expect(job_files_bind(&p, &err) == 0 && p.files.at[0].hash && !p.files.at[1].hash);
    char *hash = mem_strdup(p.files.at[0].hash);
    expect(chmod("dir/copies/x", 0700) == 0);
    command_file("dir/copies/x", "2");
    expect(job_files_bind(&p, &err) == 0 && strcmp(hash, p.files.at[0].hash) != 0);
    command_file("dir/copies/x", "1");
    expect(job_files_bind(&p, &err) == 0 && strcmp(hash, p.files.at[0].hash) == 0);
    mem_free(hash);
    expect(unlink("dir/copies/x") == 0 && job_files_bind(&p, &err) == -1 &&
           said(&err, "dir/copies/x: No such file or directory"));
    files_fini(&p);
    command_end(&f);
}

TEST(job_files_that_cannot_be_copied_are_named)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    char here[PATH_MAX], want[2 * PATH_MAX];
    command_begin(&f);
    command_file("a", "1");
    expect(realpath(".", here) && job_files_add(&p, "-files", "a", &err) == 0);
    expect(job_files_copy(&p, "none/copies", &err) == -1 &&
           said(&err, "none/copies: No such file or directory"));
    expect(unlink("a") == 0 && job_files_copy(&p, "copies", &err) == -1);
    snprintf(want, sizeof want, "%s/a: cannot be copied to copies/a: No such file or directory",
             here);
    expect(said(&err, want) && err.kind == ERR_SYSTEM);
    files_fini(&p);
    command_end(&f);
}

/* A hundred folders in each other are copied, and not one more. */
TEST(job_files_are_not_copied_for_ever)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    for (int depth = 100; depth <= 101; depth++) {
        struct task_plan p = {0};
        char path[256] = "d", to[16];
        expect(mkdir(path, 0700) == 0);
        for (int i = 1; i <= depth; i++) {
            strcat(path, "/d");
            expect(mkdir(path, 0700) == 0);
        }
        snprintf(to, sizeof to, "c%d", depth);
        expect(job_files_add(&p, "-files", "d", &err) == 0);
        expect(job_files_copy(&p, to, &err) == (depth == 100 ? 0 : -1));
        expect(depth == 100 || strstr(err.text, "/d: Too many levels of symbolic links") ||
               strstr(err.text, "cannot be copied to c101/d: Too many levels of symbolic links"));
        files_fini(&p);
        expect(system("rm -r d") == 0);
    }
    command_end(&f);
}

TEST(job_files_hint_names_a_file_that_a_command_does_not_find)
{
    char name[] = "hint.XXXXXX", words[200], path[100] = "";
    struct task_plan p = {0};
    int fd = mkstemp(name);

    expect(fd >= 0);
    close(fd);
    snprintf(words, sizeof words, "python3: can't open file '/x/attempts/0/%s/%s': [Errno 2]",
             "work", name);
    expect(job_files_hint(&p, words, path, sizeof path) && strcmp(path, name) == 0);
    snprintf(words, sizeof words, "sh: 1: ./%s: not found", name);
    expect(job_files_hint(&p, words, path, sizeof path) && strcmp(path, name) == 0);
    snprintf(words, sizeof words, "%s: syntax error", name); /* it was found */
    expect(!job_files_hint(&p, words, path, sizeof path));
    expect(!job_files_hint(&p, "sh: 1: nowhere.py: not found", path, sizeof path));
    snprintf(words, sizeof words, "sh: 1: %s: not found", name);
    vec_push(&p.files, ((struct plan_file){.path = mem_strdup(name), .name = mem_strdup(name)}));
    expect(!job_files_hint(&p, words, path, sizeof path));
    plan_fini(&p);
    unlink(name);
}
