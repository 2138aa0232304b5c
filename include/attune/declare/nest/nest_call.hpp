// attune/declare/nest/nest_call.hpp - the arrays and inputs of one call of a program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/outline.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// One call's arrays and inputs, in the order of the outline.
template <class Declaration>
struct nest_call {
    static constexpr auto const& outline = Declaration::outline;

    outline_list<outline.array_count, void const*> data{};
    outline_list<outline.array_count, std::int64_t> row_stride{};
    typename Declaration::input_values inputs{};

    [[nodiscard]] constexpr std::int64_t extent(outline_extent const& of) const
    {
        if (of.is_constant()) return of.value;
        return [&]<std::size_t... At>(std::index_sequence<At...>) {
            std::int64_t out = 0;
            ((At == static_cast<std::size_t>(of.value)
                  ? void(out = static_cast<std::int64_t>(std::get<At>(inputs)))
                  : void()),
             ...);
            return out;
        }(std::make_index_sequence<outline.input_count>{});
    }
    /// The largest number where there are more.
    [[nodiscard]] constexpr std::int64_t elements(outline_array const& of) const
    {
        std::int64_t out = 1;
        bool is_past = false;
        for (std::size_t d = 0; d < of.rank; ++d) {
            if (extent(of.extents[d]) == 0) return 0;
            is_past = __builtin_mul_overflow(out, extent(of.extents[d]), &out) || is_past;
        }
        return is_past ? std::numeric_limits<std::int64_t>::max() : out;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
