#include "remote/fetch/fetch_client.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/test.h"

TEST(fetch_judges_answers)
{
    struct packet good = {.type = PACKET_PARTITION, .handle = 5, .u.found = {.partitions = 2}}, m;

    static const char other[] = "it sent an answer to another question",
                      number[] = "it does not have the expected number of partitions",
                      negative[] = "it reports a negative size";

    expect(!fetch_client_judge(&good, 5, 1));
    expect(strcmp(fetch_client_judge(&good, 6, 1), other) == 0);
    expect(strcmp(fetch_client_judge(&good, 5, 2), number) == 0);
    expect(strcmp(fetch_client_judge(&good, 5, PACKET_WHOLE), number) == 0);
    m = good;
    m.u.found.partitions = 0;
    expect(!fetch_client_judge(&m, 5, PACKET_WHOLE));
    m = good;
    m.u.found.bytes = -1;
    expect(strcmp(fetch_client_judge(&m, 5, 1), negative) == 0);
    m = good;
    m.u.found.records = -1;
    expect(strcmp(fetch_client_judge(&m, 5, 1), negative) == 0);
    m = good;
    m.u.found.error = -1;
    expect(strcmp(fetch_client_judge(&m, 5, 1), "it reports an invalid error") == 0);
    m.u.found.error = ENOENT;
    expect(!fetch_client_judge(&m, 5, 1));
    m = good;
    m.type = PACKET_OUTPUT;
    expect(strcmp(fetch_client_judge(&m, 5, 1), other) == 0);
}
