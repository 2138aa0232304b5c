// attune/search/bayes/model/learner.hpp - updates a model with the history of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/memory.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/search/history.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The observations that a model learns.
struct learner_options {
    bool keeps_failures = true; ///< failures are observed too
    bool fits_failures = false; ///< hyperparameters are fitted to failures as well
    memory_policy memory = representative_memory;
    /// With more observations, each refit keeps two thirds of the limit, which leaves room for new
    /// ones until the next, and hyperparameters are fitted to every third of those.
    std::size_t limit = 300;
    /// Observations beyond a bound whose value was not measured are left out.
    bool needs_value = false;
};

/// The number and variance that the model gets for an observation.
struct learnt_value {
    double number = 0;
    double variance = 0;
};

/// A model, and the number of observations that it has read.
/// @tparam Model  a resident_surrogate
template <resident_surrogate Model>
class learner {
public:
    /// @param more  what the model is made of beside the features
    template <class... More>
    learner(feature_map features, learner_options options, More const&... more)
        : features_(std::move(features))
        , model_(features_, more...)
        , options_(options)
    {
    }

    [[nodiscard]] Model& model() noexcept { return model_; }
    /// Observations in the model.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Reads all observations again at the next update(), because one has changed.
    void forget_all() noexcept { read_.reset(); }
    /// Empties the model, so that replacing its candidates costs nothing.
    void empty(random_engine& engine)
    {
        model_.learn({}, {}, {}, engine);
        read_.reset();
    }

    /// Reads new observations; all of them if `refit` or after forget_all().
    /// @param value_of  observation -> value
    template <class ValueOf>
    void update(search_history const& history,
                candidate_rows const& rows,
                ValueOf const& value_of,
                bool refit,
                random_engine& engine)
    {
        if (refit || !read_) return read_all(history, value_of, refit, engine);
        for (; *read_ < history.told().size(); ++*read_) {
            observation const& o = history.told()[*read_];
            if (is_left_out(o)) continue;
            learnt_value const v = value_of(o);
            if (std::optional<std::size_t> const row = row_like(o.where, rows)) {
                model_.observe(*row, v.number, v.variance);
            } else {
                feature_table one;
                features_.append(o.where, one);
                model_.observe(one, 0, v.number, v.variance);
            }
            ++size_;
        }
    }

    /// Observes `p` until the matching model().pop().
    void push(point const& p, candidate_rows const& rows, double number)
    {
        if (std::optional<std::size_t> const row = row_like(p, rows))
            return model_.push(*row, number);
        feature_table one;
        features_.append(p, one);
        model_.push(one, 0, number);
    }

private:
    [[nodiscard]] bool is_left_out(observation const& o) const
    {
        return (o.failed() && !options_.keeps_failures) ||
               (options_.needs_value && o.exceeded && !o.is_measured());
    }

    /// The row of candidate `p`, if its code metrics are up to date.
    [[nodiscard]] std::optional<std::size_t> row_like(point const& p,
                                                      candidate_rows const& rows) const
    {
        return features_.has_metrics_of(p) ? std::nullopt : rows.row_of(p);
    }

    struct numbers {
        feature_table points;
        std::vector<double> values;
        std::vector<double> variance;
    };

    template <class ValueOf>
    numbers collect(search_history const& history,
                    std::vector<std::size_t> const& places,
                    ValueOf const& value_of) const
    {
        numbers out;
        for (std::size_t const i : places) {
            observation const& o = history.told()[i];
            if (is_left_out(o)) continue;
            learnt_value const v = value_of(o);
            features_.append(o.where, out.points);
            out.values.push_back(v.number);
            out.variance.push_back(v.variance);
        }
        if (std::all_of(out.variance.begin(), out.variance.end(), [](double v) { return v == 0; }))
            out.variance.clear();
        return out;
    }

    template <class ValueOf>
    void read_all(search_history const& history,
                  ValueOf const& value_of,
                  bool refit,
                  random_engine& engine)
    {
        bool const is_long = history.told().size() > options_.limit;
        std::vector<std::size_t> const kept =
            options_.memory(history,
                            features_.space().describe(),
                            is_long ? options_.limit * 2 / 3 : options_.limit,
                            !options_.keeps_failures);
        if (refit) {
            std::vector<std::size_t> fitted;
            for (std::size_t i = 0; i < kept.size(); i += is_long ? 3 : 1)
                if (options_.fits_failures || !history.told()[kept[i]].failed())
                    fitted.push_back(kept[i]);
            numbers const seen = collect(history, fitted, value_of);
            model_.fit(seen.points, seen.values, seen.variance, engine);
        }
        numbers const all = collect(history, kept, value_of);
        model_.learn(all.points, all.values, all.variance, engine);
        size_ = all.values.size();
        read_ = history.told().size();
    }

    feature_map features_;
    Model model_;
    learner_options options_;
    std::size_t size_ = 0;
    std::optional<std::size_t> read_; ///< told()[0 .. read_) has been read
};

} // namespace attune::inline ATTUNE_ABI::detail
