// attune/search/two_level/evolutionary_search.hpp - evolution of a cost model's scores, with few measurements.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule: search_strategy/evolutionary_search.cc,
//          mutator/*.cc (Shao et al. 2022); a population of 2048 as in the version that Rocke 2024
//          compares with
// Bench    bench/search/levels.cpp, bench/search/programs.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The mutator of a parameter.
enum class mutation_kind : std::uint8_t { tile, compute_location, unroll, parallel, none };

/// `parallel`, `compute_location` and `none` if default_decision_role() is parallel,
/// compute_location and design; `unroll` if the name is UNROLL, or ends with _UNROLL; else `tile`.
[[nodiscard]] mutation_kind default_mutation_kind(description const& space,
                                                  std::uint32_t parameter);

/// The constants of MetaSchedule.
struct evolutionary_options {
    std::size_t population = 2048; ///< at most all configurations
    double measured_ratio = .2;    ///< largest share of measured ones in the first generation
    /// The least number of random members of the first generation that make programs, also beyond
    /// its size. Draws continue until there are as many, or `empty_draws` gave no new one.
    std::size_t min_unmeasured = 50;
    std::size_t empty_draws = 5;
    std::size_t generations = 4;
    double mutation_probability = .85; ///< that a child differs from its parent
    std::size_t retries = 10;          ///< the most mutations of one child without a program
    /// Probability of each mutator, among those with parameters in the space.
    double tile = .9, compute_location = .05, unroll = .03, parallel = .02;
    std::size_t batch = 64;    ///< configurations measured in a round
    double random_batch = .05; ///< share of the batch that is random (eps-greedy)
    /// The search ends after so many rounds in total without a new program.
    std::size_t empty_rounds = 5;

    std::function<mutation_kind(description const&, std::uint32_t)> kind = default_mutation_kind;
    /// The same as in two_level_options.
    std::function<std::uint64_t(point const&)> structure{};
    cost_model_factory model{};
    std::shared_ptr<cost_samples const> samples{};
};

/// MetaSchedule's search, as a baseline on any space. A round evolves a population: the best
/// measured configurations and random ones, then children of parents drawn in proportion to their
/// score. The best unmeasured ones are the batch, with a random share. The model learns from all
/// outcomes before each round; without outcomes, scores are equal and the batch is random.
/// tests/laws/searcher.hpp holds.
///
/// A mutation of a tile moves a factor from one level to another; a mutation of another parameter
/// draws another value.
///
/// Own: the model predicts from the first outcome on, while TVM's has random scores below 100
/// programs. Fewer than min_unmeasured programs in a space do not end the search. Spaces of attune
/// have tile sizes that are numbers, and words (the order of loops, the form of a copy), which
/// MetaSchedule lacks. The mutator of tiles draws both anew. Cost: per round the model learns
/// again, and predicts population * (generations + 1) programs
class evolutionary_search {
public:
    explicit evolutionary_search(chain_of_trees space, std::uint64_t seed = 0,
                                 evolutionary_options const& options = {});

    /// Up to `k` distinct points, fewer if the search ends: see evolutionary_options::empty_rounds.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Ignores points outside the space; a second outcome of a point replaces the first.
    void tell(point const& p, outcome const& result);
    /// Adds programs of other tasks, before the first ask(): as evolutionary_options::samples.
    void learn_from(cost_samples const& others);

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/two_level/evolutionary_search.ipp>
#endif
