// examples/kernels/support/known_tensors.hpp - sparse arrays shaped as published ones, but made and
// smaller.
// SPDX-License-Identifier: MIT
// Source   shapes and entries: Hellsten et al., "BaCO", ASPLOS 2023, Table 4 (SuiteSparse matrices,
//          Facebook activities, FROSTT tensors). How entries lie is a guess by what the array is of
#pragma once

#include <attune/core/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sparse.hpp"

namespace kernels {

struct known_matrix {
    std::string_view name;
    int rows, columns;
    int entries;
    pattern how;
};

inline constexpr std::array<known_matrix, 9> known_matrices{{
    {"ACTIVSg10K", 20'000, 20'000, 135'888, pattern::banded},        // a power network
    {"email-Enron", 36'692, 36'692, 367'662, pattern::power_law},    // who writes to whom
    {"Goodwin_040", 17'922, 17'922, 561'677, pattern::banded},       // fluid dynamics
    {"scircuit", 170'998, 170'998, 958'936, pattern::power_law},     // a circuit
    {"filter3D", 106'437, 106'437, 2'707'179, pattern::blocked},     // finite elements
    {"laminar_duct3D", 67'173, 67'173, 3'788'857, pattern::blocked}, // fluid dynamics
    {"cage12", 130'228, 130'228, 2'032'536, pattern::banded},        // a chain of states
    {"smt", 25'710, 25'710, 3'749'582, pattern::blocked},            // finite elements
    {"random2", 10'000, 10'000, 5'000'000, pattern::uniform},
}};

/// A matrix with about `entries` entries and as many in a row as the known one has; of a uniform
/// one with its density instead. Errors  std::runtime_error: no such matrix
[[nodiscard]] inline csr_matrix make_known_matrix(std::string_view name, int entries,
                                                  std::uint64_t seed)
{
    for (known_matrix const& known : known_matrices) {
        if (known.name != name) continue;
        double const share = std::min(1.0, static_cast<double>(entries) / known.entries);
        double const side = known.how == pattern::uniform ? std::sqrt(share) : share;
        auto const scaled = [&](double extent, double by) {
            return std::max(1, static_cast<int>(std::lround(extent * by)));
        };
        double const per_row = static_cast<double>(known.entries) / known.rows;
        return make_matrix(known.how, scaled(known.rows, side),
                           std::max(8, scaled(known.columns, side)), scaled(per_row, share / side),
                           seed);
    }
    throw std::runtime_error("no matrix is known as " + std::string(name));
}

/// A fourth-order tensor whose slices along the first axis are compressed: slice i has the entries
/// start[i] .. start[i + 1] - 1, entry p stands at (i, at[0][p], at[1][p], at[2][p]).
struct slice_tensor {
    std::array<int, 4> extent{};
    std::vector<int> start{};
    std::array<std::vector<int>, 3> at{};
    std::vector<float> value{};
};

[[nodiscard]] inline slice_tensor to_slices(coordinates<4> list)
{
    list.compress();
    slice_tensor out{list.extent, {}, {}, {}};
    out.start.assign(static_cast<std::size_t>(out.extent[0]) + 1, 0);
    for (auto const& e : list.entries) {
        ++out.start[static_cast<std::size_t>(e.at[0]) + 1];
        for (std::size_t d = 0; d < 3; ++d)
            out.at[d].push_back(e.at[d + 1]);
        out.value.push_back(e.value);
    }
    for (std::size_t i = 1; i < out.start.size(); ++i)
        out.start[i] += out.start[i - 1];
    return out;
}

/// @tparam N  order
template <std::size_t N>
struct known_tensor {
    std::string_view name;
    std::array<int, N> extent;
    int entries;
    bool is_uniform = false; ///< else denser towards low coordinates
};

inline constexpr std::array<known_tensor<4>, 3> known_tensors{{
    {"uber", {183, 24, 1'140, 1'717}, 3'309'490},
    {"nips", {2'482, 2'482, 14'036, 17}, 3'101'609},
    {"chicago", {6'186, 24, 77, 32}, 5'330'673},
}};
inline constexpr std::array<known_tensor<3>, 3> known_third_order{{
    {"random1", {1'000, 500, 100}, 5'000'000, true},
    {"facebook", {1'504, 42'390, 39'986}, 737'934},
    {"uber3", {183, 1'140, 1'717}, 1'117'629}, // uber without the hours of a day
}};

/// About `entries` entries with the density of the known tensor and extents in the same
/// proportions; an extent is at least 2.
template <std::size_t N>
[[nodiscard]] coordinates<N> entries_like(known_tensor<N> const& known, int entries,
                                          std::uint64_t seed)
{
    double const share = std::min(1.0, static_cast<double>(entries) / known.entries);
    double const side = std::pow(share, 1.0 / static_cast<double>(N));
    coordinates<N> list;
    for (std::size_t d = 0; d < N; ++d)
        list.extent[d] = std::max(2, static_cast<int>(std::lround(known.extent[d] * side)));
    attune::random_engine engine{seed};
    for (int e = 0; e < std::min(entries, known.entries); ++e) {
        typename coordinates<N>::entry one;
        for (std::size_t d = 0; d < N; ++d) {
            double const u = attune::uniform_unit(engine);
            one.at[d] =
                static_cast<int>((known.is_uniform ? u : u * std::sqrt(u)) * list.extent[d]);
        }
        one.value = static_cast<float>(attune::uniform_unit(engine)) + 0.5f;
        list.entries.push_back(one);
    }
    return list;
}

/// A fourth-order tensor as entries_like().  Errors  std::runtime_error: no such tensor
[[nodiscard]] inline slice_tensor make_known_tensor(std::string_view name, int entries,
                                                    std::uint64_t seed)
{
    for (known_tensor<4> const& known : known_tensors)
        if (known.name == name) return to_slices(entries_like(known, entries, seed));
    throw std::runtime_error("no tensor is known as " + std::string(name));
}

/// A third-order tensor as entries_like().  Errors  std::runtime_error: no such tensor
[[nodiscard]] inline csf_tensor make_known_third_order(std::string_view name, int entries,
                                                       std::uint64_t seed)
{
    for (known_tensor<3> const& known : known_third_order)
        if (known.name == name) return to_csf(entries_like(known, entries, seed));
    throw std::runtime_error("no tensor of third order is known as " + std::string(name));
}

} // namespace kernels
