#include "remote/wire/lease.h"

#include "tests/unit/test.h"

TEST(lease_silence_goes_from_here_to_silent_to_away)
{
    int64_t heard = 5000000, second = 1000000, until = heard + LEASE_US;

    expect(lease_presence(heard, until, heard) == RUNNER_HERE);
    expect(lease_presence(heard, until, heard + 3 * second - 1) == RUNNER_HERE);
    expect(lease_presence(heard, until, heard + 3 * second) == RUNNER_SILENT);
    expect(lease_presence(heard, until, heard + 10 * second - 1) == RUNNER_SILENT);
    expect(lease_presence(heard, until, heard + 10 * second) == RUNNER_AWAY);
    expect(lease_next_us(heard, until, heard) == heard + 3 * second);
    expect(lease_next_us(heard, until, heard + 3 * second) == heard + 10 * second);
    expect(lease_next_us(heard, until, heard + 10 * second) == INT64_MAX);
    /* The agent ends what it runs before anything of it starts elsewhere, as
     * docs/use/clusters.md says. */
    expect(LEASE_MARGIN_US == 2 * second);
    /* A longer promise holds, however long nothing is heard. */
    expect(lease_presence(heard, heard + 100 * second, heard + 99 * second) == RUNNER_SILENT);
    expect(lease_presence(heard, heard + 100 * second, heard + 100 * second) == RUNNER_AWAY);
}
