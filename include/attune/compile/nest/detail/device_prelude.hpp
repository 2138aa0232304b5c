// attune/compile/nest/detail/device_prelude.hpp - the first lines of a kernel's CUDA text; its matrix instructions.
// SPDX-License-Identifier: MIT
// Source   PTX ISA 8.5: cvt, cp.async, ldmatrix, mma.m16n8k16 and mma.m16n8k32 (layouts of their fragments)
// tested by tune/device_programs.cpp
//
// PTX is below #ifdef __CUDA_ARCH__: tests/emulated_cuda has the same functions for an emulated
// device.
// Source   PTX ISA 8.5, matrix fragments of mma.m16n8k16 and mma.m16n8k32, and of ldmatrix
#pragma once

#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/core/element.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
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

/// Defines quotient_: a / b of whole numbers, and 0 where b is 0. A compiler may assume that a
/// divisor is not 0, also for a quotient that no choice takes.
[[nodiscard]] inline std::string quotient_text()
{
    return R"(template <class T>
__device__ inline T quotient_(T a, T b)
{
    if (b == 0) return 0;
    if (b == static_cast<T>(-1) && static_cast<T>(-1) < static_cast<T>(1))
        return static_cast<T>(0ULL - static_cast<unsigned long long>(a));
    return a / b;
}

)";
}

/// Defines copy_async_, which begins to copy 4, 8 or 16 bytes from memory to shared memory, or to
/// write zeros there. Defines end_copies_, which groups the copies before it, and wait_copies_,
/// which waits for all groups but the youngest ones. Before sm_80 a copy ends with the function.
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

/// Defines multiply_name() and load_matrices_. The latter loads four matrices of 8 lines of 16
/// bytes, transposed on request. Each thread names a line.
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

/// The part of a product's text for warps, in a program with tensor cores. A warp has a tile of 8 *
/// thread_rows rows and 4 * thread_columns columns of its block.
class device_matrices_writer {
public:
    explicit device_matrices_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
    {
    }

    /// Writes the lane, and the place of the warp's tile in the block's.
    void begin()
    {
        device_lines& t = s_.text;
        std::int64_t const warp_columns = 4 * p_.thread_columns;
        std::string const in_a_line = text(p_.block_columns / warp_columns);
        t.line("int const lane_ = thread_ % 32;");
        t.line("int const warp_row_ = thread_ / 32 / " + in_a_line + " * " +
               text(8 * p_.thread_rows) + ';');
        t.line("int const warp_column_ = thread_ / 32 % " + in_a_line + " * " + text(warp_columns) +
               ';');
    }

    /// Returns true if the next instruction's numbers are loaded during a multiplication. Registers
    /// must then be chosen at compile time.
    [[nodiscard]] bool loads_ahead() const
    {
        return p_.uses_tensor_cores && p_.copies_asynchronously() &&
               p_.block_depth / p_.tensor_depth % 2 == 0;
    }

    /// Writes the registers, load_step_(stage, step, half), which loads them from the tiles in
    /// shared memory, and multiply_step_(half), which multiplies and adds to sum_. Instructions
    /// have 16 rows, 8 columns and tensor_depth steps.
    void fragments()
    {
        device_lines& t = s_.text;
        device_operand const& rows = p_.operands[p_.operands[0].is_of_rows ? 0 : 1];
        device_operand const& columns = p_.operands[p_.operands[0].is_of_rows ? 1 : 0];
        std::string const multiply = multiply_name(p_.element_of(rows), p_.element_of(columns));
        std::string const halves = loads_ahead() ? "2" : "1";
        std::string const row_parts = text(p_.thread_rows / 2);
        std::string const column_parts = text(p_.thread_columns / 4);
        t.line("unsigned of_rows_[" + halves + "][" + row_parts + "][4];");
        t.line("unsigned of_columns_[" + halves + "][" + column_parts + "][4];");
        t.open("auto const load_step_ = [&](int stage_, int step_, int half_)");
        t.line("#pragma unroll");
        t.line("for (int i_ = 0; i_ < " + row_parts + "; ++i_)");
        t.line("    " + load(rows, "of_rows_[half_][i_]", "i_"));
        t.line("#pragma unroll");
        t.line("for (int j_ = 0; j_ < " + column_parts + "; ++j_)");
        t.line("    " + load(columns, "of_columns_[half_][j_]", "j_"));
        t.close("};");
        t.open("auto const multiply_step_ = [&](int half_)");
        t.line("#pragma unroll");
        t.open("for (int j_ = 0; j_ < " + column_parts + "; ++j_)");
        t.line("#pragma unroll");
        t.open("for (int i_ = 0; i_ < " + row_parts + "; ++i_)");
        for (int half = 0; half < 2; ++half) {
            auto const sum = [half](int row, int column) {
                return "sum_[2 * i_ + " + std::to_string(row) + "][4 * j_ + " +
                       std::to_string(2 * half + column) + ']';
            };
            t.line(multiply + '(' + sum(0, 0) + ", " + sum(0, 1) + ", " + sum(1, 0) + ", " +
                   sum(1, 1) + ", of_rows_[half_][i_], of_columns_[half_][j_][" +
                   std::to_string(2 * half) + "], of_columns_[half_][j_][" +
                   std::to_string(2 * half + 1) + "]);");
        }
        t.close();
        t.close();
        t.close("};");
    }

    /// Adds the products of the tiles in shared memory to sum_.
    void steps()
    {
        device_lines& t = s_.text;
        t.line("#pragma unroll");
        t.open("for (int step_ = 0; step_ < " + text(p_.block_depth) +
               "; step_ += " + text(p_.tensor_depth) + ')');
        t.line(std::string("load_step_(") + (p_.stages > 1 ? "stage_" : "0") + ", step_, 0);");
        t.line("multiply_step_(0);");
        t.close();
    }

    /// Does the same, and loads the numbers of the next step meanwhile; those of the first step are
    /// loaded already.
    /// @param copy  begins to copy a later tile
    /// @param wait  waits for the next tile, of next_
    void steps_ahead(auto const& copy, auto const& wait)
    {
        device_lines& t = s_.text;
        // Unrolled, so that no register is chosen at run time.
        for (std::int64_t step = 0; step < p_.block_depth; step += p_.tensor_depth) {
            std::int64_t const half = step / p_.tensor_depth % 2;
            std::int64_t const next = step + p_.tensor_depth;
            if (next == p_.block_depth) wait();
            t.line("load_step_(" +
                   (next < p_.block_depth ? "stage_, " + text(next) : std::string("next_, 0")) +
                   ", " + text(1 - half) + ");");
            if (step == 0) copy();
            t.line("multiply_step_(" + text(half) + ");");
        }
    }

    /// The place of number `i` of a thread's rows or columns in its block. Lane 4 g + t has rows g
    /// and g + 8, and columns 2 t and 2 t + 1, of each instruction's result.
    [[nodiscard]] std::string place_of(bool of_rows, std::string const& i) const
    {
        return of_rows ? "warp_row_ + " + i + " / 2 * 16 + " + i + " % 2 * 8 + lane_ / 4"
                       : "warp_column_ + " + i + " / 2 * 8 + lane_ % 4 * 2 + " + i + " % 2";
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }

    /// Loads four matrices of 8 x 8 numbers of 16 bits, or 8 x 16 bytes: of 16 rows or columns and
    /// tensor_depth steps. The second matrix has the other 8 rows; for columns it has the other
    /// steps.
    [[nodiscard]] std::string load(device_operand const& operand, std::string const& to,
                                   std::string const& i) const
    {
        std::size_t const o = static_cast<std::size_t>(&operand - p_.operands.data());
        bool const by_depth = p_.has_lines_by_depth(operand);
        std::string const second = "lane_ / 8 % 2 * ";
        std::string const third = "lane_ / 16 * ";
        std::string const half_depth = text(p_.tensor_depth / 2);
        std::string const place = (operand.is_of_rows ? "warp_row_ + " : "warp_column_ + ") + i +
                                  " * 16 + " + (operand.is_of_rows ? second : third) + '8' +
                                  (by_depth ? "" : " + lane_ % 8");
        std::string const step = "step_ + " + (operand.is_of_rows ? third : second) + half_depth +
                                 (by_depth ? " + lane_ % 8" : "");
        return std::string("load_matrices_<") + (by_depth ? "true" : "false") + ">(" + to +
               ", &tile_" + std::to_string(o) + '_' + "[stage_][" + (by_depth ? step : place) +
               "][" + (by_depth ? place : step) + "]);";
    }

    device_scope& s_;
    device_program const& p_;
};

} // namespace attune::inline ATTUNE_ABI::detail
