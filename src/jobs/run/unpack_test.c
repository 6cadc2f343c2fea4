#include "jobs/run/unpack.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/le.h"
#include "tests/unit/command.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, UTF8 = 1 << 11 };

/* Writes a ZIP with one empty file of this name. */
static void write_zip(const char *path, const char *name)
{
    uint8_t head[LOCAL] = "PK\3\4", row[CENTRAL] = "PK\1\2", end[END] = "PK\5\6";
    uint32_t length = (uint32_t)strlen(name);
    FILE *f = fopen(path, "w");

    head[4] = row[4] = row[6] = 20; /* version */
    head[7] = row[9] = UTF8 >> 8;
    head[26] = row[28] = (uint8_t)length;
    end[8] = end[10] = 1;
    le_put32(end + 12, CENTRAL + length);
    le_put32(end + 16, LOCAL + length);
    expect(f && fwrite(head, LOCAL, 1, f) == 1 && fwrite(name, length, 1, f) == 1);
    expect(fwrite(row, CENTRAL, 1, f) == 1 && fwrite(name, length, 1, f) == 1);
    expect(fwrite(end, END, 1, f) == 1 && fclose(f) == 0);
}

TEST(unpack_keeps_names_in_utf8)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    write_zip("zip", "\303\244/\303\266");
    mode_t before = umask(0);
    expect(unpack_into("zip", "to", &err) == 0 && access("to/\303\244/\303\266", F_OK) == 0);
    umask(before);
    expect(test_mode("to") == 0700);
    expect(unpack_into("zip", "to", &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "to: File exists") == 0);
    write_zip("bad", "\377\376");
    expect(unpack_into("bad", "from-bad", &err) == -1 && err.kind == ERR_INPUT);
    expect(strcmp(err.text, "bad: the name of a member cannot be read") == 0);
    expect(rmdir("from-bad") == 0);
    command_end(&f);
}
