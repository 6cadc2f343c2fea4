#include "inputs/trace/job_pack.h"

#include "base/hash.h"
#include "inputs/workload/job_equal_test.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

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
    job_pack(job, NULL, &bytes);
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
    for (uint32_t t = 0; t < TASKS; t++) {
        job_fill_nodes(&f, (struct job_fill_key){7, 1, t}, nodes + 2 * t);
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
    job_fill_nodes(&f, (struct job_fill_key){1, 0, 0}, nodes);
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
        job_fill_times(&f, (struct job_fill_key){job, 0, 0}, 8, times);
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

/* A cluster of five, of which nodes 3 and 1 are called a and b; no node is called c. */
TEST(job_fill_host_is_the_node_of_its_name_or_of_its_hash)
{
    uint64_t a = hash_text("a"), b = hash_text("b"), c = hash_text("c");
    struct lookup names = {0};
    struct job_fill f = {.nodes = 5, .names = &names};
    struct node_id nodes[3];
    uint32_t count = 0;
    lookup_put(&names, a, 3);
    lookup_put(&names, b, 1);
    job_fill_host(&f, a, nodes, &count);
    job_fill_host(&f, c, nodes, &count);
    job_fill_host(&f, b, nodes, &count);
    job_fill_host(&f, a, nodes, &count);
    expect(count == 2 && nodes[0].v == 1 && nodes[1].v == 3);
    f.are_hosts_hashed = true;
    count = 0;
    job_fill_host(&f, c, nodes, &count);
    expect(count == 1 && nodes[0].v == hash_fold(c) % 5);
    f.names = NULL;
    f.nodes = count = 0;
    job_fill_host(&f, c, nodes, &count);
    expect(count == 0);
    lookup_fini(&names);
}

/* Task 0 of `map` reads from hosts a and b, task 1 from c, and task 2 from who knows where. */
TEST(job_fill_places_inputs_on_hosts_and_draws_the_others)
{
    static const char text[] = "job one at=1s\n"
                               "  phase map tasks=3 size=4s input=64M\n"
                               "  phase reduce tasks=2 after=map size=3s input=9\n";
    static const uint32_t from[] = {0, 2, 3, 3};
    const uint64_t at[] = {hash_text("a"), hash_text("b"), hash_text("c")};
    const struct job_hosts hosts[2] = {{from, at}, {0}};
    struct lookup names = {0};
    struct job_fill f = {.replicas = 2, .nodes = 5, .names = &names, .are_hosts_hashed = true};
    struct scratch s = scratch_write(text, sizeof text - 1);
    struct err err;
    struct row_bytes bytes = {0};
    struct node_id drawn[2];
    struct workload *w = workload_file_read(s.path, NULL, &err);
    struct workload_job *job = w->next(w), *full;
    lookup_put(&names, at[0], 3);
    lookup_put(&names, at[1], 1);
    job_pack(job, hosts, &bytes);
    full = job_pack_read(bytes.at.at, bytes.at.count, &f);
    const struct phase_spec *map = full->spec.phases;
    static const uint32_t want[] = {0, 2, 3, 5};
    expect(!memcmp(map->replica_from, want, sizeof want) && !map[1].replica_from);
    expect(map->replicas[0].v == 1 && map->replicas[1].v == 3);
    expect(map->replicas[2].v == hash_fold(at[2]) % 5);
    job_fill_nodes(&f, (struct job_fill_key){hash_text("one"), 0, 2}, drawn);
    expect(!memcmp(map->replicas + 3, drawn, sizeof drawn));
    workload_job_free(full);
    f.are_hosts_hashed = false; /* c is left out, and two are drawn for it */
    full = job_pack_read(bytes.at.at, bytes.at.count, &f);
    map = full->spec.phases;
    static const uint32_t left[] = {0, 2, 4, 6};
    expect(!memcmp(map->replica_from, left, sizeof left));
    workload_job_free(full);
    f.replicas = 0; /* and where none are drawn, and a and b are gone too, no place is known */
    lookup_remove(&names, at[0]);
    lookup_remove(&names, at[1]);
    full = job_pack_read(bytes.at.at, bytes.at.count, &f);
    expect(!full->spec.phases->replica_from);
    workload_job_free(full);
    f.nodes = 0; /* no cluster, no places */
    full = job_pack_read(bytes.at.at, bytes.at.count, &f);
    expect(!full->spec.phases->replica_from && job_equal(job, full));
    workload_job_free(full);
    workload_job_free(job);
    vec_free(&bytes.at);
    lookup_fini(&names);
    w->destroy(w);
    scratch_remove(&s);
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
    job_pack(job, NULL, &bytes);
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
