// attune/compile/nest/detail/row_registers.hpp - rows in registers of lanes, as CUDA text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The other text of device_rows_writer, for rows that are lines (device_program::line). A lane has
/// packs of neighbours: number part_ of pack own_, which is number pack_at_ of the line.
class row_registers_writer {
public:
    explicit row_registers_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
    {
    }

    /// Writes tests for arrays that can be read in packs in this call.
    void begin()
    {
        for (nest_access const& line : p_.lines)
            if (p_.has_wide_lines(line.array))
                s_.text.line("bool const is_wide_" + array_of(line.array).name +
                             "_ = reinterpret_cast<unsigned long long>(" +
                             array_of(line.array).name + ") % sizeof(" + pack_of(line.array) +
                             ") == 0;");
    }

    /// Declares registers of all lines; loads those that are only read.
    void load()
    {
        device_lines& t = s_.text;
        for (nest_access const& access : p_.lines) {
            std::uint32_t const a = access.array;
            t.line(pack_of(a) + ' ' + line_name(a) + '[' + text(p_.kept_by_lane() / p_.vector) +
                   "];");
            s_.word_of[a] = line_name(a) + "[own_].at[part_]";
            if (array_of(a).role != nest_role::read) continue;
            each_pack();
            move(access, true);
            t.close();
        }
    }

    /// Opens two loops over a lane's numbers; at_ is the place in the line.
    void each_number(nest_statement const& s)
    {
        device_lines& t = s_.text;
        each_pack();
        t.line("#pragma unroll");
        t.open("for (int part_ = 0; part_ < " + text(p_.vector) + "; ++part_)");
        t.line("index_ const at_ = pack_at_ * " + text(p_.vector) + " + part_;");
        s_.axis[axis_of_line(s)] = "at_";
    }

    /// Writes the lane's numbers of a statement without reduction.
    void line(nest_statement const& s)
    {
        device_lines& t = s_.text;
        std::uint32_t const a = s.target.array;
        bool const is_kept = is_line(a);
        each_number(s);
        std::string const name = s_.single_value(s, "result_");
        if (is_kept)
            t.line(line_name(a) + "[own_].at[part_] = " + name + ';');
        else
            t.line("if (is_row_) " + s_.element(s.target) + " = " + name + ';');
        t.close();
        t.close();
        if (!is_kept || s_.is_temporary(s)) return;
        t.open("if (is_row_)");
        each_pack();
        move(s.target, false);
        t.close();
        t.close();
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }
    [[nodiscard]] bool is_line(std::uint32_t array) const
    {
        return std::any_of(p_.lines.begin(), p_.lines.end(),
                           [array](nest_access const& line) { return line.array == array; });
    }
    /// The axis of a statement that is not among the rows.
    [[nodiscard]] std::uint32_t axis_of_line(nest_statement const& s) const
    {
        return *std::find_if(s.axes.begin(), s.axes.end(), [this](std::uint32_t axis) {
            return std::find(p_.rows.begin(), p_.rows.end(), axis) == p_.rows.end();
        });
    }
    [[nodiscard]] nest_array const& array_of(std::uint32_t a) const { return s_.nest.arrays[a]; }
    [[nodiscard]] std::string pack_of(std::uint32_t a) const
    {
        return "pack_<" + std::string(device_name(array_of(a).element)) + ", " + text(p_.vector) +
               '>';
    }
    [[nodiscard]] std::string line_name(std::uint32_t a) const
    {
        return array_of(a).name + "_line_";
    }
    /// Opens the loop over a lane's packs; pack_at_ is the number in the line.
    void each_pack()
    {
        device_lines& t = s_.text;
        t.line("#pragma unroll");
        t.open("for (int own_ = 0; own_ < " + text(p_.kept_by_lane() / p_.vector) + "; ++own_)");
        t.line("int const pack_at_ = own_ * " + text(p_.lanes) + " + lane_;");
        if (p_.kept_by_lane() * p_.lanes != p_.line)
            t.line("if (pack_at_ >= " + text(p_.line / p_.vector) + ") break;");
    }
    /// Loads or stores a pack of a line.
    void move(nest_access const& access, bool is_load)
    {
        device_lines& t = s_.text;
        std::uint32_t const a = access.array;
        std::uint32_t const axis = access.at.back().terms.front().axis;
        std::string const pack = line_name(a) + "[own_]";
        auto const line = [&](std::string const& there, std::string const& here) {
            t.line(is_load ? here + " = " + there + ';' : there + " = " + here + ';');
        };
        if (p_.has_wide_lines(a)) {
            s_.axis[axis] = "pack_at_ * " + text(p_.vector);
            t.open("if (is_wide_" + array_of(a).name + "_)");
            line("*reinterpret_cast<" + pack_of(a) + (is_load ? " const" : "") + "*>(&" +
                     s_.element(access) + ')',
                 pack);
            t.close("} else {");
            ++t.depth;
        }
        t.line("#pragma unroll");
        t.open("for (int part_ = 0; part_ < " + text(p_.vector) + "; ++part_)");
        s_.axis[axis] = "pack_at_ * " + text(p_.vector) + " + part_";
        line(s_.element(access), pack + ".at[part_]");
        t.close();
        if (p_.has_wide_lines(a)) t.close();
    }

    device_scope& s_;
    device_program const& p_;
};

} // namespace attune::inline ATTUNE_ABI::detail
