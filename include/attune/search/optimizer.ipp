// attune/search/optimizer.ipp - runs the loop behind ask and tell.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/repeat.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE search_factory default_search() { return search_with<search::automatic>(); }

namespace detail {

ATTUNE_INLINE std::optional<point> default_point(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters) {
        if (!p.default_text) return {};
        auto const at = coordinate_of(p, *p.default_text);
        if (!at)
            throw error("the default of a parameter is not one of its values",
                        "parameter " + p.name + ", default " + *p.default_text,
                        "change the default or the values");
        out.push_back(*at);
    }
    std::string broken;
    for (std::string const& text : space.violations(out))
        broken += (broken.empty() ? "" : "; ") + text;
    if (!broken.empty())
        throw error("the default configuration breaks a constraint",
                    broken + " (at " + text_of(space.describe(), out) + ")",
                    "change the defaults or the constraint");
    return out;
}

ATTUNE_INLINE optimizer_core::optimizer_core(chain_of_trees space,
                                             search_factory const& search,
                                             std::uint64_t seed,
                                             bool times,
                                             search_limits const& limits)
    : space_(std::move(space))
    , searcher_(search(space_, seed))
    , default_(attune::detail::default_point(space_))
    , times_(times)
    , judge_(limits)
    , start_s_(steady_seconds())
{
    log_.seed = seed;
    log_.key = space_identity(space_.describe());
}

ATTUNE_INLINE std::vector<point> optimizer_core::from_search(std::size_t count)
{
    std::vector<point> out;
    if (default_ && !default_asked_ && !known_.contains(*default_)) out.push_back(*default_);
    default_asked_ = true;
    while (out.size() < count) {
        std::vector<point> asked = searcher_.ask(count - out.size());
        if (asked.empty()) break;
        for (point& p : asked)
            if (p != default_) out.push_back(std::move(p));
    }
    for (point const& p : out)
        known_.emplace(p, state::asked);
    waiting_ += out.size();
    log_.events.push_back({.kind = event_kind::asked, .points = out, .wanted = count});
    return out;
}

ATTUNE_INLINE std::vector<point> optimizer_core::ask(std::size_t count)
{
    if (count == 0) return {};
    if (judge_.wants_gain()) judge_.gain(searcher_.expected_gain());
    stopped_ = judge_.verdict(steady_seconds() - start_s_);
    if (stopped_) return {};
    std::uint64_t const left = judge_.evaluations_left();
    if (left <= waiting_) return {}; // pending points may use up the budget
    std::vector<point> out = from_search(std::min<std::uint64_t>(count, left - waiting_));
    if (out.empty() && waiting_ == 0) stopped_ = judge_.exhausted();
    return out;
}

ATTUNE_INLINE point const& optimizer_core::require(std::optional<point> const& at,
                                                   outcome const& result) const
{
    bool const is_place = at && at->size() == space_.describe().parameters.size();
    if (!is_place || !space_.contains(*at)) {
        std::string broken;
        if (is_place)
            for (std::string const& text : space_.violations(*at))
                broken += (broken.empty() ? ", which breaks " : "; ") + text;
        throw error("the configuration is not in the space",
                    (is_place ? text_of(space_.describe(), *at) : "a value that no parameter has") +
                        broken,
                    "tell what ask() gave, or a configuration that keeps all constraints");
    }
    auto const* const m = std::get_if<measurement>(&result);
    std::string const where = text_of(space_.describe(), *at);
    if (m != nullptr && std::isnan(m->value))
        throw error("the value told is not a number", where, "tell a failure if it did not work");
    if (m != nullptr && times_ && m->value < 0)
        throw error("the time told is negative: " + detail::formatted("%.6g", m->value),
                    where,
                    "set optimizer_options::times to false if the objective is not a time");
    return *at;
}

ATTUNE_INLINE void optimizer_core::take(point const& at, outcome const& result, bool asked)
{
    auto const [place, is_new] = known_.try_emplace(at, state::told);
    if (!is_new && place->second == state::asked) --waiting_;
    place->second = state::told;
    log_.events.push_back({.kind = asked ? event_kind::told : event_kind::observed,
                           .points = {at},
                           .result = result});
    auto const* const m = std::get_if<measurement>(&result);
    outcome const checked =
        m != nullptr && !std::isfinite(m->value) ? outcome_of(m->value) : result;
    judge_.add(checked);
    if (m != nullptr && succeeded(checked) && (!best_ || m->value < best_->second))
        best_.emplace(at, m->value);
    searcher_.tell(at, checked);
}

ATTUNE_INLINE void optimizer_core::tell(std::optional<point> const& at, outcome const& result)
{
    point const& p = require(at, result);
    auto const known = known_.find(p);
    if (known == known_.end())
        throw error("tell(): the configuration was never asked",
                    text_of(space_.describe(), p),
                    "use observe() for what is known from elsewhere");
    if (known->second == state::told)
        throw error("tell(): the outcome of this configuration was told before",
                    text_of(space_.describe(), p),
                    "use observe() to replace what is known");
    take(p, result, true);
}

ATTUNE_INLINE void optimizer_core::observe(std::optional<point> const& at, outcome const& result)
{
    take(require(at, result), result, false);
}

ATTUNE_INLINE std::string optimizer_core::summary() const
{
    std::string out = std::to_string(judge_.evaluations()) + " evaluations, " +
                      std::to_string(judge_.evaluations() - judge_.worked()) + " failed";
    if (best_) {
        out += detail::formatted("; best %.6g at ", best_->second) +
               text_of(space_.describe(), best_->first);
    } else if (judge_.evaluations() > 0) {
        out += "; no configuration worked yet";
    }
    if (stopped_) out += "; stopped: " + stopped_->text;
    return out;
}

ATTUNE_INLINE void optimizer_core::resume(logged_session const& saved)
{
    if (!log_.events.empty())
        throw error("resume(): this optimizer has begun already",
                    std::to_string(log_.events.size()) + " calls",
                    "resume before the first ask() and tell()");
    if (saved.key != log_.key || saved.seed != log_.seed)
        throw error("resume(): the search was saved with another " +
                        std::string(saved.key != log_.key ? "space" : "seed"),
                    "saved seed " + std::to_string(saved.seed),
                    "construct the optimizer as it was");
    auto const check = [](event const& e) -> std::string {
        bool const is_told = e.kind == event_kind::told || e.kind == event_kind::observed;
        if (!is_told && e.kind != event_kind::asked) return "it is not of an optimizer";
        return is_told && (e.points.size() != 1 || !e.result) ? "nothing was told" : "";
    };
    auto const ask = [this](std::size_t count) {
        if (judge_.wants_gain()) judge_.gain(searcher_.expected_gain());
        return from_search(count);
    };
    auto const take = [this](event const& e) -> std::string {
        if (e.kind == event_kind::told) tell(e.points.front(), *e.result);
        if (e.kind == event_kind::observed) observe(e.points.front(), *e.result);
        return {};
    };
    std::string problem = saved.damaged ? "what it says cannot be read to its end" : "";
    if (problem.empty()) problem = repeat_events(saved.events, check, ask, take);
    if (!problem.empty())
        throw error("resume(): the search cannot go on: " + problem,
                    "seed " + std::to_string(log_.seed),
                    "resume with the same searcher, options and version of attune");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
