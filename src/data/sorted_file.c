/* sorted_file.c - reading a sorted file. See sorted_file.h. */
#include "data/sorted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/le.h"
#include "data/record_form.h"
#include "data/sorted_blocks.h"

enum { BLOCK_MIN = 4096 };

struct sorted_file_form sorted_file_form(enum codec codec, uint64_t memory, uint64_t count)
{
    uint64_t block = memory / count / 1024 * 1024;

    if (codec == CODEC_PLAIN)
        return (struct sorted_file_form){0};
    block = block < BLOCK_MIN ? BLOCK_MIN : block > SORTED_BLOCKS_MAX ? SORTED_BLOCKS_MAX : block;
    return (struct sorted_file_form){codec, (uint32_t)block};
}

uint32_t sorted_file_form_word(struct sorted_file_form form)
{
    return (uint32_t)form.codec | form.block / 1024 << 16;
}

static struct sorted_file_partition row_at(const uint8_t *index, uint32_t partition)
{
    const uint8_t *row = index + (uint64_t)partition * SORTED_FILE_ROW;

    return (struct sorted_file_partition){le_get64(row), le_get64(row + 8), le_get64(row + 16),
                                          le_get64(row + 24)};
}

struct sorted_file_partition sorted_file_partition(const struct sorted_file *f, uint32_t partition)
{
    check(partition < f->partitions && (f->map || f->checked == partition + 1));
    return f->map ? row_at(f->index, partition) : f->row;
}

uint64_t sorted_file_checksum(const struct sorted_file *f)
{
    /* of the index, which has all others */
    return le_get64(f->index + (uint64_t)f->partitions * SORTED_FILE_ROW + 8);
}

uint64_t sorted_file_index(const struct sorted_file *f)
{
    return (uint64_t)(f->index - f->map);
}

/* ---- opening ---- */

static int damaged(const struct sorted_file *f, struct err *err, const char *what)
{
    return err_set(err, "%s: %s", f->path, what);
}

/* Whether a partition may have that number of records. Of one that is packed this is known only
 * once its blocks are. */
static bool may_have(const struct sorted_file *f, const struct sorted_file_partition *p)
{
    /* a record has at least its two lengths */
    return f->form.block > 0 && p->bytes > 0 ? true : p->records <= p->bytes / 2;
}

/* Partitions lie one behind the other, from the head to the index. */
static int check_rows(const struct sorted_file *f, struct err *err)
{
    uint64_t at = SORTED_FILE_HEAD, end = (uint64_t)(f->index - f->map);

    for (uint32_t i = 0; i < f->partitions; i++) {
        struct sorted_file_partition p = sorted_file_partition(f, i);
        if (p.offset != at || p.bytes > end - at || !may_have(f, &p))
            return damaged(f, err, "the index of this sorted file is wrong");
        at += p.bytes;
    }
    return at == end ? 0 : damaged(f, err, "the index of this sorted file is wrong");
}

/* Finds out how it is packed: `form` as the file has it. */
static int take_form(struct sorted_file *f, uint32_t form, struct err *err)
{
    uint32_t codec = form & 0xffff;

    if (codec >= CODEC_COUNT)
        return err_set(err,
                       "%s: this sorted file is packed by codec %" PRIu32
                       ", which this dolly does not have",
                       f->path, codec);
    f->form = (struct sorted_file_form){(enum codec)codec, (form >> 16) * 1024};
    if (f->form.block > SORTED_BLOCKS_MAX || (f->form.block == 0) != (codec == CODEC_PLAIN))
        return damaged(f, err, "the blocks of this sorted file have no length that is possible");
    return 0;
}

static int check_head(struct sorted_file *f, const uint8_t *head, struct err *err)
{
    if (memcmp(head, SORTED_FILE_MAGIC, 8) != 0)
        return damaged(f, err, "not a sorted file");
    if (le_get32(head + 8) != SORTED_FILE_VERSION)
        return damaged(f, err, "a sorted file of another version of dolly");
    return take_form(f, le_get32(head + 12), err);
}

/* Finds out how many partitions it has. The form stands here, too, within the checksum. */
static int check_tail(struct sorted_file *f, const uint8_t *tail, struct err *err)
{
    uint64_t count = le_get32(tail), left = f->size - SORTED_FILE_HEAD - SORTED_FILE_TAIL;

    if (memcmp(tail + 16, SORTED_FILE_MAGIC, 8) != 0)
        return damaged(f, err, "this sorted file is cut off");
    if (count == 0 || count > SORTED_FILE_PARTITIONS_MAX || count > left / SORTED_FILE_ROW ||
        le_get32(tail + 4) != sorted_file_form_word(f->form))
        return damaged(f, err, "the index of this sorted file is wrong");
    f->partitions = (uint32_t)count;
    return 0;
}

static int check_index(const struct sorted_file *f, const uint8_t *index, struct err *err)
{
    uint64_t rows = (uint64_t)f->partitions * SORTED_FILE_ROW;

    if (XXH3_64bits(index, mem_size(rows + 8)) != le_get64(index + rows + 8))
        return damaged(f, err, "the index of this sorted file has a wrong checksum");
    return 0;
}

static int check_file(struct sorted_file *f, struct err *err)
{
    if (f->size < SORTED_FILE_HEAD + SORTED_FILE_TAIL)
        return damaged(f, err, "not a sorted file");
    const uint8_t *tail = f->map + f->size - SORTED_FILE_TAIL;
    if (check_head(f, f->map, err) < 0 || check_tail(f, tail, err) < 0)
        return -1;
    f->index = tail - (uint64_t)f->partitions * SORTED_FILE_ROW;
    return check_index(f, f->index, err) < 0 ? -1 : check_rows(f, err);
}

/* Opens it, by its name if its folder is open, and finds out its size. -1 with *err. */
static int open_file(struct sorted_file *f, int folder, struct err *err)
{
    struct stat st;
    const char *slash = folder == AT_FDCWD ? NULL : strrchr(f->path, '/');
    int fd = openat(folder, slash ? slash + 1 : f->path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        f->size = (uint64_t)st.st_size;
        return fd;
    }
    int error = errno;
    if (fd < 0)
        return err_system(err, "%s: %s", f->path, strerror(error));
    close(fd);
    return damaged(f, err, "not a sorted file");
}

static int map_file(struct sorted_file *f, int fd, struct err *err)
{
    void *map = mmap(NULL, mem_size(f->size), PROT_READ, MAP_PRIVATE, fd, 0);

    if (map == MAP_FAILED)
        return err_system(err, "%s: %s", f->path, strerror(errno));
    f->map = map;
    return check_file(f, err);
}

/* Goes on with an open file, which is closed; whatever fails, nothing is left. */
static int finish_open(struct sorted_file *f, int fd, int result)
{
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && result == 0)
        return 0;
    sorted_file_close(f);
    return -1;
}

int sorted_file_open(struct sorted_file *f, const char *path, struct err *err)
{
    *f = (struct sorted_file){.path = mem_strdup(path)};
    int fd = open_file(f, AT_FDCWD, err);
    return finish_open(f, fd, fd < 0 ? -1 : map_file(f, fd, err));
}

void sorted_file_close(struct sorted_file *f)
{
    if (f->map)
        munmap((void *)(uintptr_t)f->map, (size_t)f->size);
    if (f->mapped)
        munmap(f->bytes, (size_t)f->mapped);
    else
        mem_free(f->bytes);
    mem_free(f->path);
    *f = (struct sorted_file){0};
}

/* ---- records ---- */

static int check_part(const struct sorted_file *f, uint32_t partition, const uint8_t *bytes,
                      const struct sorted_file_partition *p, struct err *err)
{
    if (XXH3_64bits(bytes, mem_size(p->bytes)) != p->checksum)
        return err_set(err, "%s: partition %" PRIu32 " has a wrong checksum", f->path, partition);
    return 0;
}

/* Records of a packed partition, of which none has been unpacked. */
static int begin_packed(struct sorted_file_cursor *c, const uint8_t *at,
                        const struct sorted_file_partition *p, struct err *err)
{
    const struct sorted_file_form *form = &c->file->form;

    if (codec_load(form->codec, err) < 0)
        return -1;
    c->blocks = mem_zalloc(1, sizeof *c->blocks);
    if (sorted_blocks_init(c->blocks, form->codec, form->block, at, p->bytes) < 0 ||
        p->records > c->blocks->left / 2)
        return damaged(c->file, err, "a partition of this sorted file differs from the packed one");
    c->left = p->records;
    return 0;
}

int sorted_file_begin(const struct sorted_file *f, uint32_t partition, struct sorted_file_cursor *c,
                      struct err *err)
{
    struct sorted_file_partition p = sorted_file_partition(f, partition);
    const uint8_t *at = f->map ? f->map + p.offset : f->bytes;

    *c = (struct sorted_file_cursor){.file = f};
    if (f->checked != partition + 1 && check_part(f, partition, at, &p, err) < 0)
        return -1;
    if (f->form.block > 0)
        return begin_packed(c, at, &p, err);
    c->at = at;
    c->end = at + p.bytes;
    c->left = p.records;
    return 0;
}

void sorted_file_end(struct sorted_file_cursor *c)
{
    if (c->blocks)
        sorted_blocks_fini(c->blocks);
    mem_free(c->blocks);
    *c = (struct sorted_file_cursor){0};
}

/* Whether the record of which only the beginning is here may go on in blocks to come. */
static bool may_go_on(const struct sorted_file_cursor *c)
{
    uint32_t key_length, value_length;
    const uint8_t *at = record_form_get(c->at, c->end, &key_length);

    at = at ? record_form_get(at, c->end, &value_length) : NULL;
    if (!at)
        return c->end - c->at < RECORD_FORM_HEAD_MAX;
    return (uint64_t)key_length + value_length <= (uint64_t)(c->end - at) + c->blocks->left;
}

/* There is no whole record here: at the end, at that of a block, or because there is none. */
static int next_of_more(struct sorted_file_cursor *c, struct data_record *r, struct err *err)
{
    int n = 1;

    while (c->blocks && c->left > 0 && may_go_on(c) &&
           (n = sorted_blocks_more(c->blocks, &c->at, &c->end)) > 0) {
        const uint8_t *next = record_form_read(c->at, c->end, r);
        c->moves++;
        if (!next)
            continue;
        c->at = next;
        c->left--;
        return 1;
    }
    if (n < 0)
        return damaged(c->file, err, "a block of this sorted file cannot be unpacked");
    if (c->left > 0 || c->at < c->end || (c->blocks && !sorted_blocks_over(c->blocks)))
        return damaged(c->file, err, "damaged: not a record");
    return 0;
}

int sorted_file_next(struct sorted_file_cursor *c, struct data_record *r, struct err *err)
{
    const uint8_t *next = c->left > 0 ? record_form_read(c->at, c->end, r) : NULL;

    if (!next)
        return next_of_more(c, r, err);
    c->at = next;
    c->left--;
    return 1;
}

/* ---- one partition ---- */

enum { PART_READ_MAX = 16 * 1024 }; /* larger ones are mapped */

static int read_at(const struct sorted_file *f, int fd, uint8_t *to, size_t count, uint64_t from,
                   struct err *err)
{
    while (count > 0) {
        ssize_t n = pread(fd, to, count, (off_t)from);
        if (n < 0 && errno != EINTR)
            return err_system(err, "%s: %s", f->path, strerror(errno));
        if (n == 0)
            return damaged(f, err, "this sorted file is cut off");
        if (n > 0) {
            to += n;
            from += (uint64_t)n;
            count -= (size_t)n;
        }
    }
    return 0;
}

static uint64_t index_at(const struct sorted_file *f)
{
    return f->size - SORTED_FILE_TAIL - (uint64_t)f->partitions * SORTED_FILE_ROW;
}

/* Finds the row of the partition by what stands at the end of the file. */
static int find_row(struct sorted_file *f, int fd, uint32_t partition, uint32_t partitions,
                    struct err *err)
{
    uint8_t tail[SORTED_FILE_TAIL], row[SORTED_FILE_ROW];

    if (f->size < SORTED_FILE_HEAD + SORTED_FILE_TAIL)
        return damaged(f, err, "not a sorted file");
    if (read_at(f, fd, tail, sizeof tail, f->size - sizeof tail, err) < 0 ||
        take_form(f, le_get32(tail + 4), err) < 0 || check_tail(f, tail, err) < 0)
        return -1;
    if (f->partitions != partitions)
        return err_set(err, "%s: this sorted file has %u partitions, not %u", f->path,
                       f->partitions, partitions);
    uint64_t from = index_at(f) + (uint64_t)partition * SORTED_FILE_ROW;
    if (read_at(f, fd, row, sizeof row, from, err) < 0)
        return -1;
    f->row = row_at(row, 0);
    return 0;
}

/* The checksum of a partition vouches for all of its row but for the number of records, and how
 * many partitions there are says that it is the right row. A plain
 * one has as many as it has; for others the index answers, all of it, which is longer than many a
 * partition where there are many. */
static int check_records(const struct sorted_file *f, int fd, uint32_t partition, struct err *err)
{
    struct sorted_file_cursor c;
    struct data_record r;
    int n;

    if (f->form.block > 0) {
        size_t count = mem_size(f->size - index_at(f));
        uint8_t *index = mem_resize(NULL, count, 1);
        n = read_at(f, fd, index, count, index_at(f), err) < 0 ? -1 : check_index(f, index, err);
        mem_free(index);
        return n;
    }
    if (sorted_file_begin(f, partition, &c, err) < 0)
        return -1;
    while ((n = sorted_file_next(&c, &r, err)) > 0)
        ;
    return n;
}

/* Reads the partition, or maps the file if that is large. */
static int take_part(struct sorted_file *f, int fd, uint32_t partition, struct err *err)
{
    const struct sorted_file_partition *p = &f->row;
    uint64_t end = index_at(f);

    if (p->offset < SORTED_FILE_HEAD || p->offset > end || p->bytes > end - p->offset ||
        !may_have(f, p))
        return damaged(f, err, "the index of this sorted file is wrong");
    f->checked = partition + 1;
    if (p->bytes > PART_READ_MAX)
        return map_file(f, fd, err) < 0 ? -1 : check_part(f, partition, f->map + p->offset, p, err);
    f->bytes = mem_resize(NULL, (size_t)p->bytes + 1, 1);
    if (read_at(f, fd, f->bytes, (size_t)p->bytes, p->offset, err) < 0 ||
        check_part(f, partition, f->bytes, p, err) < 0)
        return -1;
    return check_records(f, fd, partition, err);
}

int sorted_file_open_partition(struct sorted_file *f, int folder, const char *path,
                               uint32_t partition, uint32_t partitions, struct err *err)
{
    int result = -1;

    check(partition < partitions);
    *f = (struct sorted_file){.path = mem_strdup(path)};
    int fd = open_file(f, folder, err);
    if (fd >= 0 && find_row(f, fd, partition, partitions, err) == 0)
        result = take_part(f, fd, partition, err);
    return finish_open(f, fd, result);
}

/* ---- one that came from elsewhere ---- */

static int take_fetched(struct sorted_file *f, int fd, struct err *err)
{
    if (f->row.bytes <= PART_READ_MAX) {
        f->bytes = mem_resize(NULL, (size_t)f->row.bytes + 1, 1);
        return read_at(f, fd, f->bytes, (size_t)f->row.bytes, 0, err);
    }
    struct stat st;
    if (fstat(fd, &st) < 0 || (uint64_t)st.st_size != f->row.bytes)
        return damaged(f, err, "the fetched copy is cut off");
    void *map = mmap(NULL, mem_size(f->row.bytes), PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return err_system(err, "%s: %s", f->path, strerror(errno));
    f->bytes = map;
    f->mapped = f->row.bytes;
    return 0;
}

int sorted_file_open_fetched(struct sorted_file *f, const char *name, int fd, uint32_t form,
                             const struct sorted_file_partition *row, uint32_t partition,
                             uint32_t partitions, struct err *err)
{
    check(partition < partitions);
    *f = (struct sorted_file){
        .path = mem_strdup(name), .partitions = partitions, .row = *row, .checked = partition + 1};
    int result = take_form(f, form, err);
    if (result == 0 && !may_have(f, row))
        result = damaged(f, err, "the index of this sorted file is wrong");
    if (result == 0 && take_fetched(f, fd, err) == 0 &&
        check_part(f, partition, f->bytes, row, err) == 0)
        return 0;
    sorted_file_close(f);
    return -1;
}
