/* cmd_agent.c - `dolly agent`: what a way of starting agents (remote/fleet/fleet.h) starts on a
 * node. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "exec/process/spawn.h"
#include "remote/agent/agent.h"
#include "remote/wire/identity.h"
#include "ui/cli.h"
#include "ui/opt.h"

struct agent_args {
    struct agent_options agent;
    const char *key_file;
    int64_t key_fd;
};

#define OPTIONS struct agent_args

static const struct field options[] = {
    {OPTION("connect", "HOST:PORT", FIELD_TEXT, agent.connect, "where the coordinator listens")},
    {OPTION("connect-file", "FILE", FIELD_TEXT, agent.connect_file,
            "a file with the present address, which wins over --connect; the agent leaves when it "
            "is removed")},
    {OPTION("tunnel", "SOCKET", FIELD_TEXT, agent.tunnel,
            "a local socket that leads to the coordinator, used if HOST:PORT cannot be reached; "
            "removed at the end")},
    {OPTION("key-fd", "N", FIELD_INT, key_fd,
            "read the key of the run, sealed by MUNGE or not, from this descriptor")},
    {OPTION("key-file", "FILE", FIELD_TEXT, key_file,
            "read the key from a file that only its owner can read")},
    {OPTION("name", "NAME", FIELD_TEXT, agent.name,
            "name of the agent, %h for the host; default %h")},
    {OPTION("scratch", "DIR", FIELD_TEXT, agent.scratch,
            "folder on this node for private files; default $SLURM_TMPDIR, $TMPDIR or /tmp")},
    {OPTION("linger", "TIME", FIELD_TIME, agent.linger_us,
            "how long to look for a coordinator, at first and when one is lost; default 60s")},
    {OPTION("munge", "SOCKET", FIELD_TEXT, agent.munge,
            "prove the user of the process by MUNGE, with munged at this socket or at the "
            "`default`, and require the same of the coordinator")},
    {OPTION("cores", "N", FIELD_INT, agent.cores,
            "maximum number of cores; default every core in the affinity mask"),
     .max = 1000000},
    {0},
};

static const struct opt_command command = {
    .name = "agent",
    .usage = "usage: dolly agent --connect HOST:PORT (--key-fd N | --key-file FILE) [OPTIONS]\n"
             "\n"
             "Runs the attempts that a coordinator asks for, until the coordinator ends it. "
             "Commands with\n"
             "--on start agents by themselves; start one by hand to add a node to a run.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly agent --connect login1:40123 --key-file run/agents.key --name node7",
};

static int read_key(struct agent_args *a)
{
    const char *munge = a->agent.munge;
    struct secret *key = &a->agent.secret;
    struct err err;

    spawn_hold_core();
    if ((a->key_fd < 0) == (a->key_file == NULL))
        return cli_usage("agent", "expected one of --key-fd and --key-file");
    const char *socket = munge && strcmp(munge, AGENT_MUNGE_USUAL) != 0 ? munge : NULL;
    if ((a->key_file ? secret_read_file(key, a->key_file, &err)
                     : identity_read_key(key, (int)a->key_fd, socket, &err)) < 0)
        return cli_fail(&err);
    return 0;
}

static void note(const char *text)
{
    fprintf(stderr, "dolly agent: %s\n", text);
    fflush(stderr);
}

int cmd_agent(int argc, char **argv)
{
    struct agent_args a = {.key_fd = -1, .agent = {.linger_us = AGENT_LINGER_US, .note = note}};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (!a.agent.connect)
        return cli_usage("agent", "--connect is missing");
    if ((status = read_key(&a)) != 0)
        return status;
    status = agent_run(&a.agent, &err);
    secret_wipe(&a.agent.secret);
    if (err.text[0])
        fprintf(stderr, "dolly agent: %s\n", err.text);
    return status;
}
