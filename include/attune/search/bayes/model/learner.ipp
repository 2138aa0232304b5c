// attune/search/bayes/model/learner.ipp - selects observations, and updates a model with the history of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/model/learner.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// Distant points are selected among this many, taken evenly from the history.
inline constexpr std::size_t spread_candidates = 192;

/// Adds up to `count` of `from` to `chosen`, each as far as possible from the earlier ones.
inline void add_spread(search_history const& history, description const& space,
                       std::vector<std::size_t> from, std::size_t count,
                       std::vector<std::size_t>& chosen)
{
    if (from.size() > spread_candidates) {
        std::vector<std::size_t> thinned;
        for (std::size_t i = 0; i < spread_candidates; ++i)
            thinned.push_back(from[i * from.size() / spread_candidates]);
        from = std::move(thinned);
    }
    std::vector<point> at;
    for (std::size_t const i : from)
        at.push_back(with_inactive_marked(space, history.told()[i].where));
    std::vector<double> nearest(from.size(), std::numeric_limits<double>::infinity());
    for (std::size_t taken = 0; taken < std::min(count, from.size()); ++taken) {
        auto const far = std::max_element(nearest.begin(), nearest.end());
        std::size_t const next = static_cast<std::size_t>(far - nearest.begin());
        chosen.push_back(from[next]);
        for (std::size_t i = 0; i < from.size(); ++i)
            if (nearest[i] >= 0)
                nearest[i] = std::min(nearest[i], marked_distance(space, at[next], at[i]));
        nearest[next] = -1; // taken
    }
}

/// All indices that may be kept, ascending.
inline std::vector<std::size_t> places(search_history const& history, bool only_working)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < history.told().size(); ++i)
        if (!only_working || !history.told()[i].failed()) out.push_back(i);
    return out;
}

/// Up to `limit` distinct indices of a history.
class kept_places {
public:
    kept_places(search_history const& history, std::size_t limit)
        : taken_(history.told().size(), 0)
        , limit_(limit)
    {
    }

    void add(std::size_t place)
    {
        if (taken_[place] != 0 || places_.size() >= limit_) return;
        taken_[place] = 1;
        places_.push_back(place);
    }
    /// The last `count` of `all`.
    void add_latest(std::vector<std::size_t> const& all, std::size_t count)
    {
        for (std::size_t i = all.size(); i-- > 0 && count > 0; --count)
            add(all[i]);
    }
    [[nodiscard]] bool contains(std::size_t place) const { return taken_[place] != 0; }
    [[nodiscard]] std::size_t free() const noexcept { return limit_ - places_.size(); }
    [[nodiscard]] std::vector<std::size_t> sorted() &&
    {
        std::sort(places_.begin(), places_.end());
        return std::move(places_);
    }

private:
    std::vector<char> taken_;
    std::vector<std::size_t> places_;
    std::size_t limit_;
};

ATTUNE_INLINE std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit, bool only_working)
{
    std::vector<std::size_t> const all = places(history, only_working);
    if (all.size() <= limit) return all;
    std::size_t const third = std::max<std::size_t>(1, limit / 3);
    kept_places kept(history, limit);
    for (std::size_t const i : history.best_places(third))
        kept.add(i);
    kept.add_latest(all, third);
    std::vector<std::size_t> rest;
    for (std::size_t const i : all)
        if (!kept.contains(i)) rest.push_back(i);
    std::vector<std::size_t> spread;
    add_spread(history, space, rest, kept.free(), spread);
    for (std::size_t const i : spread)
        kept.add(i);
    return std::move(kept).sorted();
}

ATTUNE_INLINE void learner::empty(random_engine& engine)
{
    model_->learn({}, {}, {}, engine);
    read_.reset();
}

ATTUNE_INLINE void learner::update(search_history const& history, candidate_rows const& rows,
                                   value_of const& number_of, bool refit, random_engine& engine)
{
    if (refit || !read_) return read_all(history, number_of, refit, engine);
    for (; *read_ < history.told().size(); ++*read_) {
        observation const& o = history.told()[*read_];
        if (is_left_out(o)) continue;
        learnt_value const v = number_of(o);
        if (std::optional<std::size_t> const row = row_like(o.where, rows)) {
            model_->observe(*row, v.number, v.variance);
        } else {
            feature_table one;
            features_.append(o.where, one);
            model_->observe(one, 0, v.number, v.variance);
        }
        ++size_;
    }
}

ATTUNE_INLINE void learner::push(point const& p, candidate_rows const& rows, double number)
{
    if (std::optional<std::size_t> const row = row_like(p, rows)) return model_->push(*row, number);
    feature_table one;
    features_.append(p, one);
    model_->push(one, 0, number);
}

ATTUNE_INLINE bool learner::is_left_out(observation const& o) const
{
    return (o.failed() && !options_.keeps_failures) ||
           (options_.needs_value && o.exceeded && !o.is_measured());
}

ATTUNE_INLINE std::optional<std::size_t> learner::row_like(point const& p,
                                                           candidate_rows const& rows) const
{
    return features_.has_metrics_of(p) ? std::nullopt : rows.row_of(p);
}

ATTUNE_INLINE learner::numbers learner::collect(search_history const& history,
                                                std::vector<std::size_t> const& places,
                                                value_of const& number_of) const
{
    numbers out;
    for (std::size_t const i : places) {
        observation const& o = history.told()[i];
        if (is_left_out(o)) continue;
        learnt_value const v = number_of(o);
        features_.append(o.where, out.points);
        out.values.push_back(v.number);
        out.variance.push_back(v.variance);
    }
    if (std::all_of(out.variance.begin(), out.variance.end(), [](double v) { return v == 0; }))
        out.variance.clear();
    return out;
}

ATTUNE_INLINE void learner::read_all(search_history const& history, value_of const& number_of,
                                     bool refit, random_engine& engine)
{
    bool const is_long = history.told().size() > options_.limit;
    std::vector<std::size_t> const kept = representative_memory(
        history, features_.space().describe(), is_long ? options_.limit * 2 / 3 : options_.limit,
        !options_.keeps_failures);
    if (refit) {
        std::vector<std::size_t> fitted;
        for (std::size_t i = 0; i < kept.size(); i += is_long ? 3 : 1)
            if (options_.fits_failures || !history.told()[kept[i]].failed())
                fitted.push_back(kept[i]);
        numbers const seen = collect(history, fitted, number_of);
        model_->fit(seen.points, seen.values, seen.variance, engine);
    }
    numbers const all = collect(history, kept, number_of);
    model_->learn(all.points, all.values, all.variance, engine);
    size_ = all.values.size();
    read_ = history.told().size();
}

} // namespace attune::inline ATTUNE_ABI::detail
