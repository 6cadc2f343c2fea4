/* What a node is, as far as the kernel and Slurm tell.
 *
 * Without a plugin that binds tasks Slurm lets a step see all cores although it was given some of
 * them, and then only the environment tells how many; with one, or in a container, the affinity and
 * the limits of control groups do. So all are asked, and the least counts. */
#include "remote/agent/agent_node.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/text.h"
#include "exec/folder/run_dir.h"
#include "exec/process/cores.h"
#include "exec/process/sys.h"

/* The first line of a small file, "" when there is none. */
static void node_line(const char *path, char *text, size_t size)
{
    sys_read_text(path, 0, text, size);
    text[strcspn(text, "\n")] = 0;
}

/* A number above zero of the environment, 0 if there is none. */
static int64_t node_variable(const char *name)
{
    const char *text = getenv(name);
    int64_t value;

    return text && text_int(text, &value) && value > 0 ? value : 0;
}

static void node_least(int64_t *value, int64_t other)
{
    if (other > 0 && (*value == 0 || other < *value))
        *value = other;
}

static int32_t node_cores(const char *root)
{
    struct cores *c = mem_zalloc(1, sizeof *c);

    cores_init(c, root);
    int64_t milli = (int64_t)c->count * 1000, slurm = node_variable("SLURM_CPUS_ON_NODE");
    node_least(&milli, c->quota);
    node_least(&milli, slurm < 1000000 ? slurm * 1000 : 0);
    mem_free(c);
    return milli > 0 ? (int32_t)milli : 1000;
}

/* The tightest limit from our group up to the root of its hierarchy. */
static void node_climb(int64_t *mib, const char *mount, const char *file, char *group)
{
    char text[64];
    int64_t bytes;

    for (;;) {
        const char *at = strcmp(group, "/") == 0 ? "" : group;
        node_line(path_of("%s%s/%s", mount, at, file).text, text, sizeof text);
        if (text_int(text, &bytes) && bytes >= 1 << 20)
            node_least(mib, bytes >> 20);
        char *slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

static void node_group_memory(int64_t *mib, const char *root)
{
    FILE *file = fopen(path_of("%s/proc/self/cgroup", root).text, "re");
    char line[PATH_MAX];

    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group)
            continue;
        *names++ = *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        struct path mount = path_of("%s/sys/fs/cgroup%s", root, *names ? "/memory" : "");
        if (!*names || strcmp(names, "memory") == 0)
            node_climb(mib, mount.text, *names ? "memory.limit_in_bytes" : "memory.max", group);
    }
    if (file)
        fclose(file);
}

static int64_t node_memory(const char *root, int32_t cores_milli)
{
    char text[256];
    int64_t mib = 0;
    long kib;

    node_line(path_of("%s/proc/meminfo", root).text, text, sizeof text);
    if (sscanf(text, "MemTotal: %ld kB", &kib) == 1)
        node_least(&mib, kib >> 10);
    node_group_memory(&mib, root);
    node_least(&mib, node_variable("SLURM_MEM_PER_NODE"));
    node_least(&mib, node_variable("SLURM_MEM_PER_CPU") * (cores_milli / 1000));
    return mib;
}

/* "s0.s2.n17" is the way from the top switch to the node: the rack is all but the last. A cluster
 * without switches has the node alone. */
static void node_rack(char *rack, size_t size)
{
    const char *way = getenv("SLURM_TOPOLOGY_ADDR");

    snprintf(rack, size, "%s", way ? way : "");
    char *dot = strrchr(rack, '.');
    *(dot ? dot : rack) = 0;
}

void agent_node_program(char text[17])
{
    int fd = sys_open("/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
    int64_t bytes;
    uint64_t checksum;

    text[0] = 0;
    if (fd >= 0 && run_dir_checksum_of(fd, &bytes, &checksum) == 0)
        snprintf(text, 17, "%016llx", (unsigned long long)checksum);
    sys_close(&fd);
}

void agent_node_look(struct agent_node *n, const char *root)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char boot[40];

    *n = (struct agent_node){0};
    if (slurm && *slurm)
        snprintf(n->host, sizeof n->host, "%s", slurm);
    else if (gethostname(n->host, sizeof n->host - 1) < 0 || !n->host[0])
        snprintf(n->host, sizeof n->host, "unnamed");
    node_rack(n->rack, sizeof n->rack);
    node_line(path_of("%s/proc/sys/kernel/random/boot_id", root).text, boot, sizeof boot);
    snprintf(n->boot, sizeof n->boot, "%s/%d", boot, (int)getpid());
    agent_node_program(n->program);
    n->cores_milli = node_cores(root);
    n->memory_mib = node_memory(root, n->cores_milli);
}
