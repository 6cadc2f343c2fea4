#include "exec/chaos_spec.h"

#include "tests/test.h"

static struct chaos_spec c;
static struct err err;

static bool bad(const char *text)
{
    return chaos_spec_parse(text, &c, &err) < 0;
}

TEST(chaos_spec_reads_each_kind_of_trouble)
{
    expect(!bad("slow=0.2x8,kill=0.05,node_mtbf=60s,node_repair=250ms,kill_within=2"));
    expect(c.slow_p == 0.2 && c.slow_factor == 8 && c.kill_p == 0.05);
    expect(c.node_mtbf_us == 60000000 && c.node_repair_us == 250000 && c.kill_within_us == 2000000);
    expect(!bad("kill=1") && c.kill_p == 1 && c.slow_p == 0 && c.node_mtbf_us == 0);
}

TEST(chaos_spec_refuses_the_rest)
{
    expect(bad("") && bad("slow") && bad("slow=0.2") && bad("slow=2x8") && bad("slow=0.2x0.5"));
    expect(bad("slow=0.2x1001") && !bad("slow=0.2x1000"));
    expect(bad("kill=1.1") && bad("kill=-1") && bad("node_mtbf=0") && bad("fire=1"));
    expect(bad("kill=0.1,") && bad("kill=0.1,,"));
}
