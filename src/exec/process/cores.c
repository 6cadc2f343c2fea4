/* Idle time is what matters, and it is worked out from busy time: /proc/stat counts the ticks that
 * each core was busy, iowait is idle, and what a hypervisor took away (steal) is not.
 *
 * In a container /proc/stat is mostly that of the whole machine, and what counts is the share of
 * our control group: the tightest limit on the way from our group up to the root (cpu.max of
 * version 2, cpu.cfs_quota_us of version 1), and what that group has used. Both are looked at, and
 * the less idle one counts. Cores that are hot-plugged and limits that change during a run are not
 * noticed.
 *
 * Load averages were rejected: they count who waits for a disk, and are a minute old.
 *
 * Whether a disk or memory is contended the kernel tells as pressure: for how many microseconds
 * some process stood still because a page or a block was not there. Of our own control group it is
 * told where groups of version 2 are; else of the machine, with all that others do. A kernel
 * without it (before 4.20, or built or booted without) has no such files, or they cannot be read:
 * then nothing is known, and nothing changes. What an attempt has moved is counted by the kernel as
 * well: one that does not use the disk is not in the way of those who do. */
#include "exec/process/cores.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "exec/process/sys.h"

/* Reads a small file as text; false when there is none. */
static bool read_text(struct path path, char *text, size_t size)
{
    return sys_read_text(path.text, 0, text, size) > 0;
}

/* ---- control groups ---- */

/* The limit that a folder of a control group sets, in thousandths of a core; 0: none. */
static int32_t group_quota(const char *dir)
{
    char text[128];
    int64_t quota = 0, period = 0;

    if (read_text(path_of("%s/cpu.max", dir), text, sizeof text)) {
        if (sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period) != 2)
            return 0; /* "max" */
    } else {
        if (!read_text(path_of("%s/cpu.cfs_quota_us", dir), text, sizeof text))
            return 0;
        quota = strtol(text, NULL, 10);
        if (!read_text(path_of("%s/cpu.cfs_period_us", dir), text, sizeof text))
            return 0;
        period = strtol(text, NULL, 10);
    }
    return quota > 0 && period > 0 && quota / period < 1000000 ? (int32_t)(quota * 1000 / period)
                                                               : 0;
}

/* Notes the group if its limit is the tightest so far. `accounts` is where version 1 counts. */
static void group_note(struct cores *c, const char *dir, const char *accounts)
{
    int32_t quota = group_quota(dir);

    if (quota == 0 || (c->quota && c->quota <= quota))
        return;
    c->quota = quota;
    c->usage_in_stat = !*accounts;
    c->usage = *accounts ? path_of("%s/cpuacct.usage", accounts) : path_of("%s/cpu.stat", dir);
}

/* From our group up to the root of its hierarchy. */
static void group_climb(struct cores *c, const char *mount, const char *group, const char *accounts)
{
    struct path at = path_of("%s", strcmp(group, "/") == 0 ? "" : group);

    for (;;) {
        group_note(c, path_of("%s%s", mount, at.text).text,
                   path_of("%s%s", accounts, *accounts ? at.text : "").text);
        char *slash = strrchr(at.text, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

/* Where tests have made some, or NULL. */
static const char *pressure_made(void)
{
    return getenv("DOLLY_PRESSURE");
}

/* Notes where our group tells of pressure, if it does. */
static void pressure_note(struct cores *c, const char *mount, const char *group)
{
    char text[256];

    if (pressure_made() || !read_text(path_of("%s%s/io.pressure", mount, group), text, sizeof text))
        return;
    snprintf(c->pressure, sizeof c->pressure, "%s", path_of("%s%s/", mount, group).text);
    c->pressure_end = ".pressure";
}

/* A line of /proc/self/cgroup: ID:CONTROLLERS:PATH. */
static void group_line(struct cores *c, const char *root, char *line)
{
    strsep(&line, ":");
    char *names = strsep(&line, ":"), *group = line;
    if (!group)
        return;
    if (!*names) { /* version 2 */
        struct path mount = path_of("%s/sys/fs/cgroup", root);
        group_climb(c, mount.text, group, "");
        pressure_note(c, mount.text, group);
    } else if (strcmp(names, "cpu") == 0 || strncmp(names, "cpu,", 4) == 0) {
        const char *accounts = strchr(names, ',') ? names : "cpuacct";
        group_climb(c, path_of("%s/sys/fs/cgroup/%s", root, names).text, group,
                    path_of("%s/sys/fs/cgroup/%s", root, accounts).text);
    }
}

void cores_init(struct cores *c, const char *root)
{
    char text[8192];

    *c = (struct cores){0};
    snprintf(c->proc, sizeof c->proc, "%s/proc", root);
    if (sched_getaffinity(0, sizeof c->mine, &c->mine) < 0)
        memset(&c->mine, 0xff, sizeof c->mine); /* more cores than the set has room for */
    c->count = CPU_COUNT(&c->mine);
    snprintf(c->pressure, sizeof c->pressure, "%.4000s%s/", pressure_made() ? "" : c->proc,
             pressure_made() ? pressure_made() : "/pressure");
    c->pressure_end = "";
    if (!read_text(path_of("%s/self/cgroup", c->proc), text, sizeof text))
        return;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        group_line(c, root, line);
}

uint32_t cores_allowed(const struct cores *c)
{
    int32_t limit = c->quota > 0 ? (c->quota + 999) / 1000 : c->count;
    int32_t count = c->count < limit ? c->count : limit;

    return count > 1 ? (uint32_t)count : 1;
}

uint32_t cores_allowed_here(void)
{
    struct cores c;

    cores_init(&c, "");
    return cores_allowed(&c);
}

/* ---- counters ---- */

/* Adds up what /proc/stat has of our cores: "cpu0 user nice system idle iowait irq softirq steal".
 * Counts the cores it has. */
static int64_t busy_of(const struct cores *c, char *text, int32_t *seen)
{
    int64_t ticks = 0;

    *seen = 0;
    for (char *line; (line = strsep(&text, "\n"));) {
        long cpu, user, nice, system, idle, iowait, irq = 0, softirq = 0, steal = 0;
        if (sscanf(line, "cpu%ld %ld %ld %ld %ld %ld %ld %ld %ld", &cpu, &user, &nice, &system,
                   &idle, &iowait, &irq, &softirq, &steal) < 6 ||
            cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, &c->mine))
            continue;
        ticks += user + nice + system + irq + softirq + steal;
        ++*seen;
    }
    return ticks;
}

static int64_t ticks_us(int64_t ticks)
{
    return ticks * 1000000 / sysconf(_SC_CLK_TCK);
}

static int64_t group_used_us(const struct cores *c)
{
    char text[1024];

    if (!c->quota || !read_text(c->usage, text, sizeof text))
        return -1;
    if (!c->usage_in_stat)
        return strtol(text, NULL, 10) / 1000;
    const char *at = strstr(text, "usage_usec ");
    return at ? strtol(at + strlen("usage_usec "), NULL, 10) : -1;
}

struct cores_used cores_read(const struct cores *c)
{
    enum { LINE = 160, OTHERS = 4096 }; /* bytes; the cores come first */
    size_t size = (size_t)sysconf(_SC_NPROCESSORS_CONF) * LINE + OTHERS;
    char *text = mem_zalloc(size, 1);
    struct cores_used used = {clock_now_us(), -1, group_used_us(c)};
    int32_t seen = 0;

    if (read_text(path_of("%s/stat", c->proc), text, size)) {
        int64_t ticks = busy_of(c, text, &seen);
        used.busy_us = seen > 0 ? ticks_us(ticks) : -1;
    }
    mem_free(text);
    return used;
}

static int64_t idle_of(int64_t limit, int64_t from_us, int64_t to_us, int64_t took_us,
                       int64_t ours_us)
{
    int64_t used_us = to_us - from_us - ours_us;

    return from_us < 0 || to_us < 0 ? limit : limit - (used_us > 0 ? used_us : 0) * 1000 / took_us;
}

int32_t cores_idle(const struct cores *c, const struct cores_used *from,
                   const struct cores_used *to, int64_t ours_us)
{
    int64_t took_us = to->at_us > from->at_us ? to->at_us - from->at_us : 1;
    int64_t idle = idle_of((int64_t)c->count * 1000, from->busy_us, to->busy_us, took_us, ours_us);

    if (c->quota) {
        int64_t left = idle_of(c->quota, from->group_us, to->group_us, took_us, ours_us);
        idle = left < idle ? left : idle;
    }
    return (int32_t)(idle > 0 ? idle : 0);
}

/* ---- processes ---- */

/* CPU time of one process, and of those that it has waited for. */
static int64_t time_of_one(const struct cores *c, pid_t pid)
{
    enum { BEFORE = 10 }; /* fields between the state and the first that counts */
    char text[4096];
    int64_t ticks = 0;

    if (!read_text(path_of("%s/%d/stat", c->proc, (int)pid), text, sizeof text))
        return -1;
    /* "PID (NAME) STATE ...": the name may contain anything. */
    char *at = strrchr(text, ')');
    at = at && strlen(at) > 4 ? at + 3 : text + strlen(text);
    for (int i = 0; i < BEFORE + 4; i++) {
        long value = strtol(at, &at, 10);
        if (i >= BEFORE)
            ticks += value;
    }
    return ticks_us(ticks);
}

/* The same of what it has moved. */
static int64_t bytes_of_one(const struct cores *c, pid_t pid)
{
    static const char *const names[] = {"\nread_bytes: ", "\nwrite_bytes: "};
    char text[1024];
    int64_t bytes = 0;

    if (!read_text(path_of("%s/%d/io", c->proc, (int)pid), text, sizeof text))
        return -1;
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(text, names[i]);
        bytes += at ? strtol(at + strlen(names[i]), NULL, 10) : 0;
    }
    return bytes;
}

/* Sums up what `of_one` says of the process and of its descendants. */
static int64_t sum_of_all(const struct cores *c, pid_t pid,
                          int64_t (*of_one)(const struct cores *c, pid_t pid))
{
    char text[4096];
    int64_t sum = of_one(c, pid);

    if (sum < 0)
        return 0;
    if (!read_text(path_of("%s/%d/task/%d/children", c->proc, (int)pid, (int)pid), text,
                   sizeof text))
        return sum;
    for (char *at = text;;) {
        char *end;
        long child = strtol(at, &end, 10);
        if (end == at || child <= 1)
            return sum;
        sum += sum_of_all(c, (pid_t)child, of_one);
        at = end;
    }
}

int64_t cores_time_of(const struct cores *c, pid_t pid)
{
    return sum_of_all(c, pid, time_of_one);
}

int64_t cores_bytes_of(const struct cores *c, pid_t pid)
{
    return sum_of_all(c, pid, bytes_of_one);
}

/* ---- pressure ---- */

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=217328175", and another line. */
static int64_t stalled_us(const struct cores *c, const char *what)
{
    struct path path = path_of("%s%s%s", c->pressure, what, c->pressure_end);
    char text[256];

    const char *at = read_text(path, text, sizeof text) ? strstr(text, "total=") : NULL;
    return at && strncmp(text, "some ", 5) == 0 ? strtol(at + strlen("total="), NULL, 10) : -1;
}

struct cores_stalled cores_stalled_read(const struct cores *c)
{
    return (struct cores_stalled){clock_now_us(), stalled_us(c, "io"), stalled_us(c, "memory")};
}

int32_t cores_stalled_milli(int64_t from_us, int64_t to_us, int64_t took_us)
{
    if (from_us < 0 || to_us <= from_us || took_us <= 0)
        return 0;
    return to_us - from_us < took_us ? (int32_t)((to_us - from_us) * 1000 / took_us) : 1000;
}
