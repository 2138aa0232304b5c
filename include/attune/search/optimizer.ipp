// attune/search/optimizer.ipp - checks, counts and logs the calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/repeat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

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

struct optimizer_core::state {
    enum class stage : std::uint8_t { asked, told };

    state(chain_of_trees searched, search_factory const& search, std::uint64_t seed,
          bool values_are_times, search_limits const& limits, std::vector<quantity_bound> kept)
        : space(std::move(searched))
        , searcher(search(space, seed))
        , initial(default_point(space))
        , times(values_are_times)
        , bounds(std::move(kept))
        , judge(limits)
        , start_s(steady_seconds())
    {
        log.seed = seed;
        require_bounds(bounds);
        log.key = space_identity(space.describe());
        if (!bounds.empty()) log.key += " where " + bounds_key(bounds);
    }

    [[nodiscard]] std::vector<point> from_search(std::size_t count)
    {
        std::vector<point> out;
        if (initial && !initial_asked && !stages.contains(*initial)) out.push_back(*initial);
        initial_asked = true;
        while (out.size() < count) {
            std::vector<point> asked = searcher.ask(count - out.size());
            if (asked.empty()) break;
            for (point& p : asked)
                if (p != initial) out.push_back(std::move(p));
        }
        for (point const& p : out)
            stages.emplace(p, stage::asked);
        waiting += out.size();
        log.events.push_back({.kind = event_kind::asked, .points = out, .wanted = count});
        return out;
    }

    [[nodiscard]] std::vector<point> ask(std::size_t count)
    {
        if (count == 0) return {};
        if (judge.wants_gain()) judge.gain(searcher.expected_gain());
        stopped = judge.verdict(steady_seconds() - start_s);
        if (stopped) return {};
        std::uint64_t const left = judge.evaluations_left();
        if (left <= waiting) return {}; // pending points may use up the budget
        std::vector<point> out = from_search(std::min<std::uint64_t>(count, left - waiting));
        if (out.empty() && waiting == 0) stopped = judge.exhausted();
        return out;
    }

    [[nodiscard]] point const& require(std::optional<point> const& at, outcome const& result) const
    {
        bool const is_place = at && at->size() == space.describe().parameters.size();
        if (!is_place || !space.contains(*at)) {
            std::string broken;
            if (is_place)
                for (std::string const& text : space.violations(*at))
                    broken += (broken.empty() ? ", which breaks " : "; ") + text;
            throw error(
                "the configuration is not in the space",
                (is_place ? text_of(space.describe(), *at) : "a value that no parameter has") +
                    broken,
                "tell what ask() gave, or a configuration that keeps all constraints");
        }
        auto const* const m = std::get_if<measurement>(&result);
        std::string const where = text_of(space.describe(), *at);
        if (m != nullptr && std::isnan(m->value))
            throw error("the value told is not a number", where,
                        "tell a failure if it did not work");
        if (m != nullptr && times && m->value < 0)
            throw error("the time told is negative: " + detail::formatted("%.6g", m->value), where,
                        "set optimizer_options::times to false if the objective is not a time");
        return *at;
    }

    void take(point const& at, evaluation const& seen, bool asked)
    {
        std::vector<double> numbers = bounded_numbers(bounds, seen);
        outcome const& result = seen.result;
        auto const [place, is_new] = stages.try_emplace(at, stage::told);
        if (!is_new && place->second == stage::asked) --waiting;
        place->second = stage::told;
        log.events.push_back({.kind = asked ? event_kind::told : event_kind::observed,
                              .points = {at},
                              .result = result,
                              .numbers = numbers,
                              .quantities = seen.quantities});
        auto const* const m = std::get_if<measurement>(&result);
        bool const is_finite = m != nullptr && std::isfinite(m->value);
        outcome const checked = m != nullptr && !is_finite ? outcome_of(m->value)
                                                           : within_bounds(bounds, numbers, result);
        judge.add(checked);
        if (!bounds.empty()) {
            auto const* const why = std::get_if<failure>(&checked);
            bool const is_measured =
                is_finite || (why != nullptr && why->stage == failure_stage::bound);
            std::vector<double> const excess = excesses(bounds, numbers);
            // A crash has no quantities.
            if (is_measured) searcher.tell_excess(at, is_finite ? m->value : std::nan(""), excess);
            look_at_shortfall(at, is_finite, excess, std::move(numbers));
        }
        look_at_best(at,
                     succeeded(checked) && m != nullptr ? std::optional(m->value) : std::nullopt);
        searcher.tell(at, checked);
    }

    /// @param value  of a successful configuration that keeps all bounds
    void look_at_best(point const& at, std::optional<double> value)
    {
        if (value)
            values[at] = *value;
        else
            values.erase(at);
        bool const was_best = best && best->first == at;
        if (value && (!best || *value < best->second || (was_best && *value == best->second))) {
            best.emplace(at, *value);
        } else if (was_best) { // the new value of the best is worse, or no longer valid
            best.reset();
            for (event const& e : log.events) { // in the order of the session, so that ties stay
                if (e.kind == event_kind::asked) continue;
                auto const known = values.find(e.points.front());
                if (known != values.end() && (!best || known->second < best->second))
                    best.emplace(known->first, known->second);
            }
        }
    }

    /// Keeps the configuration with the least distance to all bounds together.
    void look_at_shortfall(point const& at, bool is_finite, std::vector<double> const& excess,
                           std::vector<double> numbers)
    {
        if (nearest && nearest->first == at) nearest.reset(); // it has a new value
        if (!is_finite) return;
        double sum = 0;
        for (double const e : excess)
            sum += std::isnan(e) ? std::numeric_limits<double>::infinity() : std::max(e, 0.0);
        if (nearest && sum >= nearest_excess) return;
        nearest.emplace(at, std::move(numbers));
        nearest_excess = sum;
    }
    [[nodiscard]] std::string shortfall() const
    {
        if (best || !nearest) return {};
        return "no configuration keeps " + bounds_text(bounds) + ": the nearest has " +
               bounded_text(bounds, nearest->second) + " at " +
               text_of(space.describe(), nearest->first);
    }

    /// The caller's configuration with settled values of inactive parameters, which may have any.
    [[nodiscard]] std::optional<point> settled(std::optional<point> at) const
    {
        if (at && at->size() == space.describe().parameters.size())
            at = space.settled(*std::move(at));
        return at;
    }

    void tell(std::optional<point> const& given, evaluation const& seen)
    {
        std::optional<point> const at = settled(given);
        point const& p = require(at, seen.result);
        auto const known = stages.find(p);
        if (known == stages.end())
            throw error("tell(): the configuration was never asked", text_of(space.describe(), p),
                        "use observe() for what is known from elsewhere");
        if (known->second == stage::told)
            throw error("tell(): the outcome of this configuration was told before",
                        text_of(space.describe(), p), "use observe() to replace what is known");
        take(p, seen, true);
    }

    void observe(std::optional<point> const& given, evaluation const& seen)
    {
        std::optional<point> const at = settled(given);
        take(require(at, seen.result), seen, false);
    }
    /// The evaluation of a logged event. Logs of earlier versions only have bounded quantities.
    [[nodiscard]] evaluation evaluation_in(event const& e) const
    {
        evaluation out{*e.result, e.quantities};
        if (!out.quantities.empty()) return out;
        for (std::size_t i = 0; i < bounds.size(); ++i)
            out.quantities.push_back({bounds[i].name, e.numbers[i]});
        return out;
    }

    [[nodiscard]] std::string summary() const
    {
        std::string out = detail::count_text(judge.evaluations(), "evaluation") + ", " +
                          std::to_string(judge.evaluations() - judge.worked()) + " failed";
        if (best) {
            out += detail::formatted("; best %.6g at ", best->second) +
                   text_of(space.describe(), best->first);
        } else if (nearest) {
            out += "; " + shortfall();
        } else if (judge.evaluations() > 0) {
            out += "; no configuration worked yet";
        }
        if (stopped) out += "; stopped: " + stopped->text;
        return out;
    }

    void resume(logged_session const& saved)
    {
        auto const check = [this](event const& e) -> std::string {
            bool const is_told = e.kind == event_kind::told || e.kind == event_kind::observed;
            if (!is_told && e.kind != event_kind::asked) return "it is not of an optimizer";
            if (is_told && e.numbers.size() != bounds.size())
                return "it does not have a number for each bound";
            return is_told && (e.points.size() != 1 || !e.result) ? "nothing was told" : "";
        };
        auto const ask = [this](std::size_t count) {
            if (judge.wants_gain()) judge.gain(searcher.expected_gain());
            return from_search(count);
        };
        auto const take = [this](event const& e) -> std::string {
            if (e.kind == event_kind::told) tell(e.points.front(), evaluation_in(e));
            if (e.kind == event_kind::observed) observe(e.points.front(), evaluation_in(e));
            return {};
        };
        resume_events(log, saved, "optimizer", "space or other bounds", check, ask, take);
    }

    chain_of_trees space;
    any_searcher searcher;
    std::optional<point> initial; ///< the default configuration
    bool initial_asked = false;
    bool times;
    std::vector<quantity_bound> bounds;
    stop_judge judge;
    double start_s;
    std::unordered_map<point, stage, point_hash> stages;
    std::unordered_map<point, double, point_hash> values; ///< of points that may be the best
    std::size_t waiting = 0;                              ///< number of points without an outcome
    std::optional<std::pair<point, double>> best;
    /// The point nearest to the bounds, and its bounded quantities.
    std::optional<std::pair<point, std::vector<double>>> nearest;
    double nearest_excess = 0;
    std::optional<stop_verdict> stopped;
    logged_session log;
};

ATTUNE_INLINE optimizer_core::optimizer_core(chain_of_trees space, search_factory const& search,
                                             std::uint64_t seed, bool times,
                                             search_limits const& limits,
                                             std::vector<quantity_bound> bounds)
    : state_([&] {
        own_float_environment const numbers;
        return make_state<state>(std::move(space), search, seed, times, limits, std::move(bounds));
    }())
{
}

ATTUNE_INLINE std::vector<point> optimizer_core::ask(std::size_t count)
{
    own_float_environment const numbers;
    return state_->ask(count);
}
ATTUNE_INLINE void optimizer_core::tell(std::optional<point> const& at, evaluation const& seen)
{
    own_float_environment const numbers;
    state_->tell(at, seen);
}
ATTUNE_INLINE void optimizer_core::observe(std::optional<point> const& at, evaluation const& seen)
{
    own_float_environment const numbers;
    state_->observe(at, seen);
}
ATTUNE_INLINE std::optional<std::pair<point, double>> const& optimizer_core::best() const noexcept
{
    return state_->best;
}
ATTUNE_INLINE chain_of_trees const& optimizer_core::space() const noexcept { return state_->space; }
ATTUNE_INLINE std::optional<stop_verdict> const& optimizer_core::stopped() const noexcept
{
    return state_->stopped;
}
ATTUNE_INLINE std::optional<double> optimizer_core::expected_gain() const noexcept
{
    return state_->judge.expected_gain();
}
ATTUNE_INLINE std::string optimizer_core::shortfall() const
{
    own_float_environment const numbers;
    return state_->shortfall();
}
ATTUNE_INLINE std::string optimizer_core::summary() const
{
    own_float_environment const numbers;
    return state_->summary();
}
ATTUNE_INLINE logged_session const& optimizer_core::save() const noexcept { return state_->log; }
ATTUNE_INLINE void optimizer_core::resume(logged_session const& saved)
{
    own_float_environment const numbers;
    state_->resume(saved);
}

} // namespace attune::inline ATTUNE_ABI::detail
