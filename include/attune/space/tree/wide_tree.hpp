// attune/space/tree/wide_tree.hpp - a group of parameters whose tree would be too wide.
// SPDX-License-Identifier: MIT
// Source   Knuth 1975, "Estimating the efficiency of backtrack programs" (a random walk from the
//          root counts the leaves without bias); own: diagrams of single conditions give the number
//          of settings of each branch, and values are drawn in proportion
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_options.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class domain;           // domain.hpp
struct parameter_group; // groups.hpp

/// One group of parameters whose valid settings are not enumerated. Immutable. Safe to use from
/// several threads; a lock admits one at a time.
class wide_tree {
public:
    /// Cost    about an eighth of options.max_visits
    /// Errors  attune::error naming parameters and constraints, when no valid setting is found
    wide_tree(description const& space, parameter_group const& group,
              std::vector<domain> const& domains, build_options const& options);

    /// True if it is certain that there is no valid setting.
    [[nodiscard]] bool is_empty() const noexcept;
    /// In the order in which draws set them.
    [[nodiscard]] std::span<std::uint32_t const> parameters() const noexcept;

    /// log2 of the estimated number of valid settings. The number itself is estimated without bias.
    [[nodiscard]] double log2_leaves() const noexcept;
    /// One standard error of that number, divided by it. Does not include rare settings that no
    /// walk has met.
    [[nodiscard]] double relative_error() const noexcept;

    /// Writes a valid setting into the coordinates of these parameters: always valid, nearly
    /// uniformly distributed.
    /// Errors  attune::error when none is found
    void draw(random_engine& engine, std::span<coordinate> at) const;

private:
    struct state;
    std::shared_ptr<state> shared_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/tree/wide_tree.ipp>
#endif
