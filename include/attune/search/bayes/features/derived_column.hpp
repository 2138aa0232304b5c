// attune/search/bayes/features/derived_column.hpp - a derived feature as levels.
// SPDX-License-Identifier: MIT
// Source   own: a formula with few settings is tabulated, so that a level costs one load
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/derived.hpp>
#include <attune/search/bayes/features/level_scale.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Immutable once made.
class derived_column {
public:
    /// @param space  bound; must outlive this object
    /// @param seen   points whose values become levels
    /// @param most   limit of levels, beyond which numbers share them; flags always have two
    derived_column(description const& space, derived_feature formula, std::span<point const> seen,
                   std::uint32_t most);

    [[nodiscard]] derived_feature const& formula() const noexcept { return formula_; }
    [[nodiscard]] level_scale const& scale() const noexcept { return scale_; }
    /// Whether a level may stand for several numbers.
    [[nodiscard]] bool is_rounded() const noexcept { return is_rounded_; }
    /// The levels of the points given to the constructor.
    [[nodiscard]] std::vector<std::uint32_t> const& seen_levels() const noexcept { return seen_; }
    /// Frees the memory of seen_levels().
    void forget_seen() { std::vector<std::uint32_t>().swap(seen_); }

    [[nodiscard]] std::uint32_t level_at(std::span<coordinate const> p) const
    {
        if (table_.empty()) return scale_.level_of(value_of(*space_, formula_, p));
        return table_[setting_of(p)];
    }

private:
    /// Formulas with at most this many settings are tabulated.
    static constexpr std::size_t most_settings = 4096;

    [[nodiscard]] std::size_t setting_of(std::span<coordinate const> p) const noexcept
    {
        std::size_t setting = 0;
        for (std::size_t i = 0; i < formula_.scope.size(); ++i)
            setting += strides_[i] * p[formula_.scope[i]].index;
        return setting;
    }
    [[nodiscard]] std::vector<std::optional<double>> values_of_settings() const;
    void make_scale(std::vector<double> occurring, std::uint32_t most);

    description const* space_;
    derived_feature formula_;
    std::vector<std::size_t> strides_; // parallel to formula_.scope
    std::vector<std::uint32_t> table_; // level of each setting; empty: too many, or real
    level_scale scale_;
    bool is_rounded_ = false;
    std::vector<std::uint32_t> seen_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/derived_column.ipp>
#endif
