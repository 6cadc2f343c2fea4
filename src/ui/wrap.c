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

void wrap_print(const char *text, int column, int indent)
{
    static const char blanks[] = " \n\t";
    bool is_first = true; /* of its line */

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        int width = wrap_columns(text, length);
        if (!is_first && column + 1 + width > WRAP_COLUMNS) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        printf("%s%.*s", is_first ? "" : " ", (int)length, text);
        column += width + !is_first;
        is_first = false;
        text += length;
    }
    putchar('\n');
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
