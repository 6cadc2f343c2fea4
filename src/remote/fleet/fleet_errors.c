#include "remote/fleet/fleet_errors.h"

#include <string.h>

#include "base/os/path.h"

#include "exec/process/sys.h"

static struct path errors_path(const char *dir, const char *name)
{
    return path_of("%s/%s.err", dir, name);
}

int fleet_errors_open(const char *dir, const char *name)
{
    return sys_open(errors_path(dir, name).text,
                    O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

void fleet_errors_take(const char *dir, const char *name, char *line, size_t size)
{
    fleet_errors_look(dir, name, line, size);
    unlink(errors_path(dir, name).text);
}

void fleet_errors_look(const char *dir, const char *name, char *line, size_t size)
{
    char text[4096];
    ssize_t n = 0;
    int fd = sys_open(errors_path(dir, name).text, O_RDONLY | O_CLOEXEC, 0);

    if (fd >= 0) {
        off_t length = lseek(fd, 0, SEEK_END), most = (off_t)sizeof text;
        n = pread(fd, text, sizeof text, length > most ? length - most : 0);
        sys_close(&fd);
    }
    fleet_errors_last(text, n > 0 ? (size_t)n : 0, line, size);
}

/* The line that ends at `end`, without blanks behind it: its beginning. */
static size_t line_begin(const char *text, size_t *end)
{
    while (*end > 0 && strchr("\r\n ", text[*end - 1])) /* ssh ends lines with both */
        --*end;
    size_t begin = *end;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    return begin;
}

void fleet_errors_last(const char *text, size_t length, char *line, size_t size)
{
    size_t end = length, begin = line_begin(text, &end);

    /* What srun adds at the end is that tasks have ended; what they said stands before. */
    for (size_t e = end, b = begin; e > 0; e = b, b = line_begin(text, &e)) {
        if (strncmp(text + b, "srun: ", e - b < 6 ? e - b : 6) != 0) {
            begin = b;
            end = e;
            break;
        }
    }
    size_t n = end - begin < size ? end - begin : size - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[begin + i];
        line[i] = c < ' ' || c == 127 ? '?' : (char)c;
    }
    line[n] = '\0';
}
