/* fleet_ssh.c - one ssh for each agent, which stays as long as the agent does.
 *
 * The key goes through the standard input of ssh. Nobody can answer questions: a host that asks for
 * a password or has an unknown key is a host without an agent, and ssh says why on our stderr. All
 * agents of one host share one connection (ControlMaster), whose socket lies in a folder of /tmp
 * that only our user can enter: the folder of the run may have too long a name for a socket. All
 * runs of a user have one such folder, so that those that are killed leave no more than that.
 *
 * An agent that cannot connect to us is started again with a socket on its host that ssh forwards
 * to us (-R): slower, and not to be had everywhere, but it needs no way back. */
#include "remote/fleet/fleet_ways.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/text.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_places.h"
#include "remote/fleet/fleet_words.h"

struct fleet_ssh {
    struct fleet_options options;
    char control[32]; /* the folder of the sockets; "": none was needed */
    VEC(char *) hosts;
    VEC(uint64_t) tunnels; /* of each: the number in the name of its forwarded socket; 0: none */
};

/* Places count from 1 in names. Of the destination the host is taken, without what a name may not
 * have. */
static void ssh_name(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1])
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const struct fleet_ssh *s = ctx;
    const char *host = s->hosts.at[place];
    int n = snprintf(name, FLEET_NAME_MAX + 1, "ssh%u.", place + 1);

    if (strncmp(host, "ssh://", 6) == 0)
        host += 6;
    if (strrchr(host, '@'))
        host = strrchr(host, '@') + 1;
    for (; *host && *host != ':' && n < FLEET_NAME_MAX; host++)
        if (strchr(letters, *host))
            name[n++] = *host;
    name[n] = '\0';
}

/* The words as one text for the shell of the other side. */
static void ssh_quote(const struct fleet_words *words, struct str *text)
{
    for (uint32_t i = 0; i < words->at.count; i++) {
        str_add(text, i == 0 ? "exec '" : " '");
        for (const char *c = words->at.at[i]; *c; c++)
            str_addf(text, *c == '\'' ? "'\\%c'" : "%c", *c);
        str_add(text, "'");
    }
}

/* Whether the folder of the sockets is there, and nobody else's. Another run of ours may have
 * removed it since the last time. */
static bool ssh_control(struct fleet_ssh *s)
{
    struct stat st;

    snprintf(s->control, sizeof s->control, "/tmp/dolly-ssh.%u", (unsigned)geteuid());
    return (mkdir(s->control, 0700) == 0 || errno == EEXIST) && lstat(s->control, &st) == 0 &&
           S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

/* Without it every ssh has a connection of its own. */
static void ssh_share(struct fleet_ssh *s, struct fleet_words *words)
{
    if (!ssh_control(s))
        return;
    fleet_words_add(words, "-oControlMaster=auto", "-oControlPersist=no");
    /* Of this coordinator: a connection ends with it. */
    fleet_words_addf(words, "-oControlPath=%s/%d.%u.%%C", s->control, (int)getpid(),
                     s->options.port);
}

/* A socket that only its user can connect to, in a folder that every host has. The agent removes
 * it. */
static void ssh_tunnel(const struct fleet_ssh *s, uint64_t number, struct fleet_words *words,
                       struct fleet_words *agent)
{
    char path[64];

    snprintf(path, sizeof path, "/tmp/dolly-tunnel.%016" PRIx64, number);
    fleet_words_add(words, "-oStreamLocalBindUnlink=yes", "-R");
    fleet_words_addf(words, "%s:%s:%u", path, s->options.local, s->options.port);
    fleet_words_add(agent, "--tunnel", path);
}

/* Once: an agent that finds no way through the tunnel either has none. */
static bool ssh_detour(void *ctx, uint32_t place)
{
    struct fleet_ssh *s = ctx;
    uint64_t *number = &s->tunnels.at[place];

    if (*number || getrandom(number, sizeof *number, 0) != sizeof *number)
        return false;
    return *number != 0;
}

static void ssh_command(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    struct fleet_ssh *s = ctx;
    struct fleet_words agent = {0};
    struct str text = {0};

    fleet_words_add(words, "ssh", "-T", "-oBatchMode=yes", "-oLogLevel=ERROR",
                    "-oConnectTimeout=20", "-oServerAliveInterval=15");
    ssh_share(s, words);
    fleet_words_agent(&agent, &s->options, s->options.host);
    if (s->tunnels.at[place])
        ssh_tunnel(s, s->tunnels.at[place], words, &agent);
    fleet_words_add(&agent, "--name", name);
    ssh_quote(&agent, &text);
    fleet_words_add(words, "--", s->hosts.at[place], text.text);
    str_free(&text);
    fleet_words_fini(&agent);
}

static void ssh_free(void *ctx)
{
    struct fleet_ssh *s = ctx;

    vec_free_each(&s->hosts);
    vec_free(&s->tunnels);
    mem_free(s); /* the folder of sockets stays: another run may be about to use it */
}

/* One line of the file. -1 with *err. */
static int ssh_read_line(struct fleet_ssh *s, char *line, uint32_t number, struct err *err)
{
    char *end = line + strlen(line);

    while (end > line && strchr(" \t\r\n", end[-1]))
        *--end = '\0';
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return 0;
    if (strpbrk(line, " \t") || *line == '-')
        return err_set(err, "%s:%u: '%s' is not a host; expected one HOST or USER@HOST in a line",
                       s->options.spec, number, line);
    if (s->hosts.count == FLEET_AGENTS_MAX)
        return err_set(err, "%s:%u: more than %d hosts", s->options.spec, number, FLEET_AGENTS_MAX);
    vec_push(&s->hosts, mem_strdup(line));
    vec_push(&s->tunnels, (uint64_t)0);
    return 0;
}

static int ssh_read(struct fleet_ssh *s, struct err *err)
{
    FILE *f = fopen(s->options.spec, "re");
    char *line = NULL;
    size_t cap = 0;
    int result = 0;

    if (!f)
        return err_set(err, "--on ssh:%s: %s", s->options.spec, strerror(errno));
    for (uint32_t number = 1; result == 0 && getline(&line, &cap, f) >= 0; number++)
        result = ssh_read_line(s, line, number, err);
    if (result == 0 && ferror(f))
        result = err_system(err, "--on ssh:%s: cannot be read", s->options.spec);
    free(line);
    fclose(f);
    if (result == 0 && s->hosts.count == 0)
        result = err_set(err, "--on ssh:%s: no host in the file", s->options.spec);
    return result;
}

struct fleet *fleet_ssh_open(const struct fleet_options *options, struct err *err)
{
    struct fleet_ssh *s = mem_zalloc(1, sizeof *s);

    s->options = *options;
    if (ssh_read(s, err) < 0) {
        ssh_free(s);
        return NULL;
    }
    return fleet_places_open(&(struct fleet_places_options){.fleet = options,
                                                            .min = s->hosts.count,
                                                            .max = s->hosts.count,
                                                            .ctx = s,
                                                            .name = ssh_name,
                                                            .command = ssh_command,
                                                            .detour = ssh_detour,
                                                            .free = ssh_free});
}
