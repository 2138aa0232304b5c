// tests/support/minimal_cost_model.hpp - the least that a cost model is: the score of the nearest program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/cost/cost_samples.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace support {

/// Compares sums of the columns, all but the third one.
class minimal_cost_model {
public:
    void learn(std::span<attune::program_rows const> programs, std::span<double const> scores)
    {
        programs_.assign(programs.begin(), programs.end());
        scores_.assign(scores.begin(), scores.end());
    }
    [[nodiscard]] std::vector<double> predict(std::span<attune::program_rows const> programs) const
    {
        std::vector<double> out;
        for (attune::program_rows const& one : programs) {
            double score = 0;
            double nearest = 1e300;
            for (std::size_t k = 0; k < programs_.size(); ++k) {
                double far = 0;
                for (std::size_t c = 0; c < one.width; ++c)
                    far += c == 2 ? 0 : std::fabs(sum_of(one, c) - sum_of(programs_[k], c));
                if (far >= nearest) continue;
                nearest = far;
                score = scores_[k];
            }
            out.push_back(score);
        }
        return out;
    }

private:
    static double sum_of(attune::program_rows const& rows, std::size_t column)
    {
        double out = 0;
        for (std::size_t r = 0; r < rows.count(); ++r)
            out += rows.row(r)[column];
        return out;
    }

    std::vector<attune::program_rows> programs_;
    std::vector<double> scores_;
};

} // namespace support
