// C = A B for a sparse A in CSR form and a row-major B with k columns, by a schedule of six loops.
#include <span>

#include "loop_nest.hpp"

void scheduled_spmm(std::span<int const> start, std::span<int const> column,
                    std::span<float const> value, std::span<float const> b, std::span<float> c,
                    int k)
{
    std::fill(c.begin(), c.end(), 0.0f);
    int const* const columns = column.data();
    float const* const values = value.data();
    float const* const from = b.data();
    float* __restrict const to = c.data();
    nest<0>(start.data(), static_cast<int>(start.size()) - 1, k, {},
            [=](int i, int p, int j) { to[i * k + j] += values[p] * from[columns[p] * k + j]; });
}
