// attune/search/bayesian.ipp - the default Bayesian search, compiled once.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_process.hpp>

#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI {

class bayesian_searcher::state : public basic_bayesian_searcher<detail::warm_process> {
public:
    using basic_bayesian_searcher<detail::warm_process>::basic_bayesian_searcher;
};

ATTUNE_INLINE
bayesian_searcher::bayesian_searcher(chain_of_trees space, std::uint64_t seed,
                                     bayesian_options const& options)
    : state_(std::make_unique<state>(std::move(space), seed, options))
{
}
ATTUNE_INLINE bayesian_searcher::~bayesian_searcher() = default;
ATTUNE_INLINE
bayesian_searcher::bayesian_searcher(bayesian_searcher&&) noexcept = default;
ATTUNE_INLINE bayesian_searcher&
bayesian_searcher::operator=(bayesian_searcher&&) noexcept = default;

ATTUNE_INLINE std::vector<point> bayesian_searcher::ask(std::size_t k) { return state_->ask(k); }
ATTUNE_INLINE void bayesian_searcher::tell(point const& p, outcome const& result)
{
    state_->tell(p, result);
}
ATTUNE_INLINE std::optional<double> bayesian_searcher::prediction_error() const
{
    return state_->prediction_error();
}
ATTUNE_INLINE std::optional<double> bayesian_searcher::prediction_of(point const& p) const
{
    return state_->prediction_of(p);
}
ATTUNE_INLINE void bayesian_searcher::tell_metrics(point const& p, std::span<double const> numbers)
{
    state_->tell_metrics(p, numbers);
}
ATTUNE_INLINE void bayesian_searcher::tell_excess(point const& p, double value,
                                                  std::span<double const> excess)
{
    state_->tell_excess(p, value, excess);
}
ATTUNE_INLINE void bayesian_searcher::inform(std::vector<past_session> const& past)
{
    state_->inform(past);
}
ATTUNE_INLINE std::optional<double> bayesian_searcher::expected_gain()
{
    return state_->expected_gain();
}

} // namespace attune::inline ATTUNE_ABI
