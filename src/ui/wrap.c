#include "ui/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

int wrap_columns(const char *text, size_t length)
{
    int count = 0;

    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80; /* the first byte of a character */
    return count;
}

void wrap_lines(FILE *to, const char *text, int column, const char *margin)
{
    static const char blanks[] = " \n\t";
    bool is_first = true; /* of its line */

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        int width = wrap_columns(text, length);
        if (!is_first && column + 1 + width > WRAP_COLUMNS) {
            fprintf(to, "\n%s", margin);
            column = wrap_columns(margin, strlen(margin));
            is_first = true;
        }
        fprintf(to, "%s%.*s", is_first ? "" : " ", (int)length, text);
        column += width + !is_first;
        is_first = false;
        text += length;
    }
    putc('\n', to);
}

void wrap_print(const char *text, int column, int indent)
{
    char margin[WRAP_COLUMNS + 1];

    snprintf(margin, sizeof margin, "%*s", indent, "");
    wrap_lines(stdout, text, column, margin);
}

void wrap_row(const char *left, const char *right, int width)
{
    /* two blanks behind a name that is too long for its column, too */
    int column = printf("  %-*s%s", width, left, (int)strlen(left) >= width ? "  " : " ");

    wrap_print(right, column, width + 3);
}

static bool is_prose(const char *line)
{
    return *line && !strchr(" \n", *line) && strncmp(line, "usage:", 6) != 0;
}

void wrap_text(const char *text)
{
    while (*text) {
        struct str paragraph = {0};
        bool prose = is_prose(text);
        do {
            size_t length = strcspn(text, "\n");
            str_addf(&paragraph, "%.*s\n", (int)length, text);
            text += length + (text[length] == '\n');
        } while (prose && is_prose(text));
        if (prose)
            wrap_print(paragraph.text, 0, 0);
        else
            fputs(paragraph.text, stdout);
        str_free(&paragraph);
    }
}
