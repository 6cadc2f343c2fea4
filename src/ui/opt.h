/* opt.h - the options of a command, from a table that also prints itself as help. */
#ifndef UI_OPT_H
#define UI_OPT_H

/* One option; a table ends with name NULL. */
struct opt {
    const char *name;  /* without the dashes */
    const char *value; /* what its value is called in the help; NULL: a flag */
    const char *help;
};

/* A walk over the arguments of a command. */
struct opt_walk {
    const char *command;
    const struct opt *table;
    int argc, next;
    char **argv;
    const char *value; /* of the option just taken, or the argument that is no option */
};

enum { OPT_END = -1, OPT_BAD = -2, OPT_HELP = -3, OPT_OTHER = -4 };

/* Begins behind argv[0]. Borrows everything. */
struct opt_walk opt_begin(const char *command, const struct opt *table, int argc, char **argv);

/* Takes the next argument: the index of its option in the table, OPT_OTHER for one that is no
 * option, OPT_HELP for
 * --help, OPT_END when none is left; OPT_BAD after printing what is wrong (unknown, value missing,
 * value not wanted). */
int opt_next(struct opt_walk *w);

/* Prints the options on stdout; the lines of a help text stand below each other. */
void opt_print(const struct opt *table);

#endif
