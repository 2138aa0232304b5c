// bench/tune/network_curve.hpp - how fast a network was after so many trials of its layers.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bench {

/// The best readings of layers that are tuned one by one, each with as many trials as the others.
class network_curve {
public:
    /// @param calls   of the layer in a run of the network
    /// @param best_s  its best reading after each trial, from the first on; where the space or the
    ///                time ended before that of other layers, the last one stays
    /// @pre           there is one
    void add(double calls, std::vector<double> best_s)
    {
        trials_ = std::max(trials_, best_s.size());
        layers_.emplace_back(calls, std::move(best_s));
    }

    /// Of the layer with the most.
    [[nodiscard]] std::size_t trials() const noexcept { return trials_; }

    /// Seconds of the network by the best readings.
    /// @param trials  of each layer, at least 1
    [[nodiscard]] double after(std::size_t trials) const
    {
        double out = 0;
        for (auto const& [calls, best_s] : layers_)
            out += calls * best_s[std::min(trials, best_s.size()) - 1];
        return out;
    }

    /// The best reading of all trials over that of the first ones: geometric mean over layers.
    /// @param trials  of each layer, at least 1
    [[nodiscard]] double found_after(std::size_t trials) const
    {
        double logs = 0;
        for (auto const& [calls, best_s] : layers_)
            logs += std::log(best_s.back() / best_s[std::min(trials, best_s.size()) - 1]);
        return std::exp(logs / static_cast<double>(layers_.size()));
    }

    /// The least number of trials after which the network takes at most so many seconds.
    [[nodiscard]] std::optional<std::size_t> trials_to(double seconds) const
    {
        for (std::size_t trials = 1; trials <= trials_; ++trials)
            if (after(trials) <= seconds) return trials;
        return {};
    }

private:
    std::vector<std::pair<double, std::vector<double>>> layers_{};
    std::size_t trials_ = 0;
};

} // namespace bench
