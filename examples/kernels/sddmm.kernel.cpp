// A = B o (C D^T): the products of rows of C and D, both with k columns, where sparse B has
// entries.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);        // rows a thread takes at once
constexpr int entries = ATTUNE_TUNABLE(ENTRIES, 1);    // of a row, at once
constexpr int depth = ATTUNE_TUNABLE(DEPTH, 1);        // of the inner products, at once
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1}); // of the loops: entries, depth
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);    // where OpenMP is on

template <int Entries>
static void block(int const* column, float const* b, float const* ci, float const* d, float* a,
                  int k)
{
    float sum[Entries][depth] = {};
    auto const step = [&](int l, int count) {
        auto const add = [&](int e, int u) { sum[e][u] += ci[l + u] * d[column[e] * k + l + u]; };
        if (order[0] == 0)
            for (int e = 0; e < Entries; ++e)
                for (int u = 0; u < count; ++u)
                    add(e, u);
        else
            for (int u = 0; u < count; ++u)
                for (int e = 0; e < Entries; ++e)
                    add(e, u);
    };
    int l = 0;
    for (; l + depth <= k; l += depth)
        step(l, depth);
    if (l < k) step(l, k - l);
    for (int e = 0; e < Entries; ++e) {
        float total = 0;
        for (float const s : sum[e])
            total += s;
        a[e] = b[e] * total;
    }
}

void sddmm(std::span<int const> start, std::span<int const> column, std::span<float const> b,
           std::span<float const> c, std::span<float const> d, std::span<float> a, int k)
{
    int const rows = static_cast<int>(start.size()) - 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int first = 0; first < rows; first += chunk)
        for (int i = first; i < std::min(first + chunk, rows); ++i) {
            int p = start[i];
            for (; p + entries <= start[i + 1]; p += entries)
                block<entries>(&column[p], &b[p], &c[i * k], d.data(), &a[p], k);
            for (; p < start[i + 1]; ++p)
                block<1>(&column[p], &b[p], &c[i * k], d.data(), &a[p], k);
        }
}
