// C[b] = A[b] * B[b] for many small row-major n x n matrices: a block of rows in registers.
#include <attune/tunable.hpp>

#include <span>

constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);            // of C at once
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 16);     // of C at once
constexpr bool fixed = ATTUNE_TUNABLE(FIXED, false);     // a copy of the code for n = 16
constexpr bool local_sum = ATTUNE_TUNABLE(LOCAL, false); // add in registers, not in C

template <int Rows>
static void block(float const* a, float const* b, float* c, int n, int width)
{
    float sum[Rows][columns] = {};
    for (int k = 0; k < n; ++k) {
        for (int r = 0; r < Rows; ++r)
            for (int j = 0; j < (local_sum ? columns : width); ++j) {
                float const product = a[r * n + k] * (j < width ? b[k * n + j] : 0.0f);
                if (local_sum)
                    sum[r][j] += product;
                else
                    c[r * n + j] = (k == 0 ? 0.0f : c[r * n + j]) + product;
            }
    }
    if (local_sum)
        for (int r = 0; r < Rows; ++r)
            for (int j = 0; j < width; ++j)
                c[r * n + j] = sum[r][j];
}

static void one(float const* a, float const* b, float* c, int n)
{
    for (int j = 0; j < n; j += columns) {
        int const width = n - j < columns ? n - j : columns;
        int i = 0;
        for (; i + rows <= n; i += rows)
            block<rows>(a + i * n, b + j, c + i * n + j, n, width);
        for (; i < n; ++i)
            block<1>(a + i * n, b + j, c + i * n + j, n, width);
    }
}

void batched_gemm(std::span<float const> a, std::span<float const> b, std::span<float> c, int n,
                  int count)
{
    for (int m = 0; m < count; ++m) {
        float const* const am = a.data() + m * n * n;
        float const* const bm = b.data() + m * n * n;
        float* const cm = c.data() + m * n * n;
        if (fixed && n == 16)
            one(am, bm, cm, 16);
        else
            one(am, bm, cm, n);
    }
}
