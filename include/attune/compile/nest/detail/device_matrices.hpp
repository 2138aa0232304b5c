// attune/compile/nest/detail/device_matrices.hpp - the part of a product's CUDA text that uses matrix instructions.
// SPDX-License-Identifier: MIT
// Source   PTX ISA 8.5, matrix fragments of mma.m16n8k16 and mma.m16n8k32, and of ldmatrix
#pragma once

#include <attune/compile/nest/detail/device_prelude.hpp>
#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// What device_tiles_writer leaves to warps where a program uses tensor cores. A warp has a tile of
/// 8 * thread_rows rows and 4 * thread_columns columns of its block.
class device_matrices_writer {
public:
    explicit device_matrices_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
    {
    }

    /// The lane, and where the warp's tile is in that of the block.
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

    /// Whether the numbers of the next instruction are loaded while one multiplies: where they can
    /// be told apart at compile time.
    [[nodiscard]] bool loads_ahead() const
    {
        return p_.uses_tensor_cores && p_.copies_asynchronously() &&
               p_.block_depth / p_.tensor_depth % 2 == 0;
    }

    /// Registers for what load_step_(stage, step, half) loads of the tiles in shared memory, and
    /// multiply_step_(half) multiplies and adds to sum_, by instructions of 16 rows, 8 columns and
    /// tensor_depth steps.
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

    /// Adds what the tiles in shared memory give to sum_.
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

    /// The same, with the numbers of the next step on their way; those of the first one are loaded.
    /// @param copy  begins to copy a later tile
    /// @param wait  waits for the next tile, of next_
    void steps_ahead(auto const& copy, auto const& wait)
    {
        device_lines& t = s_.text;
        // Written out, so that no register is chosen at run time.
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

    /// Where number `i` of a thread's rows or columns is in its block: lane 4 g + t has the numbers
    /// of rows g and g + 8, and of columns 2 t and 2 t + 1, of each instruction's result.
    [[nodiscard]] std::string place_of(bool of_rows, std::string const& i) const
    {
        return of_rows ? "warp_row_ + " + i + " / 2 * 16 + " + i + " % 2 * 8 + lane_ / 4"
                       : "warp_column_ + " + i + " / 2 * 8 + lane_ % 4 * 2 + " + i + " % 2";
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }

    /// Loads four matrices of 8 x 8 numbers of 16 bits, or 8 x 16 bytes: of 16 rows or columns and
    /// tensor_depth steps. The instruction wants first the other 8 rows, but first the other steps
    /// of columns.
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
