#include "exec/folder/sync_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/path.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

enum { FILES = 40, MISSING = 7 };

/* Adds files that are there, except one. */
static void fill(struct sync_files *s, const char *dir)
{
    for (int i = 0; i < FILES; i++) {
        struct path path = path_of("%s/%d", dir, i);
        FILE *f = i == MISSING ? NULL : fopen(path.text, "w");
        if (f)
            fclose(f);
        sync_files_add(s, path.text);
    }
}

/* However quick the disk is: with threads or without. */
TEST(files_are_synced_and_each_has_its_own_error)
{
    char dir[] = "/tmp/dolly-sync-XXXXXX";
    struct sync_files s = {0};

    expect(mkdtemp(dir));
    fill(&s, dir);
    for (int round = 0; round < 3; round++) {
        sync_files_all(&s);
        for (int i = 0; i < FILES; i++)
            expect(s.at.at[i].error == (i == MISSING ? ENOENT : 0));
    }
    sync_files_clear(&s);
    expect(s.at.count == 0);
    sync_files_all(&s);
    sync_files_fini(&s);
    tree_remove(dir);
}

/* One call of each file, in their order, where calls are counted. */
TEST(files_are_synced_in_turn_where_a_call_is_to_fail)
{
    char dir[] = "/tmp/dolly-sync-XXXXXX";
    struct sync_files s = {0};
    int64_t count = 0;

    expect(mkdtemp(dir));
    fill(&s, dir);
    struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 3, EIO, &count, "fdatasync"};
    sys_plan_set(&plan);
    sync_files_all(&s);
    sys_plan_set(NULL);
    expect(count == FILES - 1);
    for (int i = 0; i < FILES; i++)
        expect(s.at.at[i].error == (i == MISSING ? ENOENT : i == 2 ? EIO : 0));
    sync_files_fini(&s);
    tree_remove(dir);
}
