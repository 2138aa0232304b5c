// attune/compile/nest/detail/device_tiles.hpp - a product's tiles as CUDA text.
// SPDX-License-Identifier: MIT
// Source   the two-level blocking of CUTLASS (NVIDIA 2017, "Fast Linear Algebra in CUDA C++"): tiles
//          of operands in shared memory, sums in registers, the next tiles on their way meanwhile
#pragma once

#include <attune/compile/nest/detail/device_prelude.hpp>
#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/compile/nest/detail/device_transfers.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class device_tiles_writer {
public:
    explicit device_tiles_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
        , matrices_(scope)
        , row_run_(p_.tile_run(true))
        , column_run_(p_.tile_run(false))
    {
    }

    void write()
    {
        begin();
        device_transfers_writer(s_).write();
        sums();
        results();
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }
    [[nodiscard]] nest_statement const& main() const { return s_.nest.statements.front(); }
    [[nodiscard]] nest_array const& array_of(device_operand const& o) const
    {
        return s_.nest.arrays[s_.nest.accesses[o.access].array];
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
        if (p_.uses_tensor_cores) matrices_.fragments();
        std::string const deep = text(p_.block_depth);
        if (p_.copies_asynchronously())
            pipeline(deep);
        else
            buffers(deep);
    }

    /// Fetches the next tile during a multiplication, and stores it behind.
    void buffers(std::string const& deep)
    {
        device_lines& t = s_.text;
        t.open("if (depths_ > 0)"); // axes without steps cannot be counted
        all("fetch_", "0");
        all("put_", "0");
        t.close();
        t.line("__syncthreads();");
        if (p_.stages > 1) t.line("int stage_ = 0;");
        t.open("for (index_ from_ = 0; from_ < depths_; from_ += " + deep + ')');
        t.line("bool const has_more_ = depths_ - from_ > " + deep + ';');
        t.open("if (has_more_)");
        all("fetch_", "from_ + " + deep);
        t.close();
        multiply();
        if (p_.stages == 1) t.line("__syncthreads();");
        t.open("if (has_more_)");
        all("put_", p_.stages > 1 ? "1 - stage_" : "0");
        t.close();
        t.line("__syncthreads();");
        if (p_.stages > 1) t.line("stage_ = 1 - stage_;");
        t.close();
    }

    /// stages - 1 tiles are being copied. Each step of the loop begins another copy, perhaps an
    /// empty one, so the oldest copy always has the same age in copies.
    void pipeline(std::string const& deep)
    {
        device_lines& t = s_.text;
        std::string const ahead = text(p_.stages - 1);
        t.line("#pragma unroll");
        t.open("for (int stage_ = 0; stage_ < " + ahead + "; ++stage_)");
        t.open("if (stage_ * " + deep + " < depths_)");
        all("copy_", "stage_ * " + deep + ", stage_");
        t.close();
        t.line("end_copies_();");
        t.close();
        auto const wait = [&] {
            t.line("wait_copies_<" + text(p_.stages - 2) + ">();");
            t.line("__syncthreads(); // all have the tile, and are done with the one before");
        };
        auto const copy = [&] {
            t.open("if (depths_ - from_ > " + ahead + " * " + deep + ')');
            all("copy_",
                "from_ + " + ahead + " * " + deep + ", stage_ == 0 ? " + ahead + " : stage_ - 1");
            t.close();
            t.line("end_copies_();");
        };
        bool const loads_ahead = matrices_.loads_ahead();
        if (loads_ahead) {
            wait();
            t.line("load_step_(0, 0, 0);");
        }
        t.line("int stage_ = 0;");
        t.open("for (index_ from_ = 0; from_ < depths_; from_ += " + deep + ')');
        t.line("int const next_ = stage_ == " + ahead + " ? 0 : stage_ + 1;");
        if (loads_ahead) {
            matrices_.steps_ahead(copy, wait);
        } else {
            wait();
            copy();
            multiply();
        }
        t.line("stage_ = next_;");
        t.close();
    }

    void multiply()
    {
        if (p_.uses_tensor_cores)
            matrices_.steps();
        else
            steps();
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

    /// Adds the products of the tiles in shared memory.
    void steps()
    {
        device_lines& t = s_.text;
        // A body of at most some 1024 operations. A larger one takes NVRTC seconds and wins
        // nothing.
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
                   (p_.stages > 1 ? "[stage_]" : "[0]") + "[step_][" +
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

    /// The place of number `i` of a thread's rows or columns in its block. Runs of neighbours:
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
        std::int64_t const run = p_.store_width();
        nest_access const& target = s_.nest.statements.back().target;
        nest_array const& array = s_.nest.arrays[target.array];
        std::string const pack =
            "pack_<" + std::string(device_name(array.element)) + ", " + text(run) + '>';
        if (run > 1)
            t.line("bool const is_wide_result_ = reinterpret_cast<unsigned long long>(" +
                   array.name + ") % sizeof(" + pack + ") == 0;");
        t.line("#pragma unroll");
        t.open("for (int i_ = 0; i_ < " + text(p_.thread_rows) + "; ++i_)");
        t.line("#pragma unroll");
        t.open("for (int first_ = 0; first_ < " + text(p_.thread_columns) +
               "; first_ += " + text(run) + ')');
        if (run > 1) t.line(pack + " packed_{};");
        t.line("#pragma unroll");
        t.open("for (int part_ = 0; part_ < " + text(run) + "; ++part_)");
        t.line("int const j_ = first_ + part_;");
        begin_result("j_");
        for (std::size_t n = 0; n < s_.nest.statements.size(); ++n)
            result(n, run > 1);
        t.close();
        t.close();
        if (run > 1) {
            begin_result("first_");
            t.line(pack + "* const to_ = reinterpret_cast<" + pack + "*>(&" + s_.element(target) +
                   ");");
            t.open("if (is_wide_result_)");
            t.line("*to_ = packed_;");
            t.close("} else {");
            ++t.depth;
            t.line("#pragma unroll");
            t.line("for (int part_ = 0; part_ < " + text(run) + "; ++part_)");
            t.line("    (&" + s_.element(target) + ")[part_] = packed_.at[part_];");
            t.close();
            t.close();
        }
        end_each_sum();
    }

    /// Opens the work of a thread for one of its numbers, if there is such a number.
    void begin_result(std::string const& j)
    {
        device_lines& t = s_.text;
        t.line("index_ const row_ = first_row_ + " + place_of(true, "i_") + ';');
        t.line("index_ const column_ = first_column_ + " + place_of(false, j) + ';');
        t.open("if (row_ < rows_ && column_ < columns_)");
        s_.take_apart(p_.rows, "row_");
        s_.take_apart(p_.columns, "column_");
    }

    /// The number of statement n.
    /// @param is_packed  the last one goes to packed_
    void result(std::size_t n, bool is_packed)
    {
        device_lines& t = s_.text;
        nest_statement const& statement = s_.nest.statements[n];
        element_type const element = s_.element_of(statement);
        std::string const name = "result_" + std::to_string(n) + '_';
        if (n > 0) {
            (void)s_.single_value(statement, name);
        } else {
            std::string total = "sum_[i_][j_]";
            if (statement.continues) {
                t.line(
                    std::string(cpp_name(statement.accumulator)) + " const old_ = " +
                    device_converted(s_.element(statement.target), element, statement.accumulator) +
                    ';');
                total = device_combined(statement.combine, "old_", total, statement.accumulator);
            }
            t.line(std::string(device_name(element)) + " const " + name + " = " +
                   device_converted(total, statement.accumulator, element) + ';');
        }
        if (is_packed && n + 1 == s_.nest.statements.size())
            t.line("packed_.at[part_] = " + name + ';');
        else if (!s_.is_temporary(statement))
            t.line(s_.element(statement.target) + " = " + name + ';');
        s_.word_of[statement.target.array] = name;
    }

    device_scope& s_;
    device_program const& p_;
    device_matrices_writer matrices_;
    std::int64_t row_run_;
    std::int64_t column_run_;
};

} // namespace attune::inline ATTUNE_ABI::detail
