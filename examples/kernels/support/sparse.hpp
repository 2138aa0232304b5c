// examples/kernels/support/sparse.hpp - sparse matrices and third-order tensors, made or assembled.
// SPDX-License-Identifier: MIT
//
// Entries are listed as coordinates first; compressing sorts them and adds up those that stand at
// the same place.
#pragma once

#include <attune/core/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernels {

/// A list of entries of an N-dimensional array.
template <std::size_t N>
struct coordinates {
    struct entry {
        std::array<int, N> at{};
        float value{};
    };
    std::array<int, N> extent{};
    std::vector<entry> entries{};

    /// In lexicographic order, one entry per place.
    void compress()
    {
        std::sort(entries.begin(), entries.end(),
                  [](entry const& a, entry const& b) { return a.at < b.at; });
        std::vector<entry> kept;
        for (entry const& e : entries)
            if (!kept.empty() && kept.back().at == e.at)
                kept.back().value += e.value;
            else
                kept.push_back(e);
        entries = std::move(kept);
    }
};

/// A matrix in compressed sparse row form: row i has the entries start[i] .. start[i + 1] - 1.
struct csr_matrix {
    int rows = 0;
    int columns = 0;
    std::vector<int> start{};
    std::vector<int> column{};
    std::vector<float> value{};
};

[[nodiscard]] inline csr_matrix to_csr(coordinates<2> list)
{
    list.compress();
    csr_matrix out{list.extent[0], list.extent[1], {}, {}, {}};
    out.start.assign(static_cast<std::size_t>(out.rows) + 1, 0);
    for (auto const& e : list.entries) {
        ++out.start[static_cast<std::size_t>(e.at[0]) + 1];
        out.column.push_back(e.at[1]);
        out.value.push_back(e.value);
    }
    for (std::size_t i = 1; i < out.start.size(); ++i)
        out.start[i] += out.start[i - 1];
    return out;
}

/// A third-order tensor in compressed sparse fibre form: slice i has the fibres slice_start[i] ..
/// slice_start[i + 1] - 1, fibre f stands at (i_of[f], j_of[f]) and has the entries fibre_start[f]
/// .. fibre_start[f + 1] - 1 at k_of.
struct csf_tensor {
    std::array<int, 3> extent{};
    std::vector<int> slice_start{};
    std::vector<int> fibre_start{};
    std::vector<int> i_of{};
    std::vector<int> j_of{};
    std::vector<int> k_of{};
    std::vector<float> value{};
};

[[nodiscard]] inline csf_tensor to_csf(coordinates<3> list)
{
    list.compress();
    csf_tensor out{list.extent, {}, {}, {}, {}, {}, {}};
    out.slice_start.assign(static_cast<std::size_t>(out.extent[0]) + 1, 0);
    for (auto const& e : list.entries) {
        if (out.i_of.empty() || out.i_of.back() != e.at[0] || out.j_of.back() != e.at[1]) {
            out.i_of.push_back(e.at[0]);
            out.j_of.push_back(e.at[1]);
            out.fibre_start.push_back(static_cast<int>(out.k_of.size()));
            ++out.slice_start[static_cast<std::size_t>(e.at[0]) + 1];
        }
        out.k_of.push_back(e.at[2]);
        out.value.push_back(e.value);
    }
    out.fibre_start.push_back(static_cast<int>(out.k_of.size()));
    for (std::size_t i = 1; i < out.slice_start.size(); ++i)
        out.slice_start[i] += out.slice_start[i - 1];
    return out;
}

/// visit(i, j, value) for every entry, in the order of storage.
void for_each_entry(csr_matrix const& a, auto&& visit)
{
    for (std::size_t i = 0; i + 1 < a.start.size(); ++i)
        for (int p = a.start[i]; p < a.start[i + 1]; ++p) {
            std::size_t const at = static_cast<std::size_t>(p);
            visit(i, static_cast<std::size_t>(a.column[at]), static_cast<double>(a.value[at]));
        }
}

/// visit(i, j, k, value) for every entry, in the order of storage.
void for_each_entry(csf_tensor const& b, auto&& visit)
{
    for (std::size_t f = 0; f < b.j_of.size(); ++f)
        for (int p = b.fibre_start[f]; p < b.fibre_start[f + 1]; ++p) {
            std::size_t const at = static_cast<std::size_t>(p);
            visit(static_cast<std::size_t>(b.i_of[f]), static_cast<std::size_t>(b.j_of[f]),
                  static_cast<std::size_t>(b.k_of[at]), static_cast<double>(b.value[at]));
        }
}

/// How the entries of a made array are distributed.
enum class pattern {
    uniform,   ///< every place is equally likely
    banded,    ///< near the diagonal
    power_law, ///< few rows have most entries, as in social networks
    blocked,   ///< dense 8 x 8 blocks; at least 8 columns
};

/// A rows x columns matrix of about `per_row` entries in each row.
[[nodiscard]] inline csr_matrix make_matrix(pattern how, int rows, int columns, int per_row,
                                            std::uint64_t seed)
{
    attune::random_engine engine{seed};
    auto const below = [&](int n) {
        return static_cast<int>(attune::uniform_below(engine, static_cast<std::uint64_t>(n)));
    };
    auto const number = [&] { return static_cast<float>(attune::uniform_unit(engine)) + 0.5f; };
    coordinates<2> list{{rows, columns}, {}};
    for (int i = 0; i < rows; ++i) {
        int const diagonal = static_cast<int>(std::int64_t{i} * columns / rows);
        switch (how) {
        case pattern::uniform:
            for (int e = 0; e < per_row; ++e)
                list.entries.push_back({{i, below(columns)}, number()});
            break;
        case pattern::banded:
            for (int e = -per_row / 2; e < per_row - per_row / 2; ++e)
                if (diagonal + e >= 0 && diagonal + e < columns)
                    list.entries.push_back({{i, diagonal + e}, number()});
            break;
        case pattern::power_law: {
            // Pareto with exponent 2: P(more than t times the mean / 2) = 1 / t.
            double const u = std::max(attune::uniform_unit(engine), 1e-4);
            int const count = std::min(
                columns / 2, static_cast<int>(0.3 * per_row / std::sqrt(u) / std::sqrt(u)));
            for (int e = 0; e < std::max(count, 1); ++e) {
                double const v = attune::uniform_unit(engine);
                list.entries.push_back(
                    {{i, std::min(columns - 1, static_cast<int>(v * v * columns))}, number()});
            }
            break;
        }
        case pattern::blocked:
            if (i % 8 != 0) break;
            for (int b = 0; b < std::max(per_row / 8, 1); ++b) {
                int const at = below(columns / 8) * 8;
                for (int r = 0; r < std::min(8, rows - i); ++r)
                    for (int c = 0; c < 8; ++c)
                        list.entries.push_back({{i + r, at + c}, number()});
            }
            break;
        }
    }
    return to_csr(std::move(list));
}

/// A tensor of about `count` entries, its slices filled unevenly.
[[nodiscard]] inline csf_tensor make_tensor(std::array<int, 3> extent, int count,
                                            std::uint64_t seed)
{
    attune::random_engine engine{seed};
    auto const place = [&](int n, bool skewed) {
        double const u = attune::uniform_unit(engine);
        return static_cast<int>((skewed ? u * u : u) * n);
    };
    coordinates<3> list{extent, {}};
    for (int e = 0; e < count; ++e)
        list.entries.push_back(
            {{place(extent[0], true), place(extent[1], false), place(extent[2], true)},
             static_cast<float>(attune::uniform_unit(engine)) + 0.5f});
    return to_csf(std::move(list));
}

} // namespace kernels
