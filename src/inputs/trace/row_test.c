#include "inputs/trace/row.h"

#include "tests/unit/test.h"

static struct row_text text(const char *t)
{
    return (struct row_text){t, strlen(t)};
}

static int compare(const struct row *a, const struct row *b)
{
    struct row_bytes x = {0}, y = {0};
    size_t n = row_encode(a, &x), m = row_encode(b, &y);
    int c = memcmp(x.at.at, y.at.at, n < m ? n : m);
    c = c ? c : (n > m) - (n < m);
    vec_free(&x.at);
    vec_free(&y.at);
    return c;
}

TEST(row_comes_back_as_it_was)
{
    struct row_bytes bytes = {0};
    struct row r = row_blank(ROW_ATTEMPT, text("515042969")), back;
    r.phase = text("R3_1");
    r.task = text("");
    r.submit_us = 0;
    r.start_us = 5;
    r.input_bytes = INT64_MAX;
    r.cpu = 0.25;
    r.is_share = true;
    r.end = ROW_EVICTED;
    r.parents = text("1\n2\n");
    r.node = text("17");
    r.hosts = text("a\nb\n");
    r.where = 99;
    row_encode(&r, &bytes);
    back = row_decode(bytes.at.at, bytes.at.count);
    expect(row_text_is(back.job, "515042969") && row_text_is(back.phase, "R3_1"));
    expect(back.task.length == 0 && back.kind == ROW_ATTEMPT && back.end == ROW_EVICTED);
    expect(back.submit_us == 0 && back.start_us == 5 && back.end_us == ROW_UNKNOWN);
    expect(back.input_bytes == INT64_MAX && back.output_bytes == ROW_UNKNOWN);
    expect(back.cpu == 0.25 && back.mem < 0 && back.is_share && !back.tasks_are_parents);
    expect(row_text_is(back.parents, "1\n2\n") && row_text_is(back.node, "17"));
    expect(row_text_is(back.hosts, "a\nb\n") && back.where == 99);
    vec_free(&bytes.at);
}

TEST(row_text_next_takes_names_off_a_list)
{
    struct row_text list = text("a\n\nbc"), name;
    expect(row_text_next(&list, &name) && row_text_is(name, "a"));
    expect(row_text_next(&list, &name) && name.length == 0);
    expect(row_text_next(&list, &name) && row_text_is(name, "bc"));
    expect(!row_text_next(&list, &name));
}

TEST(row_order_is_by_job_then_kind_then_task_as_a_number_then_time)
{
    struct row job = row_blank(ROW_JOB, text("j")), phase = row_blank(ROW_PHASE, text("j"));
    struct row a = row_blank(ROW_ATTEMPT, text("j")), b = a;
    expect(compare(&job, &phase) < 0 && compare(&phase, &a) < 0);
    a.task = text("9");
    b.task = text("10");
    expect(compare(&a, &b) < 0);
    a.task = text("x9"); /* no number: letter by letter */
    b.task = text("x10");
    expect(compare(&a, &b) > 0);
    a.task = b.task = text("9");
    a.start_us = 100;
    b.start_us = 20;
    expect(compare(&a, &b) > 0);
    b.start_us = 100;
    expect(compare(&a, &b) == 0);
    b.where = 7; /* where it stood does not count */
    expect(compare(&a, &b) == 0);
}

TEST(row_events_of_one_instant_are_ended_submitted_started)
{
    struct row end = row_blank(ROW_END, text("j")), submit = row_blank(ROW_SUBMIT, text("j"));
    struct row start = row_blank(ROW_START, text("j"));
    end.end_us = submit.submit_us = start.start_us = 5;
    expect(compare(&end, &submit) < 0 && compare(&submit, &start) < 0);
    start.start_us = 4;
    expect(compare(&start, &end) < 0);
}
