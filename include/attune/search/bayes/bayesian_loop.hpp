// attune/search/bayes/bayesian_loop.hpp - the ask and tell of every Bayesian search.
// SPDX-License-Identifier: MIT
// tested by search/bayes/basic_bayesian.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// basic_bayesian_searcher with its parts behind a table of functions. See bayesian_searcher.
class bayesian_loop {
public:
    bayesian_loop(chain_of_trees space, std::uint64_t seed, bayesian_options const& options,
                  std::unique_ptr<search_parts> parts);
    ~bayesian_loop();
    bayesian_loop(bayesian_loop&&) noexcept;
    bayesian_loop& operator=(bayesian_loop&&) noexcept;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);
    [[nodiscard]] std::optional<double> expected_gain();
    [[nodiscard]] std::optional<double> prediction_error() const;
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const;

private:
    class state;
    std::unique_ptr<state> state_; ///< its members refer to each other
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/bayesian_loop.ipp>
#endif
