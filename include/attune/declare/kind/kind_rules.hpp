// attune/declare/kind/kind_rules.hpp - what a kind of parameter does: one table for all stages.
// SPDX-License-Identifier: MIT
// tested by declare/table.cpp
//
// A new kind is an enumerator and its traits (kinds.hpp), a file of its functions (detail/), a row
// of the table (kind_rules.ipp), and how it is written in a file (space/files/). What a function
// asks of a kind without calling it are its kind_traits.
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

namespace attune::inline ATTUNE_ABI {

/// How far a real parameter moves in one step, as a share of its scale.
inline constexpr double real_step = 0.05;

namespace detail {

/// A function of a step; true where the step is taken. Refers to its function, copies nothing.
struct step_taker {
    void* self = nullptr;
    bool (*take)(void* self, coordinate step) = nullptr;

    bool operator()(coordinate step) const { return take(self, step); }
};

/// What the parameters of one kind do. Coordinates are inside the table or interval.
struct kind_rules {
    using parameter = parameter_description const&;

    parameter_kind of{};
    std::string (*text)(parameter, coordinate at) = nullptr;
    std::optional<coordinate> (*parse)(parameter, std::string_view text) = nullptr;
    /// In [0, 1], 1 for the farthest pair of values.
    double (*distance)(parameter, coordinate a, coordinate b) = nullptr;
    /// Offers what lies one step from `at`, as for_each_step() says.
    void (*steps)(parameter, coordinate at, step_taker const& take) = nullptr;
    /// How many numbers in [0, 1] stand for a value.
    std::size_t (*unit_width)(parameter) = nullptr;
    /// What to_unit and from_unit read besides the parameter; made once.
    std::vector<double> (*unit_table)(parameter) = nullptr;
    /// @param out  unit_width numbers, all 0
    void (*to_unit)(parameter,
                    std::span<double const> table,
                    coordinate at,
                    std::span<double> out) = nullptr;
    /// The nearest value. @param at  unit_width numbers; those outside [0, 1] are moved inside
    coordinate (*from_unit)(parameter,
                            std::span<double const> table,
                            std::span<double const> at) = nullptr;
};

[[nodiscard]] kind_rules const& rules_of(parameter_kind kind) noexcept;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/kind/kind_rules.ipp>
#endif
