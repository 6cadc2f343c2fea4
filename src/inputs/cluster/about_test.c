#include "inputs/cluster/about.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(about_is_read_back)
{
    struct cluster *c = cluster_plain(3, 2);
    struct about about = {.program = "dolly 0.1.0",
                          .workload = "a \"strange\\\" name # with=signs",
                          .options = "two\nlines",
                          .typed = "map a\x1b[31m\tb\x7f",
                          .cluster_name = ""};
    struct str to = {0};
    struct about_text a;
    struct err err;

    about_write(&about, c, &to);
    expect(!strcmp(to.text, "about program=\"dolly 0.1.0\" "
                            "workload=\"a \\\"strange\\\\\\\" name # with=signs\" "
                            "options=\"two lines\" typed=\"map a?[31m\tb?\"\n"
                            "rack r0\nnodes n[0-2] cpu=2\n"));
    expect(about_read(to.text, "j", &a, &err) == 0);
    expect(!strcmp(a.about.program, about.program) && !strcmp(a.about.workload, about.workload));
    expect(!strcmp(a.about.options, "two lines") && !a.about.cluster_name && !a.about.chaos);
    expect(a.cluster->node_count == 3 && a.cluster->nodes[2].capacity.v[RES_CPU] == 2000);
    about_free(&a);
    str_free(&to);
    cluster_destroy(c);
}

TEST(about_of_nothing_or_of_nonsense_is_refused)
{
    static const struct {
        const char *text, *why;
    } rows[] = {{"", "j: the journal has no description of the run"},
                {"\nnode a\n", "j: the journal has no description of the run"},
                {"abuot\nnode a\n", "j:1: unknown word 'abuot'; did you mean 'about'?"},
                {"about program=x colour=red\nnode a\n", "j:1: unknown key 'colour' of about"},
                {"about program=x\n", "no nodes"},
                {"about program=x\nnode a colour=red\n", "j:2: unknown key 'colour' of node"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct about_text a;
        struct err err;
        expect(about_read(rows[i].text, "j", &a, &err) == -1);
        expect(strstr(err.text, rows[i].why) != NULL);
    }
}
