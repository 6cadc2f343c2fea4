#include "exec/process/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* A root of our own with the files of the kernel. */
static void put(const char *root, const char *path, const char *text)
{
    char at[512];

    snprintf(at, sizeof at, "%s%s", root, path);
    for (char *c = at + strlen(root) + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(at, 0700);
            *c = '/';
        }
    FILE *f = fopen(at, "w");
    fputs(text, f);
    fclose(f);
}

static void begin(char root[32], struct cores *c)
{
    strcpy(root, "/tmp/cores.XXXXXX");
    expect(mkdtemp(root) != NULL);
    put(root, "/proc/stat",
        "cpu  9 9 9 9 9 9 9 9\ncpu0 100 20 30 500 60 1 2 3 0 0\n"
        "cpu1 7 0 0 500 0 0 0 0 0 0\ncpu2 1 1 1 1 1 1 1 1\nintr 1 2\n");
    cores_init(c, root);
}

static void end(const char *root)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", root);
    expect(system(command) == 0);
}

TEST(cores_count_what_anybody_does_on_ours)
{
    char root[32];
    struct cores c;
    int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);

    begin(root, &c);
    expect(c.quota == 0 && c.count == CPU_COUNT(&c.mine));
    CPU_ZERO(&c.mine);
    CPU_SET(0, &c.mine);
    CPU_SET(1, &c.mine);
    struct cores_used used = cores_read(&c);
    expect(used.busy_us == (156 + 7) * tick_us && used.group_us == -1);
    put(root, "/proc/stat", "");
    expect(cores_read(&c).busy_us == -1);
    end(root);
}

TEST(cores_idle_is_what_others_leave)
{
    struct cores c = {.count = 2};
    struct cores_used from = {1000000, 5000000, -1}, to = {2000000, 6500000, -1};

    expect(cores_idle(&c, &from, &to, 0) == 500);
    expect(cores_idle(&c, &from, &to, 400000) == 900); /* of which ours do not count */
    expect(cores_idle(&c, &from, &to, 9000000) == 2000);
    to.busy_us = 9000000;
    expect(cores_idle(&c, &from, &to, 0) == 0);
    to.busy_us = -1;
    expect(cores_idle(&c, &from, &to, 0) == 2000); /* nothing is known */
    c.quota = 500;
    from.group_us = 0;
    to.group_us = 400000;
    expect(cores_idle(&c, &from, &to, 0) == 100 && cores_idle(&c, &from, &to, 300000) == 400);
}

TEST(cores_allowed_are_ours_within_the_limit)
{
    struct cores c = {.count = 8};

    expect(cores_allowed(&c) == 8);
    c.quota = 2000;
    expect(cores_allowed(&c) == 2);
    c.quota = 2001; /* a part of a core is better used than left */
    expect(cores_allowed(&c) == 3);
    c.quota = 100;
    expect(cores_allowed(&c) == 1);
    c.quota = 64000;
    expect(cores_allowed(&c) == 8);
    c.count = 0;
    expect(cores_allowed(&c) == 1);
    expect(cores_allowed_here() >= 1);
}

TEST(cores_see_the_limit_of_a_control_group)
{
    char root[32];
    struct cores c;

    begin(root, &c);
    put(root, "/proc/self/cgroup", "0::/a/b\n");
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put(root, "/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    put(root, "/sys/fs/cgroup/a/cpu.stat", "usage_usec 777\nuser_usec 1\n");
    cores_init(&c, root);
    expect(c.quota == 1500 && cores_read(&c).group_us == 777);

    put(root, "/proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/x\n0::/\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/x/cpuacct.usage", "123456789\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    cores_init(&c, root);
    expect(c.quota == 500 && cores_read(&c).group_us == 123456);
    end(root);
}

TEST(cores_read_for_how_long_something_stood_still)
{
    char root[32];
    struct cores c;

    begin(root, &c);
    struct cores_stalled at = cores_stalled_read(&c);
    expect(at.disk_us == -1 && at.memory_us == -1); /* a kernel without */
    put(root, "/proc/pressure/io",
        "some avg10=1.00 avg60=0.50 avg300=0.10 total=1234567\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
    put(root, "/proc/pressure/memory", "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
    at = cores_stalled_read(&c);
    expect(at.disk_us == 1234567 && at.memory_us == -1);

    put(root, "/proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
    put(root, "/sys/fs/cgroup/a/b/io.pressure", "some avg10=0 avg60=0 avg300=0 total=7\n");
    put(root, "/sys/fs/cgroup/a/b/memory.pressure", "some avg10=0 avg60=0 avg300=0 total=8\n");
    cores_init(&c, root);
    at = cores_stalled_read(&c);
    expect(at.disk_us == 7 && at.memory_us == 8);

    char made[64];
    snprintf(made, sizeof made, "%s/proc/pressure", root);
    setenv("DOLLY_PRESSURE", made, 1);
    cores_init(&c, root);
    expect(cores_stalled_read(&c).disk_us == 1234567);
    unsetenv("DOLLY_PRESSURE");
    end(root);
}

TEST(cores_stalled_is_a_share_of_the_time)
{
    expect(cores_stalled_milli(100, 350, 1000) == 250);
    expect(cores_stalled_milli(100, 5000, 1000) == 1000); /* read a little later */
    expect(cores_stalled_milli(100, 100, 1000) == 0 && cores_stalled_milli(100, 99, 1000) == 0);
    expect(cores_stalled_milli(-1, 350, 1000) == 0 && cores_stalled_milli(100, -1, 1000) == 0);
    expect(cores_stalled_milli(100, 350, 0) == 0);
}

TEST(cores_bytes_of_a_process_are_those_of_disks)
{
    char root[32];
    struct cores c;

    begin(root, &c);
    put(root, "/proc/7/io",
        "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n"
        "cancelled_write_bytes: 16\n");
    put(root, "/proc/8/io", "rchar: 1\nread_bytes: 1\nwrite_bytes: 2\n");
    expect(cores_bytes_of(&c, 7) == 12288);
    put(root, "/proc/7/task/7/children", "8 9 ");
    expect(cores_bytes_of(&c, 7) == 12291); /* 9 is gone */
    expect(cores_bytes_of(&c, 9) == 0);
    end(root);
}

TEST(cores_time_of_a_process_counts_its_children)
{
    char root[32];
    struct cores c;
    int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);

    begin(root, &c);
    put(root, "/proc/7/stat", "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 10 20 3 4 20 0 1 0\n");
    put(root, "/proc/8/stat", "8 (x) R 7 7 7 0 -1 4194560 1 2 3 4 100 0 0 0 20 0 1 0\n");
    expect(cores_time_of(&c, 7) == 37 * tick_us);
    put(root, "/proc/7/task/7/children", "8 9 ");
    expect(cores_time_of(&c, 7) == 137 * tick_us); /* 9 is gone */
    expect(cores_time_of(&c, 9) == 0);
    end(root);
}
