// attune/search/optimizer_core.hpp - what an optimizer does, without the types of its space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/stop.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Asks the default configuration first, if there is one, then the searcher; refuses what cannot be
/// right; writes everything down.
class optimizer_core {
public:
    /// @param times  values are times: a negative one is an error
    optimizer_core(chain_of_trees space,
                   search_factory const& search,
                   std::uint64_t seed,
                   bool times,
                   stop_rules const& stop,
                   budget const& limits = {});

    /// Up to `count` points never asked nor told before; none when the budget is spent, a stop rule
    /// holds or nothing is left.
    [[nodiscard]] std::vector<point> ask(std::size_t count);
    /// What became of a point that was asked.
    /// Errors  attune::error naming the point: not in the space, never asked, told before; a value
    ///         that is no number, or a negative time
    void tell(std::optional<point> const& at, outcome const& result);
    /// What is known of any point, asked or not, perhaps again.
    /// Errors  attune::error: not in the space, no number, a negative time
    void observe(std::optional<point> const& at, outcome const& result);

    /// The lowest value and where; nothing before the first success.
    [[nodiscard]] std::optional<std::pair<point, double>> const& best() const noexcept
    {
        return best_;
    }
    [[nodiscard]] chain_of_trees const& space() const noexcept { return space_; }
    /// Why the last ask() gave nothing; nothing while there is more to try.
    [[nodiscard]] std::optional<stop_verdict> const& stopped() const noexcept { return stopped_; }
    /// The model's last estimate, where stop_rules::expected_gain asked for one.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept
    {
        return judge_.expected_gain();
    }
    /// One sentence: how many were tried and failed, the best, why it ended.
    [[nodiscard]] std::string summary() const;

    /// All calls so far: asked, told and observed.
    [[nodiscard]] logged_session const& save() const noexcept { return log_; }
    /// Brings this optimizer, of which nothing was asked yet, to where another was saved.
    /// Errors  attune::error: something was asked already; another space, seed or searcher; a
    ///         session that is damaged
    void resume(logged_session const& saved);

private:
    enum class state : std::uint8_t { asked, told };

    [[nodiscard]] point const& require(std::optional<point> const& at, outcome const& result) const;
    [[nodiscard]] std::vector<point> from_search(std::size_t count);
    void take(point const& at, outcome const& result, bool asked);

    chain_of_trees space_;
    any_searcher searcher_;
    std::optional<point> default_;
    bool default_asked_ = false;
    bool times_;
    stop_judge judge_;
    double start_s_;
    std::unordered_map<point, state, point_hash> known_;
    std::size_t waiting_ = 0;
    std::optional<std::pair<point, double>> best_;
    std::optional<stop_verdict> stopped_;
    logged_session log_;
};

} // namespace attune::inline ATTUNE_ABI
