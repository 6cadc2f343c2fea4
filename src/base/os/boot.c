#include "base/os/boot.h"

#include <stdio.h>
#include <string.h>

struct boot_name boot_name(void)
{
    struct boot_name name = {""};
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (f && fgets(name.text, sizeof name.text, f))
        name.text[strcspn(name.text, " \n")] = 0;
    if (f)
        fclose(f);
    return *name.text ? name : (struct boot_name){"unknown"};
}
