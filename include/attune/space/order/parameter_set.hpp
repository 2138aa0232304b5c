// attune/space/order/parameter_set.hpp - a set of parameters of one group.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// A set of numbers below 64 * Words.
template <std::size_t Words>
class parameter_set {
public:
    static constexpr std::size_t capacity = 64 * Words;

    void add(std::size_t k) noexcept { words_[k / 64] |= std::uint64_t{1} << (k % 64); }
    [[nodiscard]] bool has(std::size_t k) const noexcept
    {
        return ((words_[k / 64] >> (k % 64)) & 1U) != 0;
    }
    [[nodiscard]] bool is_empty() const noexcept
    {
        std::uint64_t all = 0;
        for (std::uint64_t const w : words_)
            all |= w;
        return all == 0;
    }
    [[nodiscard]] bool is_inside(parameter_set const& other) const noexcept
    {
        return (*this & other) == *this;
    }
    [[nodiscard]] std::span<std::uint64_t const> words() const noexcept { return words_; }

    /// Calls `visit(k)` for each member, ascending.
    template <class Visit>
    void for_each(Visit const& visit) const
    {
        for (std::size_t i = 0; i < Words; ++i)
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                visit(64 * i + static_cast<std::size_t>(std::countr_zero(left)));
    }

    [[nodiscard]] friend parameter_set operator&(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] &= b.words_[i];
        return a;
    }
    [[nodiscard]] friend parameter_set operator|(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] |= b.words_[i];
        return a;
    }
    /// The members of `a` that are not in `b`.
    [[nodiscard]] friend parameter_set operator-(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] &= ~b.words_[i];
        return a;
    }
    [[nodiscard]] friend bool operator==(parameter_set const&, parameter_set const&) = default;

private:
    std::array<std::uint64_t, Words> words_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
