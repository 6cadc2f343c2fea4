#include "inputs/models/synth_job.h"

#include <math.h>
#include <string.h>

#include "inputs/config/key.h"
#include "tests/unit/test.h"

static const struct flow_model flow = {
    .kinds = 20,
    .phases = 8,
    .phases_noise = 0.8,
    .phases_max = 40,
    .source = 0.2,
    .join = 0.5,
    .barrier = 0.5,
    .width = 12,
    .width_noise = 0.9,
    .spread = 0.4,
    .width_max = 100,
    .waves = 2,
    .waves_noise = 0.5,
    .size_us = 30000000,
    .run_noise = 0.5,
    .skew = 0.3,
    .skew_max = 1,
    .hot_phases = 0.5,
    .hot_tasks = 0.1,
    .hot_min = 20,
    .hot_max = 20,
    .bytes_per_s = 1000000,
    .output = 0.2,
};
static const struct synth_model model = {
    .name = "m", .prefix = "m", .overhead_s = 10, .overhead_noise = 0.3, .flow = &flow};

/* Edges lead back to earlier phases, everything is read but by the last phase, and every pattern
 * fits the numbers of tasks. */
static void expect_flow(const struct job_spec *spec)
{
    bool read[FLOW_PHASES_MAX] = {false};
    for (uint16_t k = 0; k < spec->phase_count; k++) {
        const struct phase_spec *p = &spec->phases[k];
        expect(p->tasks >= 1 && p->tasks <= flow.width_max);
        for (uint16_t e = 0; e < p->edge_count; e++) {
            const struct edge_spec *edge = &p->edges[e];
            uint32_t above = spec->phases[edge->from].tasks;
            expect(edge->from < k);
            expect(edge->slowstart == p->edges[0].slowstart &&
                   edge->pattern == p->edges[0].pattern);
            expect((edge->slowstart == 0) == (edge->pattern == EDGE_ALL_TO_ALL));
            expect(edge->pattern != EDGE_ONE_TO_ONE || above == p->tasks);
            expect(edge->pattern != EDGE_MANY_TO_ONE || above >= p->tasks);
            for (uint16_t i = 0; i < e; i++)
                expect(p->edges[i].from != edge->from);
            read[edge->from] = true;
        }
    }
    uint32_t unread = 0;
    for (uint16_t k = 0; k + 1 < spec->phase_count; k++)
        unread += !read[k];
    /* The last phase has room for so many edges. */
    expect(unread == 0 || spec->phases[spec->phase_count - 1].edge_count == FLOW_EDGES_MAX);
}

TEST(flow_job_has_its_shape)
{
    for (uint64_t i = 0; i < 500; i++) {
        struct workload_job *job = flow_job_draw(&model, 3, i, 1000);
        expect(job->spec.phase_count >= 1 && job->spec.phase_count <= flow.phases_max);
        expect(job->spec.running_max >= 1 && field_name_ok(job->spec.name));
        expect(job->submit_us == 1000 + job->spec.wrapup_us);
        expect_flow(&job->spec);
        workload_job_free(job);
    }
}

TEST(flow_job_kinds_come_in_turn)
{
    struct workload_job *a = flow_job_draw(&model, 3, 7, 0),
                        *b = flow_job_draw(&model, 3, 7 + flow.kinds, 0),
                        *c = flow_job_draw(&model, 3, 8, 0);
    expect(!strcmp(a->spec.name, b->spec.name) && strcmp(a->spec.name, c->spec.name));
    expect(a->spec.phase_count == b->spec.phase_count);
    expect(a->spec.running_max == b->spec.running_max);
    bool same_data = true;
    for (uint16_t k = 0; k < a->spec.phase_count; k++) {
        expect(a->spec.phases[k].tasks == b->spec.phases[k].tasks);
        expect(a->spec.phases[k].edge_count == b->spec.phases[k].edge_count);
        same_data &= a->truth[k].size_each[0] == b->truth[k].size_each[0];
    }
    expect(!same_data);
    workload_job_free(a);
    workload_job_free(b);
    workload_job_free(c);
}

TEST(flow_job_is_a_function_of_its_key)
{
    struct workload_job *a = flow_job_draw(&model, 3, 11, 0), *b = flow_job_draw(&model, 3, 11, 0),
                        *other = flow_job_draw(&model, 4, 11, 0);
    expect(a->spec.phase_count == b->spec.phase_count);
    expect(a->truth[0].size_each[0] == b->truth[0].size_each[0]);
    expect(a->truth[0].size_each[0] != other->truth[0].size_each[0]);
    workload_job_free(a);
    workload_job_free(b);
    workload_job_free(other);
}

/* Time is a straight line over data: every task of a phase lies on it. And where there is a hot
 * task, there are as many as were asked for. */
TEST(flow_job_time_is_a_line_over_data)
{
    uint32_t hot_phases = 0, phases = 0;
    struct flow_model even = flow;
    struct synth_model m = model;
    even.skew = 0.01;
    even.skew_max = 0.01;
    m.flow = &even;
    for (uint64_t i = 0; i < 100; i++) {
        struct workload_job *job = flow_job_draw(&m, 5, i, 0);
        for (uint16_t k = 0; k < job->spec.phase_count; k++) {
            const struct phase_spec *p = &job->spec.phases[k];
            const int64_t *size = job->truth[k].size_each, *input = p->input_each;
            if (p->tasks < 10)
                continue;
            uint32_t hot = 0, low = 0, high = 0;
            for (uint32_t t = 0; t < p->tasks; t++) {
                low = input[t] < input[low] ? t : low;
                high = input[t] > input[high] ? t : high;
            }
            for (uint32_t t = 0; t < p->tasks; t++)
                hot += input[t] > 10 * input[low];
            double slope = (double)(size[high] - size[low]) / (double)(input[high] - input[low]);
            bool straight = true;
            for (uint32_t t = 0; t < p->tasks; t++)
                straight &= fabs((double)(size[t] - size[low]) -
                                 slope * (double)(input[t] - input[low])) < 3000;
            expect(straight);
            expect(hot == 0 || hot == (uint32_t)(0.1 * p->tasks + 0.5));
            hot_phases += hot > 0;
            phases++;
        }
        workload_job_free(job);
    }
    expect(phases > 300 && fabs((double)hot_phases / phases - 0.5) < 0.1);
}

/* Evenly spread: the median over kinds is the model's, for every seed. */
TEST(flow_job_kinds_are_spread_evenly)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint32_t below = 0, above = 0;
        for (uint64_t i = 0; i < flow.kinds; i++) {
            struct workload_job *job = flow_job_draw(&model, seed, i, 0);
            below += job->spec.phase_count <= 7;
            above += job->spec.phase_count >= 9;
            workload_job_free(job);
        }
        expect(below >= 6 && below <= 11 && above >= 6 && above <= 11);
    }
}

/* The numbers of phases of all kinds are as log-normal as they were asked for. */
TEST(flow_job_kinds_spread_as_asked)
{
    enum { KINDS = 400 };
    struct flow_model wide = flow;
    struct synth_model of_it = model;
    double sum = 0, squares = 0;
    wide.kinds = KINDS;
    wide.phases = 12;
    wide.phases_noise = 0.3;
    wide.width = 1;
    wide.width_noise = wide.spread = 0;
    of_it.flow = &wide;
    for (uint64_t i = 0; i < KINDS; i++) {
        struct workload_job *job = flow_job_draw(&of_it, 3, i, 0);
        double x = log(job->spec.phase_count / wide.phases);
        sum += x;
        squares += x * x;
        workload_job_free(job);
    }
    double mean = sum / KINDS;
    expect(fabs(mean) < 0.03);
    expect(fabs(sqrt(squares / KINDS - mean * mean) - wide.phases_noise) < 0.02);
}
