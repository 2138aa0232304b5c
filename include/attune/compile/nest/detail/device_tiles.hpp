// attune/compile/nest/detail/device_tiles.hpp - a product's tiles as CUDA text.
// SPDX-License-Identifier: MIT
// Source   the two-level blocking of CUTLASS (NVIDIA 2017, "Fast Linear Algebra in CUDA C++"): tiles
//          of operands in shared memory, sums in registers, the next tile on its way meanwhile
#pragma once

#include <attune/compile/nest/detail/device_matrices.hpp>
#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes the body of a kernel in tiles.
class device_tiles_writer {
public:
    explicit device_tiles_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
        , matrices_(scope)
        , row_run_(run_of(true))
        , column_run_(run_of(false))
    {
    }

    void write()
    {
        begin();
        for (std::size_t o = 0; o < p_.operands.size(); ++o)
            transfers(o);
        sums();
        results();
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }
    [[nodiscard]] nest_statement const& main() const { return s_.nest.statements.front(); }
    [[nodiscard]] nest_access const& access_of(device_operand const& o) const
    {
        return s_.nest.accesses[o.access];
    }
    [[nodiscard]] nest_array const& array_of(device_operand const& o) const
    {
        return s_.nest.arrays[access_of(o).array];
    }
    [[nodiscard]] std::int64_t across(device_operand const& o) const
    {
        return o.is_of_rows ? p_.block_rows : p_.block_columns;
    }

    /// Neighbouring elements that a thread reads from shared memory at once.
    [[nodiscard]] std::int64_t run_of(bool of_rows) const
    {
        std::int64_t const mine = of_rows ? p_.thread_rows : p_.thread_columns;
        std::int64_t run = 4;
        for (device_operand const& o : p_.operands)
            if (o.is_of_rows == of_rows)
                while (run > 1 &&
                       run * static_cast<std::int64_t>(element_bytes(array_of(o).element)) > 16)
                    run /= 2;
        while (mine % run != 0 || p_.padding % run != 0)
            run /= 2;
        return run;
    }

    /// Elements of one load from memory, a power of 2: no more than a block has of a line, and a
    /// divisor of what is known of the lines; 1 where elements never lie so.
    [[nodiscard]] std::int64_t width_of(device_operand const& o) const
    {
        std::int64_t width = o.may_be_wide ? p_.vector : 1;
        auto const bytes = static_cast<std::int64_t>(element_bytes(array_of(o).element));
        while (width > 1 && width * bytes > 16)
            width /= 2;
        // Blocks have 16 rows and columns or more, but may be 4 steps deep.
        if (o.runs_along_depth) width = std::min(width, p_.block_depth);
        for (nest_extent const& e : running_extents(o))
            if (e.input == no_index)
                while (width > 1 && e.constant % width != 0)
                    width /= 2;
        return width;
    }
    /// Those that the width divides where loads are wide: of the axis that runs in memory, and of a
    /// line of the array.
    [[nodiscard]] std::vector<nest_extent> running_extents(device_operand const& o) const
    {
        std::vector<std::uint32_t> const& group = o.runs_along_depth ? p_.depth
                                                  : o.is_of_rows     ? p_.rows
                                                                     : p_.columns;
        return {s_.nest.axes[group.back()].extent, array_of(o).extents.back()};
    }

    void begin()
    {
        device_lines& t = s_.text;
        t.line("int const thread_ = static_cast<int>(threadIdx.x);");
        if (!p_.uses_tensor_cores) {
            std::string const in_a_line = text(p_.block_columns / p_.thread_columns);
            t.line("int const row_thread_ = thread_ / " + in_a_line + ';');
            t.line("int const column_thread_ = thread_ % " + in_a_line + ';');
        } else {
            matrices_.begin();
        }
        t.line("index_ const rows_ = " + s_.steps(p_.rows) + ';');
        t.line("index_ const columns_ = " + s_.steps(p_.columns) + ';');
        t.line("index_ const depths_ = " + s_.steps(p_.depth) + ';');
        t.line("index_ const batches_ = " + s_.steps(p_.batch) + ';');
        t.line("if (rows_ < 1 || columns_ < 1 || batches_ < 1) return;");
        t.line("index_ const row_blocks_ = (rows_ - 1) / " + text(p_.block_rows) + " + 1;");
        t.line("index_ const column_blocks_ = (columns_ - 1) / " + text(p_.block_columns) +
               " + 1;");
        t.line("index_ const block_ = static_cast<index_>(blockIdx.x);");
        t.line("index_ const first_column_ = block_ % column_blocks_ * " + text(p_.block_columns) +
               ';');
        t.line("index_ const first_row_ = block_ / column_blocks_ % row_blocks_ * " +
               text(p_.block_rows) + ';');
        t.line("index_ const batch_ = block_ / column_blocks_ / row_blocks_;");
        t.line("if (batch_ >= batches_) return;");
        s_.take_apart(p_.batch, "batch_");
    }

    /// The tile of an operand, what is on its way there, and functions that fetch and put it.
    void transfers(std::size_t o)
    {
        device_lines& t = s_.text;
        device_operand const& operand = p_.operands[o];
        std::string const n = std::to_string(o) + '_';
        std::string const type(device_name(array_of(operand).element));
        std::int64_t const width = width_of(operand);
        std::int64_t const packs = p_.block_depth * across(operand) / width;
        std::int64_t const loads = (packs + p_.threads() - 1) / p_.threads();
        std::int64_t const line =
            (operand.runs_along_depth ? p_.block_depth : across(operand)) / width;
        std::string const pack = "pack_<" + type + ", " + text(width) + '>';
        t.line("");
        bool const by_depth = p_.has_lines_by_depth(operand);
        t.line("__shared__ __align__(16) " + type + " tile_" + n + '[' +
               text(p_.is_double_buffered ? 2 : 1) + "][" +
               text(by_depth ? p_.block_depth : across(operand)) + "][" +
               text((by_depth ? across(operand) : p_.block_depth) + p_.padding) + "];");
        t.line(pack + " held_" + n + '[' + text(loads) + "];");
        if (width > 1) {
            std::string condition = "reinterpret_cast<unsigned long long>(" +
                                    array_of(operand).name + ") % " + text(16) + " == 0";
            for (nest_extent const& e : running_extents(operand))
                if (e.input != no_index)
                    condition += " && " + s_.extent(e) + " % " + text(width) + " == 0";
            t.line("bool const is_wide_" + n + " = " + condition + ';');
        }
        auto const each_load = [&] {
            t.line("#pragma unroll");
            t.open("for (int load_ = 0; load_ < " + text(loads) + "; ++load_)");
            t.line("int const pack_at_ = thread_ + load_ * " + text(p_.threads()) + ';');
            if (packs % p_.threads() != 0) t.line("if (pack_at_ >= " + text(packs) + ") break;");
            std::string const along = "pack_at_ % " + text(line) + " * " + text(width);
            std::string const other = "pack_at_ / " + text(line);
            t.line("int const step_ = " + (operand.runs_along_depth ? along : other) + ';');
            t.line("int const place_ = " + (operand.runs_along_depth ? other : along) + ';');
        };
        t.open("auto const fetch_" + n + " = [&](index_ from_)");
        each_load();
        t.line(pack + " got_{};");
        std::vector<std::uint32_t> const& group = operand.is_of_rows ? p_.rows : p_.columns;
        std::string const place =
            std::string(operand.is_of_rows ? "first_row_" : "first_column_") + " + place_";
        std::string const most = operand.is_of_rows ? "rows_" : "columns_";
        auto const fetch_at = [&](std::string const& depth_more, std::string const& place_more) {
            t.line("index_ const depth_at_ = from_ + step_" + depth_more + ';');
            t.line("index_ const place_at_ = " + place + place_more + ';');
            t.open("if (depth_at_ < depths_ && place_at_ < " + most + ')');
            s_.take_apart(p_.depth, "depth_at_");
            s_.take_apart(group, "place_at_");
        };
        if (width > 1) {
            t.open("if (is_wide_" + n + ')');
            fetch_at("", "");
            t.line("got_ = *reinterpret_cast<" + pack + " const*>(&" +
                   s_.element(access_of(operand)) + ");");
            t.close();
            t.close("} else {");
            ++t.depth;
        }
        t.line("#pragma unroll");
        t.open("for (int part_ = 0; part_ < " + text(width) + "; ++part_)");
        fetch_at(operand.runs_along_depth ? " + part_" : "",
                 operand.runs_along_depth ? "" : " + part_");
        t.line("got_.at[part_] = " + s_.read(operand.access) + ';');
        t.close();
        t.close();
        if (width > 1) t.close();
        t.line("held_" + n + "[load_] = got_;");
        t.close();
        t.close("};");
        t.open("auto const put_" + n + " = [&](int stage_)");
        each_load();
        if (p_.uses_tensor_cores && operand.runs_along_depth != by_depth) {
            // A pack is a part of a line, and lines are multiples of 16 bytes.
            t.line("*reinterpret_cast<" + pack + "*>(&tile_" + n +
                   (by_depth ? "[stage_][step_][place_]" : "[stage_][place_][step_]") +
                   ") = held_" + n + "[load_];");
        } else {
            std::string const step = operand.runs_along_depth ? "step_ + part_" : "step_";
            std::string const across_at = operand.runs_along_depth ? "place_" : "place_ + part_";
            t.line("#pragma unroll");
            t.line("for (int part_ = 0; part_ < " + text(width) + "; ++part_)");
            t.line("    tile_" + n + "[stage_][" + (by_depth ? step : across_at) + "][" +
                   (by_depth ? across_at : step) + "] = held_" + n + "[load_].at[part_];");
        }
        t.close();
        t.close("};");
    }

    void all(std::string const& function, std::string const& argument)
    {
        for (std::size_t o = 0; o < p_.operands.size(); ++o)
            s_.text.line(function + std::to_string(o) + "_(" + argument + ");");
    }

    void sums()
    {
        device_lines& t = s_.text;
        std::string const type(cpp_name(main().accumulator));
        t.line("");
        t.line(type + " sum_[" + text(p_.thread_rows) + "][" + text(p_.thread_columns) + "];");
        each_sum();
        t.line("sum_[i_][j_] = " + device_neutral(main().combine, main().accumulator) + ';');
        end_each_sum();
        all("fetch_", "0");
        all("put_", "0");
        t.line("__syncthreads();");
        if (p_.is_double_buffered) t.line("int stage_ = 0;");
        std::string const deep = text(p_.block_depth);
        t.open("for (index_ from_ = 0; from_ < depths_; from_ += " + deep + ')');
        t.line("bool const has_more_ = depths_ - from_ > " + deep + ';');
        t.open("if (has_more_)");
        all("fetch_", "from_ + " + deep);
        t.close();
        if (p_.uses_tensor_cores)
            matrices_.steps();
        else
            steps();
        if (!p_.is_double_buffered) t.line("__syncthreads();");
        t.open("if (has_more_)");
        all("put_", p_.is_double_buffered ? "1 - stage_" : "0");
        t.close();
        t.line("__syncthreads();");
        if (p_.is_double_buffered) t.line("stage_ = 1 - stage_;");
        t.close();
    }

    void each_sum()
    {
        device_lines& t = s_.text;
        t.line("#pragma unroll");
        t.open("for (int i_ = 0; i_ < " + text(p_.thread_rows) + "; ++i_)");
        t.line("#pragma unroll");
        t.open("for (int j_ = 0; j_ < " + text(p_.thread_columns) + "; ++j_)");
    }
    void end_each_sum()
    {
        s_.text.close();
        s_.text.close();
    }

    /// Adds what the tiles in shared memory give.
    void steps()
    {
        device_lines& t = s_.text;
        // A body of at most some 1024 operations: more take NVRTC seconds and win nothing.
        std::int64_t const copies = std::clamp<std::int64_t>(
            1024 / (p_.thread_rows * p_.thread_columns), 1, p_.block_depth);
        t.line("#pragma unroll " + text(copies));
        t.open("for (int step_ = 0; step_ < " + text(p_.block_depth) + "; ++step_)");
        if (p_.has_exact_depth) t.line("if (depths_ - from_ <= step_) break;");
        std::vector<std::string> words;
        for (std::size_t o = 0; o < p_.operands.size(); ++o) {
            device_operand const& operand = p_.operands[o];
            std::string const n = std::to_string(o) + '_';
            std::string const type(device_name(array_of(operand).element));
            std::int64_t const mine = operand.is_of_rows ? p_.thread_rows : p_.thread_columns;
            std::int64_t const run = operand.is_of_rows ? row_run_ : column_run_;
            t.line(type + " own_" + n + '[' + text(mine) + "];");
            t.line("#pragma unroll");
            t.open("for (int i_ = 0; i_ < " + text(mine) + "; i_ += " + text(run) + ')');
            t.line("pack_<" + type + ", " + text(run) + "> const got_ = *reinterpret_cast<pack_<" +
                   type + ", " + text(run) + "> const*>(&tile_" + n +
                   (p_.is_double_buffered ? "[stage_]" : "[0]") + "[step_][" +
                   place_of(operand.is_of_rows, "i_") + "]);");
            t.line("#pragma unroll");
            t.line("for (int part_ = 0; part_ < " + text(run) + "; ++part_)");
            t.line("    own_" + n + "[i_ + part_] = got_.at[part_];");
            t.close();
        }
        each_sum();
        device_value_writer writer(s_.nest, t, s_.axis, [this](std::uint32_t a) {
            for (std::size_t o = 0; o < p_.operands.size(); ++o)
                if (p_.operands[o].access == a)
                    return "own_" + std::to_string(o) +
                           (p_.operands[o].is_of_rows ? "_[i_]" : "_[j_]");
            return std::string{};
        });
        std::string const added = writer.value(main().value, main().accumulator, "added_");
        t.line("sum_[i_][j_] = " +
               device_combined(main().combine, "sum_[i_][j_]", added, main().accumulator) + ';');
        end_each_sum();
        t.close();
    }

    /// Where number `i` of a thread's rows or columns is in its block: runs of neighbours, so that
    /// neighbouring threads read neighbouring runs.
    [[nodiscard]] std::string place_of(bool of_rows, std::string const& i) const
    {
        if (p_.uses_tensor_cores) return matrices_.place_of(of_rows, i);
        std::int64_t const run = of_rows ? row_run_ : column_run_;
        std::int64_t const threads =
            of_rows ? p_.block_rows / p_.thread_rows : p_.block_columns / p_.thread_columns;
        std::string const thread = of_rows ? "row_thread_" : "column_thread_";
        return i + " / " + text(run) + " * " + text(threads * run) + " + " + thread + " * " +
               text(run) + " + " + i + " % " + text(run);
    }

    void results()
    {
        device_lines& t = s_.text;
        each_sum();
        t.line("index_ const row_ = first_row_ + " + place_of(true, "i_") + ';');
        t.line("index_ const column_ = first_column_ + " + place_of(false, "j_") + ';');
        t.open("if (row_ < rows_ && column_ < columns_)");
        s_.take_apart(p_.rows, "row_");
        s_.take_apart(p_.columns, "column_");
        for (std::size_t n = 0; n < s_.nest.statements.size(); ++n) {
            nest_statement const& statement = s_.nest.statements[n];
            element_type const element = s_.element_of(statement);
            std::string const name = "result_" + std::to_string(n) + '_';
            if (n > 0) {
                (void)s_.single_value(statement, name);
            } else {
                std::string total = "sum_[i_][j_]";
                if (statement.continues) {
                    t.line(std::string(cpp_name(statement.accumulator)) + " const old_ = " +
                           device_converted(
                               s_.element(statement.target), element, statement.accumulator) +
                           ';');
                    total =
                        device_combined(statement.combine, "old_", total, statement.accumulator);
                }
                t.line(std::string(device_name(element)) + " const " + name + " = " +
                       device_converted(total, statement.accumulator, element) + ';');
            }
            if (!s_.is_temporary(statement))
                t.line(s_.element(statement.target) + " = " + name + ';');
            s_.word_of[statement.target.array] = name;
        }
        t.close();
        end_each_sum();
    }

    device_scope& s_;
    device_program const& p_;
    device_matrices_writer matrices_;
    std::int64_t row_run_;
    std::int64_t column_run_;
};

} // namespace attune::inline ATTUNE_ABI::detail
