/* Formats whose lines are whole jobs. */
#include "inputs/formats/sample_test.h"

#include "tests/unit/test.h"

/* Where a line is a job, lines of one name are jobs of their own, in whatever order they come: in
 * the second trace they have to be sorted. */
TEST(formats_lines_of_one_name_are_jobs)
{
    static const char *const traces[] = {
        "job0\t10\t10\t104857600\t0\t0\njob0\t20\t10\t52428800\t0\t0\n",
        "job0\t20\t10\t52428800\t0\t0\njob0\t10\t10\t104857600\t0\t0\n",
    };
    for (int i = 0; i < 2; i++) {
        struct sample_trace s = {.file = scratch_write(traces[i], strlen(traces[i])),
                                 .request = REQUEST_DEFAULT};
        vec_push(&s.request.files.texts, s.file.path);
        s.request.is_sorted = i == 1;
        s.import = request_open(&s.request, &s.err);
        sample_jobs(&s);
        expect(s.count == 2 && (s.import->jobs != NULL) == (i == 1));
        for (uint32_t k = 0; k < s.count; k++) {
            const struct job_spec *job = &s.jobs[k]->spec;
            expect(strcmp(job->name, "job0") == 0 && job->phase_count == 1);
            expect(job->phases[0].tasks == (k == 0 ? 2 : 1));
            expect(s.jobs[k]->submit_us == 10000000 * (int64_t)k);
        }
        sample_end(&s);
    }
}

/* A format is found from the first 64 KiB: in one line with as many times as it says, or with the
 * beginning of more. */
TEST(formats_hawk_lines_of_any_length)
{
    enum { SEEN = 64 * 1024 };
    static const char time[] = " 7.0000000000000";
    for (uint32_t length = SEEN - 1; length <= SEEN; length++)
        for (uint32_t missing = 0; missing < 2; missing++) {
            struct sample_trace s;
            struct str text = {0};
            str_addf(&text, length < SEEN ? "0.0000 %u 7.0" : "0.00000 %u 7.0",
                     SEEN / 16 - 1 + missing);
            while (text.length < length)
                str_add(&text, time);
            expect(text.length == length && sizeof time - 1 == 16);
            sample_begin(&s, text.text, NULL);
            expect((s.import != NULL) == !missing && s.count == !missing);
            /* It has no format if all of it was seen. */
            bool unknown = !s.import && strstr(s.err.text, "no known format");
            expect(unknown == (missing && length < SEEN));
            sample_end(&s);
            str_free(&text);
        }
}
