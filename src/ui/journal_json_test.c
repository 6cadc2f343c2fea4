#include "ui/journal_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

/* Takes the value. Quotes are single ones here. */
static bool is(json_t *value, size_t flags, const char *expected)
{
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY);
    for (char *c = text; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text, expected);
    free(text);
    json_decref(value);
    return same;
}

#define AT                                                                                         \
    {                                                                                              \
        .job = {7}, .phase = 1, .task = 2, .attempt = 3                                            \
    }
#define EVENT(...)                                                                                 \
    {                                                                                              \
        .type = RECORD_EVENT, .now_us = 5, .u.event = { __VA_ARGS__ }                              \
    }
#define DECISION(...)                                                                              \
    {                                                                                              \
        .type = RECORD_DECISION, .now_us = 5, .u.decision = {.id = 4, __VA_ARGS__ }                \
    }

TEST(journal_json_of_records)
{
    static int64_t past_us[] = {30, 31}, each[] = {40, 41};
    static struct edge_spec edges[] = {{.from = 0, .pattern = 0, .slowstart = 1},
                                       {.from = 1, .pattern = 1, .slowstart = 2},
                                       {.from = 2, .pattern = 2, .slowstart = 3}};
    static uint32_t replica_from[] = {0, 2, 3};
    static struct node_id replicas[] = {{50}, {51}, {52}};
    static struct phase_spec phases[] = {
        {.name = "map", .tasks = 2, .demand = {{1000, 2, 3, 4}}, .input_bytes = 20},
        {.name = "reduce",
         .tasks = 2,
         .clone = PHASE_CLONE_NEVER,
         .failures_allowed = 21,
         .edges = edges,
         .edge_count = 3,
         .past_us = past_us,
         .past_count = 2,
         .past_seen = 22,
         .past_straggled = 23,
         .expect_us = 24,
         .expect_dev_us = 25,
         .input_each = each,
         .replica_from = replica_from,
         .replicas = replicas},
        {.name = "seen", .past_seen = 26, .expect_dev_us = 27},
    };
    static struct job_spec job = {.id = {7},
                                  .name = "sort",
                                  .user = "u",
                                  .queue = "q",
                                  .app = "a",
                                  .weight = 10,
                                  .running_max = 11,
                                  .arrived_us = 12,
                                  .wrapup_us = 13,
                                  .phases = phases,
                                  .phase_count = 3};
    static struct output_partition parts[] = {{.bytes = 60, .checksum = 61}, {.bytes = 62}};
    static const struct {
        struct record record;
        const char *text;
    } rows[] = {
        {EVENT(.type = EV_NODE_UP, .node = {6},
               .u.node = {.capacity = {{1000, 2, 3, 4}}, .rack = 5, .name = "n6"}),
         "{'t_us':5,'record':'event','type':'node_up','node':6,'capacity':{'cpu':1000,'mem':2,'x':"
         "3,'y':4},'rack':5,'name':'n6'}"},
        {EVENT(.type = EV_NODE_DOWN, .node = {6}, .cause = CAUSE_SYSTEM, .detail = 2),
         "{'t_us':5,'record':'event','type':'node_down','node':6,'cause':'system','detail':2}"},
        {EVENT(.type = EV_NODE_CAPACITY, .node = {6}, .u.node = {.capacity = {{1000, 2, 3, 4}}}),
         "{'t_us':5,'record':'event','type':'node_capacity','node':6,'capacity':{'cpu':1000,'mem':"
         "2,'x':3,'y':4}}"},
        {EVENT(.type = EV_JOB_SUBMITTED, .at = AT, .u.job = &job),
         "{'t_us':5,'record':'event','type':'job_submitted','job':7,'name':'sort','user':'u','"
         "queue':'q','app':'a','weight':10,'running_max':11,'arrived_us':12,'wrapup_us':13,'phases'"
         ":[{'name':'map','tasks':2,'demand':{'cpu':1000,'mem':2,'x':3,'y':4},'clone':'auto','"
         "input_bytes':20,'edges':[]},{'name':'reduce','tasks':2,'demand':{'cpu':0,'mem':0,'x':0,'"
         "y':0},'clone':'never','input_bytes':0,'edges':[{'from':0,'pattern':'all_to_all','"
         "slowstart':1},{'from':1,'pattern':'many_to_one','slowstart':2},{'from':2,'pattern':'one_"
         "to_one','slowstart':3}],'failures_allowed':21,'past_us':[30,31],'past_seen':22,'past_"
         "straggled':23,'expect_us':24,'expect_dev_us':25,'input_each':[40,41],'replicas':[[50,51],"
         "[52]]},{'name':'seen','tasks':0,'demand':{'cpu':0,'mem':0,'x':0,'y':0},'clone':'auto','"
         "input_bytes':0,'edges':[],'past_us':[],'past_seen':26,'past_straggled':0,'expect_us':0,'"
         "expect_dev_us':27}]}"},
        {EVENT(.type = EV_JOB_CHANGED, .at = AT, .u.change = {.weight = 8, .running_max = 9}),
         "{'t_us':5,'record':'event','type':'job_changed','job':7,'weight':8,'running_max':9}"},
        {EVENT(.type = EV_JOB_CANCELLED, .at = AT),
         "{'t_us':5,'record':'event','type':'job_cancelled','job':7}"},
        {EVENT(.type = EV_ATTEMPT_STARTED, .at = AT, .node = {6}, .u.late_us = 8),
         "{'t_us':5,'record':'event','type':'attempt_started','job':7,'phase':1,'task':2,'attempt':"
         "3,'node':6,'late_us':8}"},
        {EVENT(.type = EV_ATTEMPT_PROGRESS, .at = AT,
               .u.progress = {.done = 8, .total = 9, .cpu_us = 10, .stage = 11}),
         "{'t_us':5,'record':'event','type':'attempt_progress','job':7,'phase':1,'task':2,'attempt'"
         ":3,'done':8,'total':9,'cpu_us':10,'stage':11}"},
        {EVENT(.type = EV_ATTEMPT_FAILED, .at = AT, .node = {6}, .cause = CAUSE_EXIT, .detail = 3,
               .u.use = {.wall_us = 8,
                         .cpu_us = 9,
                         .read_bytes = 10,
                         .written_bytes = 11,
                         .peak_rss_kib = 12}),
         "{'t_us':5,'record':'event','type':'attempt_failed','job':7,'phase':1,'task':2,'attempt':"
         "3,'node':6,'cause':'exit','detail':3,'wall_us':8,'cpu_us':9,'read_bytes':10,'written_"
         "bytes':11,'peak_rss_kib':12}"},
        {EVENT(.type = EV_OUTPUT_READY, .at = AT,
               .u.output = {.bytes = 8, .checksum = 9, .partition_count = 2}),
         "{'t_us':5,'record':'event','type':'output_ready','job':7,'phase':1,'task':2,'attempt':3,'"
         "node':0,'bytes':8,'checksum':'0000000000000009','part_count':2}"},
        {EVENT(.type = EV_OUTPUT_READY, .at = AT,
               .u.output = {.bytes = 8, .checksum = 9, .partition_count = 2, .partitions = parts}),
         "{'t_us':5,'record':'event','type':'output_ready','job':7,'phase':1,'task':2,'attempt':3,'"
         "node':0,'bytes':8,'checksum':'0000000000000009','part_count':2,'parts':[{'bytes':60,'"
         "checksum':'000000000000003d'},{'bytes':62,'checksum':'0000000000000000'}]}"},
        {EVENT(.type = EV_FETCH_STARTED, .at = AT,
               .u.fetch = {.source = {.job = {7}, .task = TASK_ALL}, .bytes = 8, .took_us = 9}),
         "{'t_us':5,'record':'event','type':'fetch_started','job':7,'phase':1,'task':2,'attempt':3,"
         "'source':{'job':7,'phase':0},'bytes':8,'took_us':9}"},
        {EVENT(.type = EV_FETCH_DONE, .at = AT,
               .u.fetch = {.source = {.job = {7}, .task = 1, .attempt = 2},
                           .bytes = 8,
                           .took_us = 9}),
         "{'t_us':5,'record':'event','type':'fetch_done','job':7,'phase':1,'task':2,'attempt':3,'"
         "source':{'job':7,'phase':0,'task':1,'attempt':2},'bytes':8,'took_us':9}"},
        {EVENT(.type = EV_LINK_SAMPLE, .node = {6},
               .u.link = {.to = {8}, .bytes = 9, .took_us = 10}),
         "{'t_us':5,'record':'event','type':'link_sample','node':6,'to':8,'bytes':9,'took_us':10}"},
        {EVENT(.type = EV_REFUSED, .at = AT, .cause = CAUSE_ALREADY_ENDED,
               .u.refused = {.decision = 8, .decision_type = DO_KILL}),
         "{'t_us':5,'record':'event','type':'refused','job':7,'phase':1,'task':2,'attempt':3,'"
         "cause':'already_ended','detail':0,'decision':8,'decision_type':'kill'}"},
        {EVENT(.type = EV_TIMER, .u.timer = 8),
         "{'t_us':5,'record':'event','type':'timer','timer':8}"},
        {EVENT(.type = EV_CORES, .u.cores = {.spare = 8, .each = 9}),
         "{'t_us':5,'record':'event','type':'cores','spare':8,'each':9}"},
        {EVENT(.type = EV_PRESSURE, .node = {6}, .u.pressure = {.disk = 8, .memory = 9}),
         "{'t_us':5,'record':'event','type':'pressure','node':6,'disk':8,'memory':9}"},
        {EVENT(.type = EV_RESOURCE,
               .u.resource = {.name = "gpu", .which = RES_X, .kind = RES_SLOTS}),
         "{'t_us':5,'record':'event','type':'resource','resource':'x','kind':'slots','name':'gpu'"
         "}"},
        {DECISION(.type = DO_LAUNCH, .at = AT, .node = {6}, .kind = LAUNCH_CLONE, .job_copy = 8,
                  .why = {WHY_CLONE, 2, {1, 2}}),
         "{'t_us':5,'record':'decision','type':'launch','id':4,'job':7,'phase':1,'task':2,'attempt'"
         ":3,'node':6,'kind':'clone','replica':8,'why':{'code':'clone','of':1,'copies':2}}"},
        {DECISION(.type = DO_LAUNCH, .at = AT, .node = {UINT32_MAX}, .why = {WHY_RUNNABLE, 0, {0}}),
         "{'t_us':5,'record':'decision','type':'launch','id':4,'job':7,'phase':1,'task':2,'attempt'"
         ":3,'kind':'first','replica':0,'why':{'code':'runnable'}}"},
        {DECISION(.type = DO_KILL, .at = AT, .u.grace_us = 8, .why = {WHY_PRUNED, 2, {0.1, 1e15}}),
         "{'t_us':5,'record':'decision','type':'kill','id':4,'job':7,'phase':1,'task':2,'attempt':"
         "3,'grace_us':8,'why':{'code':'pruned','left_s':0.1,'copies':1e15}}"},
        {DECISION(.type = DO_ASSIGN_READ, .at = AT,
                  .u.read = {.source = {.job = {7}, .task = TASK_ALL}, .exclusive = 1},
                  .why = {WHY_OWN_OUTPUT, 2, {1.0 / 3, INFINITY}}),
         "{'t_us':5,'record':'decision','type':'assign_read','id':4,'job':7,'phase':1,'task':2,'"
         "attempt':3,'source':{'job':7,'phase':0},'exclusive':true,'why':{'code':'own_output','"
         "waited_s':0.3333333333333333,'users':null}}"},
        {DECISION(.type = DO_AVOID_NODE, .node = {6}, .u.until_us = 8,
                  .why = {WHY_DISK_FULL, 1, {9}}),
         "{'t_us':5,'record':'decision','type':'avoid_node','id':4,'node':6,'until_us':8,'why':{'"
         "code':'disk_full','number_1':9}}"},
        {DECISION(.type = DO_SET_TIMER, .u.timer = {.id = 8, .at_us = 9},
                  .why = {WHY_CLOCK, 0, {0}}),
         "{'t_us':5,'record':'decision','type':'set_timer','id':4,'timer':8,'at_us':9,'why':{'code'"
         ":'clock'}}"},
        {DECISION(.type = DO_VERDICT, .at = AT, .why = {WHY_NO_NEED, 3, {1, 40, 0.15}}),
         "{'t_us':5,'record':'decision','type':'verdict','id':4,'job':7,'phase':1,'task':2,'why':{'"
         "code':'no_need','copies':1,'tasks':40,'p':0.15}}"},
        {DECISION(.type = DO_JOB_FAILED, .at = AT, .why = {WHY_TOO_MANY_FAILURES, 2, {4, 4}}),
         "{'t_us':5,'record':'decision','type':'job_failed','id':4,'job':7,'phase':1,'task':2,'why'"
         ":{'code':'too_many_failures','failures':4,'limit':4}}"},
        {DECISION(.type = DO_JOB_DONE, .at = AT, .why = {WHY_ALL_COMMITTED, 1, {40}}),
         "{'t_us':5,'record':'decision','type':'job_done','id':4,'job':7,'why':{'code':'all_"
         "committed','tasks':40}}"},
        {{.type = RECORD_RUN, .u.run = {.seed = 8, .policy = "none", .body = "sim", .about = ""}},
         "{'t_us':0,'record':'run','seed':8,'policy':'none','body':'sim'}"},
        {{.type = RECORD_RUN,
          .u.run = {.seed = 8, .policy = "none", .body = "sim", .about = "about"}},
         "{'t_us':0,'record':'run','seed':8,'policy':'none','body':'sim','about':'about'}"},
        {{.type = RECORD_TURN, .now_us = 5, .u.turn = {.event_count = 8, .decision_count = 9}},
         "{'t_us':5,'record':'turn','events':8,'decisions':9}"},
        {{.type = RECORD_INTENT, .now_us = 5, .u.intent = {.at = AT, .checksum = 8, .bytes = 9}},
         "{'t_us':5,'record':'intent','job':7,'phase':1,'task':2,'attempt':3,'checksum':'"
         "0000000000000008','bytes':9}"},
        {{.type = RECORD_END, .now_us = 5}, "{'t_us':5,'record':'end'}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(is(journal_json_record(&rows[i].record), journal_json_flags(&rows[i].record),
                  rows[i].text));
}
