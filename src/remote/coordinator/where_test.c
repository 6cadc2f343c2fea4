#include "remote/coordinator/where.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "remote/coordinator/coordinator_state.h"
#include "tests/unit/test.h"

TEST(where_check_refuses_what_nobody_would_hear)
{
    static const struct {
        struct where_options options;
        const char *why;
    } all[] = {
        {{.scratch = "/tmp"}, "--scratch is for runs with --on"},
        {{.pull = true}, "--pull is for runs with --on"},
        {{.linger = "5s"}, "--linger is for runs with --on"},
        {{.idle_us = 5}, "--idle is for runs with --on"},
        {{.spec = "local:2", .slurm = "-p x"}, "--slurm is for runs with --on slurm:N"},
        {{.spec = "ssh:hosts", .grow_us = 5}, "--grow is for runs with --on slurm:N"},
        {{.spec = "local:2", .drain_us = 5}, "--drain is for runs with --on slurm:N"},
        {{.spec = "local:2", .linger = "long"}, "--linger: expected a time"},
        {{.spec = "local:2", .lease = "4s"}, "--lease: expected a time from 5s to 24h, not '4s'"},
        {{.spec = "local:2", .lease = "25h"}, "--lease: expected a time from 5s to 24h, not '25h'"},
        {{.spec = "local:2", .lease = "x"}, "--lease: expected a time from 5s to 24h, not 'x'"},
        {{.spec = "local:2", .listen = "eth0"},
         "--listen is for runs with --on slurm:N or ssh:FILE"},
        {{.listen = "eth0"}, "--listen is for runs with --on"},
        {{.spec = "slurm:2", .munge = "may"}, "--munge: expected 'must', not 'may'"},
        {{.spec = "cloud:2"}, "--on cloud:2: expected slurm:N"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct where_options o = all[i].options;
        struct err err;
        o.grow_us = o.grow_us ? o.grow_us : -1;
        o.idle_us = o.idle_us ? o.idle_us : -1;
        o.drain_us = o.drain_us ? o.drain_us : -1;
        expect(where_check(&o, &err) < 0 && strstr(err.text, all[i].why));
    }
}

TEST(where_check_knows_what_is_usual)
{
    struct where_options o = WHERE_UNSAID;
    struct err err;

    o.spec = "slurm:2-10";
    o.slurm = "-p main";
    o.idle_us = 0;
    o.linger = "5s";
    o.munge = "must";
    o.lease = "5s";
    expect(where_check(&o, &err) == 0);
    expect(o.grow_us == 30000000 && o.idle_us == 0 && o.drain_us == 60000000);
    o.lease = "24h";
    o.grow_us = o.drain_us = 0;
    expect(where_check(&o, &err) == 0 && o.grow_us == 0 && o.drain_us == 0);
}

TEST(where_is_not_opened_for_a_job_that_agents_cannot_run)
{
    char dir[TEST_FOLDER], plan[TEST_FOLDER + 8];
    struct where_options o = WHERE_UNSAID;
    struct where where;
    struct err err;

    test_folder(dir);
    snprintf(plan, sizeof plan, "%s/plan", dir);
    o.spec = "local:1";
    o.pull = true;
    o.plan = plan;
    expect(where_open(&where, &o, dir, NULL, NULL, NULL, &err) < 0 && strstr(err.text, plan));
    int fd = open(plan, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    expect(fd >= 0 && ftruncate(fd, (64 << 20) + 1) == 0); /* a hole */
    close(fd);
    expect(where_open(&where, &o, dir, NULL, NULL, NULL, &err) < 0);
    expect(strstr(err.text, "has 64 MiB, expected at most 64"));
    o.inputs = true;
    expect(where_open(&where, &o, dir, NULL, NULL, NULL, &err) < 0);
    expect(strstr(err.text, "nodes do not see the folder of the run"));
    o.pull = false;
    o.spec = "cloud:1";
    expect(where_open(&where, &o, dir, NULL, NULL, NULL, &err) < 0 &&
           strstr(err.text, "--on cloud:1"));
    o.spec = "local:1";
    strcat(plan, "/x");
    expect(where_open(&where, &o, plan, NULL, NULL, NULL, &err) < 0 && strstr(err.text, plan));
    tree_remove(dir);
}

TEST(where_is_several_unless_it_is_one_for_certain)
{
    expect(!where_is_several("local:1") && !where_is_several("slurm:1"));
    expect(where_is_several("local:2") && where_is_several("slurm:1-2") &&
           where_is_several("ssh:hosts"));
}

/* What the body gets of it. */
TEST(where_is_a_node_for_each_agent)
{
    char dir[TEST_FOLDER];
    struct where_options o = WHERE_UNSAID;
    struct where where = {0};
    struct err err;

    test_folder(dir);
    o.spec = "local:3";
    o.lease = "20s";
    struct cluster *cluster = where_cluster(&o, &err);
    expect(cluster && cluster->node_count == 3);
    expect(where_open(&where, &o, dir, cluster, NULL, NULL, &err) == 0);
    expect(where.groups.count == 3 && where.groups.ctx == where.coordinator);
    for (uint32_t i = 0; i < 3; i++)
        expect(where.groups.of[i] == i);
    expect(where.groups.lease_us == 20000000);
    expect(where.groups.fd == where.coordinator->epoll_fd && where.groups.fd >= 0);
    where_close(&where);
    expect(!where.coordinator && !where.of);
    where_close(&where);
    o.lease = "soon";
    expect(where_open(&where, &o, dir, cluster, NULL, NULL, &err) < 0);
    expect(strcmp(err.text, "--lease: expected a time, not 'soon'") == 0);
    o.lease = NULL;
    o.listen = "0.15.66.63"; /* no address of any machine */
    expect(where_open(&where, &o, dir, cluster, NULL, NULL, &err) < 0 && !where.coordinator);
    expect(strncmp(err.text, "cannot listen for agents at 0.15.66.63: ", 40) == 0);
    cluster_destroy(cluster);
    tree_remove(dir);
}

TEST(where_check_takes_times_up_to_their_limits)
{
    static const char *const leases[] = {"5s", "24h", NULL};
    struct err err;

    for (int i = 0; i < 3; i++) {
        struct where_options o = WHERE_UNSAID;
        o.spec = "slurm:2";
        o.lease = leases[i];
        expect(where_check(&o, &err) == 0);
        expect(o.grow_us == 30000000 && o.idle_us == 120000000 && o.drain_us == 60000000);
    }
    for (int i = 0; i < 3; i++) { /* 0 is said, too */
        struct where_options o = WHERE_UNSAID;
        o.grow_us = i == 0 ? 0 : -1;
        o.idle_us = i == 1 ? 0 : -1;
        o.drain_us = i == 2 ? 0 : -1;
        expect(where_check(&o, &err) < 0 && strstr(err.text, " is for runs with --on"));
        expect(strstr(err.text, i == 0 ? "--grow" : i == 1 ? "--idle" : "--drain") == err.text);
    }
}

/* A plan as long as it may be. */
TEST(where_is_opened_for_a_plan_that_is_short_enough)
{
    char dir[TEST_FOLDER], plan[TEST_FOLDER + 8];
    struct where_options o = WHERE_UNSAID;
    struct where where = {0};
    struct err err;

    test_folder(dir);
    snprintf(plan, sizeof plan, "%s/plan", dir);
    o.spec = "local:1";
    o.pull = true;
    o.plan = plan;
    int fd = open(plan, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    expect(fd >= 0 && ftruncate(fd, 64 << 20) == 0);
    close(fd);
    struct cluster *cluster = where_cluster(&o, &err);
    expect(where_open(&where, &o, dir, cluster, NULL, NULL, &err) == 0);
    where_close(&where);
    cluster_destroy(cluster);
    tree_remove(dir);
}
