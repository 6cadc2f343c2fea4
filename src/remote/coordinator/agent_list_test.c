#include "remote/coordinator/agent_list.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

TEST(agent_list_a_line_is_read_back)
{
    char line[] = "n1\there\thost\t4\t2\t150\tshared\t/tmp/a b\t127.0.0.1:1\n";
    struct agent_list_row r;

    expect(agent_list_parse(line, &r));
    expect(strcmp(r.name, "n1") == 0 && strcmp(r.state, "here") == 0);
    expect(r.cores == 4 && r.running == 2 && r.heard_ms == 150);
    expect(strcmp(r.scratch, "/tmp/a b") == 0 && strcmp(r.address, "127.0.0.1:1") == 0);
}

TEST(agent_list_other_lines_are_not)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "n1\n",
                                      "n1\there\thost\tx\t2\t150\tshared\t/tmp\ta\n",
                                      "n1\there\thost\t4\t2\t150\tshared\t/tmp\ta\tmore\n",
                                      "n1\there\thost\t4\t2\t150\tshared\t/t\033[mp\ta\n",
                                      "n1\t\thost\t4\t2\t150\tshared\t/tmp\ta\n"};
    struct agent_list_row r;
    char line[128];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "%s", bad[i]);
        expect(!agent_list_parse(line, &r));
    }
}
