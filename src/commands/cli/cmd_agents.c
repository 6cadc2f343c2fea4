/* cmd_agents.c - `dolly agents`: the nodes of a run in progress, from the list that its coordinator
 * keeps (remote/coordinator/agent_list.h), and their tasks (agents_tasks.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands/cli/agents_tasks.h"
#include "commands/commands.h"
#include "remote/coordinator/agent_list.h"
#include "remote/fleet/slurm_queue.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

struct agents_args {
    const char *dir;
    bool json, tasks;
};

#define OPTIONS struct agents_args

static const struct field options[] = {
    {FLAG("json", json, "print one JSON object")},
    {FLAG("tasks", tasks, "list their tasks, and jobs that wait in Slurm's queue")},
    {0},
};

static const struct opt_command command = {
    .name = "agents",
    .usage = "usage: dolly agents RUN [--tasks] [--json]\n"
             "\n"
             "Lists the nodes of a run that was started with --on and is still active: their "
             "state (here, leaving, silent, away), how many attempts they run, when they last "
             "reported, and where their files are: in the folder of the run (shared), or in "
             "scratch and fetched from there (pulled). With --tasks: the task that each node "
             "runs, and since when; the Slurm jobs that wait, why, and when Slurm expects them to "
             "start. For a job of `dolly run` or `dolly streaming`, RUN is the folder of its "
             "results.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly map --on local:4 --dir run1 ./simulate ::: {1..1000} &\n"
             "  dolly agents run1 --tasks",
    .has_operand = true,
    .operand_at = offsetof(struct agents_args, dir),
};

static json_t *row_json(const struct agent_list_row *r, int64_t heard_ms)
{
    json_t *o = json_object();

    json_out_members(o, r, name, state, host, cores, running);
    json_out_put(o, "heard_ms", heard_ms);
    json_out_members(o, r, files, scratch, address);
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

/* Reads the list. NULL unless `json`: it is printed instead. */
static json_t *print_agents(FILE *file, int64_t age, bool json)
{
    char line[AGENT_LIST_LINE];
    struct agent_list_row r;
    json_t *list = json ? json_array() : NULL;
    bool any = false;

    if (!json)
        printf("%-12s %-7s %-12s %5s %7s %8s %-6s %s\n", "agent", "state", "host", "cores",
               "running", "heard", "files", "scratch");
    while (fgets(line, sizeof line, file)) {
        if (!agent_list_parse(line, &r))
            continue;
        any = true;
        if (json)
            json_array_append_new(list, row_json(&r, r.heard_ms + age));
        else
            printf("%-12s %-7s %-12s %5lld %7lld %6.1f s %-6s %s\n", r.name, r.state, r.host,
                   (long long)r.cores, (long long)r.running, (double)(r.heard_ms + age) / 1000,
                   r.files, r.scratch);
    }
    if (!json && !any)
        puts("No agent has connected yet.");
    return list;
}

/* ---- what they are at ---- */

/* On one line, whatever it holds. */
static void print_plain(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
}

static json_t *print_tasks(const struct agents_tasks *t, bool json)
{
    json_t *list = json ? json_array() : NULL;
    char since[32];

    if (!json && t->at.count == 0)
        puts("No task runs.");
    else if (!json)
        printf("%-16s %-16s %-20s  %s\n", "agent", "task", "since", "command");
    for (uint32_t i = 0; i < t->at.count; i++) {
        const struct agents_task *task = &t->at.at[i];
        time_t second = (time_t)(task->since_us / 1000000);
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", gmtime(&second));
        if (json) {
            json_t *o = json_out_add(list);
            json_out_put(o, "agent", task->node);
            json_out_members(o, task, task, attempt);
            json_out_put(o, "since", since);
            json_out_put(o, "command", task->command);
            continue;
        }
        printf("%-16s %-16s %-20s  ", task->node, task->task, since);
        print_plain(task->command ? task->command : "");
        putchar('\n');
    }
    return list;
}

static json_t *print_queue(const struct slurm_queue *q, bool json)
{
    json_t *list = json ? json_array() : NULL;

    for (uint32_t i = 0; i < q->at.count; i++) {
        const struct slurm_queue_job *j = &q->at.at[i];
        bool expected = strcmp(j->start, "N/A") != 0;
        if (json) {
            json_t *o = json_out_add(list);
            json_out_put(o, "job", j->id);
            json_out_members(o, j, nodes, reason);
            json_out_put(o, "start", expected ? j->start : NULL);
            continue;
        }
        printf("Slurm job %s for %s node%s waits: ", j->id, j->nodes,
               strcmp(j->nodes, "1") == 0 ? "" : "s");
        print_plain(j->reason);
        printf(expected ? "; it is expected to start at %s\n"
                        : "; Slurm does not know when it will start\n",
               j->start);
    }
    return list;
}

/* Asks Slurm, if the run asks it for nodes. */
static void ask_queue(struct slurm_queue *q, const char *dir)
{
    char path[PATH_MAX], name[64] = "";
    struct err err;

    snprintf(path, sizeof path, "%.*s/slurm-name", PATH_MAX - 16, dir);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    size_t n = fread(name, 1, sizeof name - 1, file);
    fclose(file);
    name[n] = 0;
    if (strncmp(name, "dolly-", 6) == 0 && slurm_queue_ask(q, name, &err) < 0)
        fprintf(stderr, "dolly: %s\n", err.text);
}

/* Adds to *whole, or prints. */
static int tell_tasks(const char *dir, json_t *whole)
{
    struct agents_tasks tasks = {0};
    struct slurm_queue queue = {0};
    struct err err;
    int result = agents_tasks_read(&tasks, dir, &err);

    if (result < 0) {
        cli_fail(&err);
    } else {
        ask_queue(&queue, dir);
        json_t *list = print_tasks(&tasks, whole != NULL);
        json_t *waiting = print_queue(&queue, whole != NULL);
        if (whole) {
            json_out_set(whole, "tasks", list);
            json_out_set(whole, "waiting", waiting);
        }
    }
    slurm_queue_fini(&queue);
    agents_tasks_fini(&tasks);
    return result;
}

/* ---- the command ---- */

static int tell(const struct agents_args *a, const char *dir, FILE *file)
{
    int64_t age = age_ms(file);
    json_t *whole = NULL;
    int result = 0;

    if (a->json) {
        whole = json_object();
        json_out_put(whole, "age_ms", age);
        json_out_set(whole, "agents", print_agents(file, age, true));
    } else if (!a->tasks) {
        print_agents(file, age, false);
    }
    if (a->tasks)
        result = tell_tasks(dir, whole);
    if (whole && result == 0)
        json_out_print(whole);
    else if (whole)
        json_decref(whole);
    else if (result == 0 && age > 5000)
        printf("This was %lld s ago; the coordinator of the run has not reported since.\n",
               (long long)(age / 1000));
    return result;
}

/* The list of the run in the folder, or of the job whose results will be there; and where that run
 * is. NULL after a line that says why not. */
static FILE *find_list(const char *dir, char run[PATH_MAX])
{
    static const char *const places[] = {"", "/_temporary/run"};
    char path[PATH_MAX + 8];
    FILE *file = NULL;

    for (size_t i = 0; !file && i < sizeof places / sizeof *places; i++)
        if (snprintf(run, PATH_MAX, "%s%s", dir, places[i]) < PATH_MAX) {
            snprintf(path, sizeof path, "%s/agents", run);
            file = fopen(path, "re");
        }
    if (!file && access(dir, F_OK) < 0)
        fprintf(stderr, "dolly: %s: %s\n", dir, strerror(errno));
    else if (!file)
        fprintf(stderr, "dolly: %s: no agents: the run is over, or does not use any\n", dir);
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
    char run[PATH_MAX];
    FILE *file = find_list(a.dir, run);
    if (!file)
        return EXIT_USAGE;
    int result = tell(&a, run, file);
    fclose(file);
    return result < 0 ? EXIT_USAGE : EXIT_DONE;
}
