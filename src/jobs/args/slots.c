#include "jobs/args/slots.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "inputs/cluster/cluster.h"

int slots_parse(const char *text, uint32_t cores, uint32_t *slots, struct err *err)
{
    size_t length = strlen(text);
    char digits[32];
    int64_t n = 0;
    double percent = 0, want;
    bool share = length > 0 && text[length - 1] == '%';

    snprintf(digits, sizeof digits, "%.*s", (int)(share ? length - 1 : length), text);
    const char *bare = digits[0] == '+' ? digits + 1 : digits;
    bool known = share ? text_real(bare, &percent) && percent >= 0 : text_int(bare, &n);
    if (!known || length >= sizeof digits || bare[0] == '+' || (bare != digits && *bare == '-'))
        return err_set(err, "-j: expected a number such as 8, 0, 50%%, +2 or -1, not '%s'", text);
    if (share)
        want = cores * percent / 100;
    else if (digits[0] == '+' || digits[0] == '-')
        want = cores + (double)n;
    else
        want = (double)n;
    if (want > CLUSTER_SLOTS_MAX)
        return err_set(err, "-j %s: expected at most %d at once", text, CLUSTER_SLOTS_MAX);
    *slots = want >= 1 ? (uint32_t)want : strcmp(text, "0") == 0 ? 0 : 1;
    return 0;
}
