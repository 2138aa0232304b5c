// attune/compile/nest/detail/nest_address.hpp - the place of an element of an array or a buffer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// An element: base[position], and its distance from the element of the next lane.
struct element_place {
    std::string base;
    std::string position;
    std::string stride;          ///< "0": the same element for all lanes; "1": the next one
    std::string guard;           ///< condition to be inside of the array; empty: always
    bool has_lane_guard = false; ///< the guard, or the position, needs the variable `lane`

    [[nodiscard]] std::string element() const { return base + '[' + position + ']'; }
    [[nodiscard]] std::string pointer() const
    {
        return position == "0" ? base : base + " + " + position;
    }
};

/// Elements between neighbours along dimension d of an array.
[[nodiscard]] inline nest_size stride_of(nest_scope const& scope, nest_array const& array,
                                         std::size_t d)
{
    if (array.has_row_stride && d == 0) return {1, {array.name + "_stride"}};
    nest_size size;
    for (std::size_t i = d + 1; i < array.extents.size(); ++i)
        size.multiply(scope.size_of(array.extents[i]));
    return size;
}

[[nodiscard]] inline std::string text_of_stride(std::int64_t factor, nest_size stride)
{
    stride.constant *= factor;
    return long_text_of(stride);
}

/// Adds the part of a guard for one index; nothing if it cannot leave the array.
/// @param lane  the added multiple of the variable `lane`; 0: none
inline void add_guard(std::string& guard, index_sum const& index, std::string const& extent,
                      std::int64_t lane)
{
    index_sum at = index;
    if (lane != 0) at.terms.push_back({"lane", lane, 1, -1});
    std::string const text = text_of(at);
    bool can_be_negative = at.constant < 0;
    for (index_term const& term : at.terms)
        can_be_negative = can_be_negative || term.factor < 0;
    auto const both = [&guard](std::string const& part) {
        guard += (guard.empty() ? "" : " && ") + part;
    };
    if (can_be_negative) both(text + " >= 0");
    both(text + " < " + extent);
}

[[nodiscard]] inline element_place place_in_array(nest_scope const& scope,
                                                  nest_access const& access)
{
    nest_array const& array = scope.program.nest.arrays[access.array];
    element_place out{array.name, {}, "0", {}, false};
    std::string strides;
    for (std::size_t d = 0; d < access.at.size(); ++d) {
        index_sum const index = scope.value_of(access.at[d]);
        nest_size const stride = stride_of(scope, array, d);
        if (!index.is_zero()) append_sum(out.position, product_text(index, stride));
        std::int64_t const lane = scope.lane_factor(access.at[d]);
        if (lane != 0) append_sum(strides, text_of_stride(lane, stride));
        if (access.is_padded) {
            add_guard(out.guard, index, scope.text_of_extent(array.extents[d]), lane);
            out.has_lane_guard = out.has_lane_guard || lane != 0;
        }
    }
    if (out.position.empty()) out.position = "0";
    if (!strides.empty()) out.stride = strides;
    return out;
}

/// The number of values of a buffer's coordinate.
[[nodiscard]] inline axis_count count_of(nest_scope const& scope, program_buffer const& buffer,
                                         std::uint32_t b, std::size_t c)
{
    axis_count out{{}, 1, 0};
    index_sum known;
    known.constant = 1;
    std::string text;
    for (affine_term const& term : buffer.coordinates[c].terms) {
        axis_count const& count = scope.buffers[b].counts[term.axis];
        std::int64_t const factor = term.factor < 0 ? -term.factor : term.factor;
        if (buffer.coordinates[c].terms.size() == 1 && factor == 1) return count;
        if (count.is_full()) {
            known.constant += factor * (count.most - 1);
        } else {
            out.tail = -1;
            known.terms.push_back({count.text, factor, 1, -1});
            known.constant -= factor;
        }
        out.most = out.most < 0 || count.most < 0 ? -1 : out.most + factor * (count.most - 1);
    }
    out.text = text_of(known);
    return out;
}

/// Largest number of values of a digit.
[[nodiscard]] inline nest_size digit_size(nest_scope const& scope, program_buffer const& buffer,
                                          std::uint32_t b, std::size_t digit)
{
    layout_digit const& own = buffer.layout[digit];
    for (std::size_t i = digit; i-- > 0;)
        if (buffer.layout[i].coordinate == own.coordinate)
            return {buffer.layout[i].step / own.step, {}};
    axis_count const count = count_of(scope, buffer, b, own.coordinate);
    if (count.most >= 0) return {(count.most + own.step - 1) / own.step, {}};
    if (own.step == 1)
        return {1,
                {count.text.find(' ') == std::string::npos ? count.text : '(' + count.text + ')'}};
    std::string const step = std::to_string(own.step);
    return {1, {"((" + count.text + " + " + std::to_string(own.step - 1) + ") / " + step + ')'}};
}

[[nodiscard]] inline nest_size digit_stride(nest_scope const& scope, program_buffer const& buffer,
                                            std::uint32_t b, std::size_t digit)
{
    nest_size size;
    for (std::size_t i = digit + 1; i < buffer.layout.size(); ++i)
        size.multiply(digit_size(scope, buffer, b, i));
    return size;
}

[[nodiscard]] inline nest_size buffer_size(nest_scope const& scope, program_buffer const& buffer,
                                           std::uint32_t b)
{
    nest_size size;
    for (std::size_t i = 0; i < buffer.layout.size(); ++i)
        size.multiply(digit_size(scope, buffer, b, i));
    return size;
}

/// The value of digit `step` below digit `outer` (0: none) of a coordinate, from its sum.
/// @return  false: the whole sum was divided, so lanes have no stride
[[nodiscard]] inline bool digit_of(index_sum const& rel, std::int64_t outer, std::int64_t step,
                                   index_sum& out)
{
    // Terms that are whole multiples of `outer` belong to the digits further out, if the others
    // stay below it.
    index_sum rest;
    bool is_clean = rel.constant == 0;
    std::int64_t most = 0;
    for (index_term const& term : rel.terms) {
        std::int64_t const unit = term.factor * term.multiple;
        if (outer > 0 && unit % outer == 0) continue;
        rest.terms.push_back(term);
        most = most < 0 || term.most < 0 || term.factor < 0 ? -1 : most + term.factor * term.most;
    }
    if (outer > 0 && (most < 0 || most >= outer)) is_clean = false;
    // Multiples of `step` in the rest give the digit; the other terms must stay below the step.
    std::int64_t below = 0;
    if (is_clean) {
        for (index_term const& term : rest.terms) {
            std::int64_t const unit = term.factor * term.multiple;
            if (unit % step == 0) {
                index_term own = term;
                if (step != 1 && own.factor % step == 0)
                    own.factor /= step;
                else if (step != 1)
                    own = {'(' + text_of(index_sum{{term}, 0}) + ") / " + std::to_string(step), 1,
                           1, -1};
                out.terms.push_back(std::move(own));
            } else {
                below = below < 0 || term.most < 0 ? -1 : below + term.factor * term.most;
            }
        }
        if (below < 0 || below >= step) is_clean = false;
    }
    if (is_clean) return true;
    std::string text = text_of(rel);
    if (outer > 0) text = '(' + text + ") % " + std::to_string(outer);
    if (step != 1) text = '(' + text + ") / " + std::to_string(step);
    out.terms = {{'(' + text + ')', 1, 1, -1}};
    out.constant = 0;
    return false;
}

/// The element of a buffer whose coordinates are `at`, relative to the buffer's first ones.
/// @param lanes  per coordinate: distance to the next lane
[[nodiscard]] inline element_place place_in_buffer(nest_scope const& scope, std::uint32_t b,
                                                   std::vector<index_sum> const& at,
                                                   std::vector<std::int64_t> const& lanes)
{
    program_buffer const& buffer = scope.program.buffers[b];
    element_place out{buffer.name, {}, "0", {}, false};
    std::string strides;
    bool needs_lane = false;
    for (std::size_t round = 0; round < 2; ++round) {
        // The second round puts the lane into the position, because a division prevents a stride.
        out.position.clear();
        strides.clear();
        bool is_regular = true;
        for (std::size_t i = 0; i < buffer.layout.size(); ++i) {
            layout_digit const& digit = buffer.layout[i];
            std::int64_t outer = 0;
            for (std::size_t k = i; k-- > 0 && outer == 0;)
                if (buffer.layout[k].coordinate == digit.coordinate) outer = buffer.layout[k].step;
            index_sum rel = at[digit.coordinate];
            std::int64_t const lane = lanes[digit.coordinate];
            if (lane != 0) rel.terms.push_back({"lane", lane, 1, scope.lane.lanes - 1});
            index_sum value;
            bool const is_clean = digit_of(rel, outer, digit.step, value);
            nest_size const stride = digit_stride(scope, buffer, b, i);
            if (lane != 0 && !is_clean) is_regular = false;
            if (lane != 0 && is_clean && round == 0)
                for (std::size_t k = value.terms.size(); k-- > 0;)
                    if (value.terms[k].variable == "lane") {
                        append_sum(strides, text_of_stride(value.terms[k].factor, stride));
                        value.terms.erase(value.terms.begin() + static_cast<std::ptrdiff_t>(k));
                    }
            if (!value.is_zero()) append_sum(out.position, product_text(value, stride));
        }
        if (is_regular) break;
        needs_lane = true;
    }
    if (out.position.empty()) out.position = "0";
    if (!strides.empty()) out.stride = strides;
    if (needs_lane) {
        out.has_lane_guard = true;
        out.stride = "?";
    }
    return out;
}

/// The element of buffer `b` at `index` of its coordinates, which are functions of the axes.
[[nodiscard]] inline element_place place_in_buffer(nest_scope const& scope, std::uint32_t b,
                                                   std::vector<affine_index> const& index)
{
    program_buffer const& buffer = scope.program.buffers[b];
    std::vector<index_sum> at;
    std::vector<std::int64_t> lanes;
    for (std::size_t c = 0; c < index.size(); ++c) {
        index_sum sum;
        for (affine_term const& term : index[c].terms)
            sum.add(scope.value_of(term.axis, scope.buffers[b].offsets[term.axis]), term.factor);
        sum.constant = index[c].offset - buffer.coordinates[c].offset;
        at.push_back(std::move(sum));
        lanes.push_back(scope.lane_factor(index[c]));
    }
    return place_in_buffer(scope, b, at, lanes);
}
[[nodiscard]] inline element_place place_in_buffer(nest_scope const& scope, std::uint32_t b)
{
    return place_in_buffer(scope, b, scope.program.buffers[b].coordinates);
}

/// The element of a buffer in place of an access to the array.
[[nodiscard]] inline element_place place_in_buffer(nest_scope const& scope, std::uint32_t b,
                                                   nest_access const& access)
{
    program_buffer const& buffer = scope.program.buffers[b];
    // A copy's buffer has coordinates for its access; other buffers have the array's indices.
    for (program_copy const& copy : scope.program.copies)
        if (copy.buffer == b && copy.kind == copy_kind::load) return place_in_buffer(scope, b);
    element_place out = place_in_buffer(scope, b, access.at);
    if (!access.is_padded) return out;
    nest_array const& array = scope.program.nest.arrays[buffer.array];
    for (std::size_t d = 0; d < access.at.size(); ++d) {
        std::int64_t const lane = scope.lane_factor(access.at[d]);
        add_guard(out.guard, scope.value_of(access.at[d]), scope.text_of_extent(array.extents[d]),
                  lane);
        out.has_lane_guard = out.has_lane_guard || lane != 0;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
