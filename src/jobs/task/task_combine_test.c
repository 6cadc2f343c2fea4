#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/sorted_writer.h"
#include "jobs/task/task_state.h"
#include "tests/unit/test.h"

static int add(struct task_combined *c, const char *key, struct err *err)
{
    struct data_record r = {
        .key = key, .key_length = (uint32_t)strlen(key), .value = "", .value_length = 0};

    return task_combine_add(c, &r, err);
}

TEST(task_combine_takes_keys_in_order)
{
    static const char first[] = "b234567890123456789012345678901234567890";
    static const char later[] = "a2345678901234567890123456789012345678901";
    struct task_combined c = {0};
    struct err err;
    int fd = memfd_create("combined", MFD_CLOEXEC);

    c.out = sorted_writer_create(fd, 1, (struct sorted_file_form){0}, &err);
    expect(c.out && add(&c, "", &err) == 0 && add(&c, "", &err) == 0 && add(&c, "a", &err) == 0);
    expect(add(&c, "", &err) < 0);
    expect(strcmp(err.text, "the combiner emits keys out of order: '' after 'a'") == 0);
    expect(add(&c, first, &err) == 0 && add(&c, first, &err) == 0 && add(&c, later, &err) < 0);
    expect(strcmp(err.text, "the combiner emits keys out of order: "
                            "'a234567890123456789012345678901234567890' after "
                            "'b234567890123456789012345678901234567890'") == 0);
    sorted_writer_destroy(c.out);
    vec_free(&c.last);
    close(fd);
}
