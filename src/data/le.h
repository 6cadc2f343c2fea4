/* le.h - numbers in files: little-endian, the lowest byte first. */
#pragma once

#include <stdint.h>

static inline uint32_t le_get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t le_get64(const uint8_t *at)
{
    return le_get32(at) | (uint64_t)le_get32(at + 4) << 32;
}

static inline void le_put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline void le_put64(uint8_t *at, uint64_t value)
{
    le_put32(at, (uint32_t)value);
    le_put32(at + 4, (uint32_t)(value >> 32));
}
