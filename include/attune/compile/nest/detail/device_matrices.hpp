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

    /// Adds what the tiles in shared memory give to sum_, by instructions of 16 rows, 8 columns and
    /// tensor_depth steps.
    void steps()
    {
        device_lines& t = s_.text;
        device_operand const& rows = p_.operands[p_.operands[0].is_of_rows ? 0 : 1];
        device_operand const& columns = p_.operands[p_.operands[0].is_of_rows ? 1 : 0];
        std::string const multiply = multiply_name(p_.element_of(rows), p_.element_of(columns));
        t.line("#pragma unroll");
        t.open("for (int step_ = 0; step_ < " + text(p_.block_depth) +
               "; step_ += " + text(p_.tensor_depth) + ')');
        t.line("unsigned of_rows_[" + text(p_.thread_rows / 2) + "][4];");
        t.line("#pragma unroll");
        t.line("for (int i_ = 0; i_ < " + text(p_.thread_rows / 2) + "; ++i_)");
        t.line("    " + load(rows, "of_rows_[i_]", "i_"));
        t.line("#pragma unroll");
        t.open("for (int j_ = 0; j_ < " + text(p_.thread_columns / 4) + "; ++j_)");
        t.line("unsigned of_columns_[4];");
        t.line(load(columns, "of_columns_", "j_"));
        t.line("#pragma unroll");
        t.open("for (int i_ = 0; i_ < " + text(p_.thread_rows / 2) + "; ++i_)");
        for (int half = 0; half < 2; ++half) {
            auto const sum = [half](int row, int column) {
                return "sum_[2 * i_ + " + std::to_string(row) + "][4 * j_ + " +
                       std::to_string(2 * half + column) + ']';
            };
            t.line(multiply + '(' + sum(0, 0) + ", " + sum(0, 1) + ", " + sum(1, 0) + ", " +
                   sum(1, 1) + ", of_rows_[i_], of_columns_[" + std::to_string(2 * half) +
                   "], of_columns_[" + std::to_string(2 * half + 1) + "]);");
        }
        t.close();
        t.close();
        t.close();
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
    [[nodiscard]] std::string
    load(device_operand const& operand, std::string const& to, std::string const& i) const
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
               ", &tile_" + std::to_string(o) + '_' +
               (p_.is_double_buffered ? "[stage_][" : "[0][") + (by_depth ? step : place) + "][" +
               (by_depth ? place : step) + "]);";
    }

    device_scope& s_;
    device_program const& p_;
};

} // namespace attune::inline ATTUNE_ABI::detail
