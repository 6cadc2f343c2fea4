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
