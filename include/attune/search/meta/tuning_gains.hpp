// attune/search/meta/tuning_gains.hpp - how many times as fast tunings made their kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// Between two neighbouring gains that tuning_gains tells apart.
inline constexpr double gain_step = 1.05;

} // namespace detail

/// Gains of tunings: the default configuration's time divided by the best one's. Counted in steps
/// of 5 %, so that the sums of many tunings are short.
class tuning_gains {
public:
    /// A gain below 1 counts as 1: the default was kept. One that is not finite does not count, one
    /// above 1e9 counts as 1e9.
    void add(double gain);
    /// All of another one.
    void add_all(tuning_gains const& other);

    /// Number of tunings.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// The gain that a share of the tunings do not exceed, within 2.5 %: of n tunings in ascending
    /// order number ceil(share n), at least the first. Nothing without tunings.
    /// @param share  in [0, 1]
    [[nodiscard]] std::optional<double> quantile(double share) const;

    /// "0:3,14:1": steps of 5 %, and how many tunings gained that. Empty without tunings.
    [[nodiscard]] std::string text() const;
    /// Nothing: `text` is none of text().
    [[nodiscard]] static std::optional<tuning_gains> read(std::string_view text);

    bool operator==(tuning_gains const&) const = default;

private:
    void add_step(std::uint32_t step, std::size_t tunings);

    // round(log(gain) / log(1.05)) and tunings, ascending, each step once
    std::vector<std::pair<std::uint32_t, std::size_t>> steps_;
    std::size_t count_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/tuning_gains.ipp>
#endif
