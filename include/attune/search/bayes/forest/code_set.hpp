// attune/search/bayes/forest/code_set.hpp - a set of codes of a column.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// A set of codes.
class code_set {
public:
    [[nodiscard]] constexpr bool has(std::uint8_t code) const noexcept
    {
        return (words_[code / 64U] >> (code % 64U) & 1U) != 0;
    }
    constexpr void add(std::uint8_t code) noexcept
    {
        words_[code / 64U] |= std::uint64_t{1} << (code % 64U);
    }
    /// Calls `visit(code)` for each, ascending.
    template <class Visit>
    constexpr void for_each(Visit const& visit) const
    {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(static_cast<std::uint8_t>(64 * w +
                                                static_cast<std::size_t>(std::countr_zero(rest))));
    }
    [[nodiscard]] friend constexpr bool operator==(code_set const&, code_set const&) = default;

private:
    std::array<std::uint64_t, 4> words_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::forest
