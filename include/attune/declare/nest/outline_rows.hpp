// attune/declare/nest/outline_rows.hpp - what an outline has rows of, and what may be wrong with it.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The first thing that is wrong with a program, as far as its types tell.
enum class nest_fault : std::uint8_t {
    none,
    too_large,
    same_name,
    reserved_name,
    other_shape,
    target_of_no_axes,
    free_axis,
    reduced_target,
    nested_reduction,
    partial_reduction,
    written_twice,
    read_before_written,
    read_and_written,
    no_result,
    unknown_extent,
    extents_differ,
    target_not_whole,
};

/// A constant, or the value of an input; `deduced`: not known yet.
struct outline_extent {
    enum class source : std::uint8_t { deduced, constant, input };
    source from = source::deduced;
    std::int64_t value = 0; ///< the constant, or which input

    [[nodiscard]] constexpr bool is_known() const { return from != source::deduced; }
    [[nodiscard]] constexpr bool is_constant() const { return from == source::constant; }
    [[nodiscard]] friend constexpr bool operator==(outline_extent const&,
                                                   outline_extent const&) = default;
};

struct outline_axis {
    std::string_view name{};
    outline_extent extent{};
    bool has_own_extent = false;
    bool is_of_target = false;
};

struct outline_array {
    static constexpr std::size_t never = ~std::size_t{0};

    std::string_view name{};
    element_type element{};
    std::size_t rank = 0;
    std::array<outline_extent, 8> extents{};
    bool is_temporary = false;
    bool is_constant = false;
    bool has_row_stride = false;
    bool continues = false;         ///< its step begins with what it holds
    std::size_t written_by = never; ///< step
    std::size_t read_by = never;    ///< the last step
    std::size_t first_read = never;

    [[nodiscard]] constexpr nest_role role() const
    {
        if (is_temporary) return nest_role::temporary;
        if (written_by == never) return nest_role::read;
        return continues ? nest_role::updated : nest_role::written;
    }
};

struct outline_input {
    std::string_view name{};
    element_type type{};
};

/// The axes that stand alone as indices of one element; `none`: another index.
struct outline_use {
    static constexpr std::uint8_t none = 255;
    std::uint8_t array = 0;
    std::array<std::uint8_t, 8> axis{};
    bool is_target = false;
};

template <std::size_t N, class T>
using outline_list = std::array<T, (N == 0 ? 1 : N)>;

} // namespace attune::inline ATTUNE_ABI::detail
