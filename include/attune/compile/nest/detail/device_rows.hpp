// attune/compile/nest/detail/device_rows.hpp - statements row by row as CUDA text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/compile/nest/detail/row_registers.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes the body of a kernel of rows. The lanes of a group share the elements of each statement's
/// row, or the steps of a reduction to one number. If rows are lines (device_program::line), a lane
/// has the same numbers in each statement, and keeps them in registers.
class device_rows_writer {
public:
    explicit device_rows_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
        , registers_(scope)
    {
    }

    void write()
    {
        device_lines& t = s_.text;
        t.line("int const lane_ = static_cast<int>(threadIdx.x) % " + text(p_.lanes) + ';');
        t.line("int const group_ = static_cast<int>(threadIdx.x) / " + text(p_.lanes) + ';');
        t.line("index_ const rows_ = " + s_.steps(p_.rows) + ';');
        t.line("if (rows_ < 1) return;");
        temporaries();
        if (p_.lanes > 32) t.line("__shared__ __align__(16) unsigned char exchanged_[512];");
        if (p_.line > 0) registers_.begin();
        t.line(p_.line > 0 ? "#pragma unroll 1" : "#pragma unroll");
        t.open("for (int pass_ = 0; pass_ < " + text(p_.passes) + "; ++pass_)");
        std::string const block =
            p_.blocks > 1 ? "static_cast<index_>(0)" : "static_cast<index_>(blockIdx.x)";
        t.line("index_ const asked_ = (" + block + " * " + text(p_.passes) + " + pass_) * " +
               text(p_.groups) + " + group_;");
        t.line("bool const is_row_ = asked_ < rows_;");
        t.line("index_ const row_ = is_row_ ? asked_ : rows_ - 1;");
        s_.take_apart(p_.rows, "row_");
        for (nest_statement const& statement : s_.nest.statements)
            if (s_.is_temporary(statement) && is_one(statement))
                t.line(std::string(device_name(s_.element_of(statement))) + ' ' +
                       word_of(statement) + "{};");
        if (p_.line > 0) registers_.load();
        for (nest_statement const& statement : s_.nest.statements) {
            // The first of several blocks computes a number that is no temporary.
            bool const by_one_block =
                p_.blocks > 1 && is_one(statement) && !s_.is_temporary(statement);
            if (by_one_block) t.open("if (blockIdx.x == 0)");
            if (!is_one(statement) && p_.line > 0)
                registers_.line(statement);
            else if (!is_one(statement))
                line_of_elements(statement);
            else if (statement.axes.size() == statement.spatial_count)
                one_element(statement);
            else
                reduction_of_lanes(statement);
            if (by_one_block) t.close();
            // Registers pass nothing between lanes.
            if (p_.line == 0 || !s_.is_temporary(statement)) barrier();
        }
        t.close();
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }
    [[nodiscard]] bool is_one(nest_statement const& s) const
    {
        return s.spatial_count == p_.rows.size();
    }
    [[nodiscard]] std::string word_of(nest_statement const& s) const
    {
        return s_.nest.arrays[s.target.array].name + "_word_";
    }

    /// Makes writes of lanes visible to the others.
    void barrier()
    {
        if (p_.lanes > 32)
            s_.text.line("__syncthreads();");
        else if (p_.lanes > 1)
            s_.text.line("__syncwarp();");
    }

    /// Writes pointers to the group's part of shared memory.
    void temporaries()
    {
        device_lines& t = s_.text;
        std::string at;
        for (nest_statement const& statement : s_.nest.statements) {
            if (!s_.is_temporary(statement) || is_one(statement) || p_.line > 0) continue;
            nest_array const& array = s_.nest.arrays[statement.target.array];
            std::string const type(device_name(array.element));
            std::string count = "static_cast<index_>(1)";
            std::vector<std::size_t> inside;
            for (std::size_t d = 0; d < array.extents.size(); ++d) {
                std::uint32_t const axis = statement.target.at[d].terms.front().axis;
                if (std::find(p_.rows.begin(), p_.rows.end(), axis) != p_.rows.end()) continue;
                inside.push_back(d);
                count += " * " + s_.extent(array.extents[d]);
            }
            std::string const bytes =
                '(' + count + " * " +
                text(static_cast<std::int64_t>(element_bytes(array.element))) + " + 7) / 8 * 8";
            if (at.empty()) {
                t.line("extern __shared__ __align__(16) unsigned char memory_[];");
                at = "0";
            }
            std::string const name = array.name + "_row_";
            t.line("index_ const " + name + "bytes_ = " + bytes + ';');
            t.line(type + "* const " + name + " = reinterpret_cast<" + type + "*>(memory_ + (" +
                   at + ") * " + text(p_.groups) + " + group_ * " + name + "bytes_);");
            at += " + " + name + "bytes_";
            s_.shared[statement.target.array] = {name, inside};
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> inner_axes(nest_statement const& s) const
    {
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < s.spatial_count; ++i)
            if (std::find(p_.rows.begin(), p_.rows.end(), s.axes[i]) == p_.rows.end())
                out.push_back(s.axes[i]);
        return out;
    }
    [[nodiscard]] static std::vector<std::uint32_t> reduced_axes(nest_statement const& s)
    {
        return {s.axes.begin() + s.spatial_count, s.axes.end()};
    }

    /// The lanes take elements in turn, of several blocks if these share the array. A single lane
    /// does a reduction.
    void line_of_elements(nest_statement const& s)
    {
        device_lines& t = s_.text;
        bool const is_shared = p_.blocks > 1 && !s_.is_temporary(s);
        std::string const first =
            is_shared ? "static_cast<index_>(blockIdx.x) * " + text(p_.lanes) + " + lane_"
                      : "lane_";
        t.open("if (is_row_)");
        t.open("for (index_ at_ = " + first + "; at_ < " + s_.steps(inner_axes(s)) +
               "; at_ += " + text(is_shared ? p_.lanes * p_.blocks : p_.lanes) + ')');
        s_.take_apart(inner_axes(s), "at_");
        if (s.axes.size() == s.spatial_count) {
            std::string const name = s_.single_value(s, "result_");
            t.line(s_.element(s.target) + " = " + name + ';');
        } else {
            begin_sum(s);
            sum_loop(s, "0", 1);
            with_old(s, "total_");
            t.line(s_.element(s.target) + " = " + finished(s) + ';');
        }
        t.close();
        t.close();
    }

    /// A number per row, without a reduction: all lanes compute it, the first one stores it.
    void one_element(nest_statement const& s)
    {
        device_lines& t = s_.text;
        std::string const name = word_of(s);
        bool const is_stored = !s_.is_temporary(s);
        t.open("");
        std::string const computed = s_.single_value(s, "result_");
        if (is_stored) {
            if (s.continues) barrier();
            t.line("if (is_row_" + std::string(p_.lanes > 1 ? " && lane_ == 0" : "") + ") " +
                   s_.element(s.target) + " = " + computed + ';');
        } else {
            t.line(name + " = " + computed + ';');
        }
        t.close();
        if (!is_stored) s_.word_of[s.target.array] = name;
    }

    [[nodiscard]] bool is_argument(nest_statement const& s) const
    {
        return s.combine == reduction::argument_of_maximum;
    }
    [[nodiscard]] element_type summed_type(nest_statement const& s) const
    {
        return is_argument(s) ? s_.nest.nodes[s.value].type : s.accumulator;
    }

    void begin_sum(nest_statement const& s)
    {
        device_lines& t = s_.text;
        std::string const type(cpp_name(summed_type(s)));
        t.line(type + " total_ = " + device_neutral(s.combine, summed_type(s)) + ';');
        if (is_argument(s)) t.line("long long where_ = 0;");
    }

    /// Adds the steps first, first + by, ... of the reduction.
    void sum_loop(nest_statement const& s, std::string const& first, std::int64_t by)
    {
        device_lines& t = s_.text;
        t.open("for (index_ step_ = " + first + "; step_ < " + s_.steps(reduced_axes(s)) +
               "; step_ += " + text(by) + ')');
        s_.take_apart(reduced_axes(s), "step_");
        add(s, "step_");
        t.close();
    }
    /// Adds the lane's numbers of a line.
    void sum_of_registers(nest_statement const& s)
    {
        registers_.each_number(s);
        add(s, "at_");
        s_.text.close();
        s_.text.close();
    }
    void add(nest_statement const& s, std::string const& where)
    {
        device_lines& t = s_.text;
        std::string const added = s_.value(s, summed_type(s), "added_");
        if (is_argument(s)) {
            t.open("if (total_ < " + added + ')');
            t.line("total_ = " + added + ';');
            t.line("where_ = static_cast<long long>(" + where + ");");
            t.close();
        } else {
            t.line("total_ = " + device_combined(s.combine, "total_", added, s.accumulator) + ';');
        }
    }

    void with_old(nest_statement const& s, std::string const& total)
    {
        if (!s.continues) return;
        s_.text.line(std::string(cpp_name(s.accumulator)) + " const old_ = " +
                     device_converted(s_.element(s.target), s_.element_of(s), s.accumulator) + ';');
        s_.text.line("total_ = " + device_combined(s.combine, "old_", total, s.accumulator) + ';');
    }

    /// The text of the finished number, in the type of the array.
    [[nodiscard]] std::string finished(nest_statement const& s) const
    {
        std::string const type(device_name(s_.element_of(s)));
        if (is_argument(s)) return "static_cast<" + type + ">(where_)";
        return device_converted("total_", s.accumulator, s_.element_of(s));
    }

    /// Merges `other_` into `total_`.
    void merge(nest_statement const& s)
    {
        device_lines& t = s_.text;
        if (!is_argument(s)) {
            t.line("total_ = " + device_combined(s.combine, "total_", "other_", s.accumulator) +
                   ';');
            return;
        }
        t.open("if (total_ < other_ || (!(other_ < total_) && other_where_ < where_))");
        t.line("total_ = other_;");
        t.line("where_ = other_where_;");
        t.close();
    }

    /// A number per row, which all lanes sum up and receive.
    void reduction_of_lanes(nest_statement const& s)
    {
        device_lines& t = s_.text;
        std::string const type(cpp_name(summed_type(s)));
        t.open("");
        begin_sum(s);
        if (p_.line > 0) {
            sum_of_registers(s); // also for a row that is no line
        } else {
            t.line("if (is_row_)");
            ++t.depth;
            sum_loop(s, "lane_", p_.lanes);
            --t.depth;
        }
        std::int64_t const inside = std::min<std::int64_t>(p_.lanes, 32);
        if (inside > 1) {
            t.open("for (int away_ = " + text(inside / 2) + "; away_ > 0; away_ /= 2)");
            t.line(type + " const other_ = __shfl_xor_sync(0xffffffffU, total_, away_);");
            if (is_argument(s))
                t.line("long long const other_where_ = __shfl_xor_sync(0xffffffffU, where_, "
                       "away_);");
            merge(s);
            t.close();
        }
        if (p_.lanes > 32) across_warps(s);
        with_old(s, "total_");
        if (s.continues) barrier();
        if (s_.is_temporary(s)) {
            t.line(word_of(s) + " = " + finished(s) + ';');
        } else {
            t.line("if (is_row_" + std::string(p_.lanes > 1 ? " && lane_ == 0" : "") + ") " +
                   s_.element(s.target) + " = " + finished(s) + ';');
        }
        t.close();
        if (s_.is_temporary(s)) s_.word_of[s.target.array] = word_of(s);
    }

    /// The warps of a group pass their numbers through shared memory, in the same order for all.
    void across_warps(nest_statement const& s)
    {
        device_lines& t = s_.text;
        std::string const type(cpp_name(summed_type(s)));
        std::string const warps = text(p_.lanes / 32);
        t.line(type + "* const numbers_ = reinterpret_cast<" + type + "*>(exchanged_);");
        t.line("long long* const places_ = reinterpret_cast<long long*>(exchanged_ + 256);");
        t.open("if (lane_ % 32 == 0)");
        t.line("numbers_[threadIdx.x / 32] = total_;");
        t.line(is_argument(s) ? "places_[threadIdx.x / 32] = where_;"
                              : "static_cast<void>(places_);");
        t.close();
        t.line("__syncthreads();");
        t.line("total_ = numbers_[group_ * " + warps + "];");
        if (is_argument(s)) t.line("where_ = places_[group_ * " + warps + "];");
        t.open("for (int warp_ = 1; warp_ < " + warps + "; ++warp_)");
        t.line(type + " const other_ = numbers_[group_ * " + warps + " + warp_];");
        if (is_argument(s))
            t.line("long long const other_where_ = places_[group_ * " + warps + " + warp_];");
        merge(s);
        t.close();
        t.line("__syncthreads();");
    }

    device_scope& s_;
    device_program const& p_;
    row_registers_writer registers_;
};

} // namespace attune::inline ATTUNE_ABI::detail
