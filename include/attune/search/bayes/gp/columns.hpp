// attune/search/bayes/gp/columns.hpp - the covariances of one point with many.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/code_book.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

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
    /// Per feature and level used: the factor with every level. Emptied by use().
    std::vector<std::unordered_map<std::uint32_t, array>> rows_;
    std::vector<array> tables_; ///< per group: the factor of every combination
    array scratch_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/columns.ipp>
#endif
