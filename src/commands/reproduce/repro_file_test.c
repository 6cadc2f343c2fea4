#include "commands/reproduce/repro_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
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

#define EXPERIMENT "experiment e | t\n"
#define ROW "row a | b | s | 1 | fitted | here\n"
#define FIGURE "figure f | bars | t | x | y\n"
#define NAMES ":3: a run's name is made of letters, digits, _ and dots, not "
#define FORMULAS ":5: expected `ours = FORMULA`, `tuned = FORMULA` or `note = TEXT`, once each"
#define POINTS ":4: expected `point SERIES | X | @ROW` or `point SERIES | X | PAPER or - | FORMULA`"

TEST(repro_file_says_what_is_wrong_and_where)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "rwo", ":3: unknown statement 'rwo'; expected paper, seeds, let, run, experiment, "
                     "row, aside, figure or include"},
        {HEAD "paper q | Another", ":3: there is a paper already"},
        {HEAD "paper q", ":3: expected `paper NAME | TITLE`"},
        {HEAD "let = 1", ":3: expected `let NAME = TEXT` or `let NAME quick=TEXT full=TEXT`"},
        {HEAD "let x quick=1", ":3: expected `let NAME = TEXT`"},
        {HEAD "run x = sim $nobody", ":3: no value for $nobody; expected a `let` above this line"},
        {HEAD "run x = sim ${seed", ":3: no value for $seed"},
        {HEAD "run x sim", ":3: expected `run NAME = COMMAND ARGUMENTS`"},
        {HEAD "run x-y = sim", NAMES "'x-y'"},
        {HEAD "run 1x = sim", NAMES "'1x'"},
        {HEAD "run = sim", NAMES "''"},
        {HEAD "run x = sim\nrun x = sim", ":4: there is a run x already, in line 3"},
        {HEAD "row a | b",
         ":3: expected `row ID | WHAT | UNIT | PAPER | fitted or predicted | SOURCE`"},
        {HEAD "row a | b | s | 1 | fitted | here",
         ":3: a row belongs to an experiment; expected an `experiment` line above it"},
        {HEAD EXPERIMENT "row a | b | s | 1 | guessed | here",
         ":4: the basis is fitted or predicted, not 'guessed'"},
        {HEAD EXPERIMENT "row a | b | s | x | fitted | here",
         ":4: 'x' is not a published value; expected for example 46, ~50, 6 to 8, <= 27 or > 0"},
        {HEAD EXPERIMENT ROW ROW, ":5: there is a row a already"},
        {HEAD "aside b | c | s | a", ":3: row a does not exist above this line"},
        {HEAD EXPERIMENT ROW "aside b | c | s | a\naside c | d | s | b",
         ":6: row b does not exist above this line"},
        {HEAD EXPERIMENT ROW "  theirs = 1", FORMULAS},
        {HEAD EXPERIMENT ROW "  note 1", FORMULAS},
        {HEAD EXPERIMENT ROW "  tuned = 1\n  tuned = 1", ":6: expected `ours = FORMULA`"},
        {HEAD "  ours = 1",
         ":3: an indented line belongs to a row or a figure, and there is none above it"},
        {HEAD "figure f | pie | t | x | y", ":3: a figure has bars or lines, not 'pie'"},
        {HEAD FIGURE "  point s | 1", POINTS},
        {HEAD FIGURE "  point s | 1 | 2", POINTS},
        {HEAD FIGURE "  point s | 1 | @r | 2", POINTS},
        {HEAD FIGURE "  point s | 1 | x | 2", ":4: 'x' is not a published value"},
        {HEAD EXPERIMENT ROW "  ours = 1\n" FIGURE "  point s | 1 | @b",
         ":7: row b does not exist"},
        {HEAD EXPERIMENT ROW "  tuned = 1",
         ":4: row a has neither `ours = FORMULA` nor a `note = TEXT` with the reason"},
        {"seeds quick=3 full=0", ":1: expected `seeds quick=N full=N`"},
        {"seeds quick=3 full=1001", ":1: expected `seeds quick=N full=N`"},
        {"seeds quick=3 full=x", ":1: expected `seeds quick=N full=N`"},
        {"seeds full=3", ":1: expected `seeds quick=N full=N`"},
        {"", ": no `paper` line"},
        {"paper p | t\nseeds quick=1 full=1", ": no `row` line"},
        {"paper p | t", ": no `seeds` line"},
        {HEAD "include /no/such/file", "/no/such/file: No such file or directory"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct repro_file f;
        struct err err;
        expect(read_text(&f, cases[i].text, false, &err) < 0 && err.kind == ERR_INPUT);
        bool says = strstr(err.text, cases[i].says);
        if (!says)
            printf("%s: %s\n", cases[i].text, err.text);
        expect(says);
        repro_file_fini(&f);
    }
}

/* A few lines could double a text until memory is full. */
TEST(repro_file_bounds_texts)
{
    enum { HALF = 32 * 1024 };
    static const struct {
        const char *value;
        bool fits;
    } cases[] = {{"$a$a", true}, {"x$a$a", false}, {"$a$a$a", false}};
    char half[HALF + 1];

    memset(half, 'x', HALF);
    half[HALF] = '\0';
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = {0};
        struct repro_file f;
        struct err err;
        str_addf(&text, HEAD "let a = %s\nrun b = %s\n" EXPERIMENT ROW "  ours = 1\n", half,
                 cases[i].value);
        expect((read_text(&f, text.text, false, &err) == 0) == cases[i].fits);
        expect(cases[i].fits ? strlen(f.runs.at[0].command) == 2 * HALF
                             : strstr(err.text, ":4: the text is longer than 65536 bytes") != NULL);
        repro_file_fini(&f);
        str_free(&text);
    }
}

/* The number of seeds at both ends, and a paper that an inner file names as well. */
TEST(repro_file_takes_what_is_just_right)
{
    struct command_folder folder;
    struct repro_file f;
    struct err err;

    command_begin(&folder);
    command_file("inner", "paper q | Another\n");
    command_file("outer",
                 "paper p | A paper\ninclude inner\nseeds quick=1 full=1000\n" EXPERIMENT ROW
                 "  note = why\n");
    for (int quick = 0; quick < 2; quick++) {
        expect(repro_file_read(&f, "outer", quick, &err) == 0);
        expect(strcmp(f.paper, "p") == 0 && f.seeds == (quick ? 1 : 1000));
        expect(!f.rows.at[0].ours && strcmp(f.rows.at[0].note, "why") == 0);
        repro_file_fini(&f);
    }
    command_end(&folder);
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
