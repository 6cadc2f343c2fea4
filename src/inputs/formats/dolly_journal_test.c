/* A run of one job of two phases, and a second run with the same numbers. */
#include <unistd.h>

#include "inputs/formats/sample_test.h"
#include "record/journal/journal.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000)

static void write_turn(struct journal *j, int64_t now_us, const struct event *events,
                       uint32_t count)
{
    struct tap tap = journal_tap(j);
    struct turn turn = {.now_us = now_us, .events = events, .event_count = count};
    struct err err;
    expect(tap.turn(tap.ctx, &turn, &err) == 0);
}

static struct event attempt_ended(uint8_t type, uint16_t phase, uint32_t task, uint16_t attempt,
                                  int64_t wall_us)
{
    return (struct event){.type = type,
                          .at = {{4}, task, phase, attempt},
                          .u.use = {.wall_us = wall_us, .written_bytes = 30}};
}

static void write_journal(const char *path, uint64_t seed)
{
    static const int64_t inputs[] = {100, 200};
    static const struct edge_spec edge = {.from = 0};
    static const uint32_t replica_from[] = {0, 1, 3};
    static const struct node_id replicas[] = {{0}, {7}, {0}}; /* node 7 never came up */
    struct err err;
    struct phase_spec phases[] = {
        {.name = "map",
         .tasks = 2,
         .demand = {{2 * RES_SLOT, 512}},
         .input_each = inputs,
         .replica_from = replica_from,
         .replicas = replicas},
        {.name = "reduce", .tasks = 1, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1}};
    struct job_spec job = {.id = {4},
                           .name = "count",
                           .user = "ann",
                           .weight = JOB_WEIGHT_ONE,
                           .arrived_us = 2 * S,
                           .phases = phases,
                           .phase_count = 2};
    struct event up = {.type = EV_NODE_UP,
                       .u.node = {.capacity = {{4 * RES_SLOT, 1024}}, .name = "left"}};
    struct journal *j =
        journal_create(&(struct journal_options){.path = path}, seed, "none", "sim", &err);
    expect(j != NULL);
    write_turn(j, 0, &up, 1);
    write_turn(j, 3 * S, &(struct event){.type = EV_JOB_SUBMITTED, .u.job = &job}, 1);
    struct event ends[] = {attempt_ended(EV_ATTEMPT_FINISHED, 0, 0, 0, 5 * S),
                           attempt_ended(EV_ATTEMPT_FINISHED, 0, 1, 1, 7 * S),
                           attempt_ended(EV_ATTEMPT_KILLED, 0, 1, 0, 6 * S)};
    write_turn(j, 10 * S, ends, 3);
    ends[0] = attempt_ended(EV_ATTEMPT_FAILED, 1, 0, 0, 1 * S);
    write_turn(j, 11 * S, ends, 1);
    ends[0] = attempt_ended(EV_ATTEMPT_FINISHED, 1, 0, 1, 8 * S);
    write_turn(j, 20 * S, ends, 1);
    expect(journal_close(j, true, &err) == 0);
}

/* On nodes n7 and left, the inputs of the maps lie where they lay. */
static bool is_placed(struct import *m)
{
    static const char nodes[] = "node n7 cpu=1\nnode left cpu=1\n";
    struct err err;
    struct cluster *c = cluster_file_read_text(nodes, "two", &err);
    struct import_view view = IMPORT_VIEW_ALL;
    view.cluster = c;
    struct workload *w = import_jobs(m, &view, &err);
    struct workload_job *job = w->next(w);
    const struct phase_spec *map = job->spec.phases;
    bool placed = map->replica_from && map->replica_from[1] == 1 && map->replica_from[2] == 3 &&
                  map->replicas[0].v == 1 && map->replicas[1].v + map->replicas[2].v == 1;
    workload_job_free(job);
    w->destroy(w);
    cluster_destroy(c);
    return placed;
}

TEST(dolly_journal_is_a_trace)
{
    char paths[2][64];
    struct err err;
    struct trace_request q = REQUEST_DEFAULT;
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "/tmp/dolly-journal-format.%d.%d", (int)getpid(), i);
        unlink(paths[i]);
        write_journal(paths[i], (uint64_t)i);
        vec_push(&q.files.texts, paths[i]);
    }
    vec_push(&q.files.texts, paths[0]); /* once more: it counts once */
    struct sample_trace s = {.import = request_open(&q, &err)};
    expect(s.import && !strcmp(s.import->formats, "journal"));
    sample_jobs(&s);
    expect(s.count == 2 && s.import->survey->attempts == 10);
    expect(s.import->survey->censored == 2 && s.import->machines.at.count == 1);
    s.count = 1;
    struct str text = sample_text(&s);
    const char *want = "job count at=0s user=ann\n"
                       "  phase map tasks=2 cpu=2.000 mem=512M size=5s inputs=100,200 output=30\n"
                       "    task 0 attempts=5s\n"
                       "    task 1 attempts=7s,7s\n"
                       "  phase reduce tasks=1 after=map size=8s output=30\n"
                       "    task 0 attempts=8s\n";
    if (strcmp(text.text, want))
        printf("%s", text.text);
    expect(!strcmp(text.text, want));
    str_free(&text);
    s.count = 2;
    expect(is_placed(s.import));
    for (uint32_t i = 0; i < s.count; i++)
        workload_job_free(s.jobs[i]);
    import_close(s.import);
    request_fini(&q);
    for (int i = 0; i < 2; i++)
        unlink(paths[i]);
}

/* Cut anywhere, it is a trace up to there, and what is wrong is said; the first 16 bytes alone are
 * none. */
TEST(dolly_journal_that_is_torn_is_read_to_its_end)
{
    char path[64];
    static char bytes[1 << 16];
    struct err err;
    snprintf(path, sizeof path, "/tmp/dolly-journal-torn.%d", (int)getpid());
    unlink(path);
    write_journal(path, 1);
    FILE *f = fopen(path, "re");
    size_t length = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    expect(f && fclose(f) == 0 && length > 100);
    for (size_t cut = 0; cut + 17 <= length; cut += 4) {
        size_t n = length - cut;
        struct scratch file = scratch_write(bytes, n);
        struct trace_request q = REQUEST_DEFAULT;
        vec_push(&q.files.texts, file.path);
        struct import *m = request_open(&q, &err);
        expect(m ? m->trouble.kinds[TROUBLE_RECORD].count <= 1 : err.text[0] != 0);
        if (cut <= 4) /* the last record is longer */
            expect(m && m->trouble.kinds[TROUBLE_RECORD].count == (cut > 0));
        import_close(m);
        request_fini(&q);
        scratch_remove(&file);
    }
    unlink(path);
}
