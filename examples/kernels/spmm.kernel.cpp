// C = A B for a sparse A in CSR form and a row-major B with k columns.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);           // rows a thread takes at once
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 8);       // of B at once
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);         // entries of a row at once
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1, 2}); // of the loops: row, entries, columns
constexpr bool local_sum = ATTUNE_TUNABLE(LOCAL, false); // add in registers, where the order allows
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);      // where OpenMP is on

// The loop over the entries of a row stands inside the loop over rows, always: CSR knows no other
// way. What may be chosen is where the loop over the columns of B stands.
constexpr int column_level = order[0] == 2 ? 0 : order[1] == 2 ? 1 : 2;

struct operands {
    int const *start, *column;
    float const *value, *b;
    float* c;
    int k;

    void add(int i, int begin, int end, int j0, int j1) const
    {
        float sum[columns] = {};
        float* const out = c + i * k;
        for (int p = begin; p < end; ++p) {
            float const a = value[p];
            float const* const from = b + column[p] * k;
            if (local_sum && column_level < 2)
                for (int j = j0; j < j1; ++j)
                    sum[j - j0] += a * from[j];
            else
                for (int j = j0; j < j1; ++j)
                    out[j] += a * from[j];
        }
        if (local_sum && column_level < 2)
            for (int j = j0; j < j1; ++j)
                out[j] += sum[j - j0];
    }
    void entries(int i, int j0, int j1) const
    {
        int p = start[i];
        for (; p + unroll <= start[i + 1]; p += unroll)
            add(i, p, p + unroll, j0, j1);
        add(i, p, start[i + 1], j0, j1);
    }
    void row(int i, int j0, int j1) const
    {
        if (column_level == 1)
            for (int j = j0; j < j1; j += columns)
                add(i, start[i], start[i + 1], j, std::min(j + columns, j1));
        else if (column_level == 2)
            for (int p = start[i]; p < start[i + 1]; p += unroll)
                for (int j = j0; j < j1; j += columns)
                    add(i, p, std::min(p + unroll, start[i + 1]), j, std::min(j + columns, j1));
        else
            entries(i, j0, j1);
    }
};

void spmm(std::span<int const> start, std::span<int const> column, std::span<float const> value,
          std::span<float const> b, std::span<float> c, int k)
{
    std::fill(c.begin(), c.end(), 0.0f);
    operands const all{start.data(), column.data(), value.data(), b.data(), c.data(), k};
    int const rows = static_cast<int>(start.size()) - 1;
    int const step = column_level == 0 ? columns : k;
    for (int j = 0; j < k; j += step) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int first = 0; first < rows; first += chunk)
            for (int i = first; i < std::min(first + chunk, rows); ++i)
                all.row(i, j, std::min(j + step, k));
    }
}
