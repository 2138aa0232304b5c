// attune/search/automatic.hpp - the default search: a Bayesian search that local search supports.
// SPDX-License-Identifier: MIT
//
// bench.search.replay compares it on eight recorded kernels with eight classical searches, random
// search, Kernel Tuner's model, OpenTuner's default and tree sampling, but not BaCO's search. It
// prints where this search is not ahead. There, local searches beside the model cost more than they
// gain. They help in long runs and on objectives that the model predicts badly.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

class cost_samples;

namespace detail {

/// session_of_programs(), in a program with attune/search/transfer/other_programs.hpp. Null in
/// other programs: search::automatic does not learn from programs.
inline std::atomic<std::optional<past_session> (*)(chain_of_trees const&, cost_samples const&)>
    programs_as_session{nullptr};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::search {

struct automatic_options {
    bayesian_options model{};
    /// From this many outcomes on, every second point comes from a local search around the best.
    /// Suggestions then cost half as much, and find points that the model misses. A Gaussian
    /// process gains from several hundred outcomes, not from more.
    std::size_t long_run = 500;
    /// Local search also starts if the squared error of the model's last predictions (at least 20)
    /// exceeds the variance of their outcomes by this factor.
    double poor_fit = 4.0;
    /// Up to this many coordinates of arrays and long permutations, a model chooses: about 0.2 s a
    /// suggestion. Beyond, a hill climber makes small changes of the best.
    std::size_t most_modelled = 48;
};

/// Bayesian search, with neighbourhood descent in long runs and on objectives hard to model.
///
/// - size: the model scores all of up to model.max_pool points at every step. Of a larger space it
///   scores a sample, with climbs from the best candidates: the cost does not grow with the space;
/// - long arrays and permutations: small changes of the best, see `most_modelled`;
/// - failures: a second model learns where points fail; before the first success, the search asks
///   for points unlike the failed ones;
/// - budget: the model chooses from the first outcomes on; long runs: `long_run`,
///   model.memory_limit.
class automatic {
public:
    explicit automatic(chain_of_trees space, std::uint64_t seed = 0,
                       automatic_options const& options = {});

    /// Up to `k` distinct points, fewer if a finite space is nearly exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Ignores points outside the space; a second outcome of a point replaces the first.
    void tell(point const& p, outcome const& result);
    /// bayesian_searcher::tell_metrics()
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// bayesian_searcher::tell_excess()
    void tell_excess(point const& p, double value, std::span<double const> excess);
    /// bayesian_searcher::inform()
    void inform(std::vector<past_session> const& past);
    /// Learns from measured programs of other tasks, before the first ask(). A model of them gives
    /// one more past session, see inform(). No effect if description::rows is empty or has another
    /// width.
    /// @return  false: no effect, for example because the program lacks attune/search/models.hpp or
    ///          the target attune::models
    bool learn_from(cost_samples const& others);
    /// bayesian_searcher::expected_gain(); nothing while local search is active.
    [[nodiscard]] std::optional<double> expected_gain();
    /// bayesian_searcher::prediction_of()
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const;

private:
    struct state;
    attune::detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::search

namespace attune::inline ATTUNE_ABI {

/// The default of optimizer_options::search and of the other options with a search:
/// search::automatic.
[[nodiscard]] search_factory default_search();

namespace detail {

/// The strategy() of default_search(); parse_technique() does not accept this name.
inline constexpr char const* automatic_name = "automatic";

/// Returns true if arrays and long permutations have at most `most` coordinates together. The time
/// of a model grows with the square of this number.
[[nodiscard]] bool is_narrow(description const& space,
                             std::size_t most = search::automatic_options{}.most_modelled);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/automatic.ipp>
#endif
