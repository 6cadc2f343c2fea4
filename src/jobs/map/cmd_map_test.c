/* `dolly map` and `dolly resume` where nothing runs. */
#include "jobs/map/cmd_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

/* Returns true if the command ends with this status and prints this; else prints what it did. */
static bool gives(int (*command)(int argc, char **argv), const char *words, int status,
                  const char *out, const char *err)
{
    char *has_out, *has_err;
    int has = command_run(command, words, &has_out, &has_err);
    bool same = has == status && strcmp(has_out, out) == 0 && strcmp(has_err, err) == 0;

    if (!same)
        printf("%s: %d\n%s%s", words, has, has_out, has_err);
    mem_free(has_out);
    mem_free(has_err);
    return same;
}

TEST(cmd_map_prints_commands_instead_of_running_them)
{
    char *before = mem_strdup(getenv("PARALLEL"));

    unsetenv("PARALLEL");
    expect(gives(cmd_map, "map -j2 --dry-run echo {} {%} {#} ::: a b c", 0,
                 "echo a 1 1\necho b 2 2\necho c 1 3\n", ""));
    expect(gives(cmd_map, "map --dry-run -s 10 echo ::: a bbbbbbbbbb c", 255, "echo a\n",
                 "dolly map: argument 2 makes a command longer than 9 characters; dolly left out "
                 "this argument and all after it\n"));
    setenv("PARALLEL", "--dry-run -k", 1);
    expect(gives(cmd_map, "map echo ::: a", 0, "echo a\n", ""));
    setenv("PARALLEL", "--dry-run --tag", 1);
    expect(gives(cmd_map, "map -j1 echo {%} ::: a b", 0, "echo 1\necho 1\n", ""));
    unsetenv("PARALLEL");
    if (before)
        setenv("PARALLEL", before, 1);
    mem_free(before);
}

TEST(cmd_map_says_that_there_is_nothing_to_do)
{
    expect(gives(cmd_map_given, "map echo :::", 0, "",
                 "dolly map: no arguments after :::, nothing to do\n"));
    expect(gives(cmd_map_given, "map --arg-sep ,, echo ,,", 0, "",
                 "dolly map: no arguments after ,,, nothing to do\n"));
    expect(
        gives(cmd_map_given, "map --jobz echo", 255, "",
              "dolly map: unknown option --jobz, did you mean --jobs? (see `dolly map --help`)\n"));
    expect(gives(cmd_map_given, "map --array 3-1 echo", 255, "",
                 "dolly map: --array: expected a list such as 0-99%10, 1-7:2 or 1,3,5, not '3-1' "
                 "(see `dolly map --help`)\n"));
}

/* Refused before anything runs: no folder is left, and files are made as before. */
TEST(cmd_map_refuses_what_its_nodes_cannot_do)
{
    struct command_folder f;

    command_begin(&f);
    mode_t mask = umask(022);
    expect(gives(cmd_map_given, "map --dir d --lost fail echo ::: a", 255, "",
                 "dolly map: --lost is for runs with --on\n"));
    expect(gives(cmd_map_given, "map --dir d --on local:1 --lost x echo ::: a", 255, "",
                 "dolly map: --lost: expected `again` or `fail`, not 'x'\n"));
    expect(gives(cmd_map_given, "map --dir d -j1 --cpus 1.5 echo ::: a", 255, "",
                 "dolly map: --cpus 1.5: no node has more than 1 (-j and --nodes set the "
                 "number)\n"));
    expect(umask(mask) == 022 && access("d", F_OK) < 0);
    command_end(&f);
}

TEST(cmd_map_status_counts_failed_tasks)
{
    static const struct {
        int halt, status;
        uint64_t failed;
    } rows[] = {{-1, 0, 0},      {-1, 1, 1}, {-1, 100, 100}, {-1, 101, 101},
                {-1, 101, 5000}, {0, 0, 7},  {3, 3, 7}};
    static char *argv[] = {"map", "echo", ":::", "a"};
    struct map m = {0};
    struct err err;

    expect(options_parse(&m.options, 4, argv, &err) == 0 && map_open(&m, &err) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.control.halt_status = rows[i].halt;
        m.counts.failed = rows[i].failed;
        expect(cmd_map_status(&m) == rows[i].status);
    }
    map_close(&m);
}

/* The end of a run whose arguments ended at one that does not fit. */
TEST(cmd_map_concludes_a_run_that_is_complete)
{
    static char *argv[] = {"map", "-s", "10", "echo", ":::", "a", "bbbbbbbbbb"};
    struct map m = {.dir_private = true};
    struct err err;

    expect(options_parse(&m.options, 7, argv, &err) == 0 && map_open(&m, &err) == 0);
    m.control.halt_status = -1;
    expect(m.tasks == 1 && cmd_map_status(&m) == MAP_USAGE);
    for (int complete = 0; complete < 2; complete++) {
        struct capture c;
        capture_begin(&c, STDERR_FILENO);
        cmd_map_conclude(&m, complete, 255);
        char *text = capture_end(&c);
        expect(!strcmp(text, complete ? "dolly map: argument 2 makes a command longer than 9 "
                                        "characters; dolly left out this argument and all after "
                                        "it\n"
                                      : ""));
        mem_free(text);
    }
    m.dir_private = false;
    map_close(&m);
}

/* Only where there is something to go on with. */
TEST(cmd_map_suggests_to_resume_what_was_kept)
{
    static const char whole[] = "dolly: to run the tasks left: dolly resume 'a dir'\n";
    static const struct {
        char *dir;
        bool is_private, began, arrives, ended;
        const char *text;
    } rows[] = {
        {"a dir", false, true, false, false, whole},
        {"a dir", false, true, true, true, whole},
        {"a dir", false, true, true, false,
         "dolly: to run the tasks left of the arguments read from stdin: dolly resume 'a dir'\n"},
        {"a dir", true, true, false, false, ""},
        {"a dir", false, false, false, false, ""},
        {NULL, false, true, false, false, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map m = {.dir = rows[i].dir,
                        .dir_private = rows[i].is_private,
                        .began = rows[i].began,
                        .feed = {.arrives = rows[i].arrives, .ended = rows[i].ended}};
        struct capture c;
        capture_begin(&c, STDERR_FILENO);
        cmd_map_suggest_resume(&m);
        char *text = capture_end(&c);
        expect(strcmp(text, rows[i].text) == 0);
        mem_free(text);
    }
}

TEST(cmd_resume_needs_the_folder_of_a_run)
{
    struct command_folder f;

    command_begin(&f);
    expect(mkdir("empty", 0700) == 0);
    expect(command_fails(cmd_resume, "resume", 2, "the folder of the run is missing"));
    expect(command_fails(cmd_resume, "resume d --once --retry-failed", 2,
                         "--retry-failed runs commands a second time; it cannot be combined with "
                         "--once"));
    expect(command_fails(cmd_resume, "resume nowhere", 2, "nowhere"));
    expect(command_fails(cmd_resume, "resume empty", 2, "empty"));
    command_end(&f);
}

/* Arguments that come by a pipe are taken as they come; unless all of them are needed first. */
TEST(map_feed_applies_to_pipes)
{
    static const struct {
        char *words[6];
        bool applies;
    } rows[] = {
        {{"echo"}, true},
        {{"echo", ":::", "a"}, false},
        {{"--array", "1-2", "echo"}, false},
        {{"--shuf", "echo"}, false},
        {{"-X", "echo"}, false},
        {{"--pipe", "cat"}, true},
        {{"--pipe", "--retries", "2", "cat"}, false},
        {{"--pipe", "--dir", "d", "cat"}, false},
        {{"--pipe", "--nodes", "2x1", "cat"}, false},
        {{"--pipe", "-N2", "cat"}, true},
        {{"--pipe", "--round-robin", "cat"}, true},
        {{"--pipe", "--round-robin", "--cat", "cat"}, false},
    };
    int ends[2], before = dup(STDIN_FILENO);
    FILE *file = tmpfile();

    expect(pipe(ends) == 0 && file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *argv[8] = {"map"};
        struct map m = {0};
        struct err err;
        int argc = 1;
        while (argc < 7 && rows[i].words[argc - 1]) {
            argv[argc] = rows[i].words[argc - 1];
            argc++;
        }
        expect(options_parse(&m.options, argc, argv, &err) == 0);
        dup2(ends[0], STDIN_FILENO);
        bool from_pipe = map_feed_applies(&m);
        m.again = true;
        bool again = map_feed_applies(&m);
        m.again = false;
        m.look = true;
        again |= map_feed_applies(&m);
        m.look = false;
        dup2(fileno(file), STDIN_FILENO);
        bool from_file = map_feed_applies(&m);
        dup2(before, STDIN_FILENO);
        if (from_pipe != rows[i].applies)
            printf("row %zu\n", i);
        expect(from_pipe == rows[i].applies && !again && !from_file);
        options_fini(&m.options);
    }
    close(before);
    close(ends[0]);
    close(ends[1]);
    fclose(file);
}

/* Who types a command, and then waits for something, is told what; not where nobody types. */
TEST(cmd_map_says_that_it_reads_from_the_terminal)
{
#define READS "dolly map: reading arguments from the terminal, one per line; ^D ends them (or use "
    static const struct {
        const char *words, *said;
    } rows[] = {
        {"map --dry-run echo", READS "::: A B C)\n"},
        {"map --dry-run --pipe cat", "dolly map: reading from the terminal; ^D ends it\n"},
        {"map --dry-run",
         "dolly map: no command, so each line of stdin is one; try: dolly map gzip ::: *.log\n"},
        {"map --dry-run echo ::: ", ""},
        {"map --dry-run --array 1-2 true", ""},
    };
    int before = dup(STDIN_FILENO), keyboard = -1, screen = -1;

    for (int typed = 0; typed < 2; typed++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char *said;
            if (typed) {
                keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
                if (keyboard < 0 || grantpt(keyboard) < 0 || unlockpt(keyboard) < 0) {
                    test_skip("there are no terminals");
                    break;
                }
                expect(write(keyboard, "\004", 1) == 1); /* ^D */
            }
            const char *from = typed ? ptsname(keyboard) : "/dev/null";
            screen = open(from, O_RDWR | O_NOCTTY | O_CLOEXEC);
            expect(screen >= 0 && dup2(screen, STDIN_FILENO) == STDIN_FILENO);
            clearerr(stdin);
            int status = command_run(cmd_map_given, rows[i].words, NULL, &said);
            const char *want = typed ? rows[i].said : "";
            expect(dup2(before, STDIN_FILENO) == STDIN_FILENO);
            if (strncmp(said, want, strlen(want)) != 0 || (!*want && strstr(said, "terminal")))
                printf("%s: %d, %s", rows[i].words, status, said);
            expect(strncmp(said, want, strlen(want)) == 0);
            expect(*want || !strstr(said, "terminal"));
            mem_free(said);
            close(screen);
            if (keyboard >= 0)
                close(keyboard);
            keyboard = -1;
        }
    close(before);
#undef READS
}
