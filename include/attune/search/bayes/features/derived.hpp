// attune/search/bayes/features/derived.hpp - features from the constraints of a space and from its user, as levels; which features repeat others.
// SPDX-License-Identifier: MIT
// Source   own: constraints name the quantities that limit a kernel, which also explain its times;
//          a formula with few settings is tabulated, so that a level costs one load
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/search/bayes/features/parameter_features.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The operation on the formula.
enum class derivation : std::uint8_t {
    value,     ///< the value of `first`
    ratio,     ///< of `first` to `second`
    flag,      ///< 1 where `first` is not zero, else 0
    alignment, ///< how many times 2 divides the value of parameter `first`
};

/// A number computed from a configuration.
struct derived_feature {
    derivation how = derivation::value;
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    std::vector<std::uint32_t> scope; ///< parameters that it reads, ascending and unique
    std::string name;
};

/// The user's features(...), in order of declaration.
[[nodiscard]] std::vector<derived_feature> features_of_user(description const& space);

/// Features from the constraints, in order of declaration, each once: the sides of comparisons that
/// read two or more varying parameters; `a % b` as the ratio a / b if it reads two, as a flag if it
/// reads one. Opaque predicates and conditions of active_if() give none. Formulas read an inactive
/// parameter at its one value, as constraints do.
/// @param varies  for each parameter, true if it has several valid values
[[nodiscard]] std::vector<derived_feature> features_of_constraints(description const& space,
                                                                   std::vector<bool> const& varies);

/// The alignment of whole parameters with positive values that are not all powers of two.
[[nodiscard]] std::vector<derived_feature> features_of_alignment(description const& space,
                                                                 std::vector<bool> const& varies);

/// The number at `p`; nothing if undefined: division by zero, overflow, not finite.
[[nodiscard]] std::optional<double>
value_of(description const& space, derived_feature const& feature, std::span<coordinate const> p);

/// A feature with its levels. Immutable once made.
class derived_column {
public:
    /// @param space  bound; must outlive this object
    /// @param seen   points whose values become levels
    /// @param most   limit of levels, beyond which several numbers share a level; flags always have
    ///               two
    derived_column(description const& space, derived_feature formula, std::span<point const> seen,
                   std::uint32_t most);

    [[nodiscard]] derived_feature const& formula() const noexcept { return formula_; }
    [[nodiscard]] level_scale const& scale() const noexcept { return scale_; }
    /// Returns true if a level may have several numbers.
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

/// Levels of one feature at some points.
struct level_column {
    std::span<std::uint32_t const> level; ///< of each point
    std::uint32_t levels = 0;             ///< their number
    bool is_ordered = false;              ///< levels ascend on a line
};

/// Returns true if both features divide the points into the same groups. More than two groups must
/// also be in the same or the opposite order.
/// Cost   one pass over the points, less when they differ early
[[nodiscard]] inline bool repeats(level_column const& a, level_column const& b)
{
    std::uint32_t const none = ~std::uint32_t{0};
    std::vector<std::uint32_t> to_b(a.levels, none);
    std::vector<std::uint32_t> to_a(b.levels, none);
    for (std::size_t i = 0; i < a.level.size(); ++i) {
        std::uint32_t const from = a.level[i];
        std::uint32_t const to = b.level[i];
        if (to_b[from] == none && to_a[to] == none) {
            to_b[from] = to;
            to_a[to] = from;
        }
        if (to_b[from] != to || to_a[to] != from) return false;
    }
    std::erase(to_b, none);
    if (to_b.size() <= 2) return true;
    return a.is_ordered && b.is_ordered &&
           (std::is_sorted(to_b.begin(), to_b.end()) || std::is_sorted(to_b.rbegin(), to_b.rend()));
}

/// Returns true if the levels of `a` only rise or only fall along `line`, and equal places have
/// equal levels.
[[nodiscard]] inline bool follows(std::span<std::uint32_t const> a, std::span<double const> line)
{
    std::vector<std::size_t> order(a.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return line[i] < line[j]; });
    bool rises = true;
    bool falls = true;
    for (std::size_t k = 1; k < order.size(); ++k) {
        std::uint32_t const before = a[order[k - 1]];
        std::uint32_t const after = a[order[k]];
        if (line[order[k - 1]] == line[order[k]] && before != after) return false;
        rises = rises && before <= after;
        falls = falls && before >= after;
    }
    return rises || falls;
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/derived.ipp>
#endif
