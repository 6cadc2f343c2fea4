#include "exec/folder/run_dir.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

/* An output that cannot be read to its end has no checksum. */
TEST(run_dir_checksum_is_of_all_that_is_there)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];
    int64_t bytes, count = 0;
    uint64_t empty, one, sum;
    struct sys_plan plan = {.mode = SYS_PLAN_FAIL, .error = EIO, .count = &count, .call = "read"};

    test_folder(dir);
    snprintf(path, sizeof path, "%s/a", dir);
    expect(run_dir_checksum(path, &bytes, &empty) < 0 && errno == ENOENT);
    fclose(fopen(path, "w"));
    expect(run_dir_checksum(path, &bytes, &empty) == 0 && bytes == 0);
    FILE *f = fopen(path, "w");
    expect(f && fputs("text", f) >= 0 && fclose(f) == 0);
    expect(run_dir_checksum(path, &bytes, &one) == 0 && bytes == 4 && one != empty);
    for (plan.at = 1; plan.at <= 2; plan.at++) { /* at once, and after the text */
        count = 0;
        sys_plan_set(&plan);
        expect(run_dir_checksum(path, &bytes, &sum) < 0 && errno == EIO);
        sys_plan_set(NULL);
    }
    expect(run_dir_checksum(dir, &bytes, &sum) < 0 && errno == EISDIR);
    tree_remove(dir);
}
