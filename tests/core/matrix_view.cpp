// tests/core/matrix_view.cpp - rows with gaps between them, and what converts to that.
// SPDX-License-Identifier: MIT
#include <attune/core/matrix_view.hpp>

#include <doctest/doctest.h>
#include <numeric>
#include <type_traits>
#include <vector>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif

using attune::matrix_view;
using attune::volume_view;

TEST_CASE("an element is where its row and its column say")
{
    std::vector<int> all(24);
    std::iota(all.begin(), all.end(), 0);
    matrix_view<int> const m{all.data(), 3, 5, 8};
    CHECK(m(2, 4) == 20);
    CHECK(m.row(1) == all.data() + 8);
    volume_view<int const> const v = volume_view<int>{all.data(), 2, 2, 3, 12, 4};
    CHECK(v(1, 1, 2) == 18);
    CHECK(v.slice(1)(1, 2) == 18);
    CHECK(matrix_view<int>{all.data(), 3, 8}.row_stride() == 8);
    CHECK(volume_view<int>{all.data(), 2, 3, 4}(1, 2, 3) == 23);
}

#if __has_include(<Eigen/Core>)
using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST_CASE("row-major matrices, maps, blocks and Refs of Eigen convert")
{
    row_major m = row_major::Random(4, 6);
    matrix_view<float> const whole = m;
    CHECK(&whole(3, 5) == &m(3, 5));
    auto part = m.block(1, 2, 3, 2);
    matrix_view<float> const inside = part;
    CHECK(inside.rows() == 3);
    CHECK(inside.columns() == 2);
    CHECK(inside.row_stride() == 6);
    CHECK(&inside(2, 1) == &m(3, 3));
    Eigen::Ref<row_major> ref = m;
    CHECK(matrix_view<float>(ref).data() == m.data());
    Eigen::Map<row_major const> const map(m.data(), 4, 6);
    CHECK(matrix_view<float const>(map).data() == m.data());
    CHECK(matrix_view<float const>(whole).data() == m.data());
    static_assert(!std::is_convertible_v<Eigen::Map<row_major const>, matrix_view<float>>);
    static_assert(!std::is_convertible_v<row_major&, matrix_view<double>>);
    static_assert(std::is_trivially_copyable_v<matrix_view<float>>);
}

TEST_CASE("a column-major matrix is viewed by its columns")
{
    Eigen::MatrixXd m = Eigen::MatrixXd::Random(4, 6);
    matrix_view<double const> const t = attune::transposed_view(m);
    CHECK(t.rows() == 6);
    CHECK(t.columns() == 4);
    CHECK(&t(5, 3) == &m(3, 5));
    Eigen::Ref<Eigen::MatrixXd> ref = m;
    CHECK(&attune::transposed_view(ref)(2, 1) == &m(1, 2));
}
#endif
