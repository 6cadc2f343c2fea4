/* Files that commands write: who may read them, and what is said where they cannot be written. */
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "tests/unit/command.h"

static void open_runs(struct command_folder *f)
{
    command_begin(f);
    command_file("w", "job sort\n  phase map tasks=4 sizes=10s,10s,10s,30s\n");
    for (const char *name = "one\0two\0"; *name; name += 4) {
        char words[100];
        snprintf(words, sizeof words, "sim --workload w --cluster 2x2 --policy none --journal %s",
                 name);
        expect(command_run(cmd_sim, words, NULL, NULL) == 0);
    }
}

/* The user's mask decides, as with the files of other programs. */
TEST(files_of_commands_are_as_the_mask_has_it)
{
    static const struct {
        int (*command)(int argc, char **argv);
        const char *words, *path;
        mode_t mode;
    } rows[] = {
        {cmd_report, "report one -o page", "page", 0666},
        {cmd_report, "report --compare one two -o both", "both", 0666},
        {cmd_report, "report one --trace trace", "trace", 0666},
        {cmd_report, "report one --nextflow rows", "rows", 0666},
        {cmd_report, "report one --csv csv", "csv", 0777},
        {NULL, NULL, "csv/attempts.csv", 0666},
        {NULL, NULL, "csv/jobs.csv", 0666},
        {NULL, NULL, "csv/phases.csv", 0666},
        {NULL, NULL, "csv/series.csv", 0666},
        {NULL, NULL, "csv/verdicts.csv", 0666},
        {cmd_sim, "sim --workload w --policy none,dolly --report sim", "sim", 0666},
        {cmd_sim, "sim --workload w --policy none --journal run", "run", 0666},
    };
    struct command_folder f;

    open_runs(&f);
    for (int k = 0; k < 2; k++) {
        mode_t mask = k ? 027 : 0, before = umask(mask);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i].command)
                expect(command_run(rows[i].command, rows[i].words, NULL, NULL) == 0);
            expect(test_mode(rows[i].path) == (rows[i].mode & ~mask));
        }
        umask(before);
        expect(unlink("run") == 0); /* journals are not written over */
        for (size_t i = 5; i < 10; i++)
            expect(unlink(rows[i].path) == 0);
        expect(rmdir("csv") == 0);
    }
    command_end(&f);
}

TEST(files_of_commands_that_cannot_be_written)
{
    static const struct {
        int (*command)(int argc, char **argv);
        const char *words;
        int status;
        const char *why;
    } rows[] = {
        {cmd_report, "report one -o taken", 1, "dolly: cannot write taken: Is a directory\n"},
        {cmd_report, "report --compare one two -o taken", 1,
         "dolly: cannot write taken: Is a directory\n"},
        {cmd_report, "report one --trace taken", 1, "dolly: cannot write taken: Is a directory\n"},
        {cmd_report, "report one --nextflow taken", 1,
         "dolly: cannot write taken: Is a directory\n"},
        {cmd_report, "report one --csv w", 1,
         "dolly: cannot write w/attempts.csv: Not a directory\n"},
        {cmd_report, "report one --csv no/where", 1,
         "dolly: cannot make no/where: No such file or directory\n"},
        {cmd_report, "report one -o no/where", 1,
         "dolly: cannot write no/where: No such file or directory\n"},
        {cmd_sim, "sim --workload w --policy none --journal taken", 2,
         "dolly: journal taken: exists already; remove it or choose another name\n"},
        {cmd_sim, "sim --workload w --policy none --journal no/where", 2,
         "dolly: journal no/where: cannot create: No such file or directory\n"},
    };
    struct command_folder f;

    open_runs(&f);
    expect(mkdir("taken", 0700) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(rows[i].command, rows[i].words, rows[i].status, rows[i].why));
    expect(rmdir("taken") == 0); /* nothing was left there */
    command_end(&f);
}
