// attune/search/bayes/model/learner.hpp - selects the observations that a model keeps, and updates the model with the history of a search.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024, Sec. 3.5 (limits of an optimizer's memory); the mixture is own: the best
//          show where to continue, distant ones the whole function, the latest the recent search
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/history.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct description;
class search_history;

namespace detail {

/// The observations that a model keeps. A third each: the best, points far from each other, and the
/// latest.
/// @param only_working  leaves failures out
/// @return  indices of history.told(), ascending, at most `limit`; all if there are no more
/// Cost     beyond the limit: limit / 3 * 192 distances
[[nodiscard]] std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit, bool only_working);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// The observations that a model learns.
struct learner_options {
    bool keeps_failures = true; ///< failures are observed too
    bool fits_failures = false; ///< hyperparameters are fitted to failures as well
    /// With more observations, each refit keeps two thirds of the limit, which leaves room until
    /// the next refit. Hyperparameters are fitted to every third of those.
    std::size_t limit = 300;
    /// True if observations beyond a bound without a measured value are left out.
    bool needs_value = false;
};

/// The number and variance of an observation in the model.
struct learnt_value {
    double number = 0;
    double variance = 0;
};

/// A model, and the number of observations that it has read.
class learner {
public:
    /// Gives an observation to the model as a number.
    using value_of = std::function<learnt_value(observation const&)>;

    /// @param model  of these features, without observations
    learner(feature_map features, learner_options options, std::unique_ptr<any_model> model)
        : features_(std::move(features))
        , model_(std::move(model))
        , options_(options)
    {
    }

    [[nodiscard]] any_model& model() noexcept { return *model_; }
    /// Observations in the model.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Reads all observations again at the next update(), because one changed.
    void forget_all() noexcept { read_.reset(); }
    /// Empties the model, so that replacing its candidates costs nothing.
    void empty(random_engine& engine);

    /// Reads new observations; all of them if `refit` or after forget_all().
    void update(search_history const& history, candidate_rows const& rows,
                value_of const& number_of, bool refit, random_engine& engine);

    /// Observes `p` until the matching model().pop().
    void push(point const& p, candidate_rows const& rows, double number);

private:
    struct numbers {
        feature_table points;
        std::vector<double> values;
        std::vector<double> variance;
    };

    [[nodiscard]] bool is_left_out(observation const& o) const;
    /// The row of candidate `p`, if its code metrics are up to date.
    [[nodiscard]] std::optional<std::size_t> row_like(point const& p,
                                                      candidate_rows const& rows) const;
    [[nodiscard]] numbers collect(search_history const& history,
                                  std::vector<std::size_t> const& places,
                                  value_of const& number_of) const;
    void read_all(search_history const& history, value_of const& number_of, bool refit,
                  random_engine& engine);

    feature_map features_;
    std::unique_ptr<any_model> model_;
    learner_options options_;
    std::size_t size_ = 0;
    std::optional<std::size_t> read_; ///< told()[0 .. read_) has been read
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/model/learner.ipp>
#endif
