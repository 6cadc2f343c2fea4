/* unpack.c - an archive as a folder. See unpack.h. libarchive does it, and is told to follow no
 * link and no ".." out of the folder; names that begin at the root are put below it. */
#include "jobs/run/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/lazy.h"
#include "base/text.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(archive_entry_hardlink) F(archive_entry_pathname) F(archive_entry_set_hardlink) \
    F(archive_entry_set_pathname) F(archive_error_string) F(archive_read_data_block) \
    F(archive_read_free) F(archive_read_new) F(archive_read_next_header) \
    F(archive_read_open_filename) F(archive_read_support_filter_all) \
    F(archive_read_support_format_tar) F(archive_read_support_format_zip) \
    F(archive_write_data_block) F(archive_write_disk_new) F(archive_write_disk_set_options) \
    F(archive_write_finish_entry) F(archive_write_free) F(archive_write_header)
/* clang-format on */

static struct {
    FUNCTIONS(LAZY_MEMBER)
} libarchive;

static struct lazy_library library = {
    .file = "libarchive.so.13", .names = LAZY_NAMES(FUNCTIONS), .functions = &libarchive};

enum { READ_BYTES = 256 * 1024 };
enum {
    SAFELY =
        ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_SYMLINKS
};

struct unpacking {
    const char *path, *folder;
    struct archive *from, *to;
    struct err *err;
};

static int fail(struct unpacking *u, struct archive *whose)
{
    const char *why = libarchive.archive_error_string(whose);

    return err_set(u->err, "%s: cannot unpack: %s", u->path, why ? why : "unknown error");
}

static bool is_good(int result)
{
    return result == ARCHIVE_OK || result == ARCHIVE_WARN;
}

/* The name in the folder, of what the archive calls by this one. */
static void put_below(struct unpacking *u, struct archive_entry *entry, const char *name,
                      void (*set)(struct archive_entry *entry, const char *name))
{
    struct str whole = {0};

    str_addf(&whole, "%s/%s", u->folder, name);
    set(entry, whole.text);
    str_free(&whole);
}

static int copy_data(struct unpacking *u)
{
    const void *block;
    size_t length;
    la_int64_t offset;
    int r;

    while (is_good(r = libarchive.archive_read_data_block(u->from, &block, &length, &offset)))
        if (libarchive.archive_write_data_block(u->to, block, length, offset) < ARCHIVE_WARN)
            return fail(u, u->to);
    return r == ARCHIVE_EOF ? 0 : fail(u, u->from);
}

static int copy_entry(struct unpacking *u, struct archive_entry *entry)
{
    const char *name = libarchive.archive_entry_pathname(entry),
               *link = libarchive.archive_entry_hardlink(entry);

    if (!name)
        return err_set(u->err, "%s: the name of a member cannot be read", u->path);
    if (link)
        put_below(u, entry, link, libarchive.archive_entry_set_hardlink);
    put_below(u, entry, name, libarchive.archive_entry_set_pathname);
    if (!is_good(libarchive.archive_write_header(u->to, entry)))
        return fail(u, u->to);
    if (copy_data(u) < 0)
        return -1;
    return is_good(libarchive.archive_write_finish_entry(u->to)) ? 0 : fail(u, u->to);
}

static int copy_all(struct unpacking *u)
{
    struct archive_entry *entry;
    int r;

    if (libarchive.archive_read_open_filename(u->from, u->path, READ_BYTES) != ARCHIVE_OK)
        return fail(u, u->from);
    while (is_good(r = libarchive.archive_read_next_header(u->from, &entry)))
        if (copy_entry(u, entry) < 0)
            return -1;
    return r == ARCHIVE_EOF ? 0 : fail(u, u->from);
}

int unpack_into(const char *path, const char *folder, struct err *err)
{
    struct unpacking u = {.path = path, .folder = folder, .err = err};

    if (lazy_load(&library, err) < 0)
        return -1;
    if (mkdir(folder, 0700) < 0)
        return err_system(err, "%s: %s", folder, strerror(errno));
    u.from = libarchive.archive_read_new();
    u.to = libarchive.archive_write_disk_new();
    if (!u.from || !u.to)
        mem_out(1, READ_BYTES);
    libarchive.archive_read_support_filter_all(u.from);
    libarchive.archive_read_support_format_tar(u.from);
    libarchive.archive_read_support_format_zip(u.from);
    libarchive.archive_write_disk_set_options(u.to, SAFELY);
    /* Names of ZIP are UTF-8, and those of files here are bytes. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0),
             before = uselocale(utf8); /* 0, if there is none, changes nothing */
    int result = copy_all(&u);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    libarchive.archive_read_free(u.from);
    libarchive.archive_write_free(u.to);
    return result;
}
