/* map_shell.h - which shell runs the commands. */
#ifndef MAP_MAP_SHELL_H
#define MAP_MAP_SHELL_H

/* $PARALLEL_SHELL, the nearest shell above us (so that functions it has exported work), or $SHELL.
 * NULL: /bin/sh. Free with mem_free. */
char *map_shell(void);

#endif
