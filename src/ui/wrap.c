#include "ui/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int columns(const char *text, size_t length)
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
        int width = columns(text, length);
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
