/* spark_files.c - decides which files make one log, and their order. */
#include "inputs/formats/spark_files.h"

#include <inttypes.h>

#include "inputs/trace/number.h"

static bool cut_end(struct row_text *text, const char *end)
{
    size_t n = strlen(end);
    if (text->length <= n || memcmp(text->at + text->length - n, end, n) != 0)
        return false;
    text->length -= n;
    return true;
}

bool spark_files_is(const char *path, struct spark_file *file)
{
    static const char head[] = "events_";
    static const char *const codecs[] = {".zstd", ".lz4", ".snappy", ".lzf"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *digits = name + sizeof head - 1;
    if (strncmp(name, head, sizeof head - 1) != 0)
        return false;
    size_t length = strspn(digits, "0123456789");
    if (digits[length] != '_' || !digits[length + 1] ||
        !number_int((struct row_text){digits, length}, &file->number))
        return false;
    file->folder = (struct row_text){path, (size_t)(name - path)};
    file->log = (struct row_text){digits + length + 1, strlen(digits + length + 1)};
    file->is_compact = cut_end(&file->log, ".compact");
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (cut_end(&file->log, codecs[i]))
            break;
    return true;
}

bool spark_files_same(const struct spark_file *a, const struct spark_file *b)
{
    return row_text_compare(a->folder, b->folder) == 0 && row_text_compare(a->log, b->log) == 0;
}

int spark_files_follow(const char *before, const char *name, struct err *err)
{
    struct spark_file old, file;
    if (!spark_files_is(name, &file))
        return 0;
    bool is_same = before && spark_files_is(before, &old) && spark_files_same(&old, &file);
    if (is_same && !file.is_compact && file.number == old.number + 1)
        return 1;
    if (!is_same && (file.is_compact || file.number == 1))
        return 0;
    if (is_same && file.is_compact)
        return err_set(err,
                       "%s: holds what the files before it hold; give the folder of the log, "
                       "unpacked",
                       name);
    return err_set(err,
                   "%s: file %" PRId64 " of a log must come after file %" PRId64
                   "; give the folder "
                   "of the log, unpacked and whole",
                   name, file.number, file.number - 1);
}
