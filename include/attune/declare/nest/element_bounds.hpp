// attune/declare/nest/element_bounds.hpp - whether the elements that a program mentions are in their arrays.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
//
// Inline, for files with ATTUNE_OFF, which are linked with nothing of attune's.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_call.hpp>
#include <attune/declare/nest/nest_memory.hpp>
#include <attune/declare/nest/nest_refusal.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// Where an index may go: least and largest value.
struct index_range {
    std::int64_t least = 0;
    std::int64_t largest = 0;
};

/// @param terms   and the index behind them
/// @param extent  of an axis; not called where its factors add up to 0
template <class Extent>
[[nodiscard]] constexpr index_range
range_of_index(nest_form const& form, std::span<nest_row const> terms, Extent const& extent)
{
    std::int64_t const offset = form.offset(terms.back());
    index_range out{offset, offset};
    std::size_t const count = terms.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t factor = 0; // an axis may be there twice: all of it counts at the last place
        bool is_last = true;
        for (std::size_t k = 0; k < count; ++k)
            if (terms[k].which == terms[i].which) {
                factor += form.factor(terms[k]);
                is_last = is_last && k <= i;
            }
        if (is_last && factor != 0)
            (factor < 0 ? out.least : out.largest) +=
                factor * (extent(form.axes[terms[i].which]) - 1);
    }
    return out;
}

/// see(element, its rows) for each element that is read or written and may not leave its array.
template <class See>
constexpr void see_elements(nest_form const& form, See const& see)
{
    std::size_t begin = 0; // of the indices before
    for (std::size_t i = 0; i < form.rows.size(); ++i) {
        nest_row const& row = form.rows[i];
        if (row.what == nest_row::part::term || row.what == nest_row::part::index) continue;
        if (row.what == nest_row::part::element && !row.is_padded)
            see(row, form.rows.subspan(begin, i - begin));
        begin = i + 1;
    }
}

/// see(dimension, terms and index) for each index of an element.
template <class See>
constexpr void see_indices(std::span<nest_row const> rows, See const& see)
{
    std::size_t dimension = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].what == nest_row::part::index) {
            see(dimension++, rows.subspan(begin, i + 1 - begin));
            begin = i + 1;
        }
}

/// Whether an index leaves an array of constant extents, along axes of constant extents.
[[nodiscard]] constexpr bool leaves_an_array(nest_form const& form)
{
    bool out = false;
    see_elements(form, [&](nest_row const& element, std::span<nest_row const> rows) {
        see_indices(rows, [&](std::size_t dimension, std::span<nest_row const> index) {
            outline_extent const& of = form.arrays[element.which].extents[dimension];
            bool is_constant = of.is_constant();
            for (nest_row const& term : index.first(index.size() - 1))
                is_constant = is_constant && form.axes[term.which].extent.is_constant();
            if (!is_constant) return;
            index_range const range = range_of_index(
                form, index, [](outline_axis const& axis) { return axis.extent.value; });
            out = out || range.least < 0 || range.largest >= of.value;
        });
    });
    return out;
}

/// Errors   attune::error: an index leaves its array in a call with these inputs
inline void check_elements(nest_form const& form, std::span<std::int64_t const> whole)
{
    auto const extent = [&](outline_axis const& axis) { return extent_in(axis.extent, whole); };
    see_elements(form, [&](nest_row const& element, std::span<nest_row const> rows) {
        for (nest_row const& row : rows)
            if (row.what == nest_row::part::term && extent(form.axes[row.which]) <= 0)
                return; // nothing runs
        outline_array const& array = form.arrays[element.which];
        see_indices(rows, [&](std::size_t dimension, std::span<nest_row const> index) {
            std::int64_t const n = extent_in(array.extents[dimension], whole);
            index_range const range = range_of_index(form, index, extent);
            if (range.least < 0 || range.largest >= n)
                refuse_index(form.name, array.name, dimension + 1,
                             range.least < 0 ? range.least : range.largest, n);
        });
    });
}

/// What a call gives for an array; rows < 0: no view.
struct given_size {
    std::int64_t elements = 0;
    std::int64_t rows = -1;

    template <class T>
    [[nodiscard]] static given_size of(T const& given)
    {
        if constexpr (std::is_arithmetic_v<T>)
            return {};
        else if constexpr (requires { given.rows(); })
            return {static_cast<std::int64_t>(given.rows() * given.columns()),
                    static_cast<std::int64_t>(given.rows())};
        else
            return {static_cast<std::int64_t>(given.size())};
    }
};

/// @param sizes  by argument; what is given for inputs does not count
/// Errors   attune::error: an array does not have its extents, an extent is negative, or an index
///          leaves its array
inline void check_call(nest_form const& form, std::span<std::int64_t const> whole,
                       std::span<given_size const> sizes)
{
    for (outline_axis const& axis : form.axes)
        if (!axis.extent.is_constant() && extent_in(axis.extent, whole) < 0)
            refuse_extent(form.name, form.inputs[static_cast<std::size_t>(axis.extent.value)].name,
                          extent_in(axis.extent, whole));
    auto const check = [&](outline_array const& of, std::int64_t given, std::int64_t wanted) {
        if (given != wanted) refuse_size(form.name, of.name, given, wanted);
    };
    for (std::size_t a = 0; a < form.order.size(); ++a) {
        if (form.order[a] >= form.arrays.size()) continue;
        outline_array const& of = form.arrays[form.order[a]];
        check(of, sizes[a].elements, elements_in(of, whole));
        if (sizes[a].rows >= 0) check(of, sizes[a].rows, extent_in(of.extents[0], whole));
    }
    check_elements(form, whole);
}

/// Whether an array that is written shares memory with another one.
/// @param all  by argument
[[nodiscard]] inline bool writes_what_overlaps(nest_form const& form,
                                               std::span<nest_memory const> all)
{
    auto const is_written = [&](std::size_t argument) {
        std::size_t const which = form.order[argument];
        return which < form.arrays.size() && form.arrays[which].role() != nest_role::read;
    };
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = i + 1; k < all.size(); ++k)
            if ((is_written(i) || is_written(k)) && do_overlap(all[i], all[k])) return true;
    return false;
}

} // namespace attune::inline ATTUNE_ABI::detail
