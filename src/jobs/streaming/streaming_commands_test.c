#include "jobs/streaming/streaming_commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/command.h"

/* Reads a command line with this mapper and these words behind it. */
static int read_args(struct streaming_args *a, char *mapper, char *option, char *value,
                     struct err *err)
{
    char *argv[] = {"streaming", "-input", "i", "-output", "o", "-mapper", mapper, option, value};

    return streaming_args_read(a, option ? 9 : 7, argv, err);
}

static void make(const char *path, mode_t mode)
{
    command_file(path, "");
    expect(chmod(path, mode) == 0);
}

/* What becomes of a mapper in a folder with `mine`, `mine.py`, `tools/inner` and `cat`. */
TEST(streaming_commands_call_what_they_ship_by_its_name)
{
    static const struct {
        char *mapper, *option, *value;
        const char *command, *shipped; /* NULL: nothing */
        const char *note;              /* NULL: none */
    } rows[] = {
        {"cat", NULL, NULL, "cat", NULL, NULL}, /* PATH has it */
        {"/bin/cat -n", NULL, NULL, "/bin/cat -n", NULL, NULL},
        {"mine -x", NULL, NULL, "mine -x", "mine",
         "mine is taken from where dolly was started, as if by -files mine"},
        {"./mine -x mine", NULL, NULL, "mine -x mine", "mine",
         "./mine is taken from where dolly was started, as if by -files ./mine"},
        {"./mine", "-file", "mine", "mine", "mine", NULL},
        {"tools/inner", "-file", "tools/inner", "inner", "inner", NULL},
        {"python3 mine.py a", NULL, NULL, "python3 mine.py a", "mine.py",
         "mine.py is taken from where dolly was started, as if by -files mine.py"},
        {"/usr/bin/python3.11 -u ./mine.py a", NULL, NULL, "/usr/bin/python3.11 -u mine.py a",
         "mine.py", "./mine.py is taken from where dolly was started, as if by -files ./mine.py"},
        {"pythonic mine.py", NULL, NULL, "pythonic mine.py", NULL, NULL},
        {"sh -c mine", NULL, NULL, "sh -c mine", NULL, NULL},
        {"perl -n -e mine", NULL, NULL, "perl -n -e mine", NULL, NULL},
        {"perl -n", NULL, NULL, "perl -n", NULL, NULL},
        {"perl", NULL, NULL, "perl", NULL, NULL},
        {"inner", "-files", "tools", "tools/inner", "tools",
         "inner is taken for tools/inner: commands find a folder by its name"},
        {"tools/inner", "-files", "tools", "tools/inner", "tools", NULL},
        {"./tools/inner", "-files", "tools", "./tools/inner", "tools", NULL},
        {"nowhere", "-files", "tools", "nowhere", "tools", NULL},
    };
    struct command_folder f;
    char *before = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");

    command_begin(&f);
    make("mine", 0700);
    make("mine.py", 0600);
    make("cat", 0700);
    expect(mkdir("tools", 0700) == 0 && setenv("PATH", "/usr/bin:/bin", 1) == 0);
    make("tools/inner", 0700);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct streaming_args a;
        struct err err = {0};
        int result = read_args(&a, rows[i].mapper, rows[i].option, rows[i].value, &err);
        if (result < 0 || strcmp(a.mapper, rows[i].command) != 0)
            printf("%s: %s %s\n", rows[i].mapper, result < 0 ? err.text : "", a.mapper);
        expect(result == 0 && strcmp(a.mapper, rows[i].command) == 0);
        expect(a.job.plan.files.count == (rows[i].shipped ? 1 : 0));
        expect(!rows[i].shipped || strcmp(a.job.plan.files.at[0].name, rows[i].shipped) == 0);
        uint32_t notes = 0;
        bool told = !rows[i].note;
        for (uint32_t k = 0; k < a.notes.count; k++) {
            notes += strstr(a.notes.at[k], " is taken f") != NULL;
            told |= rows[i].note && strcmp(a.notes.at[k], rows[i].note) == 0;
        }
        expect(told && notes == (rows[i].note ? 1 : 0));
        streaming_args_fini(&a);
    }
    setenv("PATH", before, 1);
    free(before);
    command_end(&f);
}

TEST(streaming_commands_of_classes)
{
    static const struct {
        const char *text, *command, *why;
    } rows[] = {
        {"cut -f 1", "cut -f 1", NULL},
        {"IdentityMapper", "IdentityMapper", NULL}, /* a program may be called that */
        {"org.apache.hadoop.mapred.lib.IdentityMapper", "cat", NULL},
        {"org.apache.hadoop.mapred.lib.IdentityReducer", "cat", NULL},
        {"", NULL, "-mapper: the command is empty"},
        {"java.lang.String", NULL,
         "-mapper java.lang.String: Java classes cannot be run; expected a command"},
        {"org.apache.x.RegexMapper", NULL,
         "-mapper org.apache.x.RegexMapper: Java classes cannot be run; expected a command, such "
         "as `grep -o`"},
        {"org.apache.x.InverseMapper", NULL,
         "-mapper org.apache.x.InverseMapper: Java classes cannot be run; expected a command, "
         "such as awk that swaps two fields"},
        {"org.apache.x.FieldSelectionMapper", NULL,
         "-mapper org.apache.x.FieldSelectionMapper: Java classes cannot be run; expected a "
         "command, such as `cut -f 2,3`"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {0};
        const char *command = streaming_commands_of("mapper", rows[i].text, &err);
        expect(rows[i].command ? command && strcmp(command, rows[i].command) == 0
                               : !command && strcmp(err.text, rows[i].why) == 0);
    }
}
