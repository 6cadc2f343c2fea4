#include "exec/process/command.h"

#include <string.h>

#include "tests/unit/test.h"

static struct command_words d;

static bool cuts(const char *command, uint32_t words, const char *last)
{
    return command_parse(&d, command) && d.argv.count == words + 1 &&
           strcmp(d.argv.at[words - 1], last) == 0;
}

TEST(command_cuts_plain_words_and_single_quotes)
{
    expect(cuts("/bin/true", 1, "/bin/true"));
    expect(cuts("  gzip  -9 a.log ", 3, "a.log"));
    expect(cuts("ls 'a b' ''", 3, ""));
    expect(cuts("ls 'it'\\''s'", 0, "") == false); /* a backslash */
    expect(cuts("ls a'b c'd", 2, "ab cd"));
    expect(cuts("dd if=x", 2, "if=x"));
    command_fini(&d);
}

TEST(command_leaves_to_the_shell_what_it_might_read_differently)
{
    static const char *const commands[] = {
        "",         "  ",       "a=b cmd", "ls *",     "ls $x", "ls; ls", "ls | wc", "ls > f",
        "ls &",     "ls \"a\"", "ls ~",    "ls a\\ b", "# x",   "(ls)",   "ls\nls",  "ls 'a",
        "ls {a,b}", "'' x",     "! ls",    "ls `x`",   "ls ?",  "ls [a]", "ls\tx"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        expect(!command_parse(&d, commands[i]));
    command_fini(&d);
}

TEST(command_finds_programs_but_no_builtins_or_functions)
{
    char *env[] = {"X=1", "PATH=:/no/such:/bin:/usr/bin", "BASH_FUNC_ls%%=() { :; }", NULL};

    expect(command_parse(&d, "cat x") && strcmp(command_find(&d, env), "/bin/cat") == 0);
    expect(command_parse(&d, "cat y") && strcmp(command_find(&d, env), "/bin/cat") == 0);
    expect(command_parse(&d, "echo x") && !command_find(&d, env));
    expect(command_parse(&d, "ls x") && !command_find(&d, env));
    expect(command_parse(&d, "no-such-program-x") && !command_find(&d, env));
    expect(command_parse(&d, "./x y") && strcmp(command_find(&d, env), "./x") == 0);
    command_fini(&d);
}
