// attune/declare/nest/nest_call.hpp - the arrays and inputs of one call of a program: their memory, overlaps and bounds.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
//
// Inline, because files with ATTUNE_OFF are linked without attune.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/outline.hpp>
#include <attune/declare/nest/value.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The memory of an array as rows, in bytes: one row if it has no gaps, no row for a number.
struct nest_memory {
    std::uintptr_t first = 0;
    std::size_t rows = 0;
    std::size_t row = 0;
    std::size_t row_stride = 0;

    template <class T>
    [[nodiscard]] static nest_memory of(T const& given)
    {
        if constexpr (std::is_arithmetic_v<T>) {
            return {};
        } else {
            constexpr std::size_t width = sizeof(*given.data());
            auto const at = reinterpret_cast<std::uintptr_t>(given.data());
            if constexpr (requires { given.rows(); })
                return {at, given.rows(), given.columns() * width, given.row_stride() * width};
            else
                return {at, 1, given.size() * width, given.size() * width};
        }
    }

    [[nodiscard]] constexpr bool is_empty() const { return rows == 0 || row == 0; }
    [[nodiscard]] constexpr std::uintptr_t last() const
    {
        return first + (rows - 1) * row_stride + row;
    }
};

/// Returns true if the arrays share a byte; false for rows side by side in one matrix.
[[nodiscard]] constexpr bool do_overlap(nest_memory const& a, nest_memory const& b)
{
    if (a.is_empty() || b.is_empty()) return false;
    if (a.first > b.first) return do_overlap(b, a);
    if (a.last() <= b.first) return false;
    if (a.row_stride != b.row_stride) return true;
    std::size_t const into = (b.first - a.first) % a.row_stride;
    return into < a.row || into + b.row > a.row_stride;
}

/// Errors   attune::error: an input that is an extent is negative
[[noreturn]] inline void refuse_extent(std::string_view program, std::string_view input,
                                       std::int64_t value)
{
    throw error("an extent of program '" + std::string(program) + "' is negative",
                std::string(input) + " = " + std::to_string(value),
                "call the program with a number of elements");
}

/// Errors   attune::error: an array has `given` elements (or rows) instead of `wanted`
[[noreturn]] inline void refuse_size(std::string_view program, std::string_view array,
                                     std::int64_t given, std::int64_t wanted)
{
    throw error("an array of program '" + std::string(program) + "' has another size than declared",
                "the call gives " + std::string(array) + ' ' + std::to_string(given) +
                    ", its extents need " + std::to_string(wanted),
                "check the extents, and their order among the arguments");
}

/// Errors   attune::error: an index reaches `reached` in dimension `dimension`, from 1, of `extent`
[[noreturn]] inline void refuse_index(std::string_view program, std::string_view array,
                                      std::size_t dimension, std::int64_t reached,
                                      std::int64_t extent)
{
    throw error("an index of program '" + std::string(program) + "' leaves its array",
                "index " + std::to_string(dimension) + " of " + std::string(array) + " reaches " +
                    std::to_string(reached) + ", and its extent is " + std::to_string(extent),
                "check the extents, or write attune::padded(" + std::string(array) + ")[...]");
}

/// @param whole  the inputs that are whole numbers; only these are extents
[[nodiscard]] constexpr std::int64_t extent_in(outline_extent const& of,
                                               std::span<std::int64_t const> whole)
{
    return of.is_constant() ? of.value : whole[static_cast<std::size_t>(of.value)];
}
/// Number of elements of an array; the largest int64_t if there are more.
[[nodiscard]] constexpr std::int64_t elements_in(outline_array const& of,
                                                 std::span<std::int64_t const> whole)
{
    std::int64_t out = 1;
    bool is_past = false;
    for (std::size_t d = 0; d < of.rank; ++d) {
        std::int64_t const extent = extent_in(of.extents[d], whole);
        if (extent == 0) return 0;
        is_past = __builtin_mul_overflow(out, extent, &out) || is_past;
    }
    return is_past ? std::numeric_limits<std::int64_t>::max() : out;
}

/// One call's arrays and inputs, in the order of the outline.
template <class Declaration>
struct nest_call {
    static constexpr auto const& outline = Declaration::outline;

    outline_list<outline.array_count, void const*> data{};
    outline_list<outline.array_count, std::int64_t> row_stride{};
    typename Declaration::input_values inputs{};
    outline_list<outline.input_count, std::int64_t> whole{}; ///< inputs that are whole numbers

    [[nodiscard, gnu::always_inline]] constexpr std::int64_t extent(outline_extent const& of) const
    {
        return of.is_constant() ? of.value : whole[static_cast<std::size_t>(of.value)];
    }
};

/// The memory of a call's temporaries.
class nest_temporaries {
public:
    /// @param data  by array; receives the addresses
    nest_temporaries(std::span<outline_array const> arrays, std::span<std::int64_t const> whole,
                     std::span<void const*> data)
    {
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (!arrays[i].is_temporary) continue;
            held_.emplace_back(new std::byte[static_cast<std::size_t>(
                elements_in(arrays[i], whole) *
                static_cast<std::int64_t>(element_bytes(arrays[i].element)))]);
            data[i] = held_.back().get();
        }
    }

private:
    std::vector<std::unique_ptr<std::byte[]>> held_;
};

/// The least and the largest value of an index.
struct index_range {
    std::int64_t least = 0;
    std::int64_t largest = 0;
};

/// @param terms   rows of the terms, then the row of the index
/// @param extent  returns the extent of an axis; not called if the axis' factors add up to 0
template <class Extent>
[[nodiscard]] constexpr index_range
range_of_index(nest_form const& form, std::span<nest_row const> terms, Extent const& extent)
{
    std::int64_t const offset = form.offset(terms.back());
    index_range out{offset, offset};
    std::size_t const count = terms.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t factor = 0; // an axis may occur twice: its last term has the sum
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

/// Calls see(element, its rows) for each element that must lie inside its array.
template <class See>
constexpr void see_elements(nest_form const& form, See const& see)
{
    std::size_t begin = 0; // of the rows of the element's indices
    for (std::size_t i = 0; i < form.rows.size(); ++i) {
        nest_row const& row = form.rows[i];
        if (row.what == nest_row::part::term || row.what == nest_row::part::index) continue;
        if (row.what == nest_row::part::element && !row.is_padded)
            see(row, form.rows.subspan(begin, i - begin));
        begin = i + 1;
    }
}

/// Calls see(dimension, terms and index) for each index of an element.
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

/// Returns true if an index leaves an array of constant extents, along axes of constant extents.
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

/// Returns true if the n of an attune::prefix(i, n) is not the extent of i.
[[nodiscard]] constexpr bool states_another_extent(nest_form const& form)
{
    for (nest_row const& row : form.rows) {
        if (row.what != nest_row::part::term || !row.stated.is_known()) continue;
        outline_extent stated = row.stated;
        if (stated.is_constant())
            stated.value =
                static_cast<std::int64_t>(form.numbers[static_cast<std::size_t>(stated.value)]);
        if (!(stated == form.axes[row.which].extent)) return true;
    }
    return false;
}

/// Errors   attune::error: an index leaves its array in a call with these inputs
inline void check_elements(nest_form const& form, std::span<std::int64_t const> whole)
{
    auto const extent = [&](outline_axis const& axis) { return extent_in(axis.extent, whole); };
    see_elements(form, [&](nest_row const& element, std::span<nest_row const> rows) {
        for (nest_row const& row : rows)
            if (row.what == nest_row::part::term && extent(form.axes[row.which]) <= 0)
                return; // an extent of 0: no iteration
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

/// The size of an array in a call; rows < 0: no view.
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

/// @param sizes  by argument; entries of inputs are not read
/// Errors   attune::error: an array has other extents, an extent is negative, or an index leaves
///          its array
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

/// Returns true if a written array shares memory with another one.
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
