// y = A x for a sparse matrix in CSR form: the rows in chunks, the entries of a row in strides.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);               // rows a thread takes at once
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);             // entries at once
constexpr int sums = ATTUNE_TUNABLE(SUMS, 1);                 // independent partial sums
constexpr int prefetch = ATTUNE_TUNABLE(PREFETCH, 0);         // entries ahead; 0: none
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);           // where OpenMP is on
constexpr bool is_dynamic = ATTUNE_TUNABLE(IS_DYNAMIC, true); // else chunks are dealt in turn

static float row(int const* column, float const* value, float const* x, int begin, int end)
{
    float partial[sums] = {};
    int p = begin;
    for (; p + unroll <= end; p += unroll) {
        if (prefetch > 0) __builtin_prefetch(x + column[std::min(p + prefetch, end - 1)]);
        for (int u = 0; u < unroll; ++u)
            partial[u % sums] += value[p + u] * x[column[p + u]];
    }
    for (; p < end; ++p)
        partial[0] += value[p] * x[column[p]];
    float sum = 0;
    for (float const s : partial)
        sum += s;
    return sum;
}

void spmv(std::span<int const> start, std::span<int const> column, std::span<float const> value,
          std::span<float const> x, std::span<float> y)
{
    int const rows = static_cast<int>(y.size());
    auto const take = [&](int first) {
        for (int i = first; i < std::min(first + chunk, rows); ++i)
            y[i] = row(column.data(), value.data(), x.data(), start[i], start[i + 1]);
    };
    if (is_dynamic) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int i = 0; i < rows; i += chunk)
            take(i);
    } else {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
        for (int i = 0; i < rows; i += chunk)
            take(i);
    }
}
