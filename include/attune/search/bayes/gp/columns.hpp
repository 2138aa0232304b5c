// attune/search/bayes/gp/columns.hpp - the covariances of one point with many.
// SPDX-License-Identifier: MIT
// Source   own: a kernel that multiplies (or adds) over features is looked up once per group. A
//          dozen features make three or four groups, because derived ones are functions of
//          parameters.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Features that are looked up together.
struct feature_group {
    std::vector<std::size_t> features;
    /// level[k][c]: level of features[k] in combination c; only combinations that occur.
    std::vector<std::vector<std::uint32_t>> level;
    std::vector<std::uint16_t> code; ///< one per point: its combination

    [[nodiscard]] std::size_t combinations() const noexcept { return level.front().size(); }
};

/// m points, every feature either in one group or direct.
struct code_book {
    std::size_t points = 0;
    std::vector<feature_group> groups;
    /// Continuous features, and those with more than 65535 levels among the points.
    std::vector<std::size_t> direct;
};

/// Cost     about d^2 look-ups of up to 1024 points, and d of all
[[nodiscard]] code_book code_book_of(attune::feature_map const& map,
                                     attune::feature_table const& points);

/// Evaluates a kernel column by column. Scalar: float or double.
template <class Scalar>
class kernel_columns {
public:
    kernel_columns(attune::feature_map features, kernel k);

    /// Sets the hyperparameters.
    void use(hyperparameter_vector const& h);

    /// Covariance, without noise, of row `row` of `from` with points first .. first + count - 1.
    ///
    /// @param points  the table from which `book` was made
    /// @param[out] out  count
    /// Cost     per point one look-up for each group of the book, one exp for each direct feature
    ///          and, in the radial form, one more exp
    void fill(attune::feature_table const& from, std::size_t row,
              attune::feature_table const& points, code_book const& book, std::size_t first,
              std::size_t count, Scalar* out);

private:
    using array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

    array const& row_of(std::size_t feature, std::uint32_t level);
    void fill_group_tables(attune::feature_table const& from, std::size_t row,
                           code_book const& book);
    void add_direct(attune::feature_table const& from, std::size_t row,
                    attune::feature_table const& points, std::size_t feature, std::size_t first,
                    std::size_t count, Scalar* out);
    /// Converts squared scaled distances to factors; the radial form keeps the distances.
    void to_factors(array& r2) const;

    attune::feature_map features_;
    kernel kernel_;
    double signal_ = 1;
    double base_ = 0;
    std::vector<double> weight_; ///< d: 1 / length^2
    /// Per feature and used level: the factor with every other level. use() empties it.
    std::vector<std::unordered_map<std::uint32_t, array>> rows_;
    std::vector<array> tables_; ///< per group: the factor of every combination
    array scratch_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/columns.ipp>
#endif
