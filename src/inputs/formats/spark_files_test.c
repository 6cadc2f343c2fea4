#include "inputs/formats/spark_files.h"

#include "tests/unit/test.h"

TEST(spark_files_are_known_by_their_names)
{
    struct spark_file f;
    expect(spark_files_is("x/events_12_app-1_2.lz4.compact", &f) && f.number == 12);
    expect(f.is_compact && row_text_is(f.log, "app-1_2") && row_text_is(f.folder, "x/"));
    expect(spark_files_is("events_1_app-1", &f) && !f.is_compact && row_text_is(f.log, "app-1"));
    expect(spark_files_is("a.tar/events_3_a.zstd", &f) && row_text_is(f.log, "a"));
    expect(!spark_files_is("events_1", &f) && !spark_files_is("events_1_", &f));
    expect(!spark_files_is("events_x_app", &f) && !spark_files_is("my_events_1_app", &f));
    expect(!spark_files_is("events_99999999999999999999_app", &f));
    expect(!spark_files_is("events__app", &f) && !spark_files_is("", &f));
}

TEST(spark_files_of_a_log_follow_each_other_and_none_may_be_missing)
{
    struct err err;
    expect(spark_files_follow(NULL, "events_1_a", &err) == 0);
    expect(spark_files_follow("events_1_a", "events_2_a.zstd", &err) == 1);
    expect(spark_files_follow("events_4_a.compact", "events_5_a", &err) == 1);
    expect(spark_files_follow("events_9_a", "events_1_b", &err) == 0);
    expect(spark_files_follow("y/events_1_a", "x/events_1_a", &err) == 0);
    expect(spark_files_follow(NULL, "events_4_a.compact", &err) == 0);
    expect(spark_files_follow("events_1_a", "application_1", &err) == 0);
    expect(spark_files_follow(NULL, "events_2_a", &err) < 0 && strstr(err.text, "after file 1"));
    expect(spark_files_follow("events_1_a", "events_3_a", &err) < 0);
    expect(spark_files_follow("events_2_a", "events_1_a", &err) < 0);
    expect(spark_files_follow("events_1_a", "events_1_a", &err) < 0);
    expect(spark_files_follow("events_1_a", "events_2_a.compact", &err) < 0);
}
