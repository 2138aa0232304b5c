// attune/tune/loop/search_log.ipp - repeats the calls of a search, and appends to them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/repeat.hpp>
#include <attune/tune/loop/search_log.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Outcomes of searches with equal keys are comparable.
[[nodiscard]] inline std::string key_of_search(description const& space,
                                               minimize_options const& options)
{
    content_hash out;
    out.add(options.name).add(space_identity(space)).add(bounds_key(options.bounds));
    for (auto const& [name, value] : texts_of_inputs(space))
        out.add(name).add(value);
    return out.hex();
}

ATTUNE_INLINE search_log::search_log(chain_of_trees const& space, minimize_options const& options)
    : log_(options.event_log.empty()
               ? event_log{}
               : event_log{options.event_log, key_of_search(space.describe(), options),
                           options.seed})
{
}

ATTUNE_INLINE optimizer_core search_log::continued(std::function<optimizer_core()> const& make)
{
    optimizer_core out = make();
    std::vector<event> known = log_.salvaged();
    try {
        out.resume({out.save().key, out.save().seed, log_.past()});
    } catch (error const& thrown) {
        notices_.push_back("the search in the event log cannot be repeated, and another one begins "
                           "that knows its outcomes: " +
                           thrown.what_alone());
        out = make();
        known = log_.past();
    }
    for (event const& e : known) {
        if (e.points.size() != 1 || !e.result) continue; // it was asked
        try {
            out.observe(e.points.front(), {*e.result, e.quantities});
        } catch (error const&) { // the line is damaged
        }
    }
    if (!known.empty()) log_.begin_anew(out.save().events);
    written_ = out.save().events.size();
    for (event const& e : out.save().events) {
        if (e.kind == event_kind::asked) {
            open_.insert(open_.end(), e.points.begin(), e.points.end());
            continue;
        }
        std::erase(open_, e.points.front());
        past_.emplace_back(e.points.front(), evaluation{*e.result, e.quantities});
    }
    return out;
}

ATTUNE_INLINE void search_log::write(optimizer_core const& search)
{
    std::vector<event> const& calls = search.save().events;
    for (; written_ < calls.size(); ++written_)
        log_.add(calls[written_]);
}

ATTUNE_INLINE std::vector<std::string> search_log::notices()
{
    std::vector<std::string> out = std::exchange(notices_, {});
    for (std::string& said : log_.notices())
        out.push_back(std::move(said));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
