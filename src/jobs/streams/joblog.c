#include "jobs/streams/joblog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/job.h"

void joblog_add(struct str *out, const struct joblog_entry *e)
{
    str_addf(out, "%" PRIu64 "\t%s\t%.3f\t%10.3f\t%" PRId64 "\t%" PRId64 "\t%d\t%d\t", e->seq,
             e->host, e->start_s, e->runtime_s, e->sent, e->received, e->exit, e->signal);
    size_t from = out->length;
    str_add(out, e->command);
    for (size_t i = from; i < out->length; i++)
        if (out->text[i] == '\n')
            out->text[i] = 0;
    str_add(out, "\n");
}

static bool number(const char *text, double *value)
{
    while (*text == ' ')
        text++;
    return text_real(text, value);
}

bool joblog_read(char *line, size_t length, struct joblog_entry *e)
{
    enum { COLUMNS = 9 };
    char *column[COLUMNS];
    int64_t seq, exit, signal;

    for (size_t i = 0; i < length; i++)
        if (line[i] == 0)
            line[i] = '\n';
    for (int i = 0; i < COLUMNS - 1; i++) {
        column[i] = strsep(&line, "\t");
        if (!line)
            return false;
    }
    column[COLUMNS - 1] = line;
    *e = (struct joblog_entry){.host = column[1], .command = column[8]};
    if (!text_int(column[0], &seq) || seq < 1 || seq > JOB_TASKS_MAX ||
        !number(column[2], &e->start_s) || !number(column[3], &e->runtime_s) ||
        !text_int(column[4], &e->sent) || !text_int(column[5], &e->received) ||
        !text_int(column[6], &exit) || !text_int(column[7], &signal))
        return false;
    e->seq = (uint64_t)seq;
    e->exit = (int)exit;
    e->signal = (int)signal;
    return true;
}
