/* Each command prints its help, and refuses options that it does not have. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/cmd_run.h"
#include "jobs/streaming/cmd_streaming.h"
#include "tests/unit/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} all[] = {
    {"sim", cmd_sim},           {"workload", cmd_workload},
    {"trace", cmd_trace},       {"replay", cmd_replay},
    {"whatif", cmd_whatif},     {"reproduce", cmd_reproduce},
    {"policies", cmd_policies}, {"model", cmd_model},
    {"explain", cmd_explain},   {"report", cmd_report},
    {"journal", cmd_journal},   {"map", cmd_map},
    {"resume", cmd_go_on},      {"exec", cmd_exec},
    {"run", cmd_run},           {"streaming", cmd_streaming},
    {"agents", cmd_agents},     {"agent", cmd_agent},
};

/* Names an option that the help lists, at *at or behind it; NULL: no more. */
static const char *next_option(const char **at, char name[64])
{
    while (*at) {
        const char *line = *at;
        const char *end = strchr(line, '\n');
        *at = end ? end + 1 : NULL;
        /* a blank of a format stands for any number of them: help that goes on is indented, too */
        if (strncmp(line, "  --", 4) == 0 && sscanf(line, "  --%60[a-z0-9-]", name) == 1)
            return name;
    }
    return NULL;
}

TEST(commands_print_their_help)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char words[96], head[64], *text;
        snprintf(words, sizeof words, "%s --help", all[i].name);
        snprintf(head, sizeof head, "usage: dolly %s", all[i].name);
        expect(command_run(all[i].run, words, &text, NULL) == 0);
        expect(strncmp(text, head, strlen(head)) == 0);
        expect(text[strlen(text) - 1] == '\n');
        for (const char *c = text; *c; c++)
            expect(*c == '\n' || isprint((unsigned char)*c) || (unsigned char)*c >= 0x80);
        mem_free(text);
    }
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
    }
    return widest;
}

TEST(commands_print_help_of_at_most_80_columns)
{
    static const char *const ways[] = {"--help", "--help=all"};
    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++) {
        char words[96], *text;
        snprintf(words, sizeof words, "%s %s", all[i / 2].name, ways[i % 2]);
        expect(command_run(all[i / 2].run, words, &text, NULL) == 0);
        if (widest_line(text) > 80)
            printf("    of %s\n", words);
        expect(widest_line(text) <= 80 && widest_line(text) > 40);
        mem_free(text);
    }
}

TEST(map_prints_the_options_of_every_day_first)
{
    static const char *const everyday[] = {"--jobs",   "--keep-order", "--arg-file", "--bar",
                                           "--joblog", "--retries",    "--timeout",  "--halt",
                                           "--pure",   "--dir ",       "--on ",      "--dry-run"};
    char *brief, *whole;
    uint32_t options = 0;
    expect(command_run(cmd_map, "map --help", &brief, NULL) == 0);
    expect(command_run(cmd_map, "map --help=all", &whole, NULL) == 0);
    for (size_t i = 0; i < sizeof everyday / sizeof *everyday; i++) {
        char row[32];
        snprintf(row, sizeof row, "\n  %s", everyday[i]);
        expect(strstr(brief, row) && strstr(whole, row));
    }
    for (const char *at = brief; (at = strstr(at, "\n  --")); at++)
        options++;
    expect(options == sizeof everyday / sizeof *everyday);
    expect(strstr(brief, "`dolly map --help=all`") && strstr(brief, "Examples:\n"));
    expect(!strstr(brief, "--colsep") && strstr(whole, "--colsep, -C REGEX "));
    /* the number of the others is right */
    const char *others = strstr(brief, "\nThe other ");
    unsigned said = 0;
    expect(others && sscanf(others, "\nThe other %u options", &said) == 1);
    for (const char *at = whole; (at = strstr(at, "\n  -")); at++)
        options++;
    expect(options == said + 2 * (sizeof everyday / sizeof *everyday));
    mem_free(brief);
    mem_free(whole);
    expect(command_fails(cmd_map, "map --help=some", 255, "--help=all"));
    expect(command_run(cmd_map, "map --help echo ::: 1", NULL, NULL) == 0);
    expect(command_run(cmd_map, "map -h", NULL, NULL) == 0);
}

TEST(commands_refuse_options_that_they_do_not_have)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char words[96];
        snprintf(words, sizeof words, "%s --no-such-option", all[i].name);
        expect(command_fails(all[i].run, words, all[i].run == cmd_map ? 255 : 2, "no-such-option"));
    }
}

/* A typing error is answered with the option that was meant, if its name is long enough. */
TEST(commands_suggest_the_options_of_their_help)
{
    static const char *const others[] = {"map", "streaming"}; /* with words of other programs */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char words[160], option[64], meant[72], *text, *err;
        bool other = strcmp(all[i].name, others[0]) == 0 || strcmp(all[i].name, others[1]) == 0;
        snprintf(words, sizeof words, "%s --help", all[i].name);
        expect(command_run(all[i].run, words, &text, NULL) == 0);
        const char *at = text;
        while (!other && next_option(&at, option)) {
            if (strlen(option) < 6)
                continue;
            snprintf(words, sizeof words, "%s --%sq", all[i].name, option);
            snprintf(meant, sizeof meant, "--%s", option);
            expect(command_run(all[i].run, words, NULL, &err) == 2);
            expect(strstr(err, "did you mean") && strstr(strstr(err, "did you mean"), meant));
            mem_free(err);
        }
        mem_free(text);
    }
}
