#include "commands/reproduce/repro_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/command.h"

/* Reads the text as an experiment file; 0, or -1 with *err. */
static int read_text(struct repro_file *f, const char *text, bool quick, struct err *err)
{
    char path[] = "/tmp/repro_file_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");

    fputs(text, out);
    fclose(out);
    int result = repro_file_read(f, path, quick, err);
    unlink(path);
    return result;
}

#define HEAD "paper p | A paper\nseeds quick=2 full=3\n"

TEST(repro_file_reads_every_statement)
{
    static const char *const text = HEAD "# a comment\n"
                                         "let size quick=10 full=200\n"
                                         "let world = --jobs ${size}0 --seed $seed\n"
                                         "run a.late = sim $world --policy late\n"
                                         "run a = model --p 0.1\n"
                                         "experiment e | An experiment\n"
                                         "row r | what | % | 6 to 8 | fitted | here\n"
                                         "  ours = gain($a.late; $a)\n"
                                         "  tuned =largest 3\n"
                                         "aside why | because | s | r\n"
                                         "  ours = 1\n"
                                         "figure f | bars | A title | x | y\n"
                                         "  point s | one | @r\n"
                                         "  point s | two | - | [1, 2] | add\n";
    struct repro_file f;
    struct err err;

    expect(read_text(&f, text, false, &err) == 0);
    expect(strcmp(f.paper, "p") == 0 && strcmp(f.title, "A paper") == 0 && f.seeds == 3);
    expect(f.runs.count == 2 && f.rows.count == 2 && f.points.count == 2);
    expect(strcmp(f.runs.at[0].command, "sim --jobs 2000 --seed $seed --policy late") == 0);
    expect(repro_file_run(&f, "a.late.bins") == &f.runs.at[0]);
    expect(repro_file_run(&f, "a.later") == &f.runs.at[1] && !repro_file_run(&f, "ab"));
    expect(strcmp(f.rows.at[0].ours, "gain($a.late; $a)") == 0 && f.rows.at[0].line == 9);
    expect(strcmp(f.rows.at[0].tuned, "largest 3") == 0);
    expect(strcmp(f.rows.at[1].explains, "r") == 0 && !f.rows.at[1].paper.text);
    expect(strcmp(f.points.at[0].row, "r") == 0 && !f.points.at[0].ours);
    expect(strcmp(f.points.at[1].ours, "[1, 2] | add") == 0 && !f.points.at[1].paper.text);
    repro_file_fini(&f);
    expect(read_text(&f, text, true, &err) == 0);
    expect(f.seeds == 2 && strstr(f.runs.at[0].command, "--jobs 100 "));
    expect(!f.rows.at[1].ours && f.rows.at[1].note); /* asides wait for a full run */
    repro_file_fini(&f);
}

TEST(repro_file_says_what_is_wrong_and_where)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "rwo", ":3: unknown statement 'rwo'"},
        {HEAD "let = 1", ":3: expected `let NAME = TEXT`"},
        {HEAD "let x quick=1", ":3: expected `let NAME = TEXT`"},
        {HEAD "run x = sim $nobody", ":3: no value for $nobody"},
        {HEAD "run x = sim ${seed", ":3: no value for $seed"},
        {HEAD "run x-y = sim", ":3: a run's name is made of"},
        {HEAD "run x = sim\nrun x = sim", ":4: there is a run x already, in line 3"},
        {HEAD "row a | b", ":3: expected `row ID"},
        {HEAD "row a | b | s | 1 | fitted | here", ":3: a row belongs to an experiment"},
        {HEAD "  ours = 1", ":3: an indented line belongs to"},
        {HEAD "figure f | pie | t | x | y", ":3: a figure has bars or lines, not 'pie'"},
        {HEAD "figure f | bars | t | x | y\n  point s | 1 | 2", ":4: expected `point SERIES"},
        {HEAD "experiment e | t\nrow a | b | s | 1 | fitted | here", ":4: row a has neither"},
        {"seeds quick=3 full=0", ":1: expected `seeds"},
        {"paper p | t", "no `seeds` line"},
        {HEAD "include /no/such/file", "cannot read"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct repro_file f;
        struct err err;
        expect(read_text(&f, cases[i].text, false, &err) < 0);
        expect(strstr(err.text, cases[i].says));
        repro_file_fini(&f);
    }
}

/* A file that includes itself ends nowhere. */
TEST(repro_file_includes_no_file_for_ever)
{
    struct command_folder folder;
    struct repro_file f;
    struct err err;

    command_begin(&folder);
    command_file("inner", "let b = 2\n");
    command_file("outer", HEAD "include inner\nrun a = sim $b\nexperiment e | E\n"
                               "row r | what | % | 1 | fitted | here\n  ours = $a\n");
    expect(repro_file_read(&f, "outer", false, &err) == 0);
    expect(strcmp(f.runs.at[0].command, "sim 2") == 0);
    repro_file_fini(&f);
    command_file("inner", "include inner\n");
    expect(repro_file_read(&f, "outer", false, &err) < 0);
    expect(strcmp(err.text, "inner:1: more than 100 files are included") == 0);
    repro_file_fini(&f);
    command_end(&folder);
}
