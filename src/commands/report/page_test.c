#include "commands/report/page.h"

#include <string.h>

#include "base/mem.h"
#include "tests/unit/test.h"

TEST(page_run_name_is_what_the_user_chose)
{
    static const char *const rows[][2] = {
        {"/data/run/journal", "run"},
        {"render.journal", "render.journal"},
        {"/data/counts/_temporary/run/journal", "counts"},
        {"/data/_temporary/runs/journal", "runs"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *name = page_run_name(rows[i][0]);
        expect(strcmp(name, rows[i][1]) == 0);
        mem_free(name);
    }
}
