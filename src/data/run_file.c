/* run_file.c - reading a run file. See run_file.h. */
#include "data/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/record_form.h"

static uint64_t get64(const uint8_t *at)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static const uint8_t *index_of(const struct run_file *f)
{
    return f->map + f->size - RUN_FILE_TAIL - (uint64_t)f->partitions * RUN_FILE_ROW;
}

struct run_file_part run_file_part(const struct run_file *f, uint32_t partition)
{
    check(partition < f->partitions);
    const uint8_t *row = index_of(f) + (uint64_t)partition * RUN_FILE_ROW;
    return (struct run_file_part){get64(row), get64(row + 8), get64(row + 16), get64(row + 24)};
}

uint64_t run_file_checksum(const struct run_file *f)
{
    return get64(f->map + f->size - RUN_FILE_TAIL + 8); /* of the index, which has all others */
}

/* ---- opening ---- */

static int damaged(const struct run_file *f, struct err *err, const char *what)
{
    return err_set(err, "%s: %s", f->path, what);
}

/* Partitions lie one behind the other, from the head to the index. */
static int check_rows(const struct run_file *f, struct err *err)
{
    uint64_t at = RUN_FILE_HEAD, end = (uint64_t)(index_of(f) - f->map);

    for (uint32_t i = 0; i < f->partitions; i++) {
        struct run_file_part p = run_file_part(f, i);
        /* a record has at least its two lengths */
        if (p.offset != at || p.bytes > end - at || p.records > p.bytes / 2)
            return damaged(f, err, "the index of this run file is wrong");
        at += p.bytes;
    }
    return at == end ? 0 : damaged(f, err, "the index of this run file is wrong");
}

static int check_file(struct run_file *f, struct err *err)
{
    if (f->size < RUN_FILE_HEAD + RUN_FILE_TAIL || memcmp(f->map, RUN_FILE_MAGIC, 8) != 0)
        return damaged(f, err, "not a run file");
    if (get32(f->map + 8) != RUN_FILE_VERSION || get32(f->map + 12) != 0)
        return damaged(f, err, "a run file of another version of dolly");
    const uint8_t *tail = f->map + f->size - RUN_FILE_TAIL;
    uint64_t count = get64(tail), room = f->size - RUN_FILE_HEAD - RUN_FILE_TAIL;
    if (memcmp(tail + 16, RUN_FILE_MAGIC, 8) != 0)
        return damaged(f, err, "this run file is cut off");
    if (count == 0 || count > RUN_FILE_PARTITIONS_MAX || count > room / RUN_FILE_ROW)
        return damaged(f, err, "the index of this run file is wrong");
    f->partitions = (uint32_t)count;
    if (XXH3_64bits(index_of(f), count * RUN_FILE_ROW + 8) != get64(tail + 8))
        return damaged(f, err, "the index of this run file does not have its checksum");
    return check_rows(f, err);
}

static int map_file(struct run_file *f, struct err *err)
{
    struct stat st;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return err_system(err, "%s: %s", f->path, strerror(error));
    }
    f->size = (uint64_t)st.st_size;
    void *map = S_ISREG(st.st_mode) && f->size > 0
                    ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
    int error = errno;
    close(fd);
    if (!S_ISREG(st.st_mode) || f->size == 0)
        return damaged(f, err, "not a run file");
    if (map == MAP_FAILED)
        return err_system(err, "%s: %s", f->path, strerror(error));
    f->map = map;
    return 0;
}

int run_file_open(struct run_file *f, const char *path, struct err *err)
{
    *f = (struct run_file){.path = mem_strdup(path)};
    if (map_file(f, err) == 0 && check_file(f, err) == 0)
        return 0;
    run_file_close(f);
    return -1;
}

void run_file_close(struct run_file *f)
{
    if (f->map)
        munmap((void *)(uintptr_t)f->map, f->size);
    mem_free(f->path);
    *f = (struct run_file){0};
}

/* ---- records ---- */

static int check_part(const struct run_file *f, uint32_t partition, struct err *err)
{
    struct run_file_part p = run_file_part(f, partition);

    if (XXH3_64bits(f->map + p.offset, p.bytes) != p.checksum)
        return err_set(err, "%s: partition %" PRIu32 " does not have its checksum", f->path,
                       partition);
    return 0;
}

int run_file_check(struct run_file *f, uint32_t partition, struct err *err)
{
    if (partition >= f->partitions)
        return err_set(err, "%s: this run file has only %u partitions", f->path, f->partitions);
    if (check_part(f, partition, err) < 0)
        return -1;
    f->checked = partition + 1;
    return 0;
}

int run_file_begin(const struct run_file *f, uint32_t partition, struct run_file_cursor *c,
                   struct err *err)
{
    struct run_file_part p = run_file_part(f, partition);

    if (f->checked != partition + 1 && check_part(f, partition, err) < 0)
        return -1;
    *c = (struct run_file_cursor){f->map + p.offset, f->map + p.offset + p.bytes, p.records, f};
    return 0;
}

int run_file_next(struct run_file_cursor *c, struct data_record *r, struct err *err)
{
    if (c->left == 0 && c->at == c->end)
        return 0;
    const uint8_t *next = c->left > 0 ? record_form_read(c->at, c->end, r) : NULL;
    if (!next)
        return damaged(c->file, err, "what this run file has is no record");
    c->at = next;
    c->left--;
    return 1;
}
