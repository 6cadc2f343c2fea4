/* fetch_keep_test.h - outputs in a store, for tests. Include tests/unit/test.h before it. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/sorted_writer.h"
#include "remote/fetch/fetch_store.h"

static inline void keep_file(const char *dir, uint32_t output, const void *bytes, size_t count)
{
    char path[128];

    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "we");
    expect(f && fwrite(bytes, 1, count, f) == count && fclose(f) == 0);
    expect(fetch_store_keep(dir, output, path) == 0);
}

/* Two partitions: "a" "1" in the first, `large` bytes under "b" in the second. */
static inline void keep_run(const char *dir, uint32_t output, uint32_t large)
{
    char path[128], *value = mem_zalloc(large, 1);
    struct err err;

    memset(value, 'v', large);
    snprintf(path, sizeof path, "%s/stdout", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct sorted_writer *w = sorted_writer_create(fd, 2, (struct sorted_file_form){0}, &err);
    sorted_writer_add(w, 0, &(struct data_record){"a", "1", 1, 1});
    sorted_writer_add(w, 1, &(struct data_record){"b", value, 1, large});
    expect(sorted_writer_finish(w, path, &err) == 0);
    close(fd);
    mem_free(value);
    expect(fetch_store_keep(dir, output, path) == 0);
}
