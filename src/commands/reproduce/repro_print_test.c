#include "commands/reproduce/repro_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

enum { ROWS = 5 };

/* Two experiments: rows that are measured, that is not, and asides that are and are not. */
struct repro_printed {
    struct repro_file f;
    struct repro_experiment experiments[2];
    struct repro_row rows[ROWS];
    struct repro_numbers n;
    struct repro_estimate ours[ROWS], tuned[ROWS], point[1];
};

static void open_file(struct repro_printed *p)
{
    static const struct repro_estimate none = {(double)NAN, (double)NAN, (double)NAN};
    *p = (struct repro_printed){
        .experiments = {{"fig1", "Figure 1"}, {"fig2", "Figure 2"}},
        .rows =
            {{.experiment = 0,
              .id = "a",
              .what = "gain",
              .unit = "%",
              .basis = "text",
              .citation = "p1",
              .ours = "x"},
             {.experiment = 0,
              .id = "b",
              .what = "loss",
              .unit = "s",
              .basis = "plot",
              .citation = "p2",
              .note = "why not"},
             {.experiment = 1,
              .id = "c",
              .what = "mean",
              .unit = "s",
              .basis = "text",
              .citation = "p3",
              .ours = "x"},
             {.experiment = 1, .id = "d", .what = "jobs", .unit = "", .explains = "c", .ours = "x"},
             {.experiment = 1, .id = "e", .what = "more", .unit = "", .explains = "c"}},
        .ours = {{46.04, 45, 47.5}, none, {0, -1, 1}, {123.4, 123.4, 123.4}, none},
        .tuned = {{1.234, 1, 2}, none, none, none, none},
    };
    expect(repro_paper_parse("40 to 44", &p->rows[0].paper));
    expect(repro_paper_parse("7", &p->rows[1].paper) && repro_paper_parse("2", &p->rows[2].paper));
    p->f = (struct repro_file){.paper = "p", .title = "A paper", .seeds = 3};
    p->f.experiments.at = p->experiments, p->f.experiments.count = 2;
    p->f.rows.at = p->rows, p->f.rows.count = ROWS;
    p->n =
        (struct repro_numbers){.f = &p->f, .ours = p->ours, .tuned = p->tuned, .point = p->point};
}

static bool ends(struct capture *c, const char *expected)
{
    char *text = capture_end(c);
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text, expected);
    mem_free(text);
    return same;
}

TEST(repro_print_table_shows_rows_then_asides)
{
    struct repro_printed p;
    struct capture c;
    open_file(&p);
    capture_begin(&c, STDOUT_FILENO);
    repro_print_table(&p.n);
    expect(ends(&c, "p: A paper; 3 seeds\n"
                    "\n"
                    "id     paper  ours  95 % interval  difference  tuned  unit  basis  what\n"
                    "\n"
                    "Figure 1\n"
                    "a   40 to 44  46.0   [45.0, 47.5]       +2.04   1.23     %   text  gain\n"
                    "b          7     -              -           -      -     s   plot  loss\n"
                    "\n"
                    "Figure 2\n"
                    "c          2     0  [-1.00, 1.00]       -2.00      -     s   text  mean\n"
                    "\n"
                    "aside  ours  95 % interval  unit  explains  what\n"
                    "d       123              -               c  jobs\n"
                    "\n"));
    p.f.rows.count = 1; /* without asides */
    capture_begin(&c, STDOUT_FILENO);
    repro_print_table(&p.n);
    expect(ends(&c, "p: A paper; 3 seeds\n"
                    "\n"
                    "id     paper  ours  95 % interval  difference  tuned  unit  basis  what\n"
                    "\n"
                    "Figure 1\n"
                    "a   40 to 44  46.0   [45.0, 47.5]       +2.04   1.23     %   text  gain\n"
                    "\n"));
}

/* As many digits as make three, and none behind 0; both ends of an interval have the same. */
TEST(repro_print_table_has_three_digits)
{
    static const struct {
        struct repro_estimate e;
        const char *ours, *interval;
    } rows[] = {
        {{9.99, 9.98, 9.99}, "9.99", "[9.98, 9.99]"},  {{10, 10, 10.5}, "10.0", "[10.0, 10.5]"},
        {{-9.5, -9.9, -9}, "-9.50", "[-9.90, -9.00]"}, {{-10, -10, 1}, "-10.0", "[-10.0, 1.0]"},
        {{99.9, 9.9, 10}, "99.9", "[9.9, 10.0]"},      {{100, 99, 101}, "100", "[99.0, 101.0]"},
        {{-100, -101, -2}, "-100", "[-101.0, -2.0]"},  {{0, 0, 0.5}, "0", "[0.00, 0.50]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct repro_printed p;
        struct capture c;
        char want[64];
        open_file(&p);
        p.f.rows.count = 1;
        p.ours[0] = rows[i].e;
        capture_begin(&c, STDOUT_FILENO);
        repro_print_table(&p.n);
        char *text = capture_end(&c), *line = strstr(text, "a   40 to 44  ");
        snprintf(want, sizeof want, " %s  ", rows[i].ours);
        expect(line && strstr(line, want) && strstr(line, rows[i].interval));
        mem_free(text);
    }
}

TEST(repro_print_list_names_what_can_be_asked_for)
{
    struct repro_printed p;
    struct capture c;
    open_file(&p);
    p.f.rows.count = 2;
    capture_begin(&c, STDOUT_FILENO);
    repro_print_list(&p.f);
    expect(ends(&c, "p/a\np/b\n"));
}

/* Takes the value; quotes are single ones here. */
static bool is(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6));
    for (char *c = text; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text, expected);
    free(text);
    json_decref(value);
    return same;
}

TEST(repro_print_json_has_every_digit_and_null_for_nothing)
{
    struct repro_printed p;
    open_file(&p);
    expect(is(repro_print_json(&p.n),
              "{'paper':'p','title':'A "
              "paper','seeds':3,'experiments':[{'id':'a','experiment':'fig1','what':'gain','unit':'"
              "%','paper':42.0,'paper_text':'40 to "
              "44','ours':46.04,'lo':45.0,'hi':47.5,'difference':2.04,'tuned':1.234,'tuned_lo':1.0,"
              "'tuned_hi':2.0,'basis':'text','source':'p1','note':null},{'id':'b','experiment':'"
              "fig1','what':'loss','unit':'s','paper':7.0,'paper_text':'7','ours':null,'lo':null,'"
              "hi':null,'difference':null,'tuned':null,'tuned_lo':null,'tuned_hi':null,'basis':'"
              "plot','source':'p2','note':'why "
              "not'},{'id':'c','experiment':'fig2','what':'mean','unit':'s','paper':2.0,'paper_"
              "text':'2','ours':0.0,'lo':-1.0,'hi':1.0,'difference':-2.0,'tuned':null,'tuned_lo':"
              "null,'tuned_hi':null,'basis':'text','source':'p3','note':null}],'asides':[{'id':'d',"
              "'experiment':'fig2','what':'jobs','unit':'','explains':'c','ours':123.4,'lo':123.4,'"
              "hi':123.4},{'id':'e','experiment':'fig2','what':'more','unit':'','explains':'c','"
              "ours':null,'lo':null,'hi':null}]}"));
}

TEST(repro_print_figures_have_their_own_points)
{
    struct repro_printed p;
    struct repro_figure figures[2] = {{"f1", "bars", "One", "x", "y"},
                                      {"f2", "lines", "Two", "u", "v"}};
    struct repro_point points[2] = {{.figure = 1, .series = "s", .x = "1", .row = "a"},
                                    {.figure = 0, .series = "t", .x = "2"}};
    struct repro_estimate point[2] = {{1.5, 1, 2}, {3, 2.5, 3.5}};
    open_file(&p);
    expect(repro_paper_parse("9", &points[1].paper));
    p.f.figures.at = figures, p.f.figures.count = 2;
    p.f.points.at = points, p.f.points.count = 2;
    p.f.rows.count = 1;
    p.n.point = point;
    expect(is(repro_print_figures(&p.n),
              "{'paper':'p','title':'A "
              "paper','seeds':3,'rows':[{'id':'a','experiment':'fig1','what':'gain','unit':'%','"
              "paper':42.0,'paper_text':'40 to "
              "44','ours':46.04,'lo':45.0,'hi':47.5,'difference':2.04,'tuned':1.234,'tuned_lo':1.0,"
              "'tuned_hi':2.0,'basis':'text','source':'p1','note':null}],'figures':[{'id':'f1','"
              "kind':'bars','title':'One','x_label':'x','y_label':'y','points':[{'series':'t','x':'"
              "2','paper':9.0,'ours':3.0,'lo':2.5,'hi':3.5}]},{'id':'f2','kind':'lines','title':'"
              "Two','x_label':'u','y_label':'v','points':[{'series':'s','x':'1','paper':42.0,'ours'"
              ":1.5,'lo':1.0,'hi':2.0}]}]}"));
}
