// attune/search/bayes/forest/coding.hpp - features as columns of bytes, which trees read, and sets of these bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// The most codes of a column, because a code is a byte.
inline constexpr std::uint32_t most_codes = 256;

/// Properties of a column of codes.
struct column {
    std::uint32_t codes = 0; ///< codes are below it
    bool is_nominal = false; ///< codes have no order
    bool operator==(column const&) const = default;
};

/// Points as codes, column by column.
struct code_table {
    std::vector<column> about;
    std::vector<std::vector<std::uint8_t>> code; ///< [column][point]
    std::size_t points = 0;
};

/// Converts the features of a map to codes:
///   on a line     one code per level; continuous features and those with more than most_codes
///                 levels are cut into most_codes cells
///   nominal       one code per level, modulo most_codes
///   permutations  one column for each number that places a level, so that a tree can ask whether
///   and tiles     an item comes early or a factor is large
class coding {
public:
    explicit coding(feature_map const& features);

    [[nodiscard]] std::vector<column> const& columns() const noexcept { return about_; }

    /// The rows first .. of `table` as codes, appended to `out`, which is empty or holds codes of
    /// this coding.
    void append(feature_table const& table, std::size_t first, code_table& out) const;
    [[nodiscard]] code_table operator()(feature_table const& table) const
    {
        code_table out;
        append(table, 0, out);
        return out;
    }

private:
    std::vector<column> about_;
    std::vector<std::uint32_t> feature_;              // feature read by each column
    std::vector<std::vector<std::uint8_t>> of_level_; // code of each level; empty: continuous
};

} // namespace attune::inline ATTUNE_ABI::detail::forest

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/forest/coding.ipp>
#endif
