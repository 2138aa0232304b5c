// tests/emulated_cuda/cuda_matrix.hpp - numbers of 16 bits and matrix instructions of a warp, for generated kernels.
// SPDX-License-Identifier: MIT
// Source   PTX ISA 8.5, ldmatrix; matrix fragments of mma.m16n8k16 (16 bits) and mma.m16n8k32 (8
//          bits): the formulas of their figures, element by element
//
// A generated kernel has these as PTX below #ifdef __CUDA_ARCH__ (device_prelude.hpp); this is a
// second implementation, by exchange of words between lanes.
#pragma once

#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ < 13
typedef __fp16 _Float16; // which GCC 12 has for x86 only
#endif

struct f16_ {
    unsigned short bits;
    f16_() = default;
    explicit f16_(float number)
    {
        _Float16 const rounded = static_cast<_Float16>(number);
        __builtin_memcpy(&bits, &rounded, sizeof bits);
    }
    explicit operator float() const
    {
        _Float16 number;
        __builtin_memcpy(&number, &bits, sizeof bits);
        return static_cast<float>(number);
    }
};

namespace attune_emulated {

inline unsigned long long of_lane(unsigned long long value, unsigned source)
{
    return exchanged(0xffffffffU, value, source);
}

struct f16_element {
    static constexpr unsigned in_a_word = 2;
    using sum = float;
    static float of(unsigned word, unsigned part)
    {
        f16_ x;
        x.bits = static_cast<unsigned short>(word >> (16 * part));
        return static_cast<float>(x);
    }
};
struct bf16_element {
    static constexpr unsigned in_a_word = 2;
    using sum = float;
    static float of(unsigned word, unsigned part)
    {
        return __uint_as_float(word >> (16 * part) << 16);
    }
};
struct s8_element {
    static constexpr unsigned in_a_word = 4;
    using sum = int;
    static int of(unsigned word, unsigned part)
    {
        return static_cast<signed char>(word >> (8 * part));
    }
};
struct u8_element {
    static constexpr unsigned in_a_word = 4;
    using sum = int;
    static int of(unsigned word, unsigned part)
    {
        return static_cast<unsigned char>(word >> (8 * part));
    }
};

/// Where an element of an operand is: lane, word of that lane, part of the word.
struct fragment_place {
    unsigned lane, word, part;
};

/// Element (row, k) of the 16 x K operand. Of the figures: a_i of lane L, with n = elements of a
/// word, is at row L / 4 where i / n is even, else 8 more; at k = L % 4 * n + i % n, and 4 n more
/// where i >= 2 n.
inline fragment_place place_in_a(unsigned row, unsigned k, unsigned n)
{
    unsigned const later = k / (4 * n);
    return {row % 8 * 4 + k % (4 * n) / n, row / 8 + 2 * later, k % n};
}
/// Element (k, column) of the K x 8 operand: b_i of lane L is at column L / 4, at k = L % 4 * n +
/// i % n, and 4 n more where i >= n.
inline fragment_place place_in_b(unsigned k, unsigned column, unsigned n)
{
    return {column * 4 + k % (4 * n) / n, k / (4 * n), k % n};
}

/// s_i of lane L is at row L / 4 where i < 2, else 8 more; at column L % 4 * 2 + i % 2. Every lane
/// reads what it needs of all others, in one order for all.
template <class A, class B>
void multiply(typename A::sum* const (&sums)[4], unsigned const (&a)[4], unsigned const (&b)[2])
{
    constexpr unsigned n = A::in_a_word;
    unsigned all_a[32][4];
    unsigned all_b[32][2];
    for (unsigned from = 0; from < 32; ++from) {
        unsigned long long const low =
            of_lane(a[0] | static_cast<unsigned long long>(a[1]) << 32, from);
        unsigned long long const high =
            of_lane(a[2] | static_cast<unsigned long long>(a[3]) << 32, from);
        unsigned long long const of_b =
            of_lane(b[0] | static_cast<unsigned long long>(b[1]) << 32, from);
        all_a[from][0] = static_cast<unsigned>(low);
        all_a[from][1] = static_cast<unsigned>(low >> 32);
        all_a[from][2] = static_cast<unsigned>(high);
        all_a[from][3] = static_cast<unsigned>(high >> 32);
        all_b[from][0] = static_cast<unsigned>(of_b);
        all_b[from][1] = static_cast<unsigned>(of_b >> 32);
    }
    for (unsigned i = 0; i < 4; ++i) {
        unsigned const row = lane() / 4 + (i < 2 ? 0 : 8);
        unsigned const column = lane() % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 8 * n; ++k) {
            fragment_place const x = place_in_a(row, k, n);
            fragment_place const y = place_in_b(k, column, n);
            *sums[i] += A::of(all_a[x.lane][x.word], x.part) * B::of(all_b[y.lane][y.word], y.part);
        }
    }
}

} // namespace attune_emulated

/// Word i of lane L is of matrix i: its line L / 4, of which word L % 4; transposed: the elements
/// L / 4 of lines 2 (L % 4) and one more. Lane 8 i + l gives the address of line l of matrix i.
template <bool IsTransposed>
void load_matrices_(unsigned (&to)[4], void const* line)
{
    using attune_emulated::lane;
    if (reinterpret_cast<unsigned long long>(line) % 16 != 0) attune_emulated_machine->fault(716);
    unsigned long long lines[32];
    for (unsigned from = 0; from < 32; ++from)
        lines[from] = attune_emulated::of_lane(reinterpret_cast<unsigned long long>(line), from);
    auto const element = [&](unsigned matrix, unsigned row, unsigned column) {
        unsigned short out;
        __builtin_memcpy(&out, reinterpret_cast<char const*>(lines[8 * matrix + row]) + 2 * column,
                         2);
        return static_cast<unsigned>(out);
    };
    for (unsigned i = 0; i < 4; ++i) {
        unsigned const major = lane() / 4;
        unsigned const minor = lane() % 4 * 2;
        to[i] = IsTransposed ? element(i, minor, major) | element(i, minor + 1, major) << 16
                             : element(i, major, minor) | element(i, major, minor + 1) << 16;
    }
}

#define ATTUNE_EMULATED_MULTIPLY(a_type, b_type, sum_type)                                         \
    inline void multiply_##a_type##_##b_type##_(sum_type& s0, sum_type& s1, sum_type& s2,          \
                                                sum_type& s3, unsigned const(&a)[4], unsigned b0,  \
                                                unsigned b1)                                       \
    {                                                                                              \
        attune_emulated::multiply<attune_emulated::a_type##_element,                               \
                                  attune_emulated::b_type##_element>({&s0, &s1, &s2, &s3}, a,      \
                                                                     {b0, b1});                    \
    }
ATTUNE_EMULATED_MULTIPLY(f16, f16, float)
ATTUNE_EMULATED_MULTIPLY(bf16, bf16, float)
ATTUNE_EMULATED_MULTIPLY(s8, s8, int)
ATTUNE_EMULATED_MULTIPLY(s8, u8, int)
ATTUNE_EMULATED_MULTIPLY(u8, s8, int)
ATTUNE_EMULATED_MULTIPLY(u8, u8, int)
#undef ATTUNE_EMULATED_MULTIPLY
