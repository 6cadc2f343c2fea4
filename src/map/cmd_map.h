/* cmd_map.h - the commands `map`, `resume`, and what becomes of a run whose guard is killed. Each
 * takes its arguments, argv[0] being its name, and returns an exit status. */
#ifndef MAP_CMD_MAP_H
#define MAP_CMD_MAP_H

int cmd_map(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_leave(int argc, char **argv);

#endif
