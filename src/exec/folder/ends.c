/* ends.c - what the guardian has seen. See ends.h.
 *
 * A line goes with one write, so a guardian that is killed leaves a line or a torn one, which does
 * not count. An end that is taken back is struck out where it stands: that happens where the disk
 * was full, and a line more might not fit. */
#include "exec/folder/ends.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/mem.h"
#include "base/os/boot.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"

#define ENDS_BOOT "boot "

int ends_open(const char *dir, struct err *err)
{
    struct path path = path_of("%s/ends", dir);
    int fd = sys_open(path.text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    (void)!dprintf(fd, ENDS_BOOT "%s\n", boot_name().text); /* without it no end counts */
    return fd;
}

void ends_note(int fd, const char *dir, const struct packet_end *end)
{
    const char *name = strrchr(dir, '/');
    char line[256];
    struct statvfs fs;

    if (fstatvfs(fd, &fs) == 0 && run_dir_is_full(run_dir_room_of(&fs)))
        return;
    int length = snprintf(line, sizeof line,
                          "%s %" PRId32 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %u\n",
                          name ? name + 1 : dir, end->status, end->wall_us, end->cpu_us,
                          end->peak_rss_kib, end->read_bytes, end->told, end->left);
    (void)!write(fd, line, (size_t)length);
}

void ends_retract(const char *dir, struct attempt_ref at)
{
    FILE *f = fopen(path_of("%s/ends", dir).text, "r+e");
    struct path name = path_of("%u.%u.%u.%u ", at.job.v, at.phase, at.task, at.attempt);
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    while (f && (n = getline(&line, &cap, f)) > 0)
        if (strncmp(line, name.text, strlen(name.text)) == 0)
            (void)!pwrite(fileno(f), "x", 1, (off_t)ftello(f) - n);
    mem_free(line);
    if (f)
        fclose(f);
}

/* False: the line is torn, or is that of something else. */
static bool ends_parse(const char *line, struct attempt_ref *at, struct packet_end *end)
{
    int told = 0, length = 0;
    unsigned left = PACKET_LEFT_UNSEEN;

    if (sscanf(line,
               "%" SCNu32 ".%" SCNu16 ".%" SCNu32 ".%" SCNu16 " %" SCNd32 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64 " %d%n",
               &at->job.v, &at->phase, &at->task, &at->attempt, &end->status, &end->wall_us,
               &end->cpu_us, &end->peak_rss_kib, &end->read_bytes, &told, &length) != 10)
        return false;
    line += length;
    if (*line == ' ' && sscanf(line, " %u%n", &left, &length) == 1)
        line += length;
    end->told = told != 0;
    end->left = (uint8_t)left;
    return strcmp(line, "\n") == 0;
}

bool ends_read(const char *dir,
               void (*found)(void *ctx, struct attempt_ref at, const struct packet_end *end),
               void *ctx)
{
    FILE *f = fopen(path_of("%s/ends", dir).text, "re");
    struct path ours = path_of(ENDS_BOOT "%s\n", boot_name().text);
    bool since_boot = false, before = false;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    while (f && (n = getline(&line, &cap, f)) > 0) {
        struct attempt_ref at = {0};
        struct packet_end end = {0};
        if (strncmp(line, ENDS_BOOT, strlen(ENDS_BOOT)) == 0) {
            before = since_boot;
            since_boot = strcmp(line, ours.text) == 0;
        }
        if (since_boot && ends_parse(line, &at, &end))
            found(ctx, at, &end);
    }
    mem_free(line);
    if (f)
        fclose(f);
    return before;
}
