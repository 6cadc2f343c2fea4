#include "base/os/sync.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"
#include "base/os/tree.h"
#include "tests/unit/test.h"

TEST(files_folders_and_names_are_synced_where_there_are_any)
{
    char dir[] = "/tmp/dolly-sync-XXXXXX";

    expect(mkdtemp(dir));
    struct path file = path_of("%s/file", dir), none = path_of("%s/none", dir);
    expect(symlink("/proc/self/status", file.text) == 0);
    expect(sync_file(file.text) == -1 && errno == EINVAL); /* it was tried */
    expect(sync_file(none.text) == -1 && errno == ENOENT);
    expect(sync_folder(dir) == 0);
    expect(sync_folder("/proc") == -1 && errno == EINVAL);
    expect(sync_folder(file.text) == -1 && errno == ENOTDIR);
    expect(sync_name(none.text) == 0); /* the folder above is what counts */
    expect(sync_name("/proc/none") == -1 && errno == EINVAL);
    expect(sync_name(path_of("%s/below", none.text).text) == -1 && errno == ENOENT);
    expect(sync_tree(dir) == 0); /* a link is no file */
    expect(sync_tree(none.text) == -1 && errno == ENOENT);
    tree_remove(dir);
}
