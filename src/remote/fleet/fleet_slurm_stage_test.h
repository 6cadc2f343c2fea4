/* fleet_slurm_stage_test.h - commands of Slurm that are scripts, and a fleet that uses them.
 * Include tests/unit/test.h before it. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/text.h"
#include "remote/fleet/fleet_ways.h"

struct stage {
    char dir[64], bin[80];
    char *path; /* PATH as it was */
    struct fleet_options options;
    struct fleet *fleet;
    struct err err;
    struct str ended, drained, notes; /* the fleet's reports */
    struct fleet_need need;           /* for its turns */
};

static inline void stage_ended(void *ctx, const char *name, const char *why)
{
    str_addf(&((struct stage *)ctx)->ended, "%s: %s\n", name, why);
}

static inline void stage_drain(void *ctx, const char *name, int64_t left_us)
{
    str_addf(&((struct stage *)ctx)->drained, "%s %d\n", name, left_us > 0);
}

static inline void stage_note(void *ctx, const char *text)
{
    str_addf(&((struct stage *)ctx)->notes, "%s\n", text);
}

/* A command that logs its words, one per line, and then does this. */
static inline void stage_command(struct stage *s, const char *name, const char *body)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", s->bin, name);
    FILE *f = fopen(path, "w");
    expect(f != NULL);
    fprintf(f, "#!/bin/sh\nprintf '%%s\\n' %s \"$@\" >>%s/log\n%s\n", name, s->dir, body);
    fclose(f);
    chmod(path, 0700);
}

/* The text of a file of the folder; valid until the next call. */
static inline const char *stage_text(struct stage *s, const char *name)
{
    static char text[8192];
    char path[128];
    size_t n = 0;

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

static inline struct stage *stage_open(void)
{
    static struct stage s;
    static char key[FLEET_KEY_TEXT + 1];
    struct str path = {0};

    s = (struct stage){.path = getenv("PATH") ? strdup(getenv("PATH")) : NULL};
    snprintf(s.dir, sizeof s.dir, "/tmp/fleet.XXXXXX");
    expect(mkdtemp(s.dir) != NULL);
    snprintf(s.bin, sizeof s.bin, "%s/bin", s.dir);
    mkdir(s.bin, 0700);
    str_addf(&path, "%s:%s", s.bin, s.path ? s.path : "/usr/bin:/bin");
    setenv("PATH", path.text, 1);
    str_free(&path);
    memset(key, 'a', FLEET_KEY_TEXT - 1);
    key[FLEET_KEY_TEXT - 1] = '\n';
    s.options = (struct fleet_options){.spec = "2",
                                       .grow_us = 30000000,
                                       .idle_us = 120000000,
                                       .drain_us = 60000000,
                                       .host = "login",
                                       .port = 7,
                                       .key = key,
                                       .key_file = "/keys/k 1",
                                       .at_file = "/keys/at",
                                       .program = "/opt/do lly",
                                       .dir = s.dir,
                                       .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                                       .epoll_tag = 100,
                                       .ctx = &s,
                                       .on_ended = stage_ended,
                                       .on_drain = stage_drain,
                                       .on_note = stage_note};
    return &s;
}

/* Runs the fleet until the log, or these reports, have the text, for a minute at most. */
static inline bool stage_until(struct stage *s, struct str *told, const char *text)
{
    int64_t end_us = clock_now_us() + 60000000;
    struct epoll_event e[4];

    while (clock_now_us() < end_us) {
        expect(s->fleet->turn(s->fleet, &s->need) > 0); /* the time of the next */
        int n = epoll_wait(s->options.epoll_fd, e, 4, 20);
        for (int i = 0; i < n; i++)
            s->fleet->event(s->fleet, (uint32_t)(e[i].data.u64 - s->options.epoll_tag));
        if (strstr(told ? (told->text ? told->text : "") : stage_text(s, "log"), text))
            return true;
    }
    return false;
}

static inline void stage_close(struct stage *s)
{
    char command[128];

    if (s->fleet)
        s->fleet->close(s->fleet);
    close(s->options.epoll_fd);
    if (s->path)
        setenv("PATH", s->path, 1);
    free(s->path);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_NUM_NODES");
    str_free(&s->ended);
    str_free(&s->drained);
    str_free(&s->notes);
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

/* A list of squeue with block 1, as job 5, in this state. */
static inline void stage_block(struct stage *s, const char *state)
{
    char body[512];

    snprintf(body, sizeof body,
             "name=$(cat ${0%%/bin/*}/slurm-name)\n"
             "echo \"{\\\"jobs\\\": [{\\\"job_id\\\": 5, \\\"name\\\": \\\"$name\\\","
             "\\\"comment\\\": \\\"1\\\", \\\"job_state\\\": \\\"%s\\\","
             "\\\"end_time\\\": $(($(date +%%s) + 30)), \\\"node_count\\\": 2}]}\"",
             state);
    stage_command(s, "squeue", body);
}

/* Returns how often the notes have the text. */
static inline uint32_t stage_noted(const struct stage *s, const char *text)
{
    uint32_t n = 0;

    for (const char *at = s->notes.text; at && (at = strstr(at, text)); at++)
        n++;
    return n;
}
