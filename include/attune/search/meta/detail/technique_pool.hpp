// attune/search/meta/detail/technique_pool.hpp - searches that share their results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/searcher.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The techniques of a meta technique, who proposed what, and what it was worth.
class technique_pool {
public:
    technique_pool(chain_of_trees const& space,
                   random_engine& engine,
                   std::vector<search::technique> const& among)
    {
        ATTUNE_ASSERT(!among.empty(), "a meta technique needs at least one technique");
        for (search::technique const& t : among) {
            searchers_.push_back(t.make(space, engine()));
            uses_.push_back({t.name});
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return searchers_.size(); }
    [[nodiscard]] std::vector<search::technique_use> const& uses() const noexcept { return uses_; }

    /// A configuration that nobody was asked for; nothing if the technique has none. A technique
    /// repeats at most the configurations of others whose outcomes are not told yet.
    [[nodiscard]] std::optional<point> ask(std::size_t technique)
    {
        for (;;) {
            std::vector<point> asked = searchers_[technique].ask(1);
            if (asked.empty()) return {};
            if (proposed_by_.try_emplace(asked.front(), technique).second)
                return std::move(asked.front());
        }
    }

    /// An outcome of a configuration that a technique proposed.
    struct event {
        std::size_t technique = 0;
        bool is_best = false;
    };
    /// Tells all techniques. @return nothing for a configuration that none proposed, or that was
    /// told before
    std::optional<event> tell(point const& p, outcome const& result)
    {
        for (any_searcher& s : searchers_)
            s.tell(p, result);
        auto const* const measured = std::get_if<measurement>(&result);
        bool const is_best = measured != nullptr && measured->value < best_;
        if (is_best) best_ = measured->value;
        auto const [known, is_new] = proposed_by_.try_emplace(p, nobody);
        if (known->second == nobody) return {};
        std::size_t const technique = std::exchange(known->second, nobody);
        ++uses_[technique].requests;
        if (is_best) ++uses_[technique].new_bests;
        return event{technique, is_best};
    }
    void tell_metrics(point const& p, std::span<double const> numbers)
    {
        for (any_searcher& s : searchers_)
            s.tell_metrics(p, numbers);
    }
    void inform(std::vector<past_session> const& past)
    {
        for (any_searcher& s : searchers_)
            s.inform(past);
    }

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    std::vector<any_searcher> searchers_;
    std::vector<search::technique_use> uses_;
    std::unordered_map<point, std::size_t, point_hash> proposed_by_; ///< nobody: told
    double best_ = std::numeric_limits<double>::infinity();
};

} // namespace attune::inline ATTUNE_ABI::detail
