// bench/tune/suite_table.hpp - how soon three searches come near the best, kernel by kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/search/local/populations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

class convergence_table {
public:
    static constexpr std::array<std::size_t, 3> checkpoints{20, 40, 60};

    /// Tunes one kernel with each search and notes the best value after every evaluation.
    template <class Kernel>
    void add(std::uint32_t evaluations, std::uint64_t seed)
    {
        std::vector<std::vector<double>> histories;
        double best = std::numeric_limits<double>::infinity();
        for (auto const& [name, search] : searches()) {
            std::vector<double> history;
            Kernel problem;
            attune::tuned tuned{Kernel::kernel(),
                                attune::clang_compiler{},
                                {.limits = {.evaluations = evaluations},
                                 .search = {.strategy = search, .seed = seed},
                                 .progress = [&](attune::progress const& p) {
                                     if (p.event == attune::progress_event::evaluated && p.has_best)
                                         history.push_back(p.best_value);
                                 }}};
            problem.call(tuned);
            if (!history.empty()) best = std::min(best, history.back());
            histories.push_back(std::move(history));
        }
        for (std::size_t s = 0; s < histories.size(); ++s) {
            std::array<double, checkpoints.size()> row{};
            for (std::size_t c = 0; c < checkpoints.size(); ++c)
                if (!histories[s].empty())
                    row[c] = best / histories[s][std::min(checkpoints[c], histories[s].size()) - 1];
            std::printf("suite_search %s search=%s frac@20=%.3f frac@40=%.3f frac@60=%.3f\n",
                        Kernel::name, searches()[s].first.c_str(), row[0], row[1], row[2]);
            for (std::size_t c = 0; c < checkpoints.size(); ++c)
                sums_[s][c] += row[c];
        }
        std::fflush(stdout);
        ++kernels_;
    }

    void print() const
    {
        for (std::size_t s = 0; s < sums_.size() && kernels_ > 0; ++s)
            std::printf("suite_search mean search=%s frac@20=%.3f frac@40=%.3f frac@60=%.3f\n",
                        searches()[s].first.c_str(), sums_[s][0] / kernels_, sums_[s][1] / kernels_,
                        sums_[s][2] / kernels_);
    }

private:
    using named_search = std::pair<std::string, attune::search_factory>;

    static std::vector<named_search> searches()
    {
        return {{"default", attune::tuning_options{}.search.strategy},
                {"random", attune::search_with<attune::random_searcher>()},
                {"genetic", attune::search_with<attune::genetic>()}};
    }

    std::array<std::array<double, checkpoints.size()>, 3> sums_{};
    int kernels_ = 0;
};

} // namespace bench
