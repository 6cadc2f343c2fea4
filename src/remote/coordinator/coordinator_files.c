/* Files that outlive a coordinator.
 *
 * An agent whose coordinator was killed has the key, and looks for a coordinator where the last one
 * was. The next one takes the same key, and listens at the same port if it can: then agents find it
 * who do not see the folder of the run, if it is on the same machine. Those who see the folder read
 * where it is. Nothing is trusted for that: whoever answers there has to have the key.
 *
 * A key that is damaged, or that others could have read, is replaced; agents that have it are then
 * strangers, and leave after a while. */
#include "remote/coordinator/coordinator_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/os/fresh_file.h"
#include "base/text.h"
#include "exec/process/sys.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/wire/lease.h"

/* What agents were promised before we were stopped holds if we are followed by another. */
enum { FILES_HELD_TEXT = 32 };

/* PATH_MAX is enough for DIR/NAME (coordinator_files_open). */
static struct path files_path(const struct coordinator *a, const char *name)
{
    return path_of("%s/%s", a->options.dir, name);
}

static int files_write(const struct coordinator *a, const char *name, const char *text,
                       struct err *err)
{
    struct path path = files_path(a, name);

    return fresh_file_write(path.text, 0600, text, strlen(text)) == 0
               ? 0
               : err_system(err, "%s: %s", path.text, strerror(errno));
}

static int files_key(struct coordinator *a, struct err *err)
{
    struct err none;

    a->options.fleet.again = secret_read_file(&a->secret, a->key_file.text, &none) == 0;
    if (!a->options.fleet.again && (secret_make(&a->secret, err) < 0 ||
                                    secret_write_file(&a->secret, a->key_file.text, err) < 0))
        return -1;
    secret_print(&a->secret, a->key);
    return 0;
}

/* The first line of a file, "" if there is none. */
static void files_line(const char *path, char *text, size_t size)
{
    sys_read_text(path, O_NOFOLLOW, text, size);
    text[strcspn(text, "\n")] = '\0';
}

/* The port of the coordinator before us; 0: there was none. */
static uint16_t files_port(const struct coordinator *a)
{
    char text[512];
    int64_t port;

    files_line(a->at_file.text, text, sizeof text);
    const char *colon = strrchr(text, ':');
    return colon && text_int(colon + 1, &port) && port > 0 && port <= UINT16_MAX ? (uint16_t)port
                                                                                 : 0;
}

/* How long what the coordinator before us has promised still holds; 0: no longer than usual. */
static int64_t files_held_us(const struct coordinator *a)
{
    char text[FILES_HELD_TEXT];
    int64_t until_s, left_s = 0;

    files_line(files_path(a, "agents.held").text, text, sizeof text);
    if (text_int(text, &until_s))
        left_s = until_s - (int64_t)time(NULL);
    return left_s <= 0 ? 0 : left_s < LEASE_HELD_US / 1000000 ? left_s * 1000000 : LEASE_HELD_US;
}

void coordinator_files_hold(const struct coordinator *a)
{
    char text[FILES_HELD_TEXT];
    struct err ignored; /* nobody can hear of it any more */

    snprintf(text, sizeof text, "%lld\n", (long long)time(NULL) + LEASE_HELD_US / 1000000);
    files_write(a, "agents.held", text, &ignored);
}

/* It has addresses, and the folder may be one that the user made, for others to see. NULL: the run
 * goes on without a log. */
static FILE *files_log(const struct coordinator *a)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC };
    int fd = sys_open(files_path(a, "agents.log").text, FLAGS, 0600);
    FILE *log = fd < 0 ? NULL : fdopen(fd, "a");

    if (!log)
        sys_close(&fd);
    return log;
}

int coordinator_files_open(struct coordinator *a, struct err *err)
{
    unsigned char random[COORDINATOR_TOKEN / 2];

    if (strlen(a->options.dir) + 32 > PATH_MAX)
        return err_set(err, "%s: too long", a->options.dir);
    a->key_file = files_path(a, "agents.key");
    a->at_file = files_path(a, "agents.at");
    if (files_key(a, err) < 0 || secret_make(&a->store, err) < 0)
        return -1;
    a->port = a->options.fleet.again ? files_port(a) : 0;
    a->left_us = a->options.fleet.again ? files_held_us(a) : 0;
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_system(err, "cannot get random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(a->token + 2 * i, 3, "%02x", random[i]);
    if (files_write(a, "agents.probe", a->token, err) < 0)
        return -1;
    a->log = files_log(a);
    return 0;
}

int coordinator_files_tell(struct coordinator *a, struct err *err)
{
    char text[sizeof a->host + 16];

    snprintf(text, sizeof text, "%s:%u\n", a->options.way->loopback ? "127.0.0.1" : a->host,
             a->port);
    return files_write(a, "agents.at", text, err);
}

int coordinator_files_seal(struct coordinator *a, struct err *err)
{
    a->sealed_file = files_path(a, "agents.sealed");
    return files_write(a, "agents.sealed", a->sealed, err);
}

void coordinator_files_close(struct coordinator *a)
{
    sys_unlink(files_path(a, "agents.held").text);
    if (a->sealed_file.text[0])
        sys_unlink(a->sealed_file.text);
    if (a->at_file.text[0])
        sys_unlink(a->at_file.text);
    if (a->key_file.text[0])
        sys_unlink(a->key_file.text);
}
