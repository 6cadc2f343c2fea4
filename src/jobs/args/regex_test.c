#include "jobs/args/regex.h"

#include <string.h>

#include "tests/test.h"

static bool matches(const char *perl, const char *text)
{
    regex_t regex;
    struct err err;

    expect(regex_compile(&regex, perl, "--colsep", &err) == 0);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

TEST(regex_knows_the_classes_of_perl)
{
    expect(matches("^\\d+$", "123") && !matches("^\\d+$", "12a"));
    expect(matches("^a\\sb$", "a\tb") && matches("^\\S\\S$", "ab") && !matches("\\S", " \t"));
    expect(matches("^\\w+$", "a_1") && !matches("^\\w$", "-") && matches("^a\\tb\\n$", "a\tb\n"));
    expect(matches("^a\\.b$", "a.b") && !matches("^a\\.b$", "axb") && matches("a\\\\d", "a\\d"));
}

TEST(regex_refuses_what_the_library_cannot_take)
{
    regex_t regex;
    struct err err;

    expect(regex_compile(&regex, "(", "--colsep", &err) < 0);
    expect(strcmp(err.text, "--colsep '(' is no regular expression") == 0);
    expect(regex_compile(&regex, "((a{64}){64}){64}", "--colsep", &err) < 0);
    expect(strstr(err.text, "repeats too often") != NULL);
    expect(matches("a{64}", "") == false);
}
