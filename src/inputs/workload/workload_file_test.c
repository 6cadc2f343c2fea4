#include "inputs/workload/workload.h"

#include "base/rng.h"
#include "base/text.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static struct workload *read_text(const char *text, size_t length, const struct cluster *cluster,
                                  struct err *err)
{
    struct scratch s = scratch_write(text, length);
    struct workload *w = workload_file_read(s.path, cluster, err);
    scratch_remove(&s);
    return w;
}

static struct workload *read_good(const char *text, const struct cluster *cluster)
{
    struct err err = {.text = ""};
    struct workload *w = read_text(text, strlen(text), cluster, &err);
    if (!w)
        printf("%s\n", err.text);
    check(w);
    return w;
}

/* ---- a job as text, in the format itself with everything spelled out ---- */

static void print_task(struct str *s, const struct phase_spec *p, const struct phase_truth *truth,
                       const struct cluster *cluster, uint32_t i)
{
    str_addf(s, "    task %u size=%lldus input=%lld", i,
             (long long)(truth->size_each ? truth->size_each[i] : truth->size_us),
             (long long)phase_input_bytes(p, i));
    if (p->replica_from && p->replica_from[i] < p->replica_from[i + 1])
        for (uint32_t k = p->replica_from[i]; k < p->replica_from[i + 1]; k++)
            str_addf(s, "%s%s", k == p->replica_from[i] ? " on=" : ",",
                     cluster->nodes[p->replicas[k].v].name);
    if (truth->attempt_from && truth->attempt_from[i] < truth->attempt_from[i + 1])
        for (uint32_t k = truth->attempt_from[i]; k < truth->attempt_from[i + 1]; k++)
            str_addf(s, "%s%lldus", k == truth->attempt_from[i] ? " attempts=" : ",",
                     (long long)truth->attempts[k]);
    if (truth->command_each && truth->command_each[i])
        str_addf(s, " command=\"%s\"", truth->command_each[i]);
    str_add(s, "\n");
}

static void print_phase(struct str *s, const struct job_spec *job, const struct phase_truth *truth,
                        uint32_t index, const struct cluster *cluster)
{
    static const char *const patterns[] = {"all-to-all", "many-to-one", "one-to-one"};
    const struct phase_spec *p = &job->phases[index];
    str_addf(s, "  phase %s tasks=%u cpu=%d.%03d mem=%dM x=%d y=%d output=%lld clone=%s", p->name,
             p->tasks, p->demand.v[RES_CPU] / 1000, p->demand.v[RES_CPU] % 1000,
             p->demand.v[RES_MEM], p->demand.v[RES_X], p->demand.v[RES_Y],
             (long long)truth->output_bytes, p->clone == PHASE_CLONE_NEVER ? "never" : "auto");
    for (uint32_t i = 0; i < p->edge_count; i++)
        str_addf(s, "%s%s", i ? "," : " after=", job->phases[p->edges[i].from].name);
    if (p->edge_count)
        str_addf(s, " pattern=%s slowstart=%d%%", patterns[p->edges[0].pattern],
                 p->edges[0].slowstart);
    if (truth->command)
        str_addf(s, " command=\"%s\"", truth->command);
    str_add(s, "\n");
    for (uint32_t i = 0; i < p->tasks; i++)
        print_task(s, p, truth, cluster, i);
}

/* Prints and destroys the workload. */
static struct str print_all(struct workload *w, const struct cluster *cluster)
{
    struct str s = {0};
    struct workload_job *job;
    while ((job = w->next(w))) {
        const struct job_spec *spec = &job->spec;
        str_addf(
            &s, "job %s at=%lldus user=%s queue=%s weight=%u.%03u running_max=%u wrapup=%lldus\n",
            spec->name, (long long)job->submit_us, spec->user, spec->queue, spec->weight / 1000,
            spec->weight % 1000, spec->running_max, (long long)spec->wrapup_us);
        for (uint32_t i = 0; i < spec->phase_count; i++)
            print_phase(&s, spec, &job->truth[i], i, cluster);
        workload_job_free(job);
    }
    w->destroy(w);
    return s;
}

static const char whole[] =
    "# everything at once\n"
    "job late at=10s user=ann queue=prod weight=2.5 running_max=200 wrapup=5s repeat=3 every=15s\n"
    "  phase map tasks=5 cpu=1.5 mem=512M sizes=4s,5s inputs=64M,1K output=8M\n"
    "    task 4 size=9s input=1G on=n3,n1 attempts=5s,12s command=\"echo four\"\n"
    "    task 1 attempts=7s on=n0\r\n"
    "  phase other size=250ms command=\"echo other\"\n"
    "  phase reduce tasks=2 after=map,other slowstart=5% size=3s clone=never\n"
    "job early at=1m\n"
    "  phase one tasks=2 cpu=0 x=2 y=1\n"
    "  phase two tasks=2 after=one pattern=one-to-one\n"
    "  phase three after=two pattern=many-to-one";

TEST(workload_file_is_read_whole)
{
    struct cluster *c = cluster_plain(4, 1);
    struct workload *w = read_good(whole, c);
    struct workload_job *job = w->next(w);
    expect(job && job->submit_us == 10000000 && job->line == 2);
    const struct job_spec *spec = &job->spec;
    expect(!strcmp(spec->name, "late") && !strcmp(spec->user, "ann") &&
           !strcmp(spec->queue, "prod"));
    expect(spec->weight == 2500 && spec->running_max == 200 && spec->wrapup_us == 5000000);
    expect(spec->arrived_us == 10000000 && spec->phase_count == 3);

    const struct phase_spec *map = &spec->phases[0];
    const struct phase_truth *truth = job->truth;
    expect(!strcmp(map->name, "map") && map->tasks == 5 && map->edge_count == 0);
    expect(map->demand.v[RES_CPU] == 1500 && map->demand.v[RES_MEM] == 512);
    expect(map->clone == PHASE_CLONE_AUTO && truth[0].output_bytes == 8 << 20);
    static const int64_t sizes[] = {4000000, 5000000, 4000000, 5000000, 9000000};
    static const int64_t inputs[] = {64 << 20, 1024, 64 << 20, 1024, 1 << 30};
    expect(!memcmp(truth[0].size_each, sizes, sizeof sizes));
    expect(!memcmp(map->input_each, inputs, sizeof inputs));
    static const uint32_t replica_from[] = {0, 0, 1, 1, 1, 3}, attempt_from[] = {0, 0, 1, 1, 1, 3};
    expect(!memcmp(map->replica_from, replica_from, sizeof replica_from));
    expect(map->replicas[0].v == 0 && map->replicas[1].v == 3 && map->replicas[2].v == 1);
    expect(!memcmp(truth[0].attempt_from, attempt_from, sizeof attempt_from));
    expect(truth[0].attempts[0] == 7000000 && truth[0].attempts[1] == 5000000);
    expect(truth[0].attempts[2] == 12000000 && truth[0].command == NULL);
    expect(!truth[0].command_each[0] && !strcmp(truth[0].command_each[4], "echo four"));

    const struct phase_spec *other = &spec->phases[1], *reduce = &spec->phases[2];
    expect(other->tasks == 1 && other->demand.v[RES_CPU] == 1000 && other->demand.v[RES_MEM] == 0);
    expect(other->input_bytes == 0 && !other->input_each && !other->replica_from);
    expect(truth[1].size_us == 250000 && !truth[1].size_each && !truth[1].attempt_from);
    expect(!strcmp(truth[1].command, "echo other") && !truth[1].command_each);
    expect(reduce->edge_count == 2 && reduce->edges[0].from == 0 && reduce->edges[1].from == 1);
    expect(reduce->edges[1].pattern == EDGE_ALL_TO_ALL && reduce->edges[1].slowstart == 5);
    expect(reduce->clone == PHASE_CLONE_NEVER);
    workload_job_free(job);

    for (int i = 0; i < 2; i++) /* its repetitions */
        workload_job_free(w->next(w));
    job = w->next(w);
    expect(job && res_equal(&job->spec.phases[0].demand, &(struct res){{0, 0, 2, 1}}));
    expect(job && res_equal(&job->spec.phases[1].demand, &(struct res){{RES_SLOT, 0, 0, 0}}));
    workload_job_free(job);
    w->destroy(w);
    cluster_destroy(c);
}

/* What a file says in short, said at length, is the same workload. */
TEST(workload_file_round_trip)
{
    struct cluster *c = cluster_plain(4, 1);
    struct str once = print_all(read_good(whole, c), c);
    struct str twice = print_all(read_good(once.text, c), c);
    expect(!strcmp(once.text, twice.text));
    expect(strstr(once.text, "task 3 size=5000000us input=1024\n") != NULL);
    expect(strstr(once.text, "on=n3,n1 attempts=5000000us,12000000us command=\"echo four\"") !=
           NULL);
    str_free(&once);
    str_free(&twice);
    cluster_destroy(c);
}

TEST(workload_file_defaults)
{
    struct workload *w = read_good("job a\nphase p", NULL);
    struct workload_job *job = w->next(w);
    expect(job->submit_us == 0 && job->spec.weight == JOB_WEIGHT_ONE && job->spec.running_max == 0);
    expect(!strcmp(job->spec.user, "default") && !strcmp(job->spec.queue, "default"));
    expect(job->spec.phases[0].tasks == 1 && job->spec.phases[0].demand.v[RES_CPU] == RES_SLOT);
    expect(job->truth[0].size_us == 1000000 && job->truth[0].command == NULL);
    expect(w->next(w) == NULL && w->next(w) == NULL);
    w->destroy(w);
    expect(job->spec.wrapup_us == 0 &&
           !strcmp(job->spec.name, "a")); /* a job outlives its stream */
    workload_job_free(job);
    workload_job_free(NULL);
}

TEST(workload_file_jobs_come_by_time_then_line)
{
    struct workload *w = read_good("job b at=20s repeat=2 every=10s\nphase p\n"
                                   "job a at=10s repeat=3 every=10s\nphase p\n"
                                   "job c at=20s repeat=2 every=0s\nphase p\n",
                                   NULL);
    static const struct {
        const char *name;
        int64_t at_us;
    } order[] = {{"a", 10000000}, {"b", 20000000}, {"a", 20000000}, {"c", 20000000},
                 {"c", 20000000}, {"b", 30000000}, {"a", 30000000}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct workload_job *job = w->next(w);
        expect(job && !strcmp(job->spec.name, order[i].name) && job->submit_us == order[i].at_us);
        expect(job && job->spec.arrived_us == job->submit_us);
        workload_job_free(job);
    }
    expect(w->next(w) == NULL);
    w->destroy(w);
}

/* Submission is `setup` after the arrival, and the order is that of submissions. */
TEST(workload_file_sets_jobs_up)
{
    struct workload *w = read_good("job a at=10s setup=30s repeat=2 every=15s\nphase p\n"
                                   "job b at=45s\nphase p\n"
                                   "job c at=40s\nphase p\n",
                                   NULL);
    static const struct {
        const char *name;
        int64_t arrived_us, submit_us;
    } order[] = {{"a", 10000000, 40000000},
                 {"c", 40000000, 40000000},
                 {"b", 45000000, 45000000},
                 {"a", 25000000, 55000000}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct workload_job *job = w->next(w);
        expect(job && !strcmp(job->spec.name, order[i].name));
        expect(job && job->spec.arrived_us == order[i].arrived_us);
        expect(job && job->submit_us == order[i].submit_us);
        workload_job_free(job);
    }
    expect(w->next(w) == NULL);
    w->destroy(w);
}

TEST(workload_file_ends_when_it_is_closed)
{
    struct workload *w = read_good("job a repeat=3 every=1s\nphase p\n", NULL);
    struct workload_job *job = w->next(w);
    expect(job != NULL);
    workload_close(w);
    expect(w->next(w) == NULL);
    workload_job_free(job);
    w->destroy(w);
}

/* A million repetitions are there at once, and the last one comes at its time. */
/* A list with a size for every task is the file's; one that is too short, or from which a task
 * differs, becomes the job's own. */
TEST(workload_file_shares_sizes)
{
    struct workload *w = read_good("job a repeat=2 every=1s\nphase p tasks=3 sizes=1s,2s,3s\n"
                                   "phase q tasks=4 sizes=1s,2s,3s\n"
                                   "phase r tasks=3 sizes=1s,2s,3s\ntask 1 size=9s\n",
                                   NULL);
    static const int64_t sizes_s[3][4] = {{1, 2, 3}, {1, 2, 3, 1}, {1, 9, 3}};
    struct workload_job *a = w->next(w), *b = w->next(w);
    expect(a->truth[0].size_each == b->truth[0].size_each);
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t i = 0; i < a->spec.phases[p].tasks; i++)
            expect(a->truth[p].size_each[i] == sizes_s[p][i] * 1000000 &&
                   b->truth[p].size_each[i] == sizes_s[p][i] * 1000000);
    workload_job_free(a);
    workload_job_free(b);
    w->destroy(w);
}

TEST(workload_file_repeats_lazily)
{
    struct workload *w = read_good("job a repeat=100000 every=1ms\nphase p tasks=3", NULL);
    int64_t last_us = -1, count = 0;
    for (struct workload_job *job; (job = w->next(w)); count++) {
        last_us = job->submit_us;
        workload_job_free(job);
    }
    expect(count == 100000 && last_us == 99999 * 1000);
    w->destroy(w);

    w = read_good("job a repeat=1000000000 every=1s\nphase p tasks=10000000 sizes=1s,2s", NULL);
    struct workload_job *job = w->next(w);
    expect(job && job->truth[0].size_each[9999999] == 2000000);
    workload_job_free(job);
    w->destroy(w);
}

TEST(workload_file_takes_many_lines)
{
    enum { JOBS = 100000 };
    struct str s = {0};
    for (int i = 0; i < JOBS; i++)
        str_addf(&s, "job j%d at=%ds\n phase p tasks=2\n  task 1 on=n%d\n", i, JOBS - i, i % 1000);
    struct cluster *c = cluster_plain(1000, 1);
    struct workload *w = read_good(s.text, c);
    int64_t count = 0;
    bool ordered = true;
    for (struct workload_job *job; (job = w->next(w)); count++) {
        ordered &= job->submit_us == (count + 1) * 1000000;
        workload_job_free(job);
    }
    expect(count == JOBS && ordered);
    w->destroy(w);
    str_free(&s);
    cluster_destroy(c);
}

#define J "job a\n"

static const struct {
    const char *text;
    unsigned line;
    const char *what;
} refused[] = {
    {"", 1, "no jobs; expected at least: job NAME, and below it: phase NAME"},
    {"# nothing\n\n\n", 3, "no jobs"},
    {"jbo a\n", 1, "unknown word 'jbo'; did you mean 'job'?"},
    {"banana a\n", 1, "unknown word 'banana'; expected one of job, phase, task"},
    {"job\n", 1, "job without NAME; expected job NAME key=value ..."},
    {"job at=5s\n", 1, "job without NAME"},
    {"job a/b\nphase p\n", 1, "'a/b' is not a valid name of a job; expected 1 to 128 letters"},
    {"job a\n", 1, "job 'a' has no phase; expected at least one line below it: phase NAME"},
    {"job a\njob b\nphase p\n", 1, "job 'a' has no phase"},
    {"job a\nphase p\njob b\n# end\n", 3, "job 'b' has no phase"},
    {"phase p\n", 1, "a phase before any job; expected a line above it: job NAME"},
    {"task 0\n", 1, "a task outside of a phase; expected a line above it: phase NAME"},
    {J "task 0\n", 2, "a task outside of a phase"},
    {J "phase p\njob b\ntask 0\n", 4, "a task outside of a phase"},
    {"job a users=ann\n", 1, "unknown key 'users' of job; did you mean 'user'?"},
    {J "phase p foo=1\n", 2, "unknown key 'foo' of phase; expected one of size, input, tasks"},
    {J "phase p taks=1\n", 2, "unknown key 'taks' of phase; did you mean 'tasks'?"},
    {J "phase p\ntask 0 tasks=1\n", 3,
     "unknown key 'tasks' of task; expected one of size, input, on"},
    {"job a at=5s at=6s\n", 1, "key 'at' of job is given twice; expected it once"},
    {J "phase p tasks= size=1s\n", 2, "key 'tasks' of phase has no value; expected tasks=..."},
    {"job a at=-5\n", 1, "at=-5 of job is wrong; expected a time from 0s to 36500d"},
    {"job a at=1e12\n", 1, "at=1e12 of job is wrong"},
    {"job a at=1000000000001s\n", 1, "expected a time from 0s to 36500d"},
    {"job a weight=0\n", 1, "weight=0 of job is wrong; expected a number from 0.001 to 1000000"},
    {"job a user=a,b\n", 1, "user=a,b of job is wrong; expected a name of 1 to 128 letters"},
    {"job a running_max=-1\n", 1, "expected a whole number from 0 to 1000000000"},
    {"job a repeat=0 every=1s\n", 1, "repeat=0 of job is wrong; expected a whole number from 1 to"},
    {"job a repeat=3\n", 1, "key 'repeat' of job means nothing without every=; expected both"},
    {"job a every=3s\n", 1, "key 'every' of job means nothing without repeat=; expected both"},
    {"job a repeat=1000000 every=1d\n", 1,
     "last repetition of job 'a' is too late; expected it within"},
    {"job a at=36500d setup=1us\n", 1, "last repetition of job 'a' is too late"},
    {"job a setup=-1s\n", 1, "setup=-1s of job is wrong; expected a time from 0s to 36500d"},
    {"job a repeat=1000000000 every=0\nphase p\njob b\n", 3,
     "too many jobs; expected at most 1000000000"},
    {J "phase p\nphase p\n", 3, "job 'a' has a phase 'p' already; expected another name"},
    {J "phase p tasks=0\n", 2,
     "tasks=0 of phase is wrong; expected a whole number from 1 to 10000000"},
    {J "phase p tasks=10000001\n", 2, "expected a whole number from 1 to 10000000"},
    {J "phase p tasks=-1\n", 2, "tasks=-1 of phase is wrong"},
    {J "phase p cpu=0\n", 2, "a phase that needs nothing; expected one of cpu, mem, x, y above 0"},
    {J "phase p cpu=0.0009\n", 2, "expected 0 or a number from 0.001 to 1000000"},
    {J "phase p x=-1\n", 2, "x=-1 of phase is wrong; expected a whole number from 0 to 1000000000"},
    {J "phase p y=1000000001\n", 2, "expected a whole number from 0 to 1000000000"},
    {J "phase p mem=100\n", 2, "mem=100 of phase is wrong; expected 0 or a size from 1M"},
    {J "phase p size=0\n", 2, "size=0 of phase is wrong; expected a time from 1us to 36500d"},
    {J "phase p size=36501d\n", 2, "expected a time from 1us to 36500d"},
    {J "phase p size=5x\n", 2, "size=5x of phase is wrong"},
    {J "phase p input=-1\n", 2, "input=-1 of phase is wrong; expected a size from 0 to 1024T"},
    {J "phase p output=1025T\n", 2, "expected a size from 0 to 1024T"},
    {J "phase p clone=maybe\n", 2, "clone=maybe of phase is wrong; expected auto or never"},
    {J "phase p size=1s sizes=1s\n", 2, "both size= and sizes= of phase; expected one of them"},
    {J "phase p input=1 inputs=1\n", 2, "both input= and inputs= of phase; expected one of them"},
    {J "phase p sizes=1s,2s\n", 2,
     "sizes= has 2 values for 1 tasks; expected at most one per task"},
    {J "phase p tasks=2 inputs=1,2,3\n", 2, "inputs= has 3 values for 2 tasks"},
    {J "phase p tasks=3 sizes=1s,,2s\n", 2, "key 'sizes' of phase has no value"},
    {J "phase p tasks=3 sizes=1s,zz\n", 2, "sizes=zz of phase is wrong; expected a time from 1us"},
    {J "phase p tasks=10000000 size=36500d\n", 2,
     "job 'a' is too large with phase 'p'; expected at most 1e12 s"},
    {J "phase p tasks=10000000 input=1T\n", 2,
     "expected at most 1048576T of data in all its tasks"},
    {J "phase p tasks=1048576 output=1T\nphase q input=1K\n", 3,
     "job 'a' is too large with phase 'q'"},
    {J "phase p after=q\n", 2,
     "after=q: job 'a' has no such phase above; expected the name of a phase"},
    {J "phase mapper\nphase q after=maper\n", 3, "has no such phase above; did you mean 'mapper'?"},
    {J "phase p after=p\n", 2,
     "phase 'p' cannot come after itself; expected after= a phase above it"},
    {J "phase p after=q\nphase q\n", 2, "after=q: job 'a' has no such phase above"},
    {J "phase p\njob b\nphase q after=p\n", 4, "after=p: job 'b' has no such phase above"},
    {J "phase p\nphase q after=p,p\n", 3, "phase 'p' is given twice in after=; expected it once"},
    {J "phase p\nphase q after=p,\n", 3, "an empty name in after=; expected after=NAME"},
    {J "phase p pattern=one-to-one\n", 2, "key 'pattern' of phase means nothing without after="},
    {J "phase p slowstart=5%\n", 2, "key 'slowstart' of phase means nothing without after="},
    {J "phase p\nphase q after=p slowstart=101%\n", 3, "expected a percentage from 0% to 100%"},
    {J "phase p\nphase q after=p pattern=some\n", 3,
     "expected all-to-all, many-to-one or one-to-one"},
    {J "phase p tasks=3\nphase q tasks=2 after=p pattern=one-to-one\n", 3,
     "pattern=one-to-one with 2 tasks after 'p' with 3; expected equal numbers"},
    {J "phase p tasks=3\nphase q tasks=4 after=p pattern=many-to-one\n", 3,
     "pattern=many-to-one with 4 tasks after 'p' with 3; expected no more than above"},
    {J "phase p tasks=3\ntask 3\n", 3, "task 3 of phase 'p' is out of range; expected 0 to 2"},
    {J "phase p tasks=3\ntask -1\n", 3, "task -1 of phase 'p' is out of range; expected 0 to 2"},
    {J "phase p\ntask x\n", 3, "task x of phase 'p' is out of range; expected 0 to 0"},
    {J "phase p\ntask\n", 3, "task without NUMBER; expected task NUMBER key=value ..."},
    {J "phase p tasks=2\ntask 0\ntask 1\ntask 0\n", 5,
     "task 0 of phase 'p' is described already in line 3; expected one line"},
    {J "phase p\ntask 0 on=n1,n1\n", 3, "node 'n1' is given twice in on=; expected it once"},
    {J "phase p\ntask 0 on=m1\n", 3,
     "on=m1 of task: the cluster has no such node; did you mean 'n1'"},
    {J "phase p\ntask 0 on=n1,zebra\n", 3,
     "on=zebra of task: the cluster has no such node; expected a"},
    {J "phase p\ntask 0 attempts=5s,0s\n", 3,
     "attempts=0s of task is wrong; expected a time from 1us"},
    {J "phase p\ntask 0 command=\"a\"b\n", 3, "sticks to the quote before it"},
    {J "phase p\n\x02\n", 3, "a control character (0x02)"},
};

TEST(workload_file_errors_name_their_line)
{
    struct cluster *c = cluster_plain(4, 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err err = {.text = "none"};
        struct scratch s = scratch_write(refused[i].text, strlen(refused[i].text));
        struct workload *w = workload_file_read(s.path, c, &err);
        expect(w == NULL && err.kind == ERR_INPUT);
        expect(scratch_blames(&s, err.text, refused[i].line, refused[i].what));
        if (w)
            w->destroy(w);
        scratch_remove(&s);
    }
    cluster_destroy(c);
}

TEST(workload_file_needs_a_cluster_for_replicas)
{
    struct err err;
    const char text[] = "job a\nphase p\ntask 0 on=n1";
    expect(read_text(text, strlen(text), NULL, &err) == NULL);
    expect(strstr(err.text, ":3: on=n1 of task without a cluster; expected a cluster file") !=
           NULL);
}

TEST(workload_file_bounds_hold_at_equality)
{
    static const char *const good[] = {
        "job a at=36500d weight=0.001\nphase p",
        "job a setup=36500d\nphase p",
        "job a weight=1000000 running_max=1000000000 repeat=1 every=0\nphase p",
        "job a repeat=36501 every=1d\nphase p",
        "job a repeat=1000000000 every=0\nphase p",
        "job a\nphase p tasks=10000000 size=1us",
        "job a\nphase p size=36500d input=1024T",
        "job a\nphase p tasks=1048576 input=1T",
        "job a\nphase p tasks=1048576 input=1T\njob b\nphase p tasks=1048576 input=1T",
        "job a\nphase p tasks=300 size=36500d\njob b\nphase p tasks=300 size=36500d",
        "job a\nphase p\nphase q after=p pattern=many-to-one slowstart=100%",
        "job a\nphase p\nphase q after=p slowstart=0\nphase r after=q,p",
        "job a\nphase p tasks=2 sizes=1s,2s\ntask 1\ntask 0 size=1us input=0",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err err = {.text = "none"};
        struct workload *w = read_text(good[i], strlen(good[i]), NULL, &err);
        expect(w != NULL && !strcmp(err.text, "none"));
        if (w)
            w->destroy(w);
    }
}

TEST(workload_file_counts_phases)
{
    struct err err;
    struct str s = {0};
    str_add(&s, "job a\n");
    for (int i = 0; i < JOB_PHASES_MAX; i++)
        str_addf(&s, "phase p%d%s\n", i, i ? " after=p0" : "");
    struct workload *w = read_good(s.text, NULL);
    struct workload_job *job = w->next(w);
    expect(job && job->spec.phase_count == JOB_PHASES_MAX);
    workload_job_free(job);
    w->destroy(w);
    str_add(&s, "phase last\n");
    expect(read_text(s.text, s.length, NULL, &err) == NULL);
    expect(strstr(err.text, ":1026: job 'a' has too many phases; expected at most 1024") != NULL);
    str_free(&s);
}

/* Whatever happens to a file, reading it ends with jobs or with a message. */
TEST(workload_file_survives_damage)
{
    struct cluster *c = cluster_plain(4, 1);
    char text[sizeof whole];
    uint32_t accepted = 0, rejected = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        struct rng r = rng_stream(2, RNG_TEST, i, 0, 0, 0);
        size_t length = sizeof whole - 1;
        memcpy(text, whole, length);
        if (i % 2)
            length = (size_t)rng_below(&r, length);
        for (uint64_t k = rng_below(&r, 4); k > 0 && length > 0; k--) {
            static const char odd[] = "\"\\=#-, \n\t\r0123456789eE.%";
            uint64_t at = rng_below(&r, length);
            text[at] = rng_below(&r, 4) ? odd[rng_below(&r, sizeof odd)] : (char)rng_u64(&r);
        }
        struct err err = {.text = ""};
        struct workload *w = read_text(text, length, c, &err);
        expect(w || err.text[0]);
        w ? accepted++ : rejected++;
        for (int k = 0; w && k < 10; k++)
            workload_job_free(w->next(w));
        if (w)
            w->destroy(w);
    }
    expect(accepted > 100 && rejected > 100);
    cluster_destroy(c);
}

TEST(workload_examples_are_read)
{
    static const struct {
        const char *path;
        int jobs;
        bool commands;
    } files[] = {
        {"examples/wordcount.workload", 1, false},
        {"examples/mixed.workload", 79, false},
        {"examples/commands.workload", 6, true},
    };
    if (access("examples", R_OK)) {
        test_skip("no folder examples here");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct err err;
        struct workload *w = workload_file_read(files[i].path, NULL, &err);
        expect(w && !strcmp(w->name, files[i].path));
        int jobs = 0;
        for (struct workload_job *job; w && (job = w->next(w)); jobs++) {
            for (uint32_t p = 0; p < job->spec.phase_count && files[i].commands; p++)
                expect(job->truth[p].command != NULL);
            workload_job_free(job);
        }
        expect(jobs == files[i].jobs);
        if (w)
            w->destroy(w);
    }
}
