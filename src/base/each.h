/* each.h - a macro that does something for each of its arguments. */
#pragma once

/* Expands to F(a, b, x) for each of up to twelve further arguments x, in order. */
/* clang-format off */
#define EACH_1(F, a, b, x) F(a, b, x)
#define EACH_2(F, a, b, x, ...) F(a, b, x) EACH_1(F, a, b, __VA_ARGS__)
#define EACH_3(F, a, b, x, ...) F(a, b, x) EACH_2(F, a, b, __VA_ARGS__)
#define EACH_4(F, a, b, x, ...) F(a, b, x) EACH_3(F, a, b, __VA_ARGS__)
#define EACH_5(F, a, b, x, ...) F(a, b, x) EACH_4(F, a, b, __VA_ARGS__)
#define EACH_6(F, a, b, x, ...) F(a, b, x) EACH_5(F, a, b, __VA_ARGS__)
#define EACH_7(F, a, b, x, ...) F(a, b, x) EACH_6(F, a, b, __VA_ARGS__)
#define EACH_8(F, a, b, x, ...) F(a, b, x) EACH_7(F, a, b, __VA_ARGS__)
#define EACH_9(F, a, b, x, ...) F(a, b, x) EACH_8(F, a, b, __VA_ARGS__)
#define EACH_10(F, a, b, x, ...) F(a, b, x) EACH_9(F, a, b, __VA_ARGS__)
#define EACH_11(F, a, b, x, ...) F(a, b, x) EACH_10(F, a, b, __VA_ARGS__)
#define EACH_12(F, a, b, x, ...) F(a, b, x) EACH_11(F, a, b, __VA_ARGS__)
#define EACH_NTH(a, b, c, d, e, f, g, h, i, j, k, l, nth, ...) nth
#define EACH(F, a, b, ...)                                                                         \
    EACH_NTH(__VA_ARGS__, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, EACH_7, EACH_6, EACH_5,       \
             EACH_4, EACH_3, EACH_2, EACH_1, 0)                                                    \
    (F, a, b, __VA_ARGS__)
/* clang-format on */
