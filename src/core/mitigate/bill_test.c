#include "core/mitigate/bill.h"

#include "tests/unit/test.h"

static struct res_sum sum(int64_t cpu, int64_t mem)
{
    return (struct res_sum){{cpu, mem, 0, 0}};
}

/* A cluster of 10 slots and 100 MiB, of which a half may be used. */
TEST(bill_is_that_of_the_tightest_resource)
{
    static const struct {
        int64_t slots, mem, used_slots, used_mem;
        struct bill want;
    } rows[] = {
        {1, 0, 0, 0, {true, 1, 0, 5}},   {5, 0, 0, 0, {true, 5, 0, 5}},
        {6, 0, 0, 0, {false, 6, 0, 5}},  {2, 40, 1, 5, {true, 40, 5, 50}},
        {2, 46, 4, 5, {false, 2, 4, 5}}, {2, 46, 1, 5, {false, 46, 5, 50}},
        {0, 0, 0, 0, {true, 0, 0, 5}},
    };
    const struct res_sum capacity = sum(10 * RES_SLOT, 100);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct res_sum charge = sum(rows[i].slots * RES_SLOT, rows[i].mem);
        struct res_sum used = sum(rows[i].used_slots * RES_SLOT, rows[i].used_mem);
        struct bill b = bill_make(&charge, &used, &capacity, 0.5);
        const struct bill *w = &rows[i].want;
        expect(b.fits == w->fits && b.charge == w->charge && b.used == w->used &&
               b.limit == w->limit);
    }
}

/* A least limit counts where it is more; without any capacity nothing is charged. */
TEST(bill_has_a_least_limit_and_ignores_what_the_cluster_lacks)
{
    const struct res_sum charge = sum(3 * RES_SLOT, 7), none = sum(0, 0);
    const struct res_sum capacity = sum(10 * RES_SLOT, 0), least = sum(3 * RES_SLOT, 0);
    struct bill b = bill_make(&charge, &none, &capacity, 0.2);
    expect(!b.fits && b.charge == 3 && b.limit == 2);
    b = bill_make_least(&charge, &none, &capacity, 0.2, &least);
    expect(b.fits && b.charge == 3 && b.limit == 3);
    b = bill_make_least(&charge, &none, &capacity, 0.5, &least);
    expect(b.fits && b.limit == 5);
    b = bill_make(&charge, &none, &none, 0.5);
    expect(b.fits && b.charge == 0 && b.used == 0 && b.limit == 0);
}

TEST(bill_is_within_as_long_as_a_bill_without_a_charge_fits)
{
    const struct res_sum capacity = {{1000, 0, 100, 0}}, none = {{0}};
    for (int64_t cpu = 90; cpu <= 110; cpu++)
        for (int64_t third = 9; third <= 11; third++) {
            struct res_sum used = {{cpu, 7, third, 0}}; /* of the second the cluster has none */
            bool fits = bill_make(&none, &used, &capacity, 0.1).fits;
            expect(fits == (cpu <= 100 && third <= 10));
            expect(bill_is_within(&used, &capacity, 0.1) == fits);
        }
}
