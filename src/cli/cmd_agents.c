/* cmd_agents.c - `dolly agents`: the nodes of a run that goes on, from the list that its
 * coordinator keeps (agent/agents_list.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/agents_list.h"
#include "cli/commands.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

struct agents_args {
    const char *dir;
    bool json;
};

static const struct field options[] = {
    {FIELD_OPTION("json", NULL, FIELD_FLAG, struct agents_args, json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "agents",
    .usage = "usage: dolly agents RUN [--json]\n\n"
             "Lists the nodes of a run with --on while it goes on: their state (here, leaving,\n"
             "silent, away), how many attempts they run, when they were last heard, and where\n"
             "their files are: in the folder of the run (shared), or in scratch, fetched from\n"
             "there (pulled). For a job of `dolly run` or `dolly streaming`, RUN is the folder of\n"
             "its results.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly map --on local:4 --dir run1 ./simulate ::: {1..1000} &\n"
             "  dolly agents run1",
    .has_operand = true,
    .operand_at = offsetof(struct agents_args, dir),
};

static json_t *row_json(const struct agents_list_row *r, int64_t heard_ms)
{
    json_t *o = json_object();

    json_out_set(o, "name", json_string(r->name));
    json_out_set(o, "state", json_string(r->state));
    json_out_set(o, "host", json_string(r->host));
    json_out_set(o, "cores", json_integer(r->cores));
    json_out_set(o, "running", json_integer(r->running));
    json_out_set(o, "heard_ms", json_integer(heard_ms));
    json_out_set(o, "files", json_string(r->files));
    json_out_set(o, "scratch", json_string(r->scratch));
    json_out_set(o, "address", json_string(r->address));
    return o;
}

/* How long ago the list was written. */
static int64_t age_ms(FILE *file)
{
    struct stat st;
    struct timespec now;

    if (fstat(fileno(file), &st) < 0)
        return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t ms =
        (now.tv_sec - st.st_mtim.tv_sec) * 1000 + (now.tv_nsec - st.st_mtim.tv_nsec) / 1000000;
    return ms > 0 ? ms : 0;
}

static void print(FILE *file, bool json)
{
    char line[AGENTS_LIST_LINE];
    struct agents_list_row r;
    int64_t age = age_ms(file);
    json_t *list = json_array();
    bool any = false;

    if (!json)
        printf("%-16s %-7s %-16s %6s %8s %9s  %-7s %s\n", "agent", "state", "host", "cores",
               "running", "heard", "files", "scratch");
    while (fgets(line, sizeof line, file)) {
        if (!agents_list_parse(line, &r))
            continue;
        any = true;
        if (json)
            json_array_append_new(list, row_json(&r, r.heard_ms + age));
        else
            printf("%-16s %-7s %-16s %6lld %8lld %7.1f s  %-7s %s\n", r.name, r.state, r.host,
                   (long long)r.cores, (long long)r.running, (double)(r.heard_ms + age) / 1000,
                   r.files, r.scratch);
    }
    if (json) {
        json_t *o = json_object();
        json_out_set(o, "age_ms", json_integer(age));
        json_out_set(o, "agents", list);
        json_out_print(o);
        return;
    }
    json_decref(list);
    if (!any)
        puts("No agent has come yet.");
    if (age > 5000)
        printf("This was %lld s ago; the coordinator of the run does not say more.\n",
               (long long)(age / 1000));
}

/* The list of the run in the folder, or of the job whose results will be there. NULL after a line
 * that says why not. */
static FILE *find_list(const char *dir)
{
    static const char *const places[] = {"agents", "_temporary/run/agents"};
    char path[PATH_MAX];
    FILE *file = NULL;

    for (size_t i = 0; !file && i < sizeof places / sizeof *places; i++)
        if (snprintf(path, sizeof path, "%s/%s", dir, places[i]) < (int)sizeof path)
            file = fopen(path, "re");
    if (!file && access(dir, F_OK) < 0)
        fprintf(stderr, "dolly: %s: %s\n", dir, strerror(errno));
    else if (!file)
        fprintf(stderr, "dolly: %s: no agents are there: the run is over, or has none\n", dir);
    return file;
}

int cmd_agents(int argc, char **argv)
{
    struct agents_args a = {0};
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (!a.dir)
        return cli_usage("agents", "the folder of a run is missing");
    FILE *file = find_list(a.dir);
    if (!file)
        return EXIT_USAGE;
    print(file, a.json);
    fclose(file);
    return EXIT_DONE;
}
