/* trace.c - which functions a program enters, in order: linked into VARIANT=trace, for
 * tools/one-event.
 *
 * DOLLY_TRACE names a file that all processes of a run share. Its first byte turns the trace on, so
 * that the command of a run can choose the moment; each entry from then on is a pid and an address.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRACE_ENTRIES = 1 << 20 };

struct trace {
    atomic_uint_least64_t on, count;
    struct {
        uint64_t pid, address;
    } at[TRACE_ENTRIES];
};

void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));
__attribute__((constructor, no_instrument_function)) static void trace_open(void);

static struct trace *trace;

static void trace_open(void)
{
    const char *path = getenv("DOLLY_TRACE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    void *at = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED)
        trace = at;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (!trace || !atomic_load(&trace->on))
        return;
    uint64_t i = atomic_fetch_add(&trace->count, 1);
    if (i >= TRACE_ENTRIES)
        return;
    trace->at[i].address = (uint64_t)(uintptr_t)function;
    trace->at[i].pid = (uint64_t)getpid();
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}
