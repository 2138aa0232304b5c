// attune/tune/logged_search.ipp - a searcher whose every question and answer is written down.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/logged_search.hpp>

#include <algorithm>
#include <utility>

namespace attune {

replayed_calls repeat_calls(any_searcher& search, std::vector<event> const& events)
{
    replayed_calls out;
    for (std::size_t i = 0; i < events.size(); ++i) {
        event const& e = events[i];
        if (e.kind == event_kind::asked) {
            if (search.ask(e.wanted) != e.points) {
                out.problem = "event " + std::to_string(i + 1) +
                              ": the search proposes other configurations than it did then";
                return out;
            }
            out.open.insert(out.open.end(), e.points.begin(), e.points.end());
        } else if (e.kind == event_kind::told) {
            search.tell(e.points.front(), *e.result);
            std::erase(out.open, e.points.front());
            out.told.emplace_back(e.points.front(), *e.result);
        } else if (e.kind == event_kind::chosen)
            out.chosen = e.points.front();
    }
    return out;
}

logged_search::logged_search(search_factory const& make,
                             chain_of_trees const& space,
                             std::uint64_t seed,
                             event_log& log)
    : log_(&log)
    , search_(make(space, seed))
    , past_(repeat_calls(search_, log.past()))
{
    if (past_.problem.empty()) return;
    past_ = {.problem = "the interrupted tuning cannot be continued: " + past_.problem};
    search_ = make(space, seed);
    log.begin_anew();
}

std::vector<point> logged_search::ask(std::size_t k)
{
    std::vector<point>& open = past_.open;
    if (!open.empty()) {
        std::size_t const count = std::min(k, open.size());
        auto const end = open.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<point> out(open.begin(), end);
        open.erase(open.begin(), end);
        return out;
    }
    std::vector<point> asked = search_.ask(k);
    log_->add({.kind = event_kind::asked, .points = asked, .wanted = k});
    return asked;
}

void logged_search::tell(point const& p, outcome const& result)
{
    search_.tell(p, result);
    log_->add({.kind = event_kind::told, .points = {p}, .result = result});
}

} // namespace attune
