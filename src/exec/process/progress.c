#include "exec/process/progress.h"

#include <string.h>

#include "base/text.h"

static bool progress_line(struct progress_reader *p)
{
    int64_t done, total;
    double share;
    char *space = strchr(p->line, ' ');

    if (space) {
        *space = 0;
        if (!text_int(p->line, &done) || !text_int(space + 1, &total))
            return false;
        if (done < 0 || total <= 0)
            return false;
        if (done > total)
            done = total;
    } else {
        if (!text_real(p->line, &share) || share < 0 || share > 1)
            return false;
        done = (int64_t)(share * PROGRESS_SCALE);
        total = PROGRESS_SCALE;
    }
    bool changed = done != p->done || total != p->total;
    p->done = done;
    p->total = total;
    return changed;
}

bool progress_feed(struct progress_reader *p, const char *text, size_t length)
{
    bool changed = false;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            p->line[p->length] = 0;
            if (!p->too_long && progress_line(p))
                changed = true;
            p->length = 0;
            p->too_long = false;
        } else if (p->length < PROGRESS_LINE_MAX - 1) {
            p->line[p->length++] = text[i];
        } else {
            p->too_long = true;
        }
    }
    return changed;
}
