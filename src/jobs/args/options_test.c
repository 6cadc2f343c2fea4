#include "jobs/args/options.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static struct options o;
static struct err err;

static int parse(char **argv)
{
    int argc = 0;

    options_fini(&o);
    while (argv[argc])
        argc++;
    return options_parse(&o, argc, argv, &err);
}

#define PARSE(...) parse((char *[]){"map", __VA_ARGS__, NULL})
#define REFUSES(part, ...) (PARSE(__VA_ARGS__) < 0 && strstr(err.text, part))
#define SAYS(text_, ...) (PARSE(__VA_ARGS__) < 0 && strcmp(err.text, text_) == 0)

TEST(options_take_command_and_sources)
{
    expect(PARSE("-j4", "echo", "{}", "x", ":::", "a", "b", ":::+", "1", "::::", "f", "g") == 0);
    expect(strcmp(o.command.text, "echo {} x") == 0 && strcmp(o.jobs, "4") == 0);
    expect(o.sources.count == 4 && o.sources.at[0].count == 2 && !o.sources.at[0].linked);
    expect(o.sources.at[1].linked && strcmp(o.sources.at[1].words[0], "1") == 0);
    expect(strcmp(o.sources.at[2].file, "f") == 0 && strcmp(o.sources.at[3].file, "g") == 0);
    expect(PARSE(":::", "true", "false") == 0 && !o.command.text && o.sources.count == 1);
    expect(PARSE("echo", ":::") == 0 && o.sources.count == 1 && o.sources.at[0].count == 0);
    options_fini(&o);
}

TEST(options_take_every_spelling)
{
    expect(PARSE("-kj", "4", "cmd") == 0 && o.keep_order && strcmp(o.jobs, "4") == 0);
    expect(PARSE("--jobs=50%", "cmd") == 0 && strcmp(o.jobs, "50%") == 0);
    expect(PARSE("--lb", "cmd") == 0 && o.output == OUTPUT_LINES);
    expect(PARSE("-0", "-a", "f", "-j+2", "cmd") == 0 && o.delimiter == 0 && o.sources.count == 1);
    expect(PARSE("--", "-x") == 0 && strcmp(o.command.text, "-x") == 0);
    expect(PARSE("cmd", "-k", "--bar") == 0 && !o.keep_order && !o.bar); /* the command's own */
    expect(PARSE("-d", "\\t", "cmd") == 0 && o.delimiter == '\t');
    expect(PARSE("--block", "10K", "cmd") == 0 && o.block_bytes == 10240);
    expect(PARSE("--pipe", "cmd") == 0 && o.block_bytes == 1 << 20 && o.block_parts == 0);
    expect(PARSE("--pipepart", "-a", "f", "cmd") == 0 && o.block_parts == 10);
    expect(PARSE("--timeout", "200%", "cmd") == 0 && o.timeout_percent == 200);
    expect(PARSE("--timeout", "1.5", "cmd") == 0 && o.timeout_us == 1500000);
    expect(PARSE("--load", "50%", "cmd") == 0 && o.load == 50 && o.load_percent);
    expect(PARSE("-q", "echo", "a b{}c d") == 0);
    expect(o.quote && o.word_count == 2 && strcmp(o.words[1], "a b{}c d") == 0);
    options_fini(&o);
}

TEST(options_take_a_value_that_may_be_left_out)
{
    expect(PARSE("-eEND", "cmd") == 0 && strcmp(o.eof, "END") == 0);
    expect(PARSE("-e", "END", "cmd") == 0 && strcmp(o.eof, "END") == 0);
    expect(PARSE("--eof=END", "cmd") == 0 && strcmp(o.eof, "END") == 0);
    expect(PARSE("-e", "-k", "cmd") == 0 && !o.eof && o.keep_order);
    expect(PARSE("-i", "-k", "cmd") == 0 && !o.replaces[REPLACES_WHOLE]);
    expect(PARSE("-i,,", "cmd") == 0 && strcmp(o.replaces[REPLACES_WHOLE], ",,") == 0);
    expect(PARSE("--replace==", "cmd") == 0 && strcmp(o.replaces[REPLACES_WHOLE], "=") == 0);
    expect(PARSE("-l", "cmd") == 0 && o.lines == 1 && o.max_args == 1 && o.command.text);
    expect(PARSE("-l2", "cmd") == 0 && o.max_args == 2 && PARSE("-l", "3", "cmd") == 0);
    expect(o.max_args == 3 && strcmp(o.command.text, "cmd") == 0);
    options_fini(&o);
}

TEST(options_take_as_much_of_a_name_as_tells_it_from_all_others)
{
    expect(PARSE("--keep", "cmd") == 0 && o.keep_order);
    expect(PARSE("--joblo", "f", "cmd") == 0 && strcmp(o.joblog, "f") == 0);
    expect(PARSE("--colse=,", "cmd") == 0 && strcmp(o.colsep, ",") == 0);
    expect(REFUSES("--re may be --", "--re", "cmd") && strstr(err.text, "--results"));
    expect(REFUSES("--ret may be --", "--ret", "cmd") && strstr(err.text, "--return"));
    expect(REFUSES("--sqlmaster of GNU parallel", "--sqlm", "x", "cmd"));
    options_fini(&o);
}

TEST(options_take_other_separators_of_sources)
{
    expect(PARSE("--arg-sep", ",,", "cmd", ",,", "a", "::::", "f", ",,+", "b") == 0);
    expect(o.sources.count == 3 && !o.sources.at[0].file && o.sources.at[1].file);
    expect(o.sources.at[2].linked && strcmp(o.command.text, "cmd") == 0);
    expect(PARSE("--arg-file-sep", "//", "cmd", ":::", "a", "//", "f") == 0);
    expect(o.sources.count == 2 && strcmp(o.sources.at[1].file, "f") == 0);
    options_fini(&o);
}

TEST(options_follow_from_each_other)
{
    expect(PARSE("--colsep", ",", "cmd") == 0 && o.trim == INPUTS_TRIM_BOTH);
    expect(PARSE("--colsep", ",", "--trim", "n", "cmd") == 0 && o.trim == INPUTS_TRIM_NONE);
    expect(PARSE("cmd") == 0 && o.trim == INPUTS_TRIM_NONE && !o.context);
    expect(PARSE("-N2", "cmd") == 0 && o.context && !o.many && PARSE("-n2", "cmd") == 0);
    expect(!o.context && PARSE("-m", "-N2", "cmd") == 0 && !o.context && o.many);
    expect(PARSE("--header", ":", "cmd") == 0 && strcmp(o.colsep, "\\t") == 0);
    expect(PARSE("-d", "\\r\\n", "cmd") == 0 && o.delimiter == '\n');
    expect(strcmp(o.delimiter_head, "\r") == 0);
    options_fini(&o);
}

TEST(options_refuse_by_name_and_reason)
{
    expect(REFUSES("--sshlogin of GNU parallel is not supported: commands run on this",
                   "--sshlogin", "h", "cmd"));
    expect(REFUSES("-S and --sshlogin of GNU parallel", "-S", "h", "cmd"));
    expect(REFUSES("-S and", "-S", ":,h", "cmd") && REFUSES("-S and", "-S", "0/:", "cmd"));
    expect(PARSE("-S", ":", "cmd") == 0 && o.cores == 0);
    expect(PARSE("-S8/:", "cmd") == 0 && o.cores == 8);
    expect(REFUSES("-p of GNU parallel", "-kp", "cmd"));
    expect(REFUSES("did you mean --joblog", "--joblogs", "f", "cmd"));
    expect(REFUSES("unknown option --zzzzzzzzzzzz", "--zzzzzzzzzzzz", "cmd"));
    expect(REFUSES("takes no value", "--bar=1", "cmd"));
    expect(SAYS("--joblog needs a value: --joblog FILE", "--joblog"));
    expect(SAYS("-j needs a value: -j N", "-kj") && PARSE("-kj", "1") == 0);
    options_fini(&o);
}

TEST(options_refuse_bad_values_and_combinations)
{
    expect(REFUSES("--retries: expected", "--retries", "0", "cmd"));
    expect(PARSE("--retries", "100", "cmd") == 0 &&
           REFUSES("--retries", "--retries", "101", "cmd"));
    expect(REFUSES("--delay: expected", "--delay", "x", "cmd"));
    expect(REFUSES("--trim: expected", "--trim", "x", "cmd"));
    expect(REFUSES("--resume needs --joblog", "--resume", "cmd") &&
           REFUSES("--retry-failed needs --joblog", "--retry", "3", "cmd"));
    expect(REFUSES("--pipepart needs one file", "--pipepart", "cmd"));
    expect(REFUSES("--array cannot be combined", "--array", "1-3", "cmd", ":::", "a"));
    expect(SAYS("--policy needs --pure or --clone: commands must be allowed to run twice",
                "--policy", "late", "cmd"));
    expect(PARSE("--policy", "none", "cmd") == 0 && PARSE("--policy", "late", "--pure", "x") == 0 &&
           PARSE("--policy", "late", "--clone", "cmd") == 0);
    expect(REFUSES("which attempt wins", "--lb", "--pure", "cmd"));
    expect(SAYS("--nodes and -j exclude each other", "-j2", "--nodes", "2x2", "cmd"));
    expect(PARSE("--nodes", "2x2", "cmd") == 0);
    expect(REFUSES("--nodes and --on exclude", "--on", "local:2", "--nodes", "2x2", "cmd"));
    expect(REFUSES("--resume-failed needs --joblog", "--resume-failed", "cmd"));
    expect(REFUSES("--pipe and --pipepart cannot", "--pipe", "--array", "1-3", "cmd"));
    expect(REFUSES("--pipe and --pipepart cannot", "--pipe", "-X", "cmd"));
    expect(REFUSES("--pipe and --pipepart cannot", "--pipe", "--colsep", ",", "cmd"));
    expect(REFUSES("--pipe and --pipepart cannot", "--pipepart", "-a", "f", "--link", "cmd"));
    expect(REFUSES("--pipepart cannot", "--pipepart", "-a", "f", "--remove-rec-sep", "cmd"));
    expect(REFUSES("--pipepart cannot", "--pipepart", "-a", "f", "-L1", "cmd"));
    expect(SAYS("--block -N depends on the size of the file: it needs --pipepart", "--pipe",
                "--block", "-2", "cmd"));
    expect(PARSE("--pipepart", "-a", "f", "--block", "-2", "cmd") == 0 && o.block_parts == 2);
    expect(REFUSES("--pipe and --pipepart need a command", "--pipe"));
    expect(REFUSES("--array needs a command", "--array", "1-3"));
    expect(REFUSES("--pull fetches outputs", "--on", "local:2", "--pull", "--lb", "cmd"));
    expect(SAYS("--line-buffer and --ungroup cannot be combined with --retries", "-u", "--retries",
                "2", "cmd"));
    expect(REFUSES("be combined with --retries", "--lb", "--retries", "2", "cmd"));
    expect(PARSE("--lb", "--retries", "1", "cmd") == 0);
    expect(REFUSES("--nice must be from 0 to 19", "--nice", "20", "cmd"));
    expect(PARSE("--nice", "19", "cmd") == 0);
    expect(REFUSES("%N in --output", "--on", "local:2", "--error", "%N", "cmd"));
    expect(REFUSES("%N in --output", "--on", "local:2", "--output", "%N", "cmd"));
    expect(REFUSES("--joblog - writes", "--joblog", "-", "--resume", "cmd"));
    expect(REFUSES("--joblog - writes", "--joblog", "-", "--json", "cmd"));
    expect(REFUSES("a table that is written once", "--results", "t.CSV", "--json", "cmd"));
    expect(PARSE("--results", ".csv", "--dir", "d", "cmd") == 0); /* a folder with a short name */
    expect(REFUSES("--json prints one object", "--json", "--tag", "cmd"));
    expect(REFUSES("--load: expected a number", "--load", "0", "cmd"));
    expect(REFUSES("--load: expected a number", "--load", "x", "cmd"));
    expect(SAYS("-d: expected at most 15 characters, not '0123456789012345'", "-d",
                "0123456789012345", "cmd"));
    expect(PARSE("-d", "012345678901234", "cmd") == 0 && o.delimiter == '4');
    expect(REFUSES("unknown option -@", "-@", "cmd"));
    options_fini(&o);
}

TEST(options_name_the_value_that_is_not_one)
{
    static char *const times[] = {"0", "x", "0%", "-5%", "1.5y", ""};
    static char *const delimiters[] = {"a\\0b", "", "\\0\\0"};
    char want[128];

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        snprintf(want, sizeof want,
                 "--timeout: expected a time such as 30, 1.5m, or 200%% of the median, not '%s'",
                 times[i]);
        expect(SAYS(want, "--timeout", times[i], "cmd"));
    }
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++) {
        snprintf(want, sizeof want, "-d: expected some characters, or \\0 alone, not '%s'",
                 delimiters[i]);
        expect(SAYS(want, "-d", delimiters[i], "cmd"));
    }
    expect(PARSE("-d", "\\0", "cmd") == 0 && o.delimited && o.delimiter == 0);
    expect(SAYS("--help: expected nothing, or --help=all, not 'al'", "--help=al"));
    expect(PARSE("--help=all") == 0 && o.help && o.help_all);
    expect(PARSE("--help") == 0 && o.help && !o.help_all);
    options_fini(&o);
}

TEST(options_pipe_takes_one_stream)
{
    static const char why[] = "--pipe reads stdin or one file (-a FILE), not arguments after :::";

    expect(SAYS(why, "--pipe", "-a", "f", "-a", "g", "cmd"));
    expect(SAYS(why, "--pipe", "cmd", ":::", "a") && SAYS(why, "--cat", "cmd", ":::", "a"));
    expect(PARSE("--pipe", "cmd") == 0 && PARSE("--pipe", "-a", "f", "cmd") == 0);
    options_fini(&o);
}

/* All of stdin goes to each task, so arguments come from elsewhere. */
TEST(options_tee_needs_a_command_and_arguments_of_its_own)
{
    expect(PARSE("--pipe", "--tee", "cmd", "{}", ":::", "a") == 0 && o.tee && !o.pipe);
    expect(PARSE("--tee", "-a", "f", "cmd") == 0);
    expect(REFUSES("--tee gives", "--tee", "cmd"));
    expect(REFUSES("--tee gives", "--tee", "-a", "-", "cmd"));
    expect(REFUSES("--tee gives", "--tee", ":::", "a"));
    expect(REFUSES("--tee gives", "--tee", "--cat", "cmd", ":::", "a"));
    options_fini(&o);
}

TEST(options_that_mean_others)
{
    expect(PARSE("-L0", "cmd") == 0 && o.max_args == 0);
    expect(PARSE("-L3", "-N2", "cmd") == 0 && o.max_args == 2);
    expect(PARSE("-L3", "--pipe", "cmd") == 0 && o.max_args < 0);
    expect(PARSE("--trim", "rl", "cmd") == 0 && o.trim == INPUTS_TRIM_BOTH);
    expect(PARSE("--colsep", ",", "cmd") == 0 && o.trim == INPUTS_TRIM_BOTH);
    expect(PARSE("cmd") == 0 && o.trim == INPUTS_TRIM_NONE);
    expect(PARSE("--lb", "--results", "d", "cmd") == 0 && o.output == OUTPUT_GROUP && !o.table);
    expect(PARSE("--results", "d/t.tsv", "cmd") == 0 && o.table == TABLE_TSV);
    expect(PARSE("--results", "t.json", "cmd") == 0 && o.table == TABLE_JSON);
    expect(PARSE("--pipepart", "--round-robin", "-a", "f", "cmd") == 0 && o.pipe && !o.pipepart);
    expect(PARSE("--cat", "cmd") == 0 && o.pipe);
    options_fini(&o);
}
