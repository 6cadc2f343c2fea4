/* fetch_store.c - outputs that stay with their agent. See fetch_store.h. */
#include "remote/fetch/fetch_store.h"

#include <errno.h>
#include <stdio.h>

#include "data/sorted_file.h"
#include "exec/process/sys.h"

int fetch_store_make(const char *dir)
{
    return sys_mkdir(path_of("%s/kept", dir).text, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

struct path fetch_store_path(const char *dir, uint32_t output)
{
    return path_of("%s/kept/%u", dir, output);
}

int fetch_store_keep(const char *dir, uint32_t output, const char *from)
{
    return sys_rename(from, fetch_store_path(dir, output).text);
}

void fetch_store_forget(const char *dir, uint32_t output)
{
    sys_unlink(fetch_store_path(dir, output).text);
}

/* Maps an open sorted file and checks its index. 0, or -1 with errno. */
static int open_run(int fd, struct sorted_file *file)
{
    struct err why;
    char path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (sorted_file_open(file, path, &why) == 0)
        return 0;
    errno = EBADMSG;
    return -1;
}

int fetch_store_hole(int fd, bool is_run, struct fetch_hole *hole)
{
    struct sorted_file file;
    struct stat st;

    if (sys_fstat(fd, &st) < 0)
        return -1;
    *hole = (struct fetch_hole){0, st.st_size};
    if (!is_run)
        return 0;
    if (open_run(fd, &file) < 0)
        return -1;
    *hole = (struct fetch_hole){SORTED_FILE_HEAD, (int64_t)sorted_file_index(&file)};
    sorted_file_close(&file);
    return 0;
}

/* 0, or an errno. */
static int describe(int fd, uint32_t partition, struct packet_partition *found, int64_t *offset)
{
    struct sorted_file file;
    struct stat st;

    if (sys_fstat(fd, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    if (partition == PACKET_WHOLE) {
        *offset = 0;
        found->bytes = st.st_size;
        return 0;
    }
    if (open_run(fd, &file) < 0)
        return errno;
    int error = partition < file.partitions ? 0 : ERANGE;
    if (!error) {
        struct sorted_file_partition row = sorted_file_partition(&file, partition);
        *offset = (int64_t)row.offset;
        *found = (struct packet_partition){.partitions = file.partitions,
                                           .form = sorted_file_form_word(file.form),
                                           .bytes = (int64_t)row.bytes,
                                           .records = (int64_t)row.records,
                                           .checksum = row.checksum,
                                           .index_checksum = sorted_file_checksum(&file)};
    }
    sorted_file_close(&file);
    return error;
}

int fetch_store_find(const char *dir, uint32_t output, uint32_t partition,
                     struct packet_partition *found, int64_t *offset)
{
    struct path path = fetch_store_path(dir, output);

    *found = (struct packet_partition){0};
    int fd = sys_open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    int error = fd < 0 ? errno : describe(fd, partition, found, offset);
    if (!error)
        return fd;
    *found = (struct packet_partition){.error = error};
    sys_close(&fd);
    return -1;
}
