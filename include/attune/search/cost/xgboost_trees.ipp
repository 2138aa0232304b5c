// attune/search/cost/xgboost_trees.ipp - passes gradients of programs to XGBoost, row by row.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/cost/xgboost_trees.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <xgboost/c_api.h>

namespace attune::inline ATTUNE_ABI {

namespace detail::cost {

inline void require_xgboost(int result)
{
    if (result == 0) return;
    std::string said = XGBGetLastError(); // the first line; a stack follows
    said.resize(std::min(said.size(), said.find('\n')));
    throw error("XGBoost failed", said, "use attune::boosted_trees instead");
}

/// Rows of programs as XGBoost's matrix: rows x width.
class xgboost_matrix {
public:
    /// @pre  there is a row
    explicit xgboost_matrix(std::span<program_rows const> programs)
    {
        std::vector<float> values;
        constexpr double most = static_cast<double>(std::numeric_limits<float>::max());
        std::size_t width = 0;
        for (program_rows const& p : programs) {
            width = std::max(width, p.width);
            for (double const v : p.values)
                values.push_back(static_cast<float>(std::clamp(v, -most, most)));
        }
        constexpr float none = std::numeric_limits<float>::quiet_NaN();
        require_xgboost(
            XGDMatrixCreateFromMat(values.data(), values.size() / width, width, none, &handle_));
    }
    xgboost_matrix(xgboost_matrix const&) = delete;
    xgboost_matrix& operator=(xgboost_matrix const&) = delete;
    ~xgboost_matrix() { XGDMatrixFree(handle_); }

    [[nodiscard]] DMatrixHandle get() const noexcept { return handle_; }

private:
    DMatrixHandle handle_ = nullptr;
};

[[nodiscard]] inline std::size_t rows_in(std::span<program_rows const> programs) noexcept
{
    std::size_t out = 0;
    for (program_rows const& p : programs)
        out += p.count();
    return out;
}

} // namespace detail::cost

struct xgboost_trees::booster {
    /// @param rows  training data, which must outlive the learning
    booster(boosting_options const& options, detail::cost::xgboost_matrix const& rows)
    {
        DMatrixHandle const learnt[] = {rows.get()};
        detail::cost::require_xgboost(XGBoosterCreate(learnt, 1, &handle));
        std::pair<char const*, std::string> const wanted[] = {
            {"booster", "gbtree"},
            {"tree_method", "hist"},
            {"nthread", "1"},
            {"verbosity", "0"},
            {"base_score", "0"},
            {"max_depth", std::to_string(options.max_depth)},
            {"gamma", std::to_string(options.gamma)},
            {"min_child_weight", std::to_string(options.min_child_weight)},
            {"lambda", std::to_string(options.lambda)},
            {"eta", std::to_string(options.eta)},
            {"max_bin", std::to_string(options.max_bins)}};
        for (auto const& [name, value] : wanted)
            detail::cost::require_xgboost(XGBoosterSetParam(handle, name, value.c_str()));
    }
    booster(booster const&) = delete;
    booster& operator=(booster const&) = delete;
    ~booster() { XGBoosterFree(handle); }

    /// Sums over rows, by program.
    [[nodiscard]] std::vector<double> predict(detail::cost::xgboost_matrix const& rows,
                                              std::span<program_rows const> programs,
                                              bool is_training) const
    {
        std::string const how = std::string(R"({"type": 1, "iteration_begin": 0, )") +
                                R"("iteration_end": 0, "strict_shape": false, "training": )" +
                                (is_training ? "true}" : "false}");
        bst_ulong const* shape = nullptr;
        bst_ulong dimensions = 0;
        float const* said = nullptr;
        detail::cost::require_xgboost(XGBoosterPredictFromDMatrix(handle, rows.get(), how.c_str(),
                                                                  &shape, &dimensions, &said));
        std::vector<double> out;
        for (program_rows const& p : programs) {
            double sum = 0;
            for (std::size_t r = 0; r < p.count(); ++r)
                sum += static_cast<double>(*said++);
            out.push_back(sum);
        }
        return out;
    }

    BoosterHandle handle = nullptr;
};

ATTUNE_INLINE xgboost_trees::xgboost_trees(boosting_options options)
    : options_(options)
{
}

ATTUNE_INLINE xgboost_trees::~xgboost_trees() = default;
ATTUNE_INLINE xgboost_trees::xgboost_trees(xgboost_trees&&) noexcept = default;
ATTUNE_INLINE xgboost_trees& xgboost_trees::operator=(xgboost_trees&&) noexcept = default;

ATTUNE_INLINE void xgboost_trees::learn(std::span<program_rows const> programs,
                                        std::span<double const> scores)
{
    ATTUNE_ASSERT(programs.size() == scores.size(), "each program has a score");
    trees_.reset();
    loss_.clear();
    double weight = 0;
    for (double const s : scores)
        weight += s;
    std::size_t const count = detail::cost::rows_in(programs);
    if (!(weight > 0) || count == 0) return; // all programs have the weight 0
    detail::cost::xgboost_matrix const rows(programs);
    auto made = std::make_unique<booster>(options_, rows);
    std::vector<float> slope(count);
    std::vector<float> curvature(count);
    std::size_t without_gain = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t round = 0;; ++round) {
        std::vector<double> const said = made->predict(rows, programs, true);
        double loss = 0;
        std::size_t at = 0;
        for (std::size_t p = 0; p < programs.size(); ++p) {
            double const wrong = said[p] - scores[p];
            loss += scores[p] * wrong * wrong;
            auto const n = static_cast<double>(programs[p].count());
            for (std::size_t r = 0; r < programs[p].count(); ++r, ++at) {
                slope[at] = static_cast<float>(scores[p] * wrong);
                curvature[at] = static_cast<float>(scores[p] * n);
            }
        }
        loss_.push_back(loss / weight);
        without_gain = loss < least ? 0 : without_gain + 1;
        least = std::min(least, loss);
        if (round == options_.rounds || without_gain >= options_.early_stop) break;
        detail::cost::require_xgboost(
            XGBoosterBoostOneIter(made->handle, rows.get(), slope.data(), curvature.data(), count));
    }
    trees_ = std::move(made);
}

ATTUNE_INLINE std::vector<double>
xgboost_trees::predict(std::span<program_rows const> programs) const
{
    if (!trees_ || detail::cost::rows_in(programs) == 0)
        return std::vector<double>(programs.size(), 0.0);
    detail::cost::xgboost_matrix const rows(programs);
    return trees_->predict(rows, programs, false);
}

} // namespace attune::inline ATTUNE_ABI
