// A = B o (C D^T) where sparse B has entries, by a schedule of six loops.
#include <span>

#include "loop_nest.hpp"

void scheduled_sddmm(std::span<int const> start, std::span<int const> column,
                     std::span<float const> b, std::span<float const> c, std::span<float const> d,
                     std::span<float> a, int k)
{
    std::fill(a.begin(), a.end(), 0.0f);
    int const* const columns = column.data();
    float const* const values = b.data();
    float const* const left = c.data();
    float const* const right = d.data();
    float* __restrict const to = a.data();
    nest<0>(start.data(), static_cast<int>(start.size()) - 1, k, {}, [=](int i, int p, int l) {
        to[p] += values[p] * left[i * k + l] * right[columns[p] * k + l];
    });
}
