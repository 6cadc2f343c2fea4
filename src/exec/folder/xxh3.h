/* xxh3.h - XXH3 for long files. The library's plain functions are made for any processor of the
 * kind; where it can choose by the processor that it runs on, this header selects that: three times
 * as fast with AVX-512, and the same sums. */
#pragma once

#include <xxhash.h>
#if defined __x86_64__ && !defined DOLLY_STATIC && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif
