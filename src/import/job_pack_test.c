#include "import/job_pack.h"

#include "tests/test.h"
#include "workload/job_equal_test.h"
#include "workload/recorded.h"
#include "workload/scratch_test.h"

TEST(job_pack_is_read_back)
{
    static const char text[] =
        "job one at=10s user=ann queue=prod app=sort\n"
        "  phase map tasks=3 cpu=1.5 mem=512M sizes=4s,5s,6s inputs=64M,1K,2K output=8M\n"
        "  phase other tasks=2 size=250ms vary=luck\n"
        "    task 0 attempts=1s,2s\n"
        "    task 1 attempts=3s\n"
        "  phase reduce tasks=2 after=map,other size=3s input=9\n";
    struct scratch s = scratch_write(text, sizeof text - 1);
    struct err err;
    struct row_bytes bytes = {0};
    struct workload *w = workload_file_read(s.path, NULL, &err);
    struct workload_job *job = w->next(w), *back;
    job_pack(job, &bytes);
    back = job_pack_read(bytes.at.at, bytes.at.count, &(struct job_fill){0});
    vec_free(&bytes.at);
    expect(job_equal(job, back));
    workload_job_free(job);
    workload_job_free(back);
    w->destroy(w);
    scratch_remove(&s);
}

/* ---- what is added ---- */

/* Two of three nodes, for many tasks: distinct ones, in order, and each pair about as often. */
TEST(job_fill_nodes_are_distinct)
{
    enum { TASKS = 3000 };
    static struct node_id nodes[2 * TASKS];
    struct job_fill f = {.replicas = 2, .nodes = 3};
    uint32_t pairs[3] = {0};
    job_fill_nodes(&f, (struct job_fill_key){7, 1}, TASKS, nodes);
    for (uint32_t t = 0; t < TASKS; t++) {
        expect(nodes[2 * t].v < nodes[2 * t + 1].v && nodes[2 * t + 1].v < 3);
        pairs[nodes[2 * t].v + nodes[2 * t + 1].v - 1]++;
    }
    for (int i = 0; i < 3; i++)
        expect(pairs[i] > 900 && pairs[i] < 1100);
}

TEST(job_fill_has_no_more_replicas_than_nodes)
{
    struct job_fill f = {.replicas = 3, .nodes = 2};
    struct node_id nodes[2];
    expect(job_fill_replicas(&f, true) == 2 && job_fill_replicas(&f, false) == 0);
    job_fill_nodes(&f, (struct job_fill_key){1, 0}, 1, nodes);
    expect(nodes[0].v == 0 && nodes[1].v == 1);
    f.nodes = 0;
    expect(job_fill_replicas(&f, true) == 0);
}

/* Where tasks take once or four times the median, one that took 8 s may have been either, and so
 * may its copies: 2, 8 or 32 s, but not all three of them. */
TEST(job_fill_times_are_those_of_other_phases)
{
    static const double ratios[] = {1, 4};
    struct job_fill f = {.ratios = ratios, .ratio_count = 2};
    bool seen[3] = {false};
    for (uint64_t job = 0; job < 50; job++) {
        int64_t times[JOB_FILL_COPIES];
        bool here[3] = {false};
        job_fill_times(&f, (struct job_fill_key){job, 0}, 8, times);
        for (int i = 0; i < JOB_FILL_COPIES; i++) {
            expect(times[i] == 2 || times[i] == 8 || times[i] == 32);
            here[times[i] == 2 ? 0 : times[i] == 8 ? 1 : 2] = true;
        }
        expect(!(here[0] && here[2]));
        for (int i = 0; i < 3; i++)
            seen[i] |= here[i];
    }
    expect(seen[0] && seen[1] && seen[2]);
    expect(job_fill_copies(&f, 1) == JOB_FILL_COPIES && job_fill_copies(&f, 2) == 0);
    f.ratio_count = 0;
    expect(job_fill_copies(&f, 1) == 0);
}

/* Only `alone` has one task, and only `map` and `alone` read from outside. */
TEST(job_fill_adds_to_jobs)
{
    static const char text[] = "job one at=1s\n"
                               "  phase map tasks=2 size=4s input=64M\n"
                               "  phase alone tasks=1 size=4s input=5\n"
                               "    task 0 attempts=3s,8s\n"
                               "  phase reduce tasks=2 after=map size=3s input=9\n";
    static const double one = 1;
    struct job_fill f = {.replicas = 2, .nodes = 9, .ratios = &one, .ratio_count = 1};
    struct scratch s = scratch_write(text, sizeof text - 1);
    struct err err;
    struct row_bytes bytes = {0};
    struct workload *w = workload_file_read(s.path, NULL, &err);
    struct workload_job *job = w->next(w), *full;
    job_pack(job, &bytes);
    full = job_pack_read(bytes.at.at, bytes.at.count, &f);
    const struct phase_spec *p = full->spec.phases;
    const struct phase_truth *t = full->truth;
    expect(p[0].replica_from[0] == 0 && p[0].replica_from[1] == 2 && p[0].replica_from[2] == 4);
    expect(p[0].replicas[3].v < 9 && p[1].replica_from[1] == 2 && !p[2].replica_from);
    expect(t[1].attempt_from[1] == 2 + JOB_FILL_COPIES && t[1].attempts[0] == 3000000);
    for (int i = 1; i < 2 + JOB_FILL_COPIES; i++)
        expect(t[1].attempts[i] == 8000000);
    vec_free(&bytes.at);
    workload_job_free(job);
    workload_job_free(full);
    w->destroy(w);
    scratch_remove(&s);
}
