#include "remote/fetch/fetch_store.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/os/tree.h"
#include "data/sorted_file.h"
#include "tests/unit/test.h"

#include "remote/fetch/fetch_keep_test.h"

static uint32_t mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    uint32_t lines = 0;

    for (int c; f && (c = getc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

/* What of an output need not travel to the coordinator. */
TEST(fetch_store_finds_the_hole)
{
    char dir[TEST_FOLDER];
    struct fetch_hole hole;

    test_folder(dir);
    mode_t mask = umask(0);
    expect(fetch_store_make(dir) == 0 && fetch_store_make(dir) == 0); /* it may be there */
    umask(mask);
    expect(test_mode(path_of("%s/kept", dir).text) == 0700);
    keep_run(dir, 5, 1);
    int fd = open(fetch_store_path(dir, 5).text, O_RDONLY | O_CLOEXEC);
    uint32_t before = mappings();
    for (int i = 0; i < 100; i++)
        expect(fetch_store_hole(fd, true, &hole) == 0);
    expect(mappings() < before + 100); /* it leaves none */
    expect(hole.from == SORTED_FILE_HEAD &&
           hole.to == SORTED_FILE_HEAD + 8); /* two records of 4 bytes */
    expect(fetch_store_hole(fd, false, &hole) == 0 && hole.from == 0);
    expect(hole.to == SORTED_FILE_HEAD + 8 + 2 * SORTED_FILE_ROW + SORTED_FILE_TAIL);
    close(fd);
    keep_file(dir, 6, "not sorted.", 11);
    fd = open(fetch_store_path(dir, 6).text, O_RDONLY | O_CLOEXEC);
    expect(fetch_store_hole(fd, true, &hole) < 0 && errno == EBADMSG);
    close(fd);
    tree_remove(dir);
}

TEST(fetch_store_says_where_in_the_file_a_partition_lies)
{
    char dir[TEST_FOLDER];
    struct packet_partition found;
    int64_t offset = -1;

    test_folder(dir);
    expect(fetch_store_make(dir) == 0);
    keep_run(dir, 5, 3);
    int fd = fetch_store_find(dir, 5, 0, &found, &offset);
    expect(fd >= 0 && offset == SORTED_FILE_HEAD && found.bytes == 4 && found.records == 1);
    expect(found.partitions == 2 && found.error == 0);
    uint64_t whole = found.index_checksum, first = found.checksum;
    close(fd);
    fd = fetch_store_find(dir, 5, 1, &found, &offset);
    expect(fd >= 0 && offset == SORTED_FILE_HEAD + 4 && found.bytes == 6);
    expect(found.index_checksum == whole && found.checksum != first);
    close(fd);
    fd = fetch_store_find(dir, 5, PACKET_WHOLE, &found, &offset);
    expect(fd >= 0 && offset == 0 && found.partitions == 0 && found.checksum == 0);
    expect(found.bytes == SORTED_FILE_HEAD + 10 + 2 * SORTED_FILE_ROW + SORTED_FILE_TAIL);
    close(fd);
    expect(fetch_store_find(dir, 5, 2, &found, &offset) < 0 && found.error == ERANGE);
    expect(fetch_store_find(dir, 6, 0, &found, &offset) < 0 && found.error == ENOENT);
    keep_file(dir, 7, "not sorted.", 11);
    expect(fetch_store_find(dir, 7, 0, &found, &offset) < 0 && found.error == EBADMSG);
    expect(mkdir(fetch_store_path(dir, 8).text, 0700) == 0);
    expect(fetch_store_find(dir, 8, 0, &found, &offset) < 0 && found.error == EINVAL);
    expect(symlink("5", fetch_store_path(dir, 9).text) == 0);
    expect(fetch_store_find(dir, 9, 0, &found, &offset) < 0 && found.error == ELOOP);
    fetch_store_forget(dir, 5);
    expect(fetch_store_find(dir, 5, 0, &found, &offset) < 0 && found.error == ENOENT);
    tree_remove(dir);
}
