/* The numbers that the script of a page reads, as it unpacks them. */
#include "commands/report/page_data.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "tests/unit/command.h"

enum { BYTES = 4096 };

/* Decodes base64, and inflates it. Returns the number of bytes. */
static size_t unpack(const char *text, unsigned char out[BYTES])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char packed[BYTES];
    size_t count = 0;
    uint32_t bits = 0;

    for (size_t i = 0; text[i] && text[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4 > 0)
            packed[count++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    void *library = dlopen("libz.so.1", RTLD_NOW);
    int (*inflates)(void *, unsigned long *, const void *, unsigned long);
    expect(library != NULL);
    *(void **)&inflates = dlsym(library, "uncompress");
    unsigned long length = BYTES;
    expect(inflates && inflates(out, &length, packed, count) == 0);
    dlclose(library);
    return length;
}

/* The values of a column, from the first row to the last. */
static void column(const json_t *columns, const unsigned char *bytes, size_t rows, const char *name,
                   char line[BYTES])
{
    const json_t *c;
    size_t i, length = 0;

    line[0] = '\0';
    json_array_foreach(columns, i, c)
    {
        if (strcmp(json_string_value(json_object_get(c, "name")), name) != 0)
            continue;
        size_t from = (size_t)json_integer_value(json_object_get(c, "from"));
        for (size_t row = 0; row < rows; row++) {
            uint32_t value = 0;
            for (size_t k = 0; k < (size_t)json_integer_value(json_object_get(c, "size")); k++)
                value |= (uint32_t)bytes[from + k * rows + row] << 8 * k;
            length += (size_t)snprintf(line + length, BYTES - length, "%u ", value);
        }
    }
}

/* Four tasks of six take 10 s, two are rescued from a slow node after that, and two clones were
 * spare; one task reads the results of all. */
TEST(page_data_has_all_columns)
{
    static const struct {
        const char *name, *values;
    } expected[] = {
        {"launched", "0 0 0 0 0 0 0 0 10000000 0 10000000 "},
        {"started", "1 1 1 1 1 1 1 1 1 1 1 "},
        {"read_from", "0 0 0 0 0 0 0 0 0 0 1 "},
        {"read_to", "0 0 0 0 0 0 0 0 0 0 1 "},
        {"ended", "10000001 10000001 10000001 10000001 10000001 10000001 20000001 20000001 "
                  "10000001 10000001 5000001 "},
        {"job", "0 0 0 0 0 0 0 0 0 0 0 "},
        {"task", "0 1 0 1 2 3 4 5 4 5 0 "},
        {"node", "0 0 1 1 2 2 3 3 0 1 1 "},
        {"number", ""},
        {"lane", "0 1 0 1 0 1 0 1 0 0 0 "},
        {"phase", "0 0 0 0 0 0 0 0 0 0 1 "},
        {"ordinal", "1 1 0 0 0 0 0 0 1 1 0 "},
        {"reads", "0 0 0 0 0 0 0 0 0 0 1 "},
        {"kind", "1 1 0 0 0 0 0 0 1 1 0 "},
        {"fate", "2 2 1 1 1 1 3 3 1 1 1 "},
        {"exit", "0 0 0 0 0 0 0 0 0 0 0 "},
        {"straggled", "0 0 0 0 0 0 1 1 0 0 0 "},
        {"alone", "0 0 0 0 0 0 0 0 18 18 0 "},
        {"alone_about", "0 0 0 0 0 0 0 0 37540001 37540001 0 "},
        {"alone_low", "0 0 0 0 0 0 0 0 31040001 31040001 0 "},
        {"alone_high", "0 0 0 0 0 0 0 0 46040001 46040001 0 "},
        {"read_task_0", "0 0 0 0 0 0 0 0 0 0 4294967295 "},
        {"read_task_1", "0 0 0 0 0 0 0 0 0 0 0 "},
        {"read_phase_0", "0 0 0 0 0 0 0 0 0 0 0 "},
    };
    struct command_folder f;
    struct read_run r = {0};
    struct str packed = {0};
    struct err err;
    unsigned char bytes[BYTES];
    char line[BYTES];

    command_begin(&f);
    command_slow_run(cmd_sim);
    expect(read_run_open(&r, "run", true, &err) == 0);
    json_t *data = page_data(&r, &packed), *columns = json_object_get(data, "columns");
    expect(json_integer_value(json_object_get(data, "rows")) == 11);
    expect(json_integer_value(json_object_get(data, "unit_us")) == 1);
    expect(unpack(packed.text, bytes) == 11 * (4 * 14 + 2 * 9 + 4));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        column(columns, bytes, 11, expected[i].name, line);
        if (strcmp(line, expected[i].values) != 0)
            printf("        {\"%s\", \"%s\"},\n", expected[i].name, line);
        expect(strcmp(line, expected[i].values) == 0);
    }
    json_decref(data);
    str_free(&packed);
    read_run_close(&r);
    command_end(&f);
}
