// The memory-hard part of Argon2id (RFC 9106, section 3) for one lane, in memory of the caller's.
//
// libsodium asks the system for 19 MiB and gives them back at every hash, which is a third of what the hash costs, and
// has no function that takes memory. libargon2 takes memory and has no code for wide registers. See
// docs/decisions/0166-argon2id-in-memory-that-is-kept.md.
//
// It is C because Swift compiles a whole module for one kind of processor: here one function is compiled three times.
#ifndef COUNTERSIGN_ARGON2_FILL_H
#define COUNTERSIGN_ARGON2_FILL_H

#include <stdint.h>
#include <string.h>

// No vector is passed between functions that are not inlined.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

// Eight words of 64 bits: one register of AVX-512, two of AVX2, four of what every processor of its kind has.
typedef uint64_t argon2_words __attribute__((vector_size(64)));

// 1,024 bytes: eight rows of sixteen words (section 3.5).
typedef union {
    uint64_t words[128];
    argon2_words vectors[16];
} argon2_block;

#define ARGON2_INLINE static inline __attribute__((always_inline))

#define ARGON2_PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define ARGON2_ROTATE(x, n) (((x) >> (n)) | ((x) << (64 - (n))))
// Each group of four words by so many places to the left.
#define ARGON2_LEFT_1(x) ARGON2_PICK(x, x, 1, 2, 3, 0, 5, 6, 7, 4)
#define ARGON2_LEFT_2(x) ARGON2_PICK(x, x, 2, 3, 0, 1, 6, 7, 4, 5)
#define ARGON2_LEFT_3(x) ARGON2_PICK(x, x, 3, 0, 1, 2, 7, 4, 5, 6)

// a + b + 2 * low half of a * low half of b (section 3.6).
ARGON2_INLINE argon2_words argon2_add(argon2_words a, argon2_words b) {
    argon2_words low = (argon2_words){0} + 0xffffffffu;
    return a + b + 2 * ((a & low) * (b & low));
}

// GB of section 3.6, on eight columns at once.
#define ARGON2_MIX(a, b, c, d)                                                                                         \
    do {                                                                                                               \
        a = argon2_add(a, b), d ^= a, d = ARGON2_ROTATE(d, 32);                                                        \
        c = argon2_add(c, d), b ^= c, b = ARGON2_ROTATE(b, 24);                                                        \
        a = argon2_add(a, b), d ^= a, d = ARGON2_ROTATE(d, 16);                                                        \
        c = argon2_add(c, d), b ^= c, b = ARGON2_ROTATE(b, 63);                                                        \
    } while (0)

// P of section 3.6, twice: the first halves of a, b, c and d are one matrix of four by four, the second halves another.
#define ARGON2_PERMUTE(a, b, c, d)                                                                                     \
    do {                                                                                                               \
        ARGON2_MIX(a, b, c, d);                                                                                        \
        b = ARGON2_LEFT_1(b), c = ARGON2_LEFT_2(c), d = ARGON2_LEFT_3(d);                                              \
        ARGON2_MIX(a, b, c, d);                                                                                        \
        b = ARGON2_LEFT_3(b), c = ARGON2_LEFT_2(c), d = ARGON2_LEFT_1(d);                                              \
    } while (0)

// G of section 3.5. The result takes the place of `out`, or is added to it by XOR, as later passes want it.
ARGON2_INLINE void argon2_compress(
    const argon2_block *x, const argon2_block *y, argon2_block *out, int adds
) {
    argon2_words r[16], kept[16];
    for (int i = 0; i < 16; i++) {
        r[i] = x->vectors[i] ^ y->vectors[i];
        kept[i] = adds ? r[i] ^ out->vectors[i] : r[i];
    }
    // Rows, two at a time. A row is two vectors: its matrix is their four halves.
    for (int i = 0; i < 16; i += 4) {
        argon2_words a = ARGON2_PICK(r[i], r[i + 2], 0, 1, 2, 3, 8, 9, 10, 11);
        argon2_words b = ARGON2_PICK(r[i], r[i + 2], 4, 5, 6, 7, 12, 13, 14, 15);
        argon2_words c = ARGON2_PICK(r[i + 1], r[i + 3], 0, 1, 2, 3, 8, 9, 10, 11);
        argon2_words d = ARGON2_PICK(r[i + 1], r[i + 3], 4, 5, 6, 7, 12, 13, 14, 15);
        ARGON2_PERMUTE(a, b, c, d);
        r[i] = ARGON2_PICK(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 1] = ARGON2_PICK(c, d, 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 2] = ARGON2_PICK(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
        r[i + 3] = ARGON2_PICK(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    // Columns of two words, two at a time: a line of a matrix is two words of one row and two of the next.
    for (int half = 0; half < 2; half++) {
        argon2_words *v = r + half;
        for (int left = 1; left >= 0; left--) {
            argon2_words line[4];
            for (int i = 0; i < 4; i++)
                line[i] = left ? ARGON2_PICK(v[4 * i], v[4 * i + 2], 0, 1, 8, 9, 2, 3, 10, 11)
                               : ARGON2_PICK(v[4 * i], v[4 * i + 2], 4, 5, 12, 13, 6, 7, 14, 15);
            ARGON2_PERMUTE(line[0], line[1], line[2], line[3]);
            for (int i = 0; i < 4; i++) {
                argon2_words *upper = v + 4 * i, *lower = v + 4 * i + 2;
                *upper = left ? ARGON2_PICK(line[i], *upper, 0, 1, 4, 5, 12, 13, 14, 15)
                              : ARGON2_PICK(line[i], *upper, 8, 9, 10, 11, 0, 1, 4, 5);
                *lower = left ? ARGON2_PICK(line[i], *lower, 2, 3, 6, 7, 12, 13, 14, 15)
                              : ARGON2_PICK(line[i], *lower, 8, 9, 10, 11, 2, 3, 6, 7);
            }
        }
    }
    for (int i = 0; i < 16; i++) out->vectors[i] = kept[i] ^ r[i];
}

// Sections 3.2 (steps 5 and 6), 3.3 and 3.4. `count` is a multiple of four, and at least eight.
ARGON2_INLINE void argon2_fill_blocks(argon2_block *blocks, uint32_t count, uint32_t passes) {
    const uint32_t segment = count / 4;
    argon2_block zero, input, numbers;
    memset(&zero, 0, sizeof zero);
    for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t slice = 0; slice < 4; slice++) {
            // What is read depends on the password from the third slice on, and not before (section 3.4.1.3).
            const int independent = pass == 0 && slice < 2;
            memset(&input, 0, sizeof input);
            input.words[0] = pass, input.words[2] = slice, input.words[3] = count, input.words[4] = passes,
            input.words[5] = 2;
            for (uint32_t i = 0; i < segment; i++) {
                if (independent && i % 128 == 0) {
                    input.words[6]++;
                    argon2_compress(&zero, &input, &numbers, 0);
                    argon2_compress(&zero, &numbers, &numbers, 0);
                }
                // The first two are made from the password.
                if (pass == 0 && slice == 0 && i < 2) continue;
                const uint32_t here = slice * segment + i, before = here ? here - 1 : count - 1;
                const uint64_t low = (uint32_t)(independent ? numbers.words[i % 128] : blocks[before].words[0]);
                // How many may be referred to, and which of them: the newer the likelier.
                const uint64_t eligible = (pass == 0 ? here : count - segment + i) - 1;
                const uint64_t chosen = eligible - 1 - (eligible * (low * low >> 32) >> 32);
                const uint32_t first = pass == 0 || slice == 3 ? 0 : (slice + 1) * segment;
                argon2_compress(blocks + before, blocks + (first + chosen) % count, blocks + here, pass > 0);
            }
        }
    }
}

static inline void argon2_fill_portable(argon2_block *blocks, uint32_t count, uint32_t passes) {
    argon2_fill_blocks(blocks, count, passes);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline void argon2_fill_avx2(
    argon2_block *blocks, uint32_t count, uint32_t passes
) {
    argon2_fill_blocks(blocks, count, passes);
}

__attribute__((target("avx512f"))) static inline void argon2_fill_avx512f(
    argon2_block *blocks, uint32_t count, uint32_t passes
) {
    argon2_fill_blocks(blocks, count, passes);
}
#else
#define argon2_fill_avx2 argon2_fill_portable
#define argon2_fill_avx512f argon2_fill_portable
#endif

/// Which instructions to use; the caller asks the processor.
enum argon2_fill_width { argon2_fill_width_128 = 0, argon2_fill_width_256 = 1, argon2_fill_width_512 = 2 };

/// Fills `memory`, whose first two blocks are made from the password, in so many passes; the last block is the result.
///
/// `memory` has `count` blocks of 1,024 bytes at a multiple of 64. `count` is a multiple of four and at least eight.
static inline void argon2_fill(void *memory, uint32_t count, uint32_t passes, int width) {
    argon2_block *blocks = (argon2_block *)memory;
    switch (width) {
    case argon2_fill_width_512: argon2_fill_avx512f(blocks, count, passes); break;
    case argon2_fill_width_256: argon2_fill_avx2(blocks, count, passes); break;
    default: argon2_fill_portable(blocks, count, passes);
    }
}

#pragma clang diagnostic pop
#endif
