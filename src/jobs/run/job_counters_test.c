#include "jobs/run/job_counters.h"

#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/test.h"

TEST(job_counters_are_grouped_and_are_text)
{
    struct counters c = {0};
    counters_add(&c, "lines", "bad", 2);
    counters_add(&c, "lines", "good", 40);
    counters_add(&c, "lines", "bad", 1);
    counters_add(&c, "\xc3\xa4", "\xff\xfe x", 5);
    json_t *all = job_counters_json(&c);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    expect(strcmp(text, "{\"lines\":{\"bad\":3,\"good\":40},\"\xc3\xa4\":{\"?? x\":5}}") == 0);
    mem_free(text);
    json_decref(all);
    counters_fini(&c);
}
