// attune/search/published/opentuner_default.ipp - the techniques and their bandit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/search/published/detail/opentuner_techniques.hpp>
#include <attune/search/published/opentuner_default.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A technique whose proposals of known configurations count, at most `rounds` of them in a row.
template <class Begin>
[[nodiscard]] search::technique opentuner_named(std::string name, Begin begin, int rounds)
{
    return {std::move(name),
            [begin, rounds](chain_of_trees const& space, std::uint64_t seed) -> any_searcher {
                return opentuner_technique(space, seed, begin, rounds);
            }};
}

[[nodiscard]] inline std::vector<search::technique> opentuner_techniques()
{
    constexpr int once = 1;
    constexpr int most_known = 50; // of the simplex, before other techniques are asked
    return {
        opentuner_named("DifferentialEvolutionAlt", opentuner_evolution, once),
        opentuner_named(
            "UniformGreedyMutation", [](trials& t) { return opentuner_mutation(t, 0.1, false); },
            once),
        opentuner_named(
            "NormalGreedyMutation", [](trials& t) { return opentuner_mutation(t, 0.3, true); },
            once),
        opentuner_named("RandomNelderMead", opentuner_simplex, most_known),
    };
}

class opentuner_search {
public:
    opentuner_search(chain_of_trees const& space, std::uint64_t seed,
                     search::auc_bandit_options const& options)
        : bandit_(space, seed, opentuner_techniques(), options)
        , unseen_(space)
        , engine_(~seed)
    {
    }

    [[nodiscard]] std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out;
        while (out.size() < k) {
            std::optional<point> p = next();
            if (!p) break;
            out.push_back(std::move(*p));
        }
        return out;
    }
    void tell(point const& p, outcome const& result)
    {
        unseen_.mark(p);
        bandit_.tell(p, result);
    }

private:
    [[nodiscard]] std::optional<point> next()
    {
        constexpr int most_asked = 50;
        for (int i = 0; i < most_asked; ++i)
            for (point& p : bandit_.ask(1))
                if (unseen_.mark(p)) return std::move(p);
        std::optional<point> p = unseen_.draw(engine_);
        if (p) unseen_.mark(*p);
        return p;
    }

    search::auc_bandit bandit_;
    unseen_points unseen_;
    random_engine engine_;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::published {

ATTUNE_INLINE search_factory opentuner_default(search::auc_bandit_options const& options)
{
    return search_with<detail::opentuner_search>(options);
}

} // namespace attune::inline ATTUNE_ABI::published
