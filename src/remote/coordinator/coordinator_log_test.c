/* What is written to the log of agents. */
#include "tests/unit/test.h"

#include <time.h>

#include "remote/coordinator/coordinator_stage_test.h"

/* Each line begins with the time, as those of other logs do. */
TEST(coordinator_log_says_when)
{
    struct host h;
    struct tm day = {0};
    char path[128], line[256] = "", want[64];
    int ms = -1;

    host_open(&h, false);
    snprintf(path, sizeof path, "%s/agents.log", h.dir);
    FILE *f = fopen(path, "re");
    expect(f && fgets(line, sizeof line, f));
    expect(sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ listening", &day.tm_year, &day.tm_mon,
                  &day.tm_mday, &day.tm_hour, &day.tm_min, &day.tm_sec, &ms) == 7);
    day.tm_year -= 1900;
    day.tm_mon--;
    expect(labs((long)(timegm(&day) - time(NULL))) < 3600 && ms >= 0);
    snprintf(want, sizeof want, "Z listening on port %u\n", h.coordinator->port);
    expect(line[23] == 'Z' && strcmp(line + 23, want) == 0);
    if (f)
        fclose(f);
    host_close(&h);
}

/* As many refusals as anybody likes are a few lines of the log. */
TEST(coordinator_log_few_of_many_refusals)
{
    struct host h;

    host_open(&h, false);
    for (int i = 0; i < 50; i++) {
        struct guest g;
        guest_open(&g, &h, "x");
        expect(write(g.frames.fd, "GET / HTTP/1.0\r\n\r\n", 18) == 18);
        expect(guest_hears(&g, NULL) == 0);
        guest_close(&g);
    }
    expect(h.coordinator->refused.all >= 40 &&
           h.coordinator->refused.told == ADMISSION_REFUSALS_TOLD);
    expect(h.coordinator->refused.more == h.coordinator->refused.all - ADMISSION_REFUSALS_TOLD);
    h.coordinator->refused.since_us -= ADMISSION_REFUSALS_US;
    host_step(&h);
    expect(host_logs(&h, " more in a minute"));
    host_close(&h);
}
