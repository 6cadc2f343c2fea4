/* keys_doc_test.c - the pages of both formats name every key that the tables know. */
#include <string.h>

#include "inputs/cluster/cluster_keys.h"
#include "inputs/models/synth_file.h"
#include "inputs/workload/scratch_test.h"
#include "inputs/workload/workload_keys.h"
#include "tests/unit/test.h"

/* The part of the page under the heading "## word", in a buffer of the caller; empty without one.
 */
static void read_section(const char *path, const char *word, char *to, size_t room)
{
    FILE *f = fopen(path, "r");
    char text[16384];
    size_t length = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[length] = 0;
    if (f)
        fclose(f);
    char heading[64];
    snprintf(heading, sizeof heading, "\n## %s", word);
    const char *begin = strstr(text, heading);
    const char *end = begin ? strstr(begin + 1, "\n## ") : NULL;
    snprintf(to, room, "%.*s", begin ? (int)(end ? (size_t)(end - begin) : strlen(begin)) : 0,
             begin ? begin : "");
}

static void expect_all(const char *path, const char *word, const struct key_kind *kind)
{
    char section[16384];
    read_section(path, word, section, sizeof section);
    for (const struct field *k = kind->keys; k && k->name; k++) {
        char row[64];
        snprintf(row, sizeof row, "\n| `%s` |", k->name);
        if (!strstr(section, row))
            printf("%s: key '%s' of %s is missing\n", path, k->name, kind->word);
        expect(strstr(section, row) != NULL);
    }
}

TEST(keys_are_all_documented)
{
    if (access("docs", R_OK)) {
        test_skip("no folder docs here");
        return;
    }
    expect_all("docs/reference/workload-file.md", "job", &workload_keys[WORKLOAD_JOB]);
    expect_all("docs/reference/workload-file.md", "phase", &workload_keys[WORKLOAD_PHASE]);
    expect_all("docs/reference/workload-file.md", "task", &workload_keys[WORKLOAD_TASK]);
    expect_all("docs/reference/cluster-file.md", "Racks and nodes", &cluster_keys[CLUSTER_NODE]);
    expect_all("docs/reference/cluster-file.md", "Racks and nodes", &cluster_keys[CLUSTER_NODES]);
    expect_all("docs/reference/cluster-file.md", "luck", &cluster_keys[CLUSTER_LUCK]);
    expect_all("docs/reference/cluster-file.md", "faults", &cluster_keys[CLUSTER_FAULTS]);
    expect_all("docs/reference/cluster-file.md", "network", &cluster_keys[CLUSTER_NETWORK]);
    expect_all("docs/reference/cluster-file.md", "Outages", &cluster_keys[CLUSTER_DOWN]);
    expect_all("docs/reference/cluster-file.md", "Pressure", &cluster_keys[CLUSTER_PRESSURE]);
    for (int i = 0; i < MODEL_KINDS; i++)
        expect_all("docs/reference/workload-models.md", "Model files", &synth_file_kinds[i]);
}
