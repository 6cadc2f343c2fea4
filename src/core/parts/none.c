/* none.c - the parts that do nothing: plain execution, the baseline of all comparisons. */
#include "core/parts/parts.h"

const struct mitigate_ops none_mitigate = {
    .part = {.name = "none", .help = "no extra attempts"},
};

const struct protect_ops none_protect = {
    .part = {.name = "none", .help = "outputs are kept where they were made"},
};

const struct screen_ops none_screen = {
    .part = {.name = "none", .help = "no node is avoided"},
};
