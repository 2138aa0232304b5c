// y = A x for a row-major n x n matrix: some rows at once, some sums of each.
#include <attune/tunable.hpp>

#include <cstddef>
#include <span>

constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
constexpr int sums = ATTUNE_TUNABLE(SUMS, 1);

template <int Rows>
static void some(float const* a, float const* x, float* y, int n)
{
    float sum[Rows][sums] = {};
    int k = 0;
    for (; k + sums <= n; k += sums)
        for (int r = 0; r < Rows; ++r)
            for (int s = 0; s < sums; ++s)
                sum[r][s] += a[r * n + k + s] * x[k + s];
    for (int r = 0; r < Rows; ++r) {
        float all = 0;
        for (int s = 0; s < sums; ++s)
            all += sum[r][s];
        for (int j = k; j < n; ++j)
            all += a[r * n + j] * x[j];
        y[r] = all;
    }
}

void matvec(std::span<float const> a, std::span<float const> x, std::span<float> y, int n)
{
    int i = 0;
    for (; i + rows <= n; i += rows)
        some<rows>(&a[static_cast<std::size_t>(i) * n], x.data(), &y[i], n);
    for (; i < n; ++i)
        some<1>(&a[static_cast<std::size_t>(i) * n], x.data(), &y[i], n);
}
