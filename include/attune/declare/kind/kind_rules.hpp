// attune/declare/kind/kind_rules.hpp - the functions of each kind of parameter: one table for all stages.
// SPDX-License-Identifier: MIT
// tested by declare/table.cpp
//
// A new kind needs an enumerator and its traits (kinds.hpp), a file of its functions (detail/), a
// row of the table (kind_rules.ipp), and its text form in space/files/. Properties of a kind that
// need no function are its kind_traits.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Length of one step of a real parameter, as a share of its scale.
inline constexpr double real_step = 0.05;

/// A reference to a function of a step that returns true where it takes the step.
struct step_taker {
    void* self = nullptr;
    bool (*take)(void* self, coordinate step) = nullptr;

    bool operator()(coordinate step) const { return take(self, step); }
};

/// The functions of one kind. Coordinates are inside the table or interval.
struct kind_rules {
    using parameter = parameter_description const&;

    parameter_kind of{};
    std::string (*text)(parameter, coordinate at) = nullptr;
    std::optional<coordinate> (*parse)(parameter, std::string_view text) = nullptr;
    /// In [0, 1]; 1 for the farthest pair of values.
    double (*distance)(parameter, coordinate a, coordinate b) = nullptr;
    /// Offers the values one step from `at`, as for_each_step() describes.
    void (*steps)(parameter, coordinate at, step_taker const& take) = nullptr;
    /// How many numbers in [0, 1] encode a value.
    std::size_t (*unit_width)(parameter) = nullptr;
    /// The table that to_unit and from_unit read; made once per parameter.
    std::vector<double> (*unit_table)(parameter) = nullptr;
    /// @param out  unit_width numbers, all 0
    void (*to_unit)(parameter, std::span<double const> table, coordinate at,
                    std::span<double> out) = nullptr;
    /// The nearest value. @param at unit_width numbers; numbers outside [0, 1] are clamped
    coordinate (*from_unit)(parameter, std::span<double const> table,
                            std::span<double const> at) = nullptr;
};

[[nodiscard]] kind_rules const& rules_of(parameter_kind kind) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/kind/kind_rules.ipp>
#endif
