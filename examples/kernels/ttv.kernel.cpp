// A(i,j) = sum over k of B(i,j,k) c(k) for a third-order tensor B in CSF form: slices of fibres.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);   // slices or fibres a thread takes at once
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1); // entries at once
constexpr int sums = ATTUNE_TUNABLE(SUMS, 1);     // independent partial sums
constexpr bool by_fibre = ATTUNE_TUNABLE(BY_FIBRE, false);    // chunks of fibres, not of slices
constexpr bool clear = ATTUNE_TUNABLE(CLEAR_BY_SLICE, false); // zero A slice by slice, not at once
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);           // where OpenMP is on

static float fibre(int const* k, float const* value, float const* c, int begin, int end)
{
    float partial[sums] = {};
    int p = begin;
    for (; p + unroll <= end; p += unroll)
        for (int u = 0; u < unroll; ++u)
            partial[u % sums] += value[p + u] * c[k[p + u]];
    for (; p < end; ++p)
        partial[0] += value[p] * c[k[p]];
    float sum = 0;
    for (float const s : partial)
        sum += s;
    return sum;
}

// slice_start: fibres of slice i; fibre_start: entries of a fibre; i_of, j_of: where a fibre stands
void ttv(std::span<int const> slice_start, std::span<int const> fibre_start,
         std::span<int const> i_of, std::span<int const> j_of, std::span<int const> k_of,
         std::span<float const> value, std::span<float const> c, std::span<float> a, int columns)
{
    int const slices = static_cast<int>(slice_start.size()) - 1;
    int const fibres = static_cast<int>(j_of.size());
    auto const one = [&](int f) {
        a[i_of[f] * columns + j_of[f]] =
            fibre(k_of.data(), value.data(), c.data(), fibre_start[f], fibre_start[f + 1]);
    };
    if (by_fibre || !clear) std::fill(a.begin(), a.end(), 0.0f);
    if (by_fibre) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int first = 0; first < fibres; first += chunk)
            for (int f = first; f < std::min(first + chunk, fibres); ++f)
                one(f);
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int first = 0; first < slices; first += chunk)
            for (int i = first; i < std::min(first + chunk, slices); ++i) {
                if (clear) std::fill_n(a.begin() + i * columns, columns, 0.0f);
                for (int f = slice_start[i]; f < slice_start[i + 1]; ++f)
                    one(f);
            }
    }
}
