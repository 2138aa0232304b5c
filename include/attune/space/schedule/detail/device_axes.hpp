// attune/space/schedule/detail/device_axes.hpp - assigns the axes of a program to threads of a GPU, and estimates their registers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of 32-bit words of a number in registers.
[[nodiscard]] inline std::int64_t register_words(std::int64_t bytes)
{
    return std::max<std::int64_t>(bytes / 4, 1);
}

/// Bytes of the largest element of a product's operands.
[[nodiscard]] inline std::int64_t operand_bytes(device_program const& p)
{
    std::int64_t bytes = 1;
    for (device_operand const& operand : p.operands)
        bytes = std::max(bytes, p.element_bytes_of(operand));
    return bytes;
}

/// Words of the largest number that a product's threads keep.
[[nodiscard]] inline std::int64_t device_words(device_program const& p)
{
    return register_words(std::max(operand_bytes(p), static_cast<std::int64_t>(element_bytes(
                                                         p.nest.statements.front().accumulator))));
}

/// Words of a lane for one number of each line.
[[nodiscard]] inline std::int64_t words_of_lines(device_program const& p,
                                                 std::span<nest_access const> lines)
{
    std::int64_t words = 0;
    for (nest_access const& line : lines)
        words += register_words(
            static_cast<std::int64_t>(element_bytes(p.nest.arrays[line.array].element)));
    return words;
}

/// Registers of a thread; 0 for rows that are no lines, whose registers are unknown.
///
/// Tiles (device_space has a formula of the same number): sums, one line of the operands, the next
/// tile unless it is copied asynchronously, and 32 for addresses. Fragments of matrix instructions
/// have 4 words per 16 rows and 4 per 16 columns, twice if the kernel prefetches the next step.
/// Lines: a lane's numbers of each line, and 32 for addresses.
[[nodiscard]] inline std::int64_t device_registers(device_program const& p)
{
    constexpr std::int64_t for_addresses = 32;
    if (p.form == device_form::rows)
        return p.line > 0 ? p.kept_by_lane() * words_of_lines(p, p.lines) + for_addresses : 0;
    std::int64_t fragments = p.uses_tensor_cores ? p.thread_rows : 0;
    std::int64_t line = 0;
    for (device_operand const& operand : p.operands) {
        fragments += operand.is_of_rows ? p.thread_rows : p.thread_columns;
        line += p.across(operand);
    }
    if (p.uses_tensor_cores && p.copies_asynchronously()) fragments *= 2;
    std::int64_t const of_all_threads =
        p.threads() * 4 * device_words(p); // bytes of one word of every thread
    std::int64_t const held =
        p.copies_asynchronously()
            ? 0
            : (p.block_depth * line * operand_bytes(p) + of_all_threads - 1) / of_all_threads;
    return (p.thread_rows * p.thread_columns + fragments + held) * device_words(p) + for_addresses;
}

[[nodiscard]] inline bool has_axis(std::vector<std::uint32_t> const& axes, std::uint32_t axis)
{
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// Returns true for a product of accesses and constants, which is 0 if one of the accesses is 0.
/// @param has_axis_number  set if the value contains an axis
[[nodiscard]] inline bool is_pure_product(nest_description const& nest, std::uint32_t value,
                                          bool& has_axis_number)
{
    bool out = true;
    for_each_node(nest, value, [&](std::uint32_t, nest_node const& node) {
        if (node.code == nest_op::axis) has_axis_number = true;
        bool const is_finite = node.code == nest_op::literal && std::isfinite(node.literal);
        out = out && (node.code == nest_op::access || is_finite || node.code == nest_op::convert ||
                      node.code == nest_op::multiply);
    });
    return out;
}

/// Sets the layout of an operand in memory.
inline void place_operand(device_program const& p, device_operand& operand)
{
    nest_access const& access = p.nest.accesses[operand.access];
    if (access.at.empty()) return;
    std::vector<std::uint32_t> const& across = operand.is_of_rows ? p.rows : p.columns;
    for (affine_term const& term : access.at.back().terms) {
        if (term.factor != 1) continue;
        bool const is_depth = has_axis(p.depth, term.axis);
        bool const is_across = has_axis(across, term.axis);
        if (!is_depth && !is_across) continue;
        operand.runs_along_depth = is_depth;
        std::vector<std::uint32_t> const& group = is_depth ? p.depth : across;
        operand.may_be_wide = group.back() == term.axis && access.at.back().terms.size() == 1 &&
                              access.at.back().offset == 0;
        for (std::size_t d = 0; d + 1 < access.at.size(); ++d)
            for (affine_term const& other : access.at[d].terms)
                operand.may_be_wide = operand.may_be_wide && other.axis != term.axis;
        if (operand.may_be_wide) return;
    }
}

/// Returns true if type `to` has every number of type `from`.
/// @param from  f16, bf16, i8, u8; other types have no matrix instructions
[[nodiscard]] inline bool keeps_elements(element_type from, element_type to)
{
    element_traits const& of = element_types[from];
    element_traits const& as = element_types[to];
    if (from == to) return true;
    if (of.is_real) return as.is_real && as.bytes >= 4;
    // f16 and bf16 have all whole numbers of 8 bits.
    return as.is_real || (as.bytes > of.bytes && (as.is_signed || !of.is_signed));
}

/// Returns true for an element of an array, or for its conversion to types that have all its
/// numbers.
[[nodiscard]] inline bool is_kept_element(nest_description const& nest, std::uint32_t node)
{
    std::uint32_t at = node;
    while (nest.nodes[at].code == nest_op::convert)
        at = nest.nodes[at].first;
    if (nest.nodes[at].code != nest_op::access) return false;
    element_type const element = nest.arrays[nest.accesses[nest.nodes[at].access].array].element;
    for (at = node; nest.nodes[at].code == nest_op::convert; at = nest.nodes[at].first)
        if (!keeps_elements(element, nest.nodes[at].type)) return false;
    return true;
}

/// Steps of the sum in one matrix instruction: 16 for two operands of one 16-bit type with sums in
/// float, 32 for bytes with sums in int, else 0. These types hold products of such operands
/// exactly, so the instruction differs from the statement only in the order and rounding of the
/// sum.
[[nodiscard]] inline std::int64_t tensor_depth_of(device_program const& p)
{
    nest_statement const& main = p.nest.statements.front();
    nest_node const& value = p.nest.nodes[main.value];
    if (p.operands.size() != 2 || p.operands[0].is_of_rows == p.operands[1].is_of_rows ||
        main.combine != reduction::sum || value.code != nest_op::multiply ||
        value.type != main.accumulator)
        return 0;
    for (std::uint32_t const factor : {value.first, value.second})
        if (!is_kept_element(p.nest, factor)) return 0;
    element_type const first = p.element_of(p.operands[0]);
    element_type const second = p.element_of(p.operands[1]);
    auto const is_byte = [](element_type e) {
        return e == element_type::i8 || e == element_type::u8;
    };
    bool const is_half = first == element_type::f16 || first == element_type::bf16;
    if (is_half && first == second) return main.accumulator == element_type::f32 ? 16 : 0;
    if (is_byte(first) && is_byte(second)) return main.accumulator == element_type::i32 ? 32 : 0;
    return 0;
}

/// The tiles of a product whose result later statements only read element by element; nothing for
/// other programs.
[[nodiscard]] inline std::optional<device_program> tiles_of(nest_description const& nest)
{
    device_program out;
    out.nest = nest;
    out.form = device_form::tiles;
    nest_statement const& main = nest.statements.front();
    auto const spatial_end = main.axes.begin() + main.spatial_count;
    std::vector<std::uint32_t> const spatial(main.axes.begin(), spatial_end);
    out.depth.assign(spatial_end, main.axes.end());
    if (out.depth.empty() || main.combine == reduction::argument_of_maximum) return std::nullopt;
    bool has_axis_number = false;
    bool const is_product = is_pure_product(nest, main.value, has_axis_number);
    out.has_exact_depth = !is_product || main.combine != reduction::sum;
    std::vector<std::uint32_t> const read = accesses_of(nest, main);
    if (has_axis_number || read.size() < 2) return std::nullopt;
    // The first access has the axes of one side, and an access with other axes those of the other.
    std::uint32_t const first = read.front();
    std::uint32_t second = no_index;
    for (std::uint32_t const a : read)
        for (std::uint32_t const axis : spatial)
            if (second == no_index && has_axis(nest.accesses[a], axis) &&
                !has_axis(nest.accesses[first], axis))
                second = a;
    if (second == no_index) return std::nullopt;
    std::vector<std::uint32_t> of_first;
    std::vector<std::uint32_t> of_second;
    for (std::uint32_t const axis : spatial) {
        bool const in_first = has_axis(nest.accesses[first], axis);
        bool const in_second = has_axis(nest.accesses[second], axis);
        if (!in_first && !in_second) return std::nullopt;
        (in_first && in_second ? out.batch : in_first ? of_first : of_second).push_back(axis);
    }
    if (of_first.empty() || of_second.empty()) return std::nullopt;
    // Columns are neighbours in the result.
    bool const first_is_rows = !has_axis(of_first, spatial.back());
    out.rows = first_is_rows ? of_first : of_second;
    out.columns = first_is_rows ? of_second : of_first;
    for (std::uint32_t const a : read) {
        nest_access const& access = nest.accesses[a];
        auto const reads_any = [&access](std::vector<std::uint32_t> const& axes) {
            return std::any_of(axes.begin(), axes.end(),
                               [&access](std::uint32_t axis) { return has_axis(access, axis); });
        };
        bool const of_rows = reads_any(out.rows);
        if (of_rows == reads_any(out.columns) || !reads_any(out.depth)) return std::nullopt;
        device_operand operand{a, of_rows, false, false};
        place_operand(out, operand);
        out.operands.push_back(operand);
    }
    for (std::size_t s = 1; s < nest.statements.size(); ++s) {
        nest_statement const& after = nest.statements[s];
        if (after.axes.size() != after.spatial_count || after.axes.size() != spatial.size())
            return std::nullopt;
        for (std::uint32_t const axis : spatial)
            if (!has_axis(after.axes, axis)) return std::nullopt;
        for (std::uint32_t const a : accesses_of(nest, after))
            for (std::size_t earlier = 0; earlier < s; ++earlier) {
                nest_access const& target = nest.statements[earlier].target;
                if (nest.accesses[a].array == target.array && nest.accesses[a].at != target.at)
                    return std::nullopt;
            }
    }
    out.tensor_depth = tensor_depth_of(out);
    return out;
}

/// The form `rows` over the axes that all statements share, so no row reads from another row.
[[nodiscard]] inline device_program rows_of(nest_description const& nest)
{
    device_program out;
    out.nest = nest;
    out.form = device_form::rows;
    nest_statement const& first = nest.statements.front();
    for (std::uint32_t i = 0; i < first.spatial_count; ++i) {
        std::uint32_t const axis = first.axes[i];
        bool is_shared = true;
        for (nest_statement const& statement : nest.statements) {
            is_shared = is_shared && is_spatial(statement, axis);
            for (std::size_t d = 0; d < statement.target.at.size(); ++d) {
                affine_index const& written = statement.target.at[d];
                if (written.terms.front().axis != axis) continue;
                for (nest_statement const& reader : nest.statements)
                    for (std::uint32_t const a : accesses_of(nest, reader))
                        if (nest.accesses[a].array == statement.target.array)
                            is_shared = is_shared && nest.accesses[a].at[d] == written;
            }
        }
        if (is_shared) out.rows.push_back(axis);
    }
    return out;
}

/// The axis of a statement that is no axis of the rows; no_index: none.
[[nodiscard]] inline std::uint32_t axis_of_line(device_program const& p, nest_statement const& s)
{
    for (std::uint32_t const axis : s.axes)
        if (!has_axis(p.rows, axis)) return axis;
    return no_index;
}

/// The common access to an array, if each statement accesses its own row at the place of its own
/// axis; else nothing.
[[nodiscard]] inline std::optional<nest_access> line_access(device_program const& p,
                                                            std::uint32_t array)
{
    std::optional<nest_access> out;
    for (nest_statement const& s : p.nest.statements) {
        std::uint32_t const axis = axis_of_line(p, s);
        std::vector<nest_access> all{s.target};
        for (std::uint32_t const a : accesses_of(p.nest, s))
            all.push_back(p.nest.accesses[a]);
        for (nest_access const& access : all) {
            if (access.array != array) continue;
            if (axis == no_index || access.is_padded || access.at.empty()) return std::nullopt;
            affine_index const& last = access.at.back();
            bool const is_at_axis = last.terms.size() == 1 && last.terms.front().axis == axis &&
                                    last.terms.front().factor == 1 && last.offset == 0;
            bool const is_new = s.target.array != array || !s.continues;
            auto const end = access.at.end() - 1;
            bool const is_of_row = std::all_of(access.at.begin(), end, [&](affine_index const& i) {
                return std::all_of(i.terms.begin(), i.terms.end(), [&](affine_term const& term) {
                    return has_axis(p.rows, term.axis);
                });
            });
            bool const is_same =
                !out || std::equal(access.at.begin(), end, out->at.begin(), out->at.end() - 1);
            if (!is_at_axis || !is_new || !is_of_row || !is_same) return std::nullopt;
            out = access;
        }
    }
    if (out && p.nest.arrays[array].extents.back().input != no_index) return std::nullopt;
    return out;
}

/// Arrays that are lines.
[[nodiscard]] inline std::vector<nest_access> lines_of(device_program const& p)
{
    std::vector<nest_access> out;
    for (std::uint32_t a = 0; a < p.nest.arrays.size(); ++a)
        if (std::optional<nest_access> const line = line_access(p, a)) out.push_back(*line);
    return out;
}

/// The length of a line; 0 if the program has no lines. A program has lines if all temporaries are
/// lines, and each statement has at most one axis beside those of the rows. All these axes have one
/// constant extent.
[[nodiscard]] inline std::int64_t line_of(device_program const& p)
{
    std::int64_t out = 0;
    if (p.rows.empty()) return out;
    for (nest_statement const& s : p.nest.statements) {
        if (s.axes.size() > p.rows.size() + 1) return 0;
        bool const is_one = s.spatial_count == p.rows.size();
        if (!is_one && p.nest.arrays[s.target.array].role == nest_role::temporary &&
            !line_access(p, s.target.array))
            return 0;
        std::uint32_t const axis = axis_of_line(p, s);
        if (axis == no_index) continue;
        nest_extent const& extent = p.nest.axes[axis].extent;
        if (extent.input != no_index || extent.constant < 1) return 0;
        if (out != 0 && extent.constant != out) return 0;
        out = extent.constant;
    }
    return out;
}

/// The most numbers of each line that fit the registers of a lane.
[[nodiscard]] inline std::int64_t most_kept(device_program const& p)
{
    return std::max<std::int64_t>(1, 128 / (1 + words_of_lines(p, lines_of(p))));
}

/// Returns true if several blocks may share a program of one row: no statement reads what another
/// writes in memory, and an array in memory has several elements.
[[nodiscard]] inline bool may_share_row(device_program const& p)
{
    bool has_elements = false;
    for (nest_statement const& writer : p.nest.statements) {
        if (p.nest.arrays[writer.target.array].role == nest_role::temporary) continue;
        has_elements = has_elements || writer.spatial_count > 0;
        for (nest_statement const& reader : p.nest.statements)
            if (reads_array(p.nest, reader, writer.target.array)) return false;
    }
    return p.rows.empty() && has_elements;
}

/// Returns true if a statement's value is one number per row.
[[nodiscard]] inline bool is_one_for_a_row(device_program const& p, nest_statement const& s)
{
    return s.spatial_count == p.rows.size();
}

} // namespace attune::inline ATTUNE_ABI::detail
