/* Experiment files. */
#include "commands/reproduce/repro_file.h"
#include "tests/fuzz/fuzz.h"

void fuzz_experiment(const uint8_t *at, size_t length)
{
    const char *path = fuzz_file(at, length);
    struct repro_file f;
    struct err err;

    for (int quick = 0; quick < 2; quick++) {
        if (repro_file_read(&f, path, quick, &err) == 0)
            for (uint32_t i = 0; i < f.rows.count; i++) {
                if (f.rows.at[i].ours)
                    repro_file_run(&f, f.rows.at[i].ours);
                repro_paper_difference(&f.rows.at[i].paper, 1);
            }
        repro_file_fini(&f);
    }
}
