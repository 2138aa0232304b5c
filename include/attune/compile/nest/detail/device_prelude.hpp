// attune/compile/nest/detail/device_prelude.hpp - what stands before a kernel's CUDA text: numbers of 16 bits, copies, matrix instructions.
// SPDX-License-Identifier: MIT
// Source   PTX ISA 8.5: cvt, cp.async, ldmatrix, mma.m16n8k16 and mma.m16n8k32 (layouts of their fragments)
// tested by tune/device_programs.cpp
//
// What is PTX stands below #ifdef __CUDA_ARCH__: tests/emulated_cuda has the same functions for a
// device that is emulated.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Defines f16_ or bf16_, and declares the type of CUDA's headers, which arguments point to.
[[nodiscard]] inline std::string half_text(element_type type)
{
    if (type == element_type::f16)
        return R"(struct __half;
#ifdef __CUDA_ARCH__
struct f16_ {
    unsigned short bits;
    f16_() = default;
    __device__ explicit f16_(float number)
    {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
    }
    __device__ explicit operator float() const
    {
        float number;
        asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
        return number;
    }
};
#endif

)";
    return R"(struct __nv_bfloat16;
struct bf16_ {
    unsigned short bits;
    bf16_() = default;
    __device__ explicit bf16_(float number)
    {
        unsigned const all = __float_as_uint(number);
        bits = static_cast<unsigned short>(
            number != number ? 0x7fffU : (all + 0x7fffU + (all >> 16 & 1U)) >> 16);
    }
    __device__ explicit operator float() const
    {
        return __uint_as_float(static_cast<unsigned>(bits) << 16);
    }
};

)";
}

/// Defines copy_async_, which begins to copy 4, 8 or 16 bytes from memory to shared memory, or to
/// write zeros there; end_copies_, which makes one group of those before; wait_copies_, which waits
/// for all groups but the youngest ones. Before sm_80 a copy has ended when the function has.
[[nodiscard]] inline std::string copies_text()
{
    return R"(#ifdef __CUDA_ARCH__
template <int Bytes>
__device__ inline void copy_async_(void* to, void const* from, bool is_inside)
{
#if __CUDA_ARCH__ >= 800
    unsigned const at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(at), "l"(from), "r"(is_inside ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                     :
                     : "r"(at), "l"(from), "r"(is_inside ? Bytes : 0), "n"(Bytes)
                     : "memory");
#else
#pragma unroll
    for (int i = 0; i < Bytes / 4; ++i)
        static_cast<unsigned*>(to)[i] = is_inside ? static_cast<unsigned const*>(from)[i] : 0;
#endif
}
__device__ inline void end_copies_()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int But>
__device__ inline void wait_copies_()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(But) : "memory");
#endif
}
#endif

)";
}

/// The name of a type in a matrix instruction.
[[nodiscard]] inline std::string matrix_type(element_type type)
{
    return type == element_type::f16    ? "f16"
           : type == element_type::bf16 ? "bf16"
           : type == element_type::u8   ? "u8"
                                        : "s8";
}

/// "multiply_f16_f16_": sums += a tile of rows times a tile of columns, by all threads of a warp.
[[nodiscard]] inline std::string multiply_name(element_type rows, element_type columns)
{
    return "multiply_" + matrix_type(rows) + '_' + matrix_type(columns) + '_';
}

/// Defines multiply_name() and load_matrices_: four matrices of 8 lines of 16 bytes, of which each
/// thread names one line, transposed where asked.
[[nodiscard]] inline std::string matrix_text(element_type rows, element_type columns)
{
    bool const is_whole = element_bytes(rows) == 1;
    std::string const sum = is_whole ? "int" : "float";
    std::string const letter = is_whole ? "+r" : "+f";
    std::string const instruction = std::string("mma.sync.aligned.m16n8") +
                                    (is_whole ? "k32" : "k16") + ".row.col." +
                                    (is_whole ? "s32." : "f32.") + matrix_type(rows) + '.' +
                                    matrix_type(columns) + (is_whole ? ".s32" : ".f32");
    return R"(#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ < 800
#error "TENSOR=1 needs a device of sm_80 or later"
#endif
template <bool IsTransposed>
__device__ inline void load_matrices_(unsigned (&to)[4], void const* line)
{
    unsigned const at = static_cast<unsigned>(__cvta_generic_to_shared(line));
    if (IsTransposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
}
__device__ inline void )" +
           multiply_name(rows, columns) + '(' + sum + "& s0, " + sum + "& s1, " + sum + "& s2, " +
           sum + R"(& s3,
    unsigned const (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile(")" +
           instruction + R"( "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : ")" +
           letter + "\"(s0), \"" + letter + "\"(s1), \"" + letter + "\"(s2), \"" + letter +
           R"("(s3)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

)";
}

} // namespace attune::inline ATTUNE_ABI::detail
