#include "core/order/launched_test.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Appends the jobs of the launches of the last decide, and starts these. */
static void note(struct script *s, struct str *seen)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_LAUNCH)
            str_addf(seen, "%s%u", seen->length > 0 ? " " : "", s->out.at[i].at.job.v);
    script_started_all(s);
}

static bool are(struct str *seen, const char *jobs)
{
    const char *text = seen->text ? seen->text : "";
    bool same = strcmp(text, jobs) == 0;
    if (!same)
        printf("launched '%s', not '%s'\n", text, jobs);
    str_free(seen);
    return same;
}

bool launched_are(struct script *s, const char *jobs)
{
    struct str seen = {0};
    note(s, &seen);
    return are(&seen, jobs);
}

bool launched_when_done(struct script *s, int64_t now_us, uint32_t job, uint16_t phase,
                        uint32_t task, const char *jobs)
{
    struct str seen = {0};
    struct attempt_ref at = script_ref((struct job_id){job}, phase, task, 0);
    script_event(s, EV_ATTEMPT_FINISHED, at);
    script_decide(s, now_us);
    note(s, &seen);
    script_event(s, EV_COMMITTED, at);
    script_decide(s, now_us);
    note(s, &seen);
    return are(&seen, jobs);
}

void launched_node_up(struct script *s, uint32_t node, int32_t slots, int32_t mib)
{
    script_tell(s, (struct event){.type = EV_NODE_UP,
                                  .node = {node},
                                  .u.node = {.capacity = {{slots * RES_SLOT, mib}}}});
}
