#include "exec/process/idle_cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "tests/unit/command.h"

/* A stage: files of the kernel in a folder, two cores that are ours, and one attempt, which began
 * ten seconds ago. Numbers are far from the ends of a step, so that the time of the test does not
 * matter. */
enum { PID = 77, SPAN_US = 1000 * 1000000, TENTH_US = SPAN_US / 10 };

struct idle_stage {
    struct command_folder folder;
    struct idle_cores idle;
    struct process_table table;
    int64_t now_us;
};

static long ticks(int64_t us)
{
    return (long)(us * sysconf(_SC_CLK_TCK) / 1000000);
}

/* All that anybody has done on both cores so far, and the attempt. */
static void set_cpu(int64_t all_us, int64_t attempt_us)
{
    char text[256];
    snprintf(text, sizeof text, "cpu  1 1\ncpu0 %ld 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n",
             ticks(all_us));
    command_file("proc/stat", text);
    snprintf(text, sizeof text, "77 (x) R 1 77 77 0 -1 0 0 0 0 0 %ld 0 0 0 20 0 1 0 5\n",
             ticks(attempt_us));
    command_file("proc/77/stat", text);
}

static void set_stalled(int64_t disk_us, int64_t memory_us, int64_t bytes)
{
    char text[128];
    snprintf(text, sizeof text, "some avg10=0 avg60=0 avg300=0 total=%lld\n", (long long)disk_us);
    command_file("proc/pressure/io", text);
    snprintf(text, sizeof text, "some avg10=0 avg60=0 avg300=0 total=%lld\n", (long long)memory_us);
    command_file("proc/pressure/memory", text);
    snprintf(text, sizeof text, "rchar: 1\nread_bytes: %lld\nwrite_bytes: 0\n", (long long)bytes);
    command_file("proc/77/io", text);
}

static void begin(struct idle_stage *s)
{
    *s = (struct idle_stage){.now_us = clock_now_us() + SPAN_US};
    command_begin(&s->folder);
    unsetenv("DOLLY_PRESSURE");
    expect(mkdir("proc", 0700) == 0 && mkdir("proc/77", 0700) == 0);
    expect(mkdir("proc/pressure", 0700) == 0);
    set_cpu(0, 0);
    set_stalled(0, 0, 0);
    s->idle.active = true;
    cores_init(&s->idle.cores, ".");
    CPU_ZERO(&s->idle.cores.mine);
    CPU_SET(0, &s->idle.cores.mine);
    CPU_SET(1, &s->idle.cores.mine);
    s->idle.cores.count = 2;
    s->idle.next_us = s->idle.pressure_us = INT64_MAX;
    struct process p = {.state = PROCESS_RUNNING, .pid = PID};
    vec_push(&s->table.at, p);
}

/* Looks back over a thousand seconds. */
static void look_back(struct idle_stage *s)
{
    s->idle.last.at_us = clock_now_us() - SPAN_US;
    s->idle.last.busy_us = 0;
    s->idle.last.group_us = -1;
    s->table.at.at[0].started_us = s->idle.last.at_us - SPAN_US;
    s->table.at.at[0].cpu_us = 0;
    s->idle.next_us = s->now_us;
    s->idle.stalled.at_us = clock_now_us() - SPAN_US;
    s->idle.stalled.disk_us = s->idle.stalled.memory_us = 0;
    s->table.at.at[0].moved_bytes = 0;
    s->idle.pressure_us = s->now_us;
}

static void end(struct idle_stage *s)
{
    vec_free(&s->table.at);
    command_end(&s->folder);
}

TEST(idle_cores_are_reported_in_quarters_and_when_they_change)
{
    static const struct {
        double busy, used; /* cores in the mean: all, and the attempt's */
        bool reported;
        int32_t spare, each;
    } t[] = {
        {1.1, 0.9, true, 750, 1000},  /* 0.9 idle; 0.9 is next to one core */
        {1.1, 0.9, false, 750, 1000}, /* the same again */
        {1.6, 0.9, true, 250, 1000},  {1.9, 0.4, true, 0, 500},
        {2.5, 0.4, false, 0, 500},  /* more than there is */
        {1.1, 0.03, true, 750, 0},  /* it waits */
        {0.1, 0.03, false, 750, 0}, /* of which nothing more is reported */
        {0.1, 0.1, true, 1750, 250},
    };
    struct idle_stage s;
    struct packet m;
    begin(&s);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        look_back(&s);
        set_cpu((int64_t)(t[i].busy * SPAN_US), (int64_t)(t[i].used * SPAN_US));
        m = (struct packet){0};
        bool reported = idle_cores_look(&s.idle, &s.table, s.now_us, &m);
        expect(reported == t[i].reported);
        if (reported)
            expect(m.type == PACKET_CORES && m.u.cores.spare == t[i].spare &&
                   m.u.cores.each == t[i].each);
        expect(s.idle.next_us == s.now_us + 500000 && s.idle.cpu_us == 0 && s.idle.wall_us == 0);
        expect(s.table.at.at[0].cpu_us ==
               ticks((int64_t)(t[i].used * SPAN_US)) * 1000000 / sysconf(_SC_CLK_TCK));
    }
    end(&s);
}

TEST(idle_cores_are_looked_at_when_it_is_time_and_something_runs)
{
    struct idle_stage s;
    struct packet m;
    begin(&s);
    look_back(&s);
    expect(!idle_cores_look(&s.idle, &s.table, s.now_us - 1, &m) && s.idle.next_us == s.now_us);
    expect(!idle_cores_look_pressure(&s.idle, &s.table, s.now_us - 1, &m));
    expect(idle_cores_next_us(&s.idle) == s.now_us);
    s.idle.next_us++;
    expect(idle_cores_next_us(&s.idle) == s.now_us);
    s.idle.pressure_us += 2;
    expect(idle_cores_next_us(&s.idle) == s.now_us + 1);
    s.table.at.at[0].state = PROCESS_ENDING;
    expect(!idle_cores_look(&s.idle, &s.table, s.now_us + 2, &m) && s.idle.next_us == INT64_MAX);
    expect(!idle_cores_look_pressure(&s.idle, &s.table, s.now_us + 2, &m));
    expect(idle_cores_next_us(&s.idle) == INT64_MAX);
    s.idle.active = false;
    s.idle.next_us = 5;
    expect(idle_cores_next_us(&s.idle) == INT64_MAX);
    end(&s);
}

/* What has ended between two looks counts for the time that it ran. */
TEST(idle_cores_count_those_that_have_ended)
{
    struct idle_stage s;
    struct packet m;
    begin(&s);
    look_back(&s);
    struct process gone = {.started_us = s.idle.last.at_us + TENTH_US, .cpu_us = TENTH_US};
    struct packet_end use = {.cpu_us = 9LL * TENTH_US, .wall_us = 8LL * TENTH_US};
    idle_cores_ended(&s.idle, &gone, &use);
    expect(s.idle.cpu_us == 8LL * TENTH_US && s.idle.wall_us == 8LL * TENTH_US);
    gone.started_us = s.idle.last.at_us - 5LL * TENTH_US; /* before the last look */
    idle_cores_ended(&s.idle, &gone, &use);
    expect(s.idle.cpu_us == 16LL * TENTH_US && s.idle.wall_us == 11LL * TENTH_US);
    use.cpu_us = TENTH_US / 2; /* less than it had used */
    use.wall_us = TENTH_US;
    idle_cores_ended(&s.idle, &gone, &use);
    expect(s.idle.cpu_us == 16LL * TENTH_US && s.idle.wall_us == 11LL * TENTH_US);
    expect(s.idle.extra_us == 0);
    gone.extra = true;
    use.cpu_us = 3LL * TENTH_US;
    idle_cores_ended(&s.idle, &gone, &use);
    expect(s.idle.extra_us == 2LL * TENTH_US && s.idle.cpu_us == 16LL * TENTH_US);
    /* 16 / (11 + 10) = 0.76; of two cores 1.1 were busy, 0.2 with a clone */
    set_cpu(11LL * TENTH_US, 0);
    expect(idle_cores_look(&s.idle, &s.table, s.now_us, &m) && m.u.cores.each == 750 &&
           m.u.cores.spare == 1000 && s.idle.extra_us == 0);
    end(&s);
}

TEST(idle_cores_disk_and_memory_are_reported_in_twentieths)
{
    static const struct {
        double disk, memory; /* shares of the time */
        int64_t bytes;       /* per second */
        bool reported;
        int32_t disk_milli, memory_milli;
    } t[] = {
        {0.53, 0.27, 200000, true, 500, 250}, {0.53, 0.27, 200000, false, 0, 0},
        {0.53, 0.32, 200000, true, 500, 300}, {0.53, 0.32, 100000, true, 0, 300},
        {0.53, 0.02, 100000, true, 0, 0},     {0.02, 0.02, 900000, false, 0, 0},
    };
    static const int64_t every_us[] = {100000, 200000, 400000, 500000, 500000, 500000};
    struct idle_stage s;
    struct packet m;
    begin(&s);
    s.idle.pressure_every_us = 50000;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        look_back(&s);
        set_stalled((int64_t)(t[i].disk * SPAN_US), (int64_t)(t[i].memory * SPAN_US),
                    t[i].bytes * (SPAN_US / 1000000));
        bool reported = idle_cores_look_pressure(&s.idle, &s.table, s.now_us, &m);
        expect(reported == t[i].reported);
        if (reported)
            expect(m.type == PACKET_PRESSURE && m.u.pressure.disk == t[i].disk_milli &&
                   m.u.pressure.memory == t[i].memory_milli);
        expect(s.idle.pressure_us == s.now_us + every_us[i]);
        expect(s.table.at.at[0].moved_bytes == t[i].bytes * (SPAN_US / 1000000));
    }
    look_back(&s);
    set_stalled(SPAN_US / 2, SPAN_US / 2, 1000LL * 900000);
    expect(idle_cores_look_pressure(&s.idle, &s.table, s.now_us, &m));
    look_back(&s);
    s.table.at.at[0].state = PROCESS_FREE; /* nothing of ours runs: it does not matter */
    expect(idle_cores_look_pressure(&s.idle, &s.table, s.now_us, &m) && m.u.pressure.disk == 0 &&
           m.u.pressure.memory == 0 && s.idle.pressure_us == INT64_MAX);
    end(&s);
}

/* What attempts have moved before the first clone does not count. */
TEST(idle_cores_begin_with_what_was_moved_before)
{
    struct idle_stage s;
    struct process clone = {.pid = PID, .extra = true};
    char text[4096] = "x";
    begin(&s);
    s.idle = (struct idle_cores){0};
    FILE *f = fopen("file", "w");
    expect(f && fwrite(text, sizeof text, 1, f) == 1 && fflush(f) == 0 && fsync(fileno(f)) == 0);
    s.table.at.at[0].pid = getpid();
    idle_cores_launched(&s.idle, &s.table, &clone, 1000);
    /* Nothing on a file system without a disk. */
    expect(s.table.at.at[0].moved_bytes == cores_bytes_of(&s.idle.cores, getpid()));
    fclose(f);
    end(&s);
}

/* The first clone turns it on; another one makes it look at disks soon. */
TEST(idle_cores_are_looked_at_from_the_first_clone_on)
{
    struct idle_stage s;
    struct process first = {.pid = PID}, clone = {.pid = PID, .extra = true};
    begin(&s);
    s.idle = (struct idle_cores){0};
    idle_cores_launched(&s.idle, &s.table, &first, 1000);
    expect(!s.idle.active && s.idle.next_us == 0);
    idle_cores_launched(&s.idle, &s.table, &clone, 1000);
    expect(s.idle.active && s.idle.next_us == 201000 && s.idle.cores.count > 0);
    cores_init(&s.idle.cores, ".");
    s.idle.next_us = 5;
    s.idle.pressure_us = INT64_MAX;
    idle_cores_launched(&s.idle, &s.table, &first, 2000);
    expect(s.idle.next_us == 5 && s.idle.pressure_us == 52000);
    expect(s.idle.pressure_every_us == 50000);
    s.idle.pressure_us = 900000;
    s.idle.pressure_every_us = 500000;
    idle_cores_launched(&s.idle, &s.table, &first, 2000);
    expect(s.idle.pressure_us == 900000 && s.idle.pressure_every_us == 500000);
    idle_cores_launched(&s.idle, &s.table, &clone, 2000);
    expect(s.idle.pressure_us == 52000 && s.idle.pressure_every_us == 50000);
    idle_cores_launched(&s.idle, &s.table, &clone, 9000);
    expect(s.idle.pressure_us == 52000);
    expect(unlink("proc/pressure/io") == 0 && unlink("proc/pressure/memory") == 0);
    s.idle.pressure_us = INT64_MAX; /* a kernel that does not tell */
    idle_cores_launched(&s.idle, &s.table, &clone, 2000);
    expect(s.idle.pressure_us == INT64_MAX);
    end(&s);
}
