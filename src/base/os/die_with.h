/* die_with.h - a child process that does not outlive its parent. */
#pragma once

#include <sys/types.h>

/* In a new child: lets the kernel send it this signal when its parent dies. Exits with status 1 if
 * that has happened already; `parent` is the id of the parent before the fork. */
void die_with(pid_t parent, int sig);
