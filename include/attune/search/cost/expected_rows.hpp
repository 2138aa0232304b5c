// attune/search/cost/expected_rows.hpp - a configuration's rows, with what is expected of its time.
// SPDX-License-Identifier: MIT
// Bench    bench/search/programs.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/program_rows.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What cost models see of the configurations of one space: description::rows with one column more,
/// log2 of description::expected over its geometric mean in the space. So a model of other programs
/// knows which configurations are expected to be quick for their program, whatever its size. The
/// column is 0 where nothing is expected. The mean is that of 64 random configurations.
class expected_rows {
public:
    explicit expected_rows(chain_of_trees space)
        : space_(std::move(space))
    {
        if (!space_.describe().rows || !space_.describe().expected) return;
        random_engine engine(0);
        constexpr int draws = 64;
        int known = 0;
        double sum = 0;
        for (int i = 0; i < draws; ++i)
            if (double const v = log_expected(space_.sample(engine)); std::isfinite(v)) {
                sum += v;
                ++known;
            }
        if (known > 0) mean_ = sum / known;
    }

    /// Nothing where the space has no rows, or the configuration stands for no program.
    /// @pre  `at` is in the space
    [[nodiscard]] std::optional<program_rows> of(point const& at) const
    {
        description const& d = space_.describe();
        if (!d.rows) return {};
        program_rows plain;
        double expected = 0;
        try {
            plain = d.rows(d, at);
            if (d.expected) expected = log_expected(at) - mean_;
        } catch (error const&) {
            return {};
        }
        if (plain.count() == 0) return {};
        if (!std::isfinite(expected)) expected = 0;
        program_rows out{{}, plain.width + 1};
        out.values.reserve(plain.count() * out.width);
        for (std::size_t r = 0; r < plain.count(); ++r) {
            out.values.insert(out.values.end(), plain.row(r).begin(), plain.row(r).end());
            out.values.push_back(expected);
        }
        return out;
    }

    /// Whether a model that learnt from `others` can predict these rows: there are some, and of
    /// equal width.
    [[nodiscard]] bool fit(cost_samples const& others) const
    {
        if (!space_.describe().rows || others.size() == 0) return false;
        random_engine engine(0);
        constexpr int draws = 64;
        for (int i = 0; i < draws; ++i)
            if (std::optional<program_rows> const one = of(space_.sample(engine)))
                return one->width == others.programs().front().width;
        return false;
    }

private:
    [[nodiscard]] double log_expected(point const& at) const
    {
        return std::log2(space_.describe().expected(at));
    }

    chain_of_trees space_;
    double mean_ = 0;
};

} // namespace attune::inline ATTUNE_ABI
