#include "base/mem.h"

#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "tests/unit/test.h"

TEST(mem_zalloc_zeroes)
{
    int *at = mem_zalloc(100, sizeof *at);
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum |= at[i];
    expect(sum == 0);
    mem_free(at);
    expect(mem_zalloc(0, 8) == NULL);
}

TEST(mem_resize_keeps_contents)
{
    char *at = mem_resize(NULL, 4, 1);
    memcpy(at, "abc", 4);
    at = mem_resize(at, 4000, 1);
    expect(!strcmp(at, "abc"));
    expect(mem_resize(at, 0, 1) == NULL);
}

TEST(mem_copy_copies)
{
    const int from[] = {7, 8, 9};
    int *copy = mem_copy(from, 3, sizeof *from);
    expect(copy != from && copy[0] == 7 && copy[2] == 9);
    expect(mem_copy(NULL, 3, sizeof *from) == NULL && mem_copy(from, 0, sizeof *from) == NULL);
    mem_free(copy);
}

TEST(mem_strdup_copies)
{
    const char *text = "dolly";
    char *copy = mem_strdup(text);
    expect(copy != text && !strcmp(copy, text));
    expect(mem_strdup(NULL) == NULL);
    mem_free(copy);
}

TEST(vec_grows_and_keeps_order)
{
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(&v, i);
    *vec_add(&v) = 1000;
    expect(v.count == 1001);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < v.count; i++)
        wrong += v.at[i] != i;
    expect(wrong == 0);
    vec_clear(&v);
    expect(v.count == 0 && v.cap >= 1001);
    vec_reserve(&v, 5000);
    expect(v.cap >= 5000);
    vec_free(&v);
    expect(v.at == NULL && v.cap == 0);
}

TEST(mem_replace_takes_a_part_of_the_old_text)
{
    char *text = mem_strdup("old and new");
    mem_replace(&text, text + 8);
    expect(!strcmp(text, "new"));
    mem_replace(&text, NULL);
    expect(!text);
    mem_replace(&text, "again");
    expect(!strcmp(text, "again"));
    mem_free(text);
}
