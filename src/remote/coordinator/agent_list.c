#include "remote/coordinator/agent_list.h"

#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "base/text.h"
#include "remote/coordinator/coordinator_state.h"

void agent_list_write(struct coordinator *a)
{
    static const char *const states[] = {[RUNNER_HERE] = "here",
                                         [RUNNER_LEAVING] = "leaving",
                                         [RUNNER_SILENT] = "silent",
                                         [RUNNER_AWAY] = "away"};
    int64_t now_us = clock_now_us();
    struct str text = {0};

    for (uint32_t i = 0; i < a->link_count; i++) {
        const struct agent_link *l = a->links[i];
        if (!l || !l->info.name[0])
            continue;
        str_addf(&text, "%s\t%s\t%s\t%d\t%u\t%lld\t%s\t%s\t%s\n", l->info.name, states[l->presence],
                 l->info.host, l->info.cores_milli / 1000, agent_pulls_count(&l->pulls),
                 (long long)((now_us - l->heard_us) / 1000), l->shared ? "shared" : "pulled",
                 l->info.scratch, l->address);
    }
    /* Or the last one stays. */
    fresh_file_write(path_of("%s/agents", a->options.dir).text, 0600, text.text, text.length);
    str_free(&text);
}

void agent_list_remove(struct coordinator *a)
{
    unlink(path_of("%s/agents", a->options.dir).text);
}

bool agent_list_parse(char *line, struct agent_list_row *row)
{
    enum { FIELDS = 9 };
    char *fields[FIELDS], *at = line;

    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = at;
        char *tab = at + strcspn(at, "\t");
        if (tab == at || (*tab == '\t') != (i + 1 < FIELDS))
            return false;
        at = tab + (*tab == '\t');
        *tab = 0;
    }
    for (const char *c = line; c < at + strlen(at); c++)
        if (*c && ((unsigned char)*c < ' ' || *c == 127))
            return false;
    *row = (struct agent_list_row){.name = fields[0],
                                   .state = fields[1],
                                   .host = fields[2],
                                   .files = fields[6],
                                   .scratch = fields[7],
                                   .address = fields[8]};
    return text_int(fields[3], &row->cores) && text_int(fields[4], &row->running) &&
           text_int(fields[5], &row->heard_ms);
}
