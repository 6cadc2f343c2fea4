/* What is asked for and where it is found; the numbers have tests of their own. */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

/* A paper with one row, in a folder of experiments. */
static void paper(const char *folder, const char *name)
{
    struct str path = {0}, text = {0};

    str_addf(&path, "%s/%s", folder, name);
    expect(mkdir(path.text, 0700) == 0);
    str_addf(&path, "/%s.experiment", name);
    str_addf(&text,
             "paper %s | A paper\nseeds quick=1 full=2\nrun a = model --p 0.1\n"
             "experiment e | An experiment\nrow of-%s | what | %% | 6 to 8 | fitted | here\n"
             "  ours = 1\n",
             name, name);
    command_file(path.text, text.text);
    str_free(&path);
    str_free(&text);
}

static void open_papers(struct command_folder *f, const char *folder)
{
    command_begin(f);
    expect(mkdir(folder, 0700) == 0);
    struct str path = {0};
    str_addf(&path, "%s/formulas.jq", folder);
    command_file(path.text, "");
    str_free(&path);
    paper(folder, "two");
    paper(folder, "one");
    paper(folder, "three");
    expect(mkdir("none", 0700) == 0);
}

TEST(reproduce_takes_the_papers_that_are_named)
{
    static const char *const rows[][2] = {
        {"", "one/of-one\nthree/of-three\ntwo/of-two\n"},
        {" one", "one/of-one\n"},
        {" three", "three/of-three\n"},
        {" two one", "two/of-two\none/of-one\n"},
    };
    struct command_folder f;

    open_papers(&f, "e");
    command_file("e/two/other.experiment", "not read\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str words = {0};
        str_addf(&words, "reproduce%s --list --experiments e", rows[i][0]);
        expect(command_prints(cmd_reproduce, words.text, rows[i][1]));
        str_free(&words);
    }
    command_end(&f);
}

TEST(reproduce_refuses_what_it_cannot_find)
{
    static const char *const rows[][2] = {
        {"reproduce --list --experiments none", "--experiments: no experiments in none"},
        {"reproduce --list --experiments e one one", "one is named twice"},
        {"reproduce --list --experiments e one on",
         "reproduce: unknown paper 'on', did you mean 'one'?"},
        {"reproduce --list --experiments e zzzzzzzzz", "reproduce: unknown paper 'zzzzzzzzz'"},
        {"reproduce --parallel 0", "--parallel"},
        {"reproduce --parallel 1001", "--parallel"},
        {"reproduce --list --experiments broken", "bad.experiment"},
    };
    struct command_folder f;

    open_papers(&f, "e");
    expect(mkdir("broken", 0700) == 0 && mkdir("broken/bad", 0700) == 0);
    command_file("broken/formulas.jq", "");
    command_file("broken/bad/bad.experiment", "rwo\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(cmd_reproduce, rows[i][0], 2, rows[i][1]));
    command_end(&f);
}

TEST(reproduce_takes_no_more_than_32_papers)
{
    enum { MOST = 32 };
    static char names[MOST + 1][4];
    char *argv[MOST + 3] = {"reproduce"};

    for (int i = 0; i <= MOST; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        argv[1 + i] = names[i];
    }
    for (int count = MOST; count <= MOST + 1; count++) {
        struct capture c;
        capture_begin(&c, STDERR_FILENO);
        expect(cmd_reproduce(1 + count, argv) == 2);
        char *text = capture_end(&c);
        expect((strstr(text, "at most 32 papers") != NULL) == (count > MOST));
        mem_free(text);
    }
}

/* Named by the variable, or here; the option goes before both, and the variable before `here`. */
TEST(reproduce_looks_for_experiments_in_three_places)
{
    static const char here[] = "one/of-one\nthree/of-three\ntwo/of-two\n";
    const char *was = getenv("DOLLY_EXPERIMENTS");
    char *kept = was ? mem_strdup(was) : NULL;
    struct command_folder f;

    unsetenv("DOLLY_EXPERIMENTS");
    open_papers(&f, "experiments");
    expect(command_prints(cmd_reproduce, "reproduce --list", here));
    expect(mkdir("e", 0700) == 0);
    command_file("e/formulas.jq", "");
    paper("e", "four");
    expect(setenv("DOLLY_EXPERIMENTS", "e", 1) == 0);
    expect(command_prints(cmd_reproduce, "reproduce --list", "four/of-four\n"));
    expect(command_prints(cmd_reproduce, "reproduce --list --experiments experiments", here));
    expect(setenv("DOLLY_EXPERIMENTS", "none", 1) == 0); /* it holds none */
    expect(command_prints(cmd_reproduce, "reproduce --list", here));
    expect(setenv("DOLLY_EXPERIMENTS", "", 1) == 0);
    expect(command_prints(cmd_reproduce, "reproduce --list", here));
    if (kept)
        setenv("DOLLY_EXPERIMENTS", kept, 1);
    else
        unsetenv("DOLLY_EXPERIMENTS");
    mem_free(kept);
    command_end(&f);
}
