// attune/search/repeat.ipp - repeats the calls of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/schema.hpp>
#include <attune/search/repeat.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string space_identity(description const& space)
{
    return content_hash{}.add(schema_text(space)).hex();
}

ATTUNE_INLINE std::string repeat_events(std::vector<event> const& events,
                                        std::function<std::string(event const&)> const& check,
                                        std::function<std::vector<point>(std::size_t)> const& ask,
                                        std::function<std::string(event const&)> const& take)
{
    for (std::size_t i = 0; i < events.size(); ++i) {
        event const& e = events[i];
        std::string problem = check(e);
        if (problem.empty() && e.kind == event_kind::asked) {
            if (e.wanted > most_asked_at_once)
                problem = "too many configurations were asked for";
            else if (ask(e.wanted) != e.points)
                problem = "the search proposes other configurations than it did then";
        }
        if (problem.empty()) problem = take(e);
        if (!problem.empty()) return "event " + std::to_string(i + 1) + ": " + problem;
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
