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
    const char *connect, *connect_file, *tunnel, *name, *scratch, *key_file, *munge;
    int64_t key_fd, linger_us, cores;
};

#define OPTION(name, value, type, member, help)                                                    \
    FIELD_OPTION(name, value, type, struct agent_args, member, help)

static const struct field options[] = {
    {OPTION("connect", "HOST:PORT", FIELD_TEXT, connect, "where the coordinator listens")},
    {OPTION("connect-file", "FILE", FIELD_TEXT, connect_file,
            "a file with the present address, which wins over --connect; the agent leaves when it "
            "is removed")},
    {OPTION("tunnel", "SOCKET", FIELD_TEXT, tunnel,
            "a local socket that leads to the coordinator, used if HOST:PORT cannot be reached; "
            "removed at the end")},
    {OPTION("key-fd", "N", FIELD_INT, key_fd,
            "read the key of the run, sealed by MUNGE or not, from this descriptor")},
    {OPTION("key-file", "FILE", FIELD_TEXT, key_file,
            "read the key from a file that only its owner can read")},
    {OPTION("name", "NAME", FIELD_TEXT, name, "name of the agent, %h for the host; default %h")},
    {OPTION("scratch", "DIR", FIELD_TEXT, scratch,
            "folder on this node for private files; default $SLURM_TMPDIR, $TMPDIR or /tmp")},
    {OPTION("linger", "TIME", FIELD_TIME, linger_us,
            "how long to look for a coordinator, at first and when one is lost; default 60s")},
    {OPTION("munge", "SOCKET", FIELD_TEXT, munge,
            "prove the user of the process by MUNGE, with munged at this socket or at the "
            "`default`, and require the same of the coordinator")},
    {OPTION("cores", "N", FIELD_INT, cores,
            "maximum number of cores; default every core in the "
            "affinity mask"),
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

static int read_key(const struct agent_args *a, struct secret *key)
{
    struct err err;

    spawn_hold_core();
    if ((a->key_fd < 0) == (a->key_file == NULL))
        return cli_usage("agent", "expected one of --key-fd and --key-file");
    const char *socket = a->munge && strcmp(a->munge, AGENT_MUNGE_USUAL) != 0 ? a->munge : NULL;
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
    struct agent_args a = {.key_fd = -1, .linger_us = AGENT_LINGER_US};
    struct agent_options o = {0};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (!a.connect)
        return cli_usage("agent", "--connect is missing");
    if ((status = read_key(&a, &o.secret)) != 0)
        return status;
    o.connect = a.connect;
    o.connect_file = a.connect_file;
    o.tunnel = a.tunnel;
    o.name = a.name;
    o.scratch = a.scratch;
    o.linger_us = a.linger_us;
    o.note = note;
    o.munge = a.munge;
    o.cores = a.cores;
    status = agent_run(&o, &err);
    secret_wipe(&o.secret);
    if (err.text[0])
        fprintf(stderr, "dolly agent: %s\n", err.text);
    return status;
}
