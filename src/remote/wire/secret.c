/* Keys, as bytes and as text.
 *
 * Text is hexadecimal and fixed in length, so that a pipe or file that was cut short, or that holds
 * something else, is noticed here and not as a handshake that fails for no visible reason. */
#include "remote/wire/secret.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "exec/process/sys.h"

/* Where a core is written all the same: the process that is looked into by a debugger, as gcore
 * does, or a limit that somebody has raised. */
void secret_hide(const void *at, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);

    madvise((void *)from, (uintptr_t)at + bytes - from, MADV_DONTDUMP);
}

int secret_make(struct secret *s, struct err *err)
{
    secret_hide(s, sizeof *s);
    if (getrandom(s->bytes, sizeof s->bytes, 0) == sizeof s->bytes)
        return 0;
    return err_system(err, "cannot make a key: %s", strerror(errno));
}

void secret_copy(struct secret *s, const void *bytes)
{
    secret_hide(s, sizeof *s);
    memcpy(s->bytes, bytes, sizeof s->bytes);
}

void secret_print(const struct secret *s, char text[SECRET_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    secret_hide(text, SECRET_TEXT);
    for (size_t i = 0; i < SECRET_BYTES; i++) {
        text[2 * i] = digits[s->bytes[i] >> 4];
        text[2 * i + 1] = digits[s->bytes[i] & 15];
    }
    text[SECRET_TEXT - 1] = '\n';
}

static int secret_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int secret_parse(struct secret *s, const char *text, size_t length)
{
    if (length == SECRET_TEXT && text[length - 1] == '\n')
        length--;
    if (length != SECRET_TEXT - 1)
        return -1;
    secret_hide(s, sizeof *s);
    for (size_t i = 0; i < SECRET_BYTES; i++) {
        int high = secret_digit(text[2 * i]), low = secret_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return -1;
        s->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return 0;
}

int secret_read_fd(struct secret *s, int fd, struct err *err)
{
    char text[SECRET_TEXT + 1];
    size_t have = 0;
    ssize_t n = 0;

    while (have < sizeof text && (n = sys_read(fd, text + have, sizeof text - have)) != 0) {
        if (n < 0 && errno != EINTR)
            return err_system(err, "cannot read the key: %s", strerror(errno));
        have += n > 0 ? (size_t)n : 0;
    }
    int result = secret_parse(s, text, have);
    explicit_bzero(text, sizeof text);
    return result < 0 ? err_set(err, "the key is not %d hexadecimal digits", SECRET_TEXT - 1) : 0;
}

int secret_read_file(struct secret *s, const char *path, struct err *err)
{
    struct stat st;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);

    if (fd < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    int result = -1;
    if (sys_fstat(fd, &st) < 0)
        err_system(err, "%s: %s", path, strerror(errno));
    else if (st.st_uid != geteuid() || (st.st_mode & 077))
        err_set(err, "%s: a key must belong to its user and not be readable by others", path);
    else if ((result = secret_read_fd(s, fd, err)) < 0) {
        struct err inner = *err;
        err_set(err, "%s: %.400s", path, inner.text);
    }
    sys_close(&fd);
    return result;
}

int secret_write_file(const struct secret *s, const char *path, struct err *err)
{
    char text[SECRET_TEXT];

    if (sys_unlink(path) < 0 && errno != ENOENT)
        return err_system(err, "%s: %s", path, strerror(errno));
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_system(err, "%s: %s", path, strerror(errno));
    secret_print(s, text);
    ssize_t n = write(fd, text, sizeof text);
    int saved = n < 0 ? errno : ENOSPC;
    explicit_bzero(text, sizeof text);
    sys_close(&fd);
    return n == sizeof text ? 0 : err_system(err, "%s: %s", path, strerror(saved));
}

void secret_wipe(struct secret *s)
{
    explicit_bzero(s, sizeof *s);
}
