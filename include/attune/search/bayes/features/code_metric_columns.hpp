// attune/search/bayes/features/code_metric_columns.hpp - features that are learnt during a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

struct feature_table;

namespace detail {

/// Numbers such as the registers of compiled code: known for points that were built, predicted for
/// others. A feature_map appends them to its own features, see feature_map::with().
class code_metric_columns {
public:
    /// A level is a pair: a number on an even grid over [0, 1], and its standard deviation. The
    /// numbers may be rescaled; the levels stay, so that tables of levels stay valid.
    static constexpr std::uint32_t steps = 64;
    static constexpr std::uint32_t doubts = 8;
    static constexpr std::uint32_t levels = steps * doubts;
    static constexpr double doubt_step = 1.0 / 16;

    /// @param at  in [0, 1] @param deviation on the same scale; 0: known exactly
    [[nodiscard]] static std::uint32_t level(double at, double deviation = 0) noexcept
    {
        auto const step = std::lround(std::clamp(at, 0.0, 1.0) * (steps - 1));
        auto const doubt = std::lround(std::clamp(deviation / doubt_step, 0.0, doubts - 1.0));
        return static_cast<std::uint32_t>(doubt) * steps + static_cast<std::uint32_t>(step);
    }
    /// Two numbers per level: (number, deviation). The squared distance between a predicted and a
    /// known level is then its expectation, E(h - h')^2 = (E h - h')^2 + Var h.
    static constexpr std::size_t dimensions = 2;
    [[nodiscard]] static std::array<double, levels * dimensions> const& places() noexcept
    {
        static constexpr auto all = [] {
            std::array<double, levels * dimensions> out{};
            for (std::uint32_t i = 0; i < levels; ++i) {
                out[2 * i] = static_cast<double>(i % steps) / (steps - 1);
                out[2 * i + 1] = static_cast<double>(i / steps) * doubt_step;
            }
            return out;
        }();
        return all;
    }

    code_metric_columns() = default;
    code_metric_columns(code_metric_columns const&) = delete;
    code_metric_columns& operator=(code_metric_columns const&) = delete;
    virtual ~code_metric_columns() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual std::string const& name(std::size_t column) const = 0;
    /// Whether the numbers of `p` are known, not predicted.
    [[nodiscard]] virtual bool has_metrics_of(point const& p) const = 0;
    /// Appends the levels of `p`, the last row of `table`, which has all its other features.
    virtual void append(point const& p, feature_table& table) const = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
