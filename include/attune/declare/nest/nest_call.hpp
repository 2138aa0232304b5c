// attune/declare/nest/nest_call.hpp - the arrays and inputs of one call of a program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/outline.hpp>
#include <attune/declare/nest/value_pack.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// @param whole  the inputs; those that are no whole numbers are no extents
[[nodiscard]] constexpr std::int64_t extent_in(outline_extent const& of,
                                               std::span<std::int64_t const> whole)
{
    return of.is_constant() ? of.value : whole[static_cast<std::size_t>(of.value)];
}
/// The largest number where there are more.
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
    /// @param data  by array; gets the addresses
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

} // namespace attune::inline ATTUNE_ABI::detail
