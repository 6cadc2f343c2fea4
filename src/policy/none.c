/* none.c - the parts that do nothing: plain execution, and what everything else is compared with.
 */
#include "policy/parts.h"

const struct mitigate_ops none_mitigate = {
    .part = {"none", "no extra attempts", NULL, 0, 0},
};

const struct protect_ops none_protect = {
    .part = {"none", "outputs are kept where they were made", NULL, 0, 0},
};

const struct screen_ops none_screen = {
    .part = {"none", "no node is avoided", NULL, 0, 0},
};
