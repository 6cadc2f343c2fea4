#include "jobs/args/regex.h"

#include <string.h>

#include "tests/unit/test.h"

static bool matches(const char *perl, const char *text)
{
    struct err err;
    struct regex_span all;
    struct regex *regex = regex_compile(perl, "--colsep", &err);

    expect(regex != NULL);
    bool found = regex_find(regex, text, strlen(text), 0, &all, NULL);
    regex_free(regex);
    return found;
}

TEST(regex_knows_what_perl_knows)
{
    expect(matches("^\\d+$", "123") && !matches("^\\d+$", "12a"));
    expect(matches("^a\\sb$", "a\tb") && matches("^\\S\\S$", "ab") && !matches("\\S", " \t"));
    expect(matches("^\\w+$", "a_1") && !matches("^\\w$", "-") && matches("^a\\tb\\n$", "a\tb\n"));
    expect(matches("^a\\.b$", "a.b") && !matches("^a\\.b$", "axb") && matches("a\\\\d", "a\\d"));
    expect(matches("^[^\\d]$", "x") && matches("a(?=b)", "ab") && !matches("a(?=b)", "ac"));
    expect(matches("^b$", "a\nb\nc") && !matches("a.b", "a\nb") && matches("(?i)AB", "ab"));
}

TEST(regex_finds_the_first_match_and_its_first_group)
{
    struct err err;
    struct regex_span all, group;
    struct regex *regex = regex_compile("(,+?)(x|xy)", "--recend", &err);

    expect(regex != NULL);
    expect(regex_find(regex, "a,,xyb,x", 8, 0, &all, &group));
    expect(all.from == 1 && all.to == 4 && group.from == 1 && group.to == 3);
    expect(regex_find(regex, "a,,xyb,x", 8, 4, &all, &group));
    expect(all.from == 6 && all.to == 8 && group.to == 7);
    expect(!regex_find(regex, "a,,xyb,x", 7, 4, &all, &group)); /* ends before the x */
    regex_free(regex);
}

TEST(regex_names_the_option_and_the_fault_of_a_bad_expression)
{
    struct err err;

    expect(regex_compile("(", "--colsep", &err) == NULL);
    expect(strcmp(err.text, "--colsep: not a valid regular expression: '(': "
                            "missing closing parenthesis") == 0);
    expect(regex_compile("((a{1000}){1000}){1000}", "--colsep", &err) == NULL);
    expect(strstr(err.text, "--colsep: not a valid regular expression") != NULL);
}
