// attune/search/meta/usual_gain.ipp - pools the gains of the nearest spaces.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/usual_gain.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE std::optional<usual_gain> usual_gain_of(technique_history const& past,
                                                      space_structure const& structure,
                                                      std::string_view label)
{
    usual_gain out;
    tuning_gains all;
    for (representation const& r : past.representations()) {
        if (r.gains.count() == 0) continue;
        if (!label.empty() && r.label == label) {
            if (r.structure == structure) out.own = r.gains.quantile(.5);
            continue;
        }
        double const distance = structure_distance(structure, r.structure);
        if (out.problems > 0 && distance > out.distance) continue;
        if (out.problems == 0 || distance < out.distance) {
            all = {};
            out.problems = 0;
            out.distance = distance;
        }
        all.add_all(r.gains);
        ++out.problems;
    }
    if (out.problems == 0) return {};
    out.tunings = all.count();
    out.low = *all.quantile(.2);
    out.median = *all.quantile(.5);
    out.high = *all.quantile(.8);
    return out;
}

ATTUNE_INLINE std::string usual_gain_text(usual_gain const& gain)
{
    auto const number = [](double v) { return attune::detail::formatted("%.3g", v); };
    auto const counted = [](std::size_t n, char const* what) {
        return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
    };
    std::string out = "tuning usually makes such a space " + number(gain.median) +
                      " times as fast (a fifth of the tunings gained at most " + number(gain.low) +
                      ", a fifth more than " + number(gain.high) +
                      "): " + counted(gain.tunings, "tuning") + " of " +
                      counted(gain.problems, "kernel") + ", distance " + number(gain.distance);
    if (!gain.own) return out;
    out += "; this one " + number(*gain.own) + " times";
    if (gain.is_own_poor())
        out += ": less than four in five; its space lacks what helps elsewhere, or its default is "
               "good";
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
