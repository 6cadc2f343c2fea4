/* main.c - the list of commands. Everything else is in the command's own file. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/cmd_run.h"
#include "jobs/run/cmd_task.h"
#include "jobs/streaming/cmd_streaming.h"
#include "ui/cli.h"

/* A command: argv[0] is its name; returns an exit status. */
struct command {
    const char *name, *help; /* help: one line; NULL hides it from the list */
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"map", "run a command for each argument, as GNU parallel does", cmd_map},
    {"run", "run a data-parallel job: phases of commands, a shuffle between them", cmd_run},
    {"streaming", "run mappers and reducers, with Hadoop Streaming's command line", cmd_streaming},
    {"exec", "run the jobs of a workload file as real processes", cmd_exec},
    {"resume", "continue an interrupted run", cmd_go_on},
    {"explain", "explain in plain words what happened in a run, and why", cmd_explain},
    {"report", "write a page about a run that can be passed around", cmd_report},
    {"top", "show a run in a terminal while it is running", cmd_top},
    {"watch", "serve a page about a run while it is running", cmd_watch},
    {"journal", "print the journal of a run as JSON lines", cmd_journal},
    {"sim", "run policies on a workload in the simulator and compare them", cmd_sim},
    {"policies", "print which policy suits which load, its parts and parameters", cmd_policies},
    {"replay", "run the jobs of a recorded run again, under other policies", cmd_replay},
    {"advise", "advise which policy to take, by a recorded run or a trace", cmd_advise},
    {"whatif", "compute how much shorter jobs would be if no task straggled", cmd_whatif},
    {"workload", "print the jobs of a generated workload, or their statistics", cmd_workload},
    {"trace", "read traces of real clusters: statistics, or jobs as a workload", cmd_trace},
    {"model", "compute the gain of cloning by the closed formulas", cmd_model},
    {"reproduce", "measure the numbers that papers report, and print both", cmd_reproduce},
    {"agents", "list the nodes of a run and their state", cmd_agents},
    {"agent", "run attempts on this node for a run elsewhere", cmd_agent},
    {"task", NULL, cmd_task},     /* an attempt of a job of streaming */
    {"keeper", NULL, cmd_keeper}, /* what starts an srun, and ends it with its run */
    {"leave", NULL, cmd_leave},   /* what a run of map becomes when its guard is killed */
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    fputs("usage: dolly COMMAND [OPTIONS]\n\n"
          "Schedules jobs of many tasks and keeps stragglers from delaying them, in a\n"
          "simulated cluster or with real processes. The same code decides in both.\n\n"
          "Commands:\n",
          stdout);
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].help)
            printf("  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("  help       show the help of a command: dolly help COMMAND\n\n"
          "Examples:\n"
          "  dolly map -k --bar gzip -9 ::: *.log\n"
          "  dolly sim --workload examples/mixed.workload --policy none,dolly \\\n"
          "            --cluster examples/small.cluster --set beta=0.3\n\n"
          "Exit status: 0 done, 1 the job or the machine failed, 2 bad usage or bad input,\n"
          "130 interrupted.\n",
          stdout);
}

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[COMMANDS + 2] = {"--help", "--version"};
    size_t count = 2;

    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].help)
            names[count++] = commands[i].name;
    const char *nearest = text_nearest(name, names, count);
    if (nearest)
        return cli_usage(NULL, "unknown command '%s', did you mean '%s'?", name, nearest);
    return cli_usage(NULL, "unknown command '%s'", name);
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: dolly COMMAND [OPTIONS]; `dolly --help` lists the commands\n"
              "  run commands:  dolly map gzip -9 ::: *.log\n"
              "  simulate:      dolly sim --workload facebook --policy none,dolly\n"
              "  read a run:    dolly explain RUN, dolly report RUN\n",
              stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        puts("dolly " DOLLY_VERSION);
        return EXIT_DONE;
    }
    bool help = strcmp(name, "help") == 0;
    if (is_help(name) || (help && (argc == 2 || is_help(argv[2])))) {
        print_help();
        return EXIT_DONE;
    }
    if (help)
        name = argv[2];
    const struct command *command = find(name);
    if (!command)
        return unknown(name);
    if (help) {
        char *ask[] = {argv[2], "--help", NULL};
        return command->run(2, ask);
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    cli_hold_standard_files();
    cli_open_stdout();
    return cli_close_stdout(dispatch(argc, argv));
}
