// A(i,r) = sum over j, k of B(i,j,k) C(j,r) D(k,r) for a third-order tensor B in CSF form.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);            // slices a thread takes at once
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 8);        // r at once
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);          // entries of a fibre at once
constexpr bool factored = ATTUNE_TUNABLE(FACTORED, false); // C(j,r) applied once per fibre
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1, 2});  // of the loops: fibres, entries, columns
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);        // where OpenMP is on

// Fibres stand outside their entries; the loop over columns stands outside, between or inside.
constexpr int column_level = order[0] == 2 ? 0 : order[1] == 2 ? 1 : 2;

struct operands {
    int const *fibre_start, *j_of, *k_of;
    float const *value, *c, *d;
    float* a;
    int rank;

    void entries(int i, int f, int begin, int end, int r0, int r1) const
    {
        float sum[columns] = {};
        float const* const cj = c + j_of[f] * rank;
        float* const out = a + i * rank;
        for (int p = begin; p < end; ++p) {
            float const* const dk = d + k_of[p] * rank;
            for (int r = r0; r < r1; ++r)
                if (factored)
                    sum[r - r0] += value[p] * dk[r];
                else
                    out[r] += value[p] * cj[r] * dk[r];
        }
        if (factored)
            for (int r = r0; r < r1; ++r)
                out[r] += sum[r - r0] * cj[r];
    }
    void fibre(int i, int f, int r0, int r1) const
    {
        int const end = fibre_start[f + 1];
        if (column_level == 2)
            for (int p = fibre_start[f]; p < end; p += unroll)
                for (int r = r0; r < r1; r += columns)
                    entries(i, f, p, std::min(p + unroll, end), r, std::min(r + columns, r1));
        else
            for (int r = r0; r < r1; r += columns) {
                int p = fibre_start[f];
                for (; p + unroll <= end; p += unroll)
                    entries(i, f, p, p + unroll, r, std::min(r + columns, r1));
                entries(i, f, p, end, r, std::min(r + columns, r1));
            }
    }
};

void mttkrp(std::span<int const> slice_start, std::span<int const> fibre_start,
            std::span<int const> j_of, std::span<int const> k_of, std::span<float const> value,
            std::span<float const> c, std::span<float const> d, std::span<float> a, int rank)
{
    std::fill(a.begin(), a.end(), 0.0f);
    operands const all{fibre_start.data(), j_of.data(), k_of.data(), value.data(),
                       c.data(),           d.data(),    a.data(),    rank};
    int const slices = static_cast<int>(slice_start.size()) - 1;
    int const step = column_level == 0 ? columns : rank;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int first = 0; first < slices; first += chunk)
        for (int i = first; i < std::min(first + chunk, slices); ++i)
            for (int r = 0; r < rank; r += step)
                for (int f = slice_start[i]; f < slice_start[i + 1]; ++f)
                    all.fibre(i, f, r, std::min(r + step, rank));
}
