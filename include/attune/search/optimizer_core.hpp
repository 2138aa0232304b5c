// attune/search/optimizer_core.hpp - an optimizer without the types of its space.
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

namespace attune::inline ATTUNE_ABI::detail {

/// Asks the default configuration first, if there is one, then the searcher; checks outcomes, and
/// logs all calls.
class optimizer_core {
public:
    /// @param times  values are times: a negative one is an error
    optimizer_core(chain_of_trees space,
                   search_factory const& search,
                   std::uint64_t seed,
                   bool times,
                   search_limits const& limits = {});

    /// Up to `count` points never asked nor told before; none when a limit is reached or the space
    /// is exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t count);
    /// Tells the outcome of a point that was asked.
    /// Errors  attune::error naming the point: not in the space, never asked, told before; a value
    ///         that is NaN, or a negative time
    void tell(std::optional<point> const& at, outcome const& result);
    /// Tells the outcome of any point, asked or not; replaces a former one.
    /// Errors  attune::error: not in the space, NaN, a negative time
    void observe(std::optional<point> const& at, outcome const& result);

    /// The lowest value and its point; nothing before the first success.
    [[nodiscard]] std::optional<std::pair<point, double>> const& best() const noexcept
    {
        return best_;
    }
    [[nodiscard]] chain_of_trees const& space() const noexcept { return space_; }
    /// Why the last ask() returned nothing; nothing while there is more to try.
    [[nodiscard]] std::optional<stop_verdict> const& stopped() const noexcept { return stopped_; }
    /// The model's last estimate of the remaining gain, if search_limits::expected_gain needs one.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept
    {
        return judge_.expected_gain();
    }
    /// One sentence: how many were tried, how many failed, the best, the reason for the end.
    [[nodiscard]] std::string summary() const;

    /// All calls so far: asked, told and observed.
    [[nodiscard]] logged_session const& save() const noexcept { return log_; }
    /// Brings this optimizer, before its first ask(), to the state of a saved one.
    /// Errors  attune::error: not before the first ask(); another space, seed or searcher; a
    ///         damaged session
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

} // namespace attune::inline ATTUNE_ABI::detail
