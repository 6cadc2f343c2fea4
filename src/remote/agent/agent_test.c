/* What an agent is called, where it works, and what it says of its node. */
#include "remote/agent/agent.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "remote/agent/agent_node.h"
#include "remote/fleet/fleet.h"
#include "tests/unit/test.h"

/* ---- starting ---- */

/* Runs an agent that cannot reach anybody in a process of its own: its status, and why it failed.
 */
static int agent_fails(const struct agent_options *options, char why[256])
{
    int fds[2], status = -1;

    expect(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        int result = agent_run(options, &err);
        ssize_t written = write(fds[1], err.text, strlen(err.text));
        _exit(written < 0 ? 99 : result);
    }
    close(fds[1]);
    ssize_t n = 0, got;
    while ((got = read(fds[0], why + n, 255 - (size_t)n)) > 0)
        n += got;
    why[n] = 0;
    close(fds[0]);
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static uint32_t entries(const char *dir)
{
    DIR *d = opendir(dir);
    uint32_t n = 0;

    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

TEST(agent_has_a_name_of_plain_characters)
{
    static const char *const bad[] = {"a b", "", "x/y", "%h%", "a\n"};
    char dir[TEST_FOLDER], why[256], name[FLEET_NAME_MAX + 2];
    struct agent_options o = {.connect = "nowhere", .scratch = dir};

    test_folder(dir);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.name = bad[i];
        expect(agent_fails(&o, why) == 2);
        expect(strstr(why, "expected letters, digits, '.', '_' and '-'"));
    }
    memset(name, 'n', sizeof name);
    name[FLEET_NAME_MAX + 1] = 0;
    o.name = name;
    expect(agent_fails(&o, why) == 2 && strstr(why, "expected at most"));
    /* These are names: what is wrong is that nobody is there. */
    name[FLEET_NAME_MAX] = 0;
    expect(agent_fails(&o, why) != 0 && strstr(why, "cannot join a run"));
    o.name = "a.b_c-9";
    expect(agent_fails(&o, why) != 0 && strstr(why, "cannot join a run"));
    expect(entries(dir) == 0);
    tree_remove(dir);
}

TEST(agent_says_where_it_cannot_work)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 16], why[256];
    struct agent_options o = {.connect = "nowhere", .name = "n", .scratch = path};

    test_folder(dir);
    snprintf(path, sizeof path, "%s/absent", dir);
    expect(agent_fails(&o, why) == 2);
    expect(strstr(why, path) && strstr(why, "cannot make a folder for scratch: No such file"));
    tree_remove(dir);
}

/* An address that is none will never be one: it does not try for as long as it may. */
TEST(agent_does_not_try_again_what_cannot_be)
{
    char dir[TEST_FOLDER], why[256];
    struct agent_options o = {
        .connect = "nowhere", .name = "n", .scratch = dir, .linger_us = 3000000};

    test_folder(dir);
    expect(agent_fails(&o, why) == 2);
    expect(strcmp(why, "--connect nowhere: expected HOST:PORT") == 0);
    tree_remove(dir);
}

/* What was made for it goes with it. */
TEST(agent_leaves_no_scratch_behind_that_it_cannot_use)
{
    static const char *const calls[] = {"mkdir", "dup2"};
    char dir[TEST_FOLDER], why[256];
    struct agent_options o = {.connect = "nowhere", .name = "n", .scratch = dir};

    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = EDQUOT, .count = &count, .call = calls[i]};
        test_folder(dir);
        sys_plan_set(&plan);
        int status = agent_fails(&o, why);
        sys_plan_set(NULL);
        expect(status == 2 && strstr(why, strerror(EDQUOT)) && entries(dir) == 0);
        expect(i == 0 || strncmp(why, "cannot hold its lock: ", 22) == 0);
        tree_remove(dir);
    }
}

/* It tries for long to reach a coordinator, but not that of a run whose folder it saw go. */
TEST(agent_ends_when_its_run_is_gone)
{
    char dir[TEST_FOLDER], scratch[TEST_FOLDER], at[TEST_FOLDER + 8];
    struct agent_options o = {.connect = "127.0.0.1:1",
                              .connect_file = at,
                              .name = "n",
                              .scratch = scratch,
                              .linger_us = 1000000000};
    pid_t ended = 0;
    int status = -1;

    test_folder(dir);
    test_folder(scratch);
    snprintf(at, sizeof at, "%s/at", dir);
    FILE *f = fopen(at, "we");
    expect(f && fputs("127.0.0.1:1\n", f) >= 0 && fclose(f) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct err err;
        _exit(agent_run(&o, &err));
    }
    for (int i = 0; i < 60000 && !ended; i++) {
        if (entries(scratch) > 0) /* it has looked */
            unlink(at);
        usleep(1000);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (!ended) {
        kill(child, SIGTERM);
        waitpid(child, &status, 0);
    }
    expect(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect(entries(scratch) == 0);
    tree_remove(dir);
    tree_remove(scratch);
}

/* ---- the node ---- */

static const char *const variables[] = {"SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_NODE",
                                        "SLURM_MEM_PER_CPU", "SLURM_TOPOLOGY_ADDR",
                                        "SLURMD_NODENAME"};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* A machine with a root and an environment of its own. */
struct node_stage {
    char root[TEST_FOLDER];
    char *kept[VARIABLES];
};

static void machine_open(struct node_stage *m)
{
    test_folder(m->root);
    for (int i = 0; i < VARIABLES; i++) {
        const char *was = getenv(variables[i]);
        m->kept[i] = was ? strdup(was) : NULL;
        unsetenv(variables[i]);
    }
}

static void machine_close(struct node_stage *m)
{
    for (int i = 0; i < VARIABLES; i++) {
        if (m->kept[i])
            setenv(variables[i], m->kept[i], 1);
        else
            unsetenv(variables[i]);
        free(m->kept[i]);
    }
    tree_remove(m->root);
}

static void machine_put(struct node_stage *m, const char *path, const char *text)
{
    char at[512];

    snprintf(at, sizeof at, "%s%s", m->root, path);
    for (char *c = at + strlen(m->root) + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(at, 0700);
            *c = '/';
        }
    FILE *f = fopen(at, "we");
    expect(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static int64_t memory_of(struct node_stage *m)
{
    struct agent_node n;

    agent_node_look(&n, m->root);
    return n.memory_mib;
}

TEST(agent_node_has_the_least_memory_that_anything_says)
{
    struct node_stage m;

    machine_open(&m);
    expect(memory_of(&m) == 0); /* nobody says */
    machine_put(&m, "/proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
    expect(memory_of(&m) == 8192);
    /* Of the groups from ours up to the root the tightest counts. */
    machine_put(&m, "/proc/self/cgroup", "0::/a/b\n");
    machine_put(&m, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    expect(memory_of(&m) == 8192);
    machine_put(&m, "/sys/fs/cgroup/a/memory.max", "4294967296\n");
    expect(memory_of(&m) == 4096);
    machine_put(&m, "/sys/fs/cgroup/memory.max", "2147483648\n");
    expect(memory_of(&m) == 2048);
    machine_put(&m, "/sys/fs/cgroup/a/b/memory.max", "1048575\n"); /* less than a MiB is no limit */
    expect(memory_of(&m) == 2048);
    machine_put(&m, "/sys/fs/cgroup/a/b/memory.max", "1048576\n");
    expect(memory_of(&m) == 1);
    /* Groups of the first kind have a mount for each resource. */
    machine_put(&m, "/proc/self/cgroup", "5:cpu:/a/b\nnonsense\n3:memory:/c\n");
    expect(memory_of(&m) == 8192);
    machine_put(&m, "/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "3221225472\n");
    expect(memory_of(&m) == 3072);
    machine_put(&m, "/proc/self/cgroup", "3:memory:/\n");
    machine_put(&m, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    expect(memory_of(&m) == 1024);
    setenv("SLURM_MEM_PER_NODE", "512", 1);
    expect(memory_of(&m) == 512);
    setenv("SLURM_MEM_PER_NODE", "0", 1); /* all of it */
    expect(memory_of(&m) == 1024);
    machine_close(&m);
}

TEST(agent_node_has_the_cores_that_slurm_gives)
{
    struct node_stage m;
    struct agent_node n;

    machine_open(&m);
    agent_node_look(&n, m.root);
    int32_t all = n.cores_milli;
    expect(all >= 1000);
    setenv("SLURM_CPUS_ON_NODE", "1", 1);
    setenv("SLURM_MEM_PER_CPU", "700", 1);
    agent_node_look(&n, m.root);
    expect(n.cores_milli == 1000 && n.memory_mib == 700);
    setenv("SLURM_CPUS_ON_NODE", "100000", 1); /* more than there are */
    agent_node_look(&n, m.root);
    expect(n.cores_milli == all && n.memory_mib == 700 * (all / 1000));
    setenv("SLURM_CPUS_ON_NODE", "many", 1);
    agent_node_look(&n, m.root);
    expect(n.cores_milli == all);
    machine_close(&m);
}

/* A part of a core may be all that its group has; a number of cores that no node has is none. */
TEST(agent_node_has_the_cores_of_its_group)
{
    static const struct {
        const char *group, *slurm; /* cpu.max; NULL: not set */
        int32_t milli;             /* 0: all */
    } rows[] = {
        {"50000 100000\n", NULL, 500},
        {"99000 100000\n", "1", 990},
        {"400000 100000\n", "1", 1000},
        {"max 100000\n", NULL, 0},
        {"max 100000\n", "1", 1000},
        {"max 100000\n", "0", 0},
        {"max 100000\n", "-1", 0},
        {"max 100000\n", "999999", 0},
        {"max 100000\n", "1000000", 0},
    };
    struct node_stage m;
    struct agent_node n;

    machine_open(&m);
    agent_node_look(&n, m.root);
    int32_t all = n.cores_milli;
    machine_put(&m, "/proc/self/cgroup", "0::/a\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine_put(&m, "/sys/fs/cgroup/a/cpu.max", rows[i].group);
        if (rows[i].slurm)
            setenv("SLURM_CPUS_ON_NODE", rows[i].slurm, 1);
        agent_node_look(&n, m.root);
        expect(n.cores_milli == (rows[i].milli ? rows[i].milli : all));
        unsetenv("SLURM_CPUS_ON_NODE");
    }
    machine_close(&m);
}

TEST(agent_node_knows_its_names)
{
    struct node_stage m;
    struct agent_node n;
    char host[256] = "", boot[64];

    machine_open(&m);
    machine_put(&m, "/proc/sys/kernel/random/boot_id", "12ab-34\n");
    agent_node_look(&n, m.root);
    expect(gethostname(host, sizeof host - 1) == 0 && strcmp(n.host, host) == 0);
    snprintf(boot, sizeof boot, "12ab-34/%d", (int)getpid());
    expect(strcmp(n.boot, boot) == 0 && n.rack[0] == 0);
    expect(strspn(n.program, "0123456789abcdef") == 16 && n.program[16] == 0);
    setenv("SLURMD_NODENAME", "n17", 1);
    setenv("SLURM_TOPOLOGY_ADDR", "s0.s2.n17", 1);
    agent_node_look(&n, m.root);
    expect(strcmp(n.host, "n17") == 0 && strcmp(n.rack, "s0.s2") == 0);
    setenv("SLURMD_NODENAME", "", 1);
    setenv("SLURM_TOPOLOGY_ADDR", "n17", 1); /* there are no switches */
    agent_node_look(&n, m.root);
    expect(strcmp(n.host, host) == 0 && n.rack[0] == 0);
    machine_close(&m);
}

/* No checksum is better than one of a program that was read in part. */
TEST(agent_node_has_no_program_that_cannot_be_read)
{
    static const char *const calls[] = {"open", "read"};
    char program[17];

    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = i + 1, .error = EIO, .count = &count, .call = calls[i]};
        sys_plan_set(&plan);
        agent_node_program(program);
        sys_plan_set(NULL);
        expect(count > i && program[0] == 0);
    }
    agent_node_program(program);
    expect(strlen(program) == 16);
}
