#include "data/hadoop_words.h"

#include <string.h>

#include "base/text.h"
#include "tests/unit/test.h"

/* The words of a command, each in brackets. */
static bool splits(const char *command, const char *want)
{
    struct hadoop_words w = {0};
    struct str all = {0};

    hadoop_words_split(&w, command);
    str_add(&all, "");
    for (uint32_t i = 0; i + 1 < w.at.count; i++)
        str_addf(&all, "[%s]", w.at.at[i]);
    bool good = strcmp(all.text, want) == 0;
    str_free(&all);
    vec_free_each(&w.at);
    return good;
}

TEST(hadoop_words_end_at_blanks_and_quotes)
{
    expect(splits("cat", "[cat]"));
    expect(splits(" grep  -v x ", "[grep][-v][x]"));
    expect(splits("awk \"{print $2}\"", "[awk][{print $2}]"));
    expect(splits("awk '{ print \"a\" }'", "[awk][{ print \"a\" }]"));
    expect(splits("grep \\bbeta\\b $HOME *", "[grep][\\bbeta\\b][$HOME][*]"));
    expect(splits("a'b'c", "[a][b][c]"));
    expect(splits("sed '' x", "[sed][x]"));
    expect(splits("tr -s ' ' '\\n'", "[tr][-s][ ][\\n]"));
    expect(splits("sed s/\\$/x/", "[sed][s/\\$/x/]"));
    expect(splits("sh -c \"a | b; c > d\"", "[sh][-c][a | b; c > d]"));
}

TEST(hadoop_words_leave_to_the_shell_what_needs_one)
{
    static const char *const shells[] = {
        "a | b",      "a; b", "a && b", "a > b", "a < b", "echo `a`",     "a $(b)",
        "(a)",        "{ a",  "X=1 a",  "a\nb",  "a 'b",  "'it'\\''s' a", "awk \"{ print \\$1 }\"",
        "a \\\"b\\\""};

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        expect(splits(shells[i], ""));
}

TEST(hadoop_words_find_programs_by_the_path_of_the_command)
{
    char *env[] = {"PATH=/nowhere:/bin:/usr/bin", NULL}, *other[] = {"PATH=/nowhere", NULL};
    struct hadoop_words w = {0};
    char *const *words = hadoop_words_find(&w, "cat -n", env);

    expect(words && words[0][0] == '/' && strcmp(words[1], "-n") == 0 && !words[2]);
    vec_free_each(&w.at);
    expect(!hadoop_words_find(&w, "cat -n", other)); /* sh says that it is not there */
    vec_free_each(&w.at);
    expect(!hadoop_words_find(&w, "read x", env));
    vec_free_each(&w.at);
}
