#include "jobs/args/file_pattern.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static bool names(const char *pattern, const char *want)
{
    struct file_pattern_facts facts = {1200, 7, 3, "./bin/simulate.sh -x {}", "n1.cluster", "ann"};
    struct err err;
    struct str out = {0};

    expect(file_pattern_check(pattern, &err) == 0);
    file_pattern_fill(pattern, &facts, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        fprintf(stderr, "  %s gives %s\n", pattern, out.text);
    str_free(&out);
    return same;
}

TEST(file_pattern_knows_slurms_letters)
{
    expect(names("plain.txt", "plain.txt"));
    expect(names("log_%A_%a.out", "log_1200_7.out"));
    expect(names("%4a-%2A-%6j", "0007-1200-001203"));
    expect(names("%x.%N.%u.%%a", "simulate.sh.n1.ann.%a"));
}

TEST(file_pattern_name_of_a_command)
{
    struct file_pattern_facts facts = {.host = "", .user = ""};
    static const char *const cases[][2] = {
        {"sleep 1; echo", "sleep"}, {"(cd x)", "map"}, {"", "map"}, {"a/b/", "map"}};

    for (int i = 0; i < 4; i++) {
        struct str out = {0};
        facts.command = cases[i][0];
        file_pattern_fill("%x", &facts, &out);
        expect(strcmp(out.text, cases[i][1]) == 0);
        str_free(&out);
    }
}

TEST(file_pattern_knows_who_shares_a_name)
{
    expect(file_pattern_is_shared("o.txt") && file_pattern_is_shared("%A.%x.%N.%u.%%a"));
    expect(!file_pattern_is_shared("%A_%a") && !file_pattern_is_shared("%5j.o"));
}

TEST(file_pattern_refuses_what_it_does_not_know)
{
    struct err err;

    expect(file_pattern_has_host("o.%N.%a") && !file_pattern_has_host("o.%%N.%a"));
    expect(file_pattern_check("a%a%3q.o", &err) < 0);
    expect(!strcmp(err.text, "%3q in the file name 'a%a%3q.o' is not known: there are %A %a %j %x "
                             "%N %u %%"));
    expect(file_pattern_check("a%", &err) < 0 && strstr(err.text, "% in the file name 'a%' is"));
    expect(file_pattern_check("a%4", &err) < 0 && strstr(err.text, "%4 in the file name 'a%4' is"));
}
