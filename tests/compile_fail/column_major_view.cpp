// expect-error: the matrix is column-major
// tests/compile_fail/column_major_view.cpp - rows are not columns.
// SPDX-License-Identifier: MIT
#include <attune/matrix_view.hpp>

/// A matrix as those of Eigen are.
template <bool RowMajor>
struct matrix {
    static constexpr bool IsRowMajor = RowMajor;
    float* data() { return first; }
    int rows() const { return 1; }
    int cols() const { return 1; }
    int outerStride() const { return 1; }
    int innerStride() const { return 1; }
    float first[1] = {};
};

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    matrix<false> m;
#else
    matrix<true> m;
#endif
    attune::matrix_view<float> const view = m;
    return view.rows() == 1 ? 0 : 1;
}
