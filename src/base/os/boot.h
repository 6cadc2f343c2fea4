/* boot.h - the name of the current boot of this machine. After another boot, data that had not been
 * synced may be on the disk or not, in any order. */
#pragma once

struct boot_name {
    char text[40];
};

/* Returns the same name until the machine boots; "unknown" if the kernel does not give one. */
struct boot_name boot_name(void);
