#include "data/sorted_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "data/sorted_writer.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

TEST(sorted_file_form_shares_memory_within_bounds)
{
    static const struct {
        enum codec codec;
        uint64_t memory, count;
        uint32_t block;
    } rows[] = {
        {CODEC_PLAIN, 1 << 20, 1, 0},        {CODEC_LZ4, 1 << 20, 1, 65536},
        {CODEC_LZ4, 65536, 1, 65536},        {CODEC_LZ4, 65535, 1, 64512},
        {CODEC_LZ4, 65536 + 1024, 1, 65536}, {CODEC_ZSTD, 20480, 2, 10240},
        {CODEC_ZSTD, 20479, 2, 9216},        {CODEC_ZSTD, 4096, 1, 4096},
        {CODEC_ZSTD, 4095, 1, 4096},         {CODEC_ZSTD, 0, 1, 4096},
        {CODEC_ZSTD, 5120, 1, 5120},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sorted_file_form form =
            sorted_file_form(rows[i].codec, rows[i].memory, rows[i].count);
        expect(form.codec == rows[i].codec && form.block == rows[i].block);
        expect(sorted_file_form_word(form) == ((uint32_t)form.codec | (form.block / 1024) * 65536));
    }
}

/* Writes `file` with two partitions; the first has one record, of which this is the value. */
static void write_file(uint32_t length)
{
    static char value[20000];
    struct err err;
    int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct sorted_writer *w = sorted_writer_create(fd, 2, (struct sorted_file_form){0}, &err);

    sorted_writer_add(w, 0, &(struct data_record){"k", value, 1, length});
    sorted_writer_add(w, 1, &(struct data_record){"key", "value", 3, 5});
    expect(sorted_writer_finish(w, "file", &err) == 0);
    close(fd);
}

/* By the name in an open folder, and by the path. */
TEST(sorted_file_is_found_in_an_open_folder)
{
    struct command_folder f;
    struct sorted_file file;
    struct err err;
    int open_before;

    command_begin(&f);
    open_before = limits_open();
    write_file(1);
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    static const char *const paths[] = {"file", "/nowhere/else/file"};
    for (int i = 0; i < 2; i++) {
        expect(sorted_file_open_partition(&file, folder, paths[i], 1, 2, &err) == 0);
        expect(!file.map && file.row.records == 1 && file.checked == 2);
        sorted_file_close(&file);
        sorted_file_close(&file);
    }
    expect(sorted_file_open_partition(&file, AT_FDCWD, paths[1], 1, 2, &err) < 0);
    expect(!strcmp(err.text, "/nowhere/else/file: No such file or directory"));
    expect(err.kind == ERR_SYSTEM && !file.path);
    expect(sorted_file_open_partition(&file, AT_FDCWD, ".", 1, 2, &err) < 0);
    expect(!strcmp(err.text, ".: not a sorted file"));
    close(folder);
    expect(limits_open() == open_before);
    command_end(&f);
}

/* 16 KiB are read, and a byte more is mapped. */
TEST(sorted_file_maps_what_is_large)
{
    struct command_folder f;
    struct sorted_file file;
    struct err err;

    command_begin(&f);
    for (uint32_t bytes = 16 * 1024 - 1; bytes <= 16 * 1024 + 1; bytes++) {
        write_file(bytes - 4); /* the key, and three bytes of lengths */
        expect(sorted_file_open_partition(&file, AT_FDCWD, "file", 0, 2, &err) == 0);
        expect(sorted_file_partition(&file, 0).bytes == bytes);
        expect((file.map != NULL) == (bytes > 16 * 1024));
        sorted_file_close(&file);
    }
    command_end(&f);
}

static const char too_short[] = "file: not a sorted file";

TEST(sorted_file_refuses_what_is_too_short)
{
    struct command_folder f;
    struct sorted_file file;
    struct err err;

    command_begin(&f);
    for (off_t size = 0; size < SORTED_FILE_HEAD + SORTED_FILE_TAIL; size += 13) {
        command_file("file", "");
        expect(truncate("file", size) == 0);
        expect(sorted_file_open(&file, "file", &err) < 0 && !strcmp(err.text, too_short));
        expect(sorted_file_open_partition(&file, AT_FDCWD, "file", 0, 2, &err) < 0);
        expect(!strcmp(err.text, too_short) && !file.path && !file.map && !file.bytes);
    }
    command_end(&f);
}

/* Fetched partitions: the file has the bytes of the partition, and nothing else. */
TEST(sorted_file_checks_what_was_fetched)
{
    static uint8_t large[20000];
    static const struct {
        uint32_t form, number;
        int64_t more, records;
        const char *why; /* NULL: it is fine */
    } rows[] = {
        {0, 1, 0, 1, NULL},
        {0, 1, 0, 10001, "it: the index of this sorted file is wrong"},
        {0, 1, 0, 10000, NULL}, /* as many as may be; that there are fewer is seen by reading */
        {0, 1, 1, 1, "it: the fetched copy is cut off"},
        {CODEC_COUNT, 1, 0, 1,
         "it: this sorted file is packed by codec 3, which this dolly does "
         "not have"},
        {CODEC_LZ4, 1, 0, 1, "it: the blocks of this sorted file have no length that is possible"},
        {65 << 16 | CODEC_LZ4, 1, 0, 1,
         "it: the blocks of this sorted file have no length that is possible"},
        {1 << 16, 1, 0, 1, "it: the blocks of this sorted file have no length that is possible"},
    };
    struct command_folder f;
    struct sorted_file file;
    struct err err;
    int open_before;

    command_begin(&f);
    open_before = limits_open();
    int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    expect(write(fd, large, sizeof large) == (ssize_t)sizeof large);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sorted_file_partition row = {.bytes = sizeof large + (uint64_t)rows[i].more,
                                            .records = (uint64_t)rows[i].records,
                                            .checksum = XXH3_64bits(large, sizeof large)};
        int result =
            sorted_file_open_fetched(&file, "it", fd, rows[i].form, &row, rows[i].number, 2, &err);
        expect(result == (rows[i].why ? -1 : 0));
        expect(rows[i].why ? !strcmp(err.text, rows[i].why) && !file.path
                           : file.mapped == sizeof large && file.partitions == 2);
        sorted_file_close(&file);
    }
    close(fd);
    expect(limits_open() == open_before);
    command_end(&f);
}
