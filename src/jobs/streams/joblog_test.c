#include "jobs/streams/joblog.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(joblog_writes_the_columns_of_gnu_parallel)
{
    struct str out = {0};
    struct joblog_entry e = {7, ":", 1700000000.25, 1.5, 3, 40, 2, 0, "echo a\tb\nc"};

    joblog_add(&out, &e);
    static const char want[] = "7\t:\t1700000000.250\t     1.500\t3\t40\t2\t0\techo a\tb\0c\n";
    expect(out.length == sizeof want - 1 && memcmp(out.text, want, sizeof want) == 0);
    str_free(&out);
}

TEST(joblog_reads_what_it_wrote)
{
    struct str out = {0};
    struct joblog_entry in = {7, "n0", 1700000000.25, 1.5, 3, 40, -1, 9, "false\tx\ny"}, e;

    joblog_add(&out, &in);
    out.text[out.length - 1] = 0;
    expect(joblog_read(out.text, out.length - 1, &e));
    expect(e.seq == 7 && strcmp(e.host, "n0") == 0 && e.exit == -1 && e.signal == 9);
    expect(e.runtime_s == 1.5 && strcmp(e.command, "false\tx\ny") == 0);
    str_free(&out);
}

TEST(joblog_knows_what_is_no_entry)
{
    struct joblog_entry e;
    char header[] = JOBLOG_HEADER, shorter[] = "1\t:\t1.0", zero[] = "0\t:\t1\t1\t0\t0\t0\t0\tx",
         absurd[] = "999999999999\t:\t1\t1\t0\t0\t0\t0\tx"; /* no run has so many tasks */

    expect(!joblog_read(header, strlen(header), &e) && !joblog_read(shorter, 7, &e));
    expect(!joblog_read(zero, strlen(zero), &e) && !joblog_read(absurd, strlen(absurd), &e));
}
