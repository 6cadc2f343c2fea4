/* sanitize.c - how the programs of VARIANT=asan tell of undefined behaviour.
 *
 * It ends them by an illegal instruction (see the Makefile): AddressSanitizer is to print where
 * that was, also in processes that get no environment from us. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}
