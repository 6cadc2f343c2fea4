#include "core/policy/table.h"

#include <stdio.h>
#include <string.h>

#include "core/policy/policy.h"
#include "tests/unit/test.h"

TEST(table_parts_are_all_documented)
{
    FILE *f = fopen("docs/reference/policies/README.md", "r");
    char text[16384], word[64];
    uint32_t count;
    if (!f) {
        test_skip("no folder docs here");
        return;
    }
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (enum seam seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts(seam, &count);
        for (uint32_t i = 0; i < count; i++) {
            snprintf(word, sizeof word, "`%s`", parts[i]->name);
            bool named = strstr(text, word) || !strcmp(parts[i]->name, "none");
            if (!named)
                printf("docs/reference/policies/README.md does not name %s\n", word);
            expect(named);
        }
    }
}
