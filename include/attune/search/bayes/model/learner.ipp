// attune/search/bayes/model/learner.ipp - updates a model with the history of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/memory.hpp>
#include <attune/search/bayes/model/learner.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
