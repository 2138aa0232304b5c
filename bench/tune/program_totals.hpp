// bench/tune/program_totals.hpp - ratios of several layers, and the line of all.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace bench {

/// Ratios of several layers.
class program_ratios {
public:
    void add(double ratio, bool is_dense)
    {
        all_.push_back(ratio);
        if (is_dense) dense_.push_back(ratio);
    }
    void print(char const* name) const
    {
        if (all_.empty()) return;
        std::printf(" %s=%.3f", name, mean(all_));
        if (!dense_.empty()) std::printf(" dense_%s=%.3f", name, mean(dense_));
        std::printf(" worst_%s=%.3f", name, *std::min_element(all_.begin(), all_.end()));
    }

private:
    [[nodiscard]] static double mean(std::vector<double> const& of)
    {
        double logs = 0;
        for (double const x : of)
            logs += std::log(x);
        return std::exp(logs / static_cast<double>(of.size()));
    }
    std::vector<double> all_;
    std::vector<double> dense_;
};

struct program_totals {
    program_ratios vs_library{};
    program_ratios vs_metaschedule{};
    program_ratios vs_metaschedule60{};
    program_ratios at8{};
    program_ratios at8_model{};
    program_ratios at60_model{};
    program_ratios at16{};
    program_ratios random_at16{};
    program_ratios random_at60{};
    program_ratios vs_clang{};
    double seconds = 0;
    double think_s = 0;
    double model_seconds = 0; ///< of the searches with --samples
    double model_think_s = 0;
};

} // namespace bench
