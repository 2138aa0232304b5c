// attune/search/two_level/evolutionary_search.hpp - evolution of a cost model's scores; few are measured.
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
#include <attune/search/cost/cost_model.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Which mutator changes a parameter.
enum class mutation_kind : std::uint8_t { tile, compute_location, unroll, parallel, none };

/// `parallel`, `compute_location` and `none` where default_decision_role() says parallel,
/// compute_location and design; `unroll` where the name is UNROLL, or ends with _UNROLL; else
/// `tile`.
[[nodiscard]] mutation_kind default_mutation_kind(description const& space,
                                                  std::uint32_t parameter);

/// The constants of MetaSchedule.
struct evolutionary_options {
    std::size_t population = 2048; ///< at most all configurations
    double measured_ratio = .2;    ///< most of the first generation that were measured, the best
    /// Random members of the first generation that make programs, at least, beyond its size where
    /// need be: draws go on until there are as many, or `empty_draws` have given no new one.
    std::size_t min_unmeasured = 50;
    std::size_t empty_draws = 5;
    std::size_t generations = 4;
    double mutation_probability = .85; ///< that a child is not its parent
    std::size_t retries = 10;          ///< mutations of one child that give no program
    /// How often each mutator is chosen, among those that the space has parameters for.
    double tile = .9, compute_location = .05, unroll = .03, parallel = .02;
    std::size_t batch = 64;    ///< configurations that are measured in a round
    double random_batch = .05; ///< share of the batch that is random (eps-greedy)
    /// The search ends after so many rounds, all together, that met no program which is new.
    std::size_t empty_rounds = 5;

    std::function<mutation_kind(description const&, std::uint32_t)> kind = default_mutation_kind;
    /// As those of two_level_options.
    std::function<std::uint64_t(point const&)> structure{};
    cost_model_factory model{};
    std::shared_ptr<cost_samples const> samples{};
};

/// MetaSchedule's search, as a baseline on any space. A round evolves a population: the best
/// measured configurations and random ones, then children of parents drawn in proportion to their
/// score. The best that were met and not measured are the batch, of which a share is random. The
/// model learns anew from all outcomes before each round; without any, scores are equal and the
/// batch is random. tests/laws/searcher.hpp holds.
///
/// A mutation of a tile moves a factor from one level to another, that of another parameter draws
/// another of its values.
///
/// Own: the model says something from the first outcome on, where TVM's has random scores until it
/// knows 100 programs; fewer than min_unmeasured programs in a space do not end the search; and our
/// spaces have sizes of tiles that are numbers, and words (the order of loops, the form of a copy),
/// which count as tiles among the mutators and are drawn anew. MetaSchedule decides no such words.
/// Cost: per round the model learns anew, and predicts population * (generations + 1) programs
class evolutionary_search {
public:
    explicit evolutionary_search(chain_of_trees space, std::uint64_t seed = 0,
                                 evolutionary_options const& options = {});
    ~evolutionary_search();
    evolutionary_search(evolutionary_search&&) noexcept;
    evolutionary_search& operator=(evolutionary_search&&) noexcept;

    /// Up to `k` distinct points, fewer when the search ends: see
    /// evolutionary_options::empty_rounds.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Points outside the space are ignored; a point told again replaces its former outcome.
    void tell(point const& p, outcome const& result);
    /// Programs of other tasks, before the first ask(): as evolutionary_options::samples.
    void learn_from(cost_samples const& others);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/two_level/evolutionary_search.ipp>
#endif
