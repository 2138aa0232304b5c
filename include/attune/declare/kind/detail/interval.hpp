// attune/declare/kind/detail/interval.hpp - the functions of a real parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/list_distance.hpp>
#include <attune/declare/kind/scale.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A value is encoded by one number in [0, 1].
[[nodiscard]] inline std::size_t one_number(parameter_description const&) { return 1; }
[[nodiscard]] inline std::vector<double> no_table(parameter_description const&) { return {}; }

/// (a - b) / (high - low), or the same of the logarithms.
[[nodiscard]] inline double share_of_way(double a, double b, double low, double high,
                                         bool logarithmic)
{
    if (logarithmic && low > 0)
        return ratio_or_zero(std::abs(std::log(a) - std::log(b)), std::log(high) - std::log(low));
    return ratio_or_zero(std::abs(a - b), high - low);
}

namespace interval_kind {

inline std::string text(parameter_description const&, coordinate at)
{
    return text_of_real(at.real);
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::optional<double> const v = parse_real(without_spaces(text));
    if (!v || !(*v >= p.low && *v <= p.high)) return {}; // also refuses NaN
    return coordinate{0, *v};
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return share_of_way(a.real, b.real, p.low, p.high, p.on == scale::log);
}
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    for (double const step : {-real_step, real_step}) {
        double const position = scale_position(p, at.real) + step;
        double const moved = scale_value(p, std::clamp(position, 0.0, 1.0));
        if (moved != at.real) take({0, moved});
    }
}
inline void to_unit(parameter_description const& p, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    out[0] = scale_position(p, at.real);
}
inline coordinate from_unit(parameter_description const& p, std::span<double const>,
                            std::span<double const> at)
{
    return {0, scale_value(p, std::clamp(at[0], 0.0, 1.0))};
}

} // namespace interval_kind

} // namespace attune::inline ATTUNE_ABI::detail
