// attune/search/meta/tuning_gains.ipp - counts in steps of 5 %.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/tuning_gains.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

inline constexpr double most_gain = 1e9;

[[nodiscard]] inline std::uint32_t step_of_gain(double gain)
{
    double const inside = std::clamp(gain, 1.0, most_gain);
    return static_cast<std::uint32_t>(std::lround(std::log(inside) / std::log(gain_step)));
}

} // namespace detail

ATTUNE_INLINE void tuning_gains::add_step(std::uint32_t step, std::size_t tunings)
{
    auto const at =
        std::lower_bound(steps_.begin(), steps_.end(), step,
                         [](auto const& one, std::uint32_t sought) { return one.first < sought; });
    if (at == steps_.end() || at->first != step)
        steps_.insert(at, {step, tunings});
    else
        at->second += tunings;
    count_ += tunings;
}
ATTUNE_INLINE void tuning_gains::add(double gain)
{
    if (std::isfinite(gain)) add_step(detail::step_of_gain(gain), 1);
}
ATTUNE_INLINE void tuning_gains::add_all(tuning_gains const& other)
{
    for (auto const& [step, tunings] : other.steps_)
        add_step(step, tunings);
}
ATTUNE_INLINE std::optional<double> tuning_gains::quantile(double share) const
{
    if (count_ == 0) return {};
    double const wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(count_);
    std::size_t const rank = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(wanted - 1e-9))); // .2 * 5 is 1, not a little more
    std::size_t below = 0;
    for (auto const& [step, tunings] : steps_) {
        below += tunings;
        if (below >= rank) return std::pow(detail::gain_step, static_cast<double>(step));
    }
    return {};
}

ATTUNE_INLINE std::string tuning_gains::text() const
{
    std::string out;
    for (auto const& [step, tunings] : steps_) {
        if (!out.empty()) out += ',';
        out += std::to_string(step) + ':' + std::to_string(tunings);
    }
    return out;
}
ATTUNE_INLINE std::optional<tuning_gains> tuning_gains::read(std::string_view text)
{
    tuning_gains out;
    std::uint32_t const most = detail::step_of_gain(detail::most_gain);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
        auto const step = detail::taken_before(one, ':');
        if (!step) return {};
        auto const at = detail::whole_number<std::uint32_t>(*step);
        auto const tunings = detail::whole_number<std::uint32_t>(one);
        if (!at || *at > most || !tunings || *tunings == 0) return {};
        out.add_step(*at, *tunings);
    }
    if (out.text() != text) return {}; // ascending, each step once, no blanks
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
