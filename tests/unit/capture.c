#include "tests/unit/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

void capture_begin(struct capture *c, int fd)
{
    fflush(NULL);
    *c = (struct capture){fd, dup(fd), memfd_create("capture", MFD_CLOEXEC)};
    check(c->before >= 0 && c->file >= 0 && dup2(c->file, fd) == fd);
}

char *capture_end(struct capture *c)
{
    struct stat st;

    fflush(NULL);
    check(dup2(c->before, c->fd) == c->fd && fstat(c->file, &st) == 0);
    char *text = mem_zalloc((size_t)st.st_size + 1, 1);
    check(pread(c->file, text, (size_t)st.st_size, 0) == st.st_size);
    close(c->before);
    close(c->file);
    return text;
}

bool text_was(struct str *text, const char *expected)
{
    bool same = strcmp(text->text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text->text, expected);
    str_cut(text, 0);
    return same;
}
