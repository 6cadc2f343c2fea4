#include "remote/coordinator/on.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(on_check_refuses_what_nobody_would_hear)
{
    static const struct {
        struct on_options options;
        const char *why;
    } all[] = {
        {{.scratch = "/tmp"}, "--scratch is for runs with --on"},
        {{.pull = true}, "--pull is for runs with --on"},
        {{.linger = "5s"}, "--linger is for runs with --on"},
        {{.idle_us = 5}, "--idle is for runs with --on"},
        {{.on = "local:2", .slurm = "-p x"}, "--slurm is for runs with --on slurm:N"},
        {{.on = "ssh:hosts", .grow_us = 5}, "--grow is for runs with --on slurm:N"},
        {{.on = "local:2", .drain_us = 5}, "--drain is for runs with --on slurm:N"},
        {{.on = "local:2", .linger = "long"}, "--linger: expected a time"},
        {{.on = "local:2", .lease = "4s"}, "--lease: expected a time from 5s to 24h, not '4s'"},
        {{.on = "slurm:2", .munge = "may"}, "--munge: expected 'must', not 'may'"},
        {{.on = "cloud:2"}, "--on cloud:2: expected slurm:N"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct on_options o = all[i].options;
        struct err err;
        o.grow_us = o.grow_us ? o.grow_us : -1;
        o.idle_us = o.idle_us ? o.idle_us : -1;
        o.drain_us = o.drain_us ? o.drain_us : -1;
        expect(on_check(&o, &err) < 0 && strstr(err.text, all[i].why));
    }
}

TEST(on_check_knows_what_is_usual)
{
    struct on_options o = ON_UNSAID;
    struct err err;

    o.on = "slurm:2-10";
    o.slurm = "-p main";
    o.idle_us = 0;
    o.linger = "5s";
    o.munge = "must";
    o.lease = "5s";
    expect(on_check(&o, &err) == 0);
    expect(o.grow_us == 30000000 && o.idle_us == 0 && o.drain_us == 60000000);
}

TEST(on_is_several_unless_it_is_one_for_certain)
{
    expect(!on_is_several("local:1") && !on_is_several("slurm:1"));
    expect(on_is_several("local:2") && on_is_several("slurm:1-2") && on_is_several("ssh:hosts"));
}
