// attune/tune/loop/detail/session_record.hpp - a finished session as a record of the store, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/session.hpp>

#include <ctime>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE record make_record(record_key key,
                                 description const& space,
                                 session_result const& result,
                                 tuning_options const& options)
{
    record out;
    out.key = std::move(key);
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        out.configuration.emplace_back(space.parameters[i].name,
                                       text_of(space.parameters[i], result.at[i]));
    out.best_s = result.report.best.value;
    out.default_s = result.report.default_time.value;
    out.evaluations = result.report.evaluations;
    out.failures = total(result.report.failures);
    out.seed = options.seed;
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    out.when = text;
    out.attune = version;
    out.interrupted = result.report.interrupted;
    out.disturbed = result.report.noise.is_disturbed;
    if (result.report.roofline) {
        out.least_s = result.report.roofline->least_s;
        out.memory_bound = result.report.roofline->memory_bound;
    }
    return out;
}

ATTUNE_INLINE std::optional<point> point_of(record const& remembered, chain_of_trees const& space)
{
    description const& d = space.describe();
    point out(d.parameters.size());
    std::size_t placed = 0;
    for (auto const& [name, text] : remembered.configuration) {
        std::uint32_t const i = d.find_parameter(name);
        if (i == no_index) return {};
        auto const at = coordinate_of(d.parameters[i], text);
        if (!at) return {};
        out[i] = *at;
        ++placed;
    }
    if (placed != d.parameters.size() || !space.contains(out)) return {};
    return out;
}

} // namespace attune::inline ATTUNE_ABI
