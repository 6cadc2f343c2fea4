#include "remote/fleet/fleet_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/text.h"
#include "tests/unit/test.h"

static char folder[64];

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    expect(f != NULL);
    fputs(text, f);
    fclose(f);
    chmod(path, mode);
}

static const char *spec_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct fleet_options folder_make(void)
{
    static char key[FLEET_KEY_TEXT + 1];

    snprintf(folder, sizeof folder, "/tmp/fleet.XXXXXX");
    expect(mkdtemp(folder) != NULL);
    memset(key, 'a', FLEET_KEY_TEXT - 1);
    key[FLEET_KEY_TEXT - 1] = '\n';
    return (struct fleet_options){.key = key,
                                  .at_file = "/run/at",
                                  .host = "here",
                                  .port = 7,
                                  .program = "/opt/it's",
                                  .spec = spec_of("hosts"),
                                  .dir = folder};
}

static void folder_remove(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    expect(system(command) == 0);
}

static void on_ended(void *ctx, const char *name, const char *why)
{
    str_addf(ctx, "%s: %s\n", name, why);
}

/* A command that takes the place of ssh runs what it was given here, by a shell, as sshd would. */
TEST(fleet_ssh_starts_an_agent_on_each_host)
{
    struct fleet_options o = folder_make();
    struct str ended = {0}, path = {0}, old = {0};
    struct err err;
    struct fleet_need none = {0};
    struct epoll_event e;

    write_file("hosts", "# two\n\n  ada@n1\t\nssh://n2:2222\n", 0600);
    write_file("ssh",
               "#!/bin/sh\necho \"$@\" >>${0%/ssh}/asked\nfor last; do :; done\n"
               "PATH=${0%/ssh}:$PATH exec sh -c \"$(echo \"$last\" | sed s,/opt/,,)\"\n",
               0700);
    write_file("it's",
               "#!/bin/sh\nread -r key\ncd \"${0%/*}\"\necho \"$key $*\" >>ran\n"
               "printf 'gone\\r\\n' >&2\nexit 3\n",
               0700);
    str_add(&old, getenv("PATH"));
    str_addf(&path, "%s:%s", folder, old.text);
    setenv("PATH", path.text, 1);
    o.on_ended = on_ended;
    o.ctx = &ended;
    o.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct fleet *f = fleet_ssh_open(&o, &err);
    expect(f && f->min == 2 && f->max == 2);
    for (int64_t end_us = clock_now_us() + 60000000; f && clock_now_us() < end_us;) {
        f->turn(f, &none);
        if (epoll_wait(o.epoll_fd, &e, 1, 20) > 0)
            f->event(f, (uint32_t)e.data.u64);
        if (ended.text && strstr(ended.text, "ssh1.n1: exited with status 3: gone\n") &&
            strstr(ended.text, "ssh2.n2: exited with status 3: gone\n"))
            break;
    }
    expect(ended.text && strstr(ended.text, "ssh1.n1: exited with status 3: gone\n"));
    expect(ended.text && strstr(ended.text, "ssh2.n2: exited with status 3: gone\n"));
    char text[4096] = "";
    FILE *ran = fopen(spec_of("ran"), "r");
    expect(ran && fread(text, 1, sizeof text - 1, ran) > 0);
    expect(
        strstr(text,
               "aaaa agent --connect here:7 --connect-file /run/at --key-fd 0 --name ssh1.n1\n") !=
        NULL);
    if (ran)
        fclose(ran);
    FILE *asked = fopen(spec_of("asked"), "r");
    memset(text, 0, sizeof text);
    expect(asked && fread(text, 1, sizeof text - 1, asked) > 0);
    char control[64]; /* all runs of a user share the folder */
    snprintf(control, sizeof control, "-oControlPath=/tmp/dolly-ssh.%u/%d.7.%%C ",
             (unsigned)geteuid(), (int)getpid());
    expect(strstr(text, "-oControlMaster=auto") && strstr(text, control) &&
           strstr(text, " -- ada@n1 ") && !strstr(text, "aaaa"));
    if (asked)
        fclose(asked);
    if (f)
        f->close(f);
    setenv("PATH", old.text, 1);
    close(o.epoll_fd);
    str_free(&old);
    str_free(&path);
    str_free(&ended);
    folder_remove();
}

/* An agent that cannot connect is started again, with a way back through ssh; once. */
static void on_tunnel_mute(void *ctx, const char *name, const char *why)
{
    str_addf(ctx, "mute %s %s\n", name, why);
}

TEST(fleet_ssh_leads_agents_through_itself)
{
    struct fleet_options o = folder_make();
    struct str told = {0}, path = {0}, old = {0};
    struct err err;
    struct epoll_event e;
    char text[4096] = "";

    write_file("hosts", "n1\n", 0600);
    write_file("ssh",
               "#!/bin/sh\necho \"$@\" >>${0%/ssh}/asked\n"
               "echo 'dolly agent: cannot reach here:7: No route' >&2\nexec sleep 1000\n",
               0700);
    str_add(&old, getenv("PATH"));
    str_addf(&path, "%s:%s", folder, old.text);
    setenv("PATH", path.text, 1);
    o.on_ended = on_ended;
    o.on_mute = on_tunnel_mute;
    o.local = "127.0.0.9";
    o.ctx = &told;
    o.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct fleet *f = fleet_ssh_open(&o, &err);
    for (int64_t end_us = clock_now_us() + 60000000; f && clock_now_us() < end_us;) {
        f->turn(f, &(struct fleet_need){0});
        if (epoll_wait(o.epoll_fd, &e, 1, 20) > 0)
            f->event(f, (uint32_t)e.data.u64);
        const char *first =
            told.text ? strstr(told.text, "mute ssh1.n1 cannot reach here:7") : NULL;
        if (first && strstr(first + 1, "mute ssh1.n1 cannot reach here:7"))
            break;
    }
    expect(told.text && strcmp(told.text, "mute ssh1.n1 cannot reach here:7: No route; trying "
                                          "through ssh\nmute ssh1.n1 cannot reach here:7: "
                                          "No route\n") == 0);
    FILE *asked = fopen(spec_of("asked"), "r");
    expect(asked && fread(text, 1, sizeof text - 1, asked) > 0 && fclose(asked) == 0);
    char *second = strchr(text, '\n');
    expect(second != NULL);
    if (second)
        *second++ = '\0';
    expect(!strstr(text, "tunnel") && !strstr(text, " -R "));
    const char *tunnel = second ? strstr(second, " -oStreamLocalBindUnlink=yes -R ") : NULL;
    char socket[64] = "", agent[96];
    expect(tunnel && sscanf(tunnel, " -oStreamLocalBindUnlink=yes -R %40[^:]", socket) == 1);
    expect(strncmp(socket, "/tmp/dolly-tunnel.", 18) == 0 && strlen(socket) == 34);
    expect(tunnel && strstr(tunnel, ":127.0.0.9:7 -- n1 "));
    snprintf(agent, sizeof agent, "--tunnel %s", socket);
    expect(tunnel && (strstr(tunnel, agent) || strstr(tunnel, "'--tunnel'")) &&
           strstr(strstr(tunnel, "tunnel.") + 1, socket + 5));
    if (f)
        f->close(f);
    setenv("PATH", old.text, 1);
    close(o.epoll_fd);
    str_free(&old);
    str_free(&path);
    str_free(&told);
    folder_remove();
}

/* ---- with a command that takes the place of ssh ---- */

struct ssh_stage {
    struct fleet_options options;
    struct str ended;
    char *path; /* PATH as it was */
};

/* Each call of `ssh` adds its words as a line to `asked`, and fails. */
static void stage_open(struct ssh_stage *s, const char *hosts)
{
    struct str path = {0};

    *s = (struct ssh_stage){.options = folder_make(), .path = strdup(getenv("PATH"))};
    write_file("hosts", hosts, 0600);
    write_file("ssh", "#!/bin/sh\necho \"$@\" >>${0%/ssh}/asked\nexit 9\n", 0755);
    str_addf(&path, "%s:%s", folder, s->path);
    setenv("PATH", path.text, 1);
    str_free(&path);
    s->options.on_ended = on_ended;
    s->options.ctx = &s->ended;
    s->options.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
}

/* Runs the fleet until as many agents have ended, for a minute at most. */
static void stage_until_ended(struct ssh_stage *s, uint32_t count)
{
    struct err err;
    struct epoll_event e;
    uint32_t lines = 0;
    struct fleet *f = fleet_ssh_open(&s->options, &err);

    expect(f != NULL);
    for (int64_t end_us = clock_now_us() + 60000000;
         f && lines < count && clock_now_us() < end_us;) {
        f->turn(f, &(struct fleet_need){0});
        if (epoll_wait(s->options.epoll_fd, &e, 1, 20) > 0)
            f->event(f, (uint32_t)e.data.u64);
        lines = 0;
        for (const char *c = s->ended.text; c && *c; c++)
            lines += *c == '\n';
    }
    expect(lines >= count);
    if (f)
        f->close(f);
}

static void stage_close(struct ssh_stage *s)
{
    setenv("PATH", s->path, 1);
    free(s->path);
    close(s->options.epoll_fd);
    str_free(&s->ended);
    folder_remove();
}

/* What was asked of ssh; valid until the next call. */
static const char *stage_asked(void)
{
    static char text[4096];

    memset(text, 0, sizeof text);
    FILE *asked = fopen(spec_of("asked"), "r");
    expect(asked && fread(text, 1, sizeof text - 1, asked) > 0 && fclose(asked) == 0);
    return text;
}

TEST(fleet_ssh_names_agents_after_their_hosts)
{
    static const char hosts[] = " \t\n\t n1 \r\n#n0\nann@lab@N_2.x-Y\nssh://bob@n3:22\n"
                                "ssh:/n4\n%h+n5\n"
                                "h123456789112345678921234567893123456789412345678951234567896\n";
    static const char *const want[] = {
        "ssh1.n1: ",  "ssh2.N_2.x-Y: ",
        "ssh3.n3: ",  "ssh4.ssh: ",
        "ssh5.hn5: ", "ssh6.h123456789112345678921234567893123456789412345678951234567: "};
    enum { HOSTS = sizeof want / sizeof *want };
    struct ssh_stage s;

    stage_open(&s, hosts);
    stage_until_ended(&s, HOSTS);
    for (int i = 0; i < HOSTS; i++)
        expect(s.ended.text && strstr(s.ended.text, want[i]));
    stage_close(&s);
}

/* The whole command: nobody is asked for anything, and a host that is silent is given up. The
 * folder of the sockets may be gone, as the last run is. */
TEST(fleet_ssh_asks_no_user_and_waits_for_no_host)
{
    struct ssh_stage s;
    char control[64], want[512];

    snprintf(control, sizeof control, "/tmp/dolly-ssh.%u", (unsigned)geteuid());
    rmdir(control); /* unless another run has its sockets there */
    stage_open(&s, "n1\n");
    stage_until_ended(&s, 1);
    snprintf(want, sizeof want,
             "-T -oBatchMode=yes -oLogLevel=ERROR -oConnectTimeout=20 -oServerAliveInterval=15 "
             "-oControlMaster=auto -oControlPersist=no -oControlPath=%s/%d.7.%%C -- n1 exec "
             "'/opt/it'\\''s' 'agent' '--connect' 'here:7' '--connect-file' '/run/at' "
             "'--key-fd' '0' '--name' 'ssh1.n1'\n",
             control, (int)getpid());
    expect(strncmp(stage_asked(), want, strlen(want)) == 0);
    stage_close(&s);
}

/* A folder of sockets that others can enter, or that is none of ours, is not used: whoever has the
 * socket runs commands as us. */
TEST(fleet_ssh_shares_no_connection_where_others_are)
{
    enum { ANY = 0, DIR = 1, OPEN = 2, THEIRS = 3, FILE_THERE = 4, LINK = 5, CASES = 6 };
    uid_t other = 60000 + (uid_t)(getpid() % 5000);
    char control[64];

    if (geteuid() != 0) {
        test_skip("only root can be another user");
        return;
    }
    snprintf(control, sizeof control, "/tmp/dolly-ssh.%u", (unsigned)other);
    for (int i = ANY; i < CASES; i++) {
        struct ssh_stage s;
        bool used = i == ANY || i == DIR;
        stage_open(&s, "n1\n");
        expect(chmod(folder, 0777) == 0 && chmod(spec_of("hosts"), 0644) == 0);
        if (i == DIR || i == OPEN || i == THEIRS)
            expect(mkdir(control, 0700) == 0);
        if (i == DIR || i == OPEN)
            expect(chown(control, other, other) == 0);
        if (i == OPEN)
            expect(chmod(control, 0710) == 0);
        if (i == LINK) {
            char to[96];
            snprintf(to, sizeof to, "%s/to", folder);
            expect(mkdir(to, 0700) == 0 && chown(to, other, other) == 0);
            expect(symlink(to, control) == 0);
        }
        if (i == FILE_THERE) {
            FILE *f = fopen(control, "w");
            expect(f && fclose(f) == 0 && chmod(control, 0600) == 0);
            expect(chown(control, other, other) == 0);
        }
        expect(seteuid(other) == 0);
        stage_until_ended(&s, 1);
        expect(seteuid(0) == 0);
        expect((strstr(stage_asked(), "Control") != NULL) == used);
        expect(i != ANY || test_mode(control) == 0700);
        remove(control);
        stage_close(&s);
    }
}

TEST(fleet_ssh_refuses_files_that_are_no_list_of_hosts)
{
    struct fleet_options o = folder_make();
    struct err err;

    expect(!fleet_ssh_open(&o, &err) && strstr(err.text, "No such file"));
    write_file("hosts", "# nobody\n", 0600);
    expect(!fleet_ssh_open(&o, &err) && strstr(err.text, "no host in the file"));
    write_file("hosts", "n1\n-oProxyCommand=reboot\n", 0600);
    expect(!fleet_ssh_open(&o, &err) && strstr(err.text, "hosts:2: '-oProxyCommand=reboot' is no"));
    write_file("hosts", "n1 n2\n", 0600);
    expect(!fleet_ssh_open(&o, &err) && strstr(err.text, "hosts:1: 'n1 n2' is not a host"));
    write_file("hosts", "n1\n\nn1\t22\n", 0600);
    expect(!fleet_ssh_open(&o, &err) && strstr(err.text, "hosts:3: 'n1?22' is not a host"));
    folder_remove();
}

TEST(fleet_ssh_reads_no_folder_and_not_too_many_hosts)
{
    struct fleet_options o = folder_make();
    struct str text = {0}, want = {0};
    struct err err;

    o.spec = folder;
    expect(!fleet_ssh_open(&o, &err));
    str_addf(&want, "--on ssh:%s: cannot be read", folder);
    expect(strcmp(err.text, want.text) == 0);
    str_free(&want);
    for (int i = 0; i < FLEET_AGENTS_MAX; i++)
        str_addf(&text, "n%d\n", i);
    write_file("hosts", text.text, 0600);
    o.spec = spec_of("hosts");
    struct fleet *f = fleet_ssh_open(&o, &err);
    expect(f && f->min == FLEET_AGENTS_MAX && f->max == FLEET_AGENTS_MAX);
    if (f)
        f->close(f);
    str_add(&text, "more\n");
    write_file("hosts", text.text, 0600);
    expect(!fleet_ssh_open(&o, &err));
    want = (struct str){0};
    str_addf(&want, "%s:%d: more than %d hosts", o.spec, FLEET_AGENTS_MAX + 1, FLEET_AGENTS_MAX);
    expect(strcmp(err.text, want.text) == 0);
    str_free(&text);
    str_free(&want);
    folder_remove();
}
