// Sparse matrices and tensors that are made: well formed, and distributed as their pattern says.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "../../examples/kernels/support/sparse.hpp"

using kernels::coordinates;
using kernels::csf_tensor;
using kernels::csr_matrix;
using kernels::make_matrix;
using kernels::make_tensor;
using kernels::pattern;

namespace {

constexpr pattern all_patterns[] = {pattern::uniform, pattern::banded, pattern::power_law,
                                    pattern::blocked};

std::vector<int> columns_of(csr_matrix const& a, int row)
{
    auto const i = static_cast<std::size_t>(row);
    return {a.column.begin() + a.start[i], a.column.begin() + a.start[i + 1]};
}

} // namespace

TEST_CASE("a matrix that is made has ascending columns inside its bounds, and is made again")
{
    for (pattern const how : all_patterns) {
        csr_matrix const a = make_matrix(how, 203, 150, 16, 5);
        REQUIRE(a.start.size() == 204);
        REQUIRE(a.column.size() == a.value.size());
        REQUIRE(std::is_sorted(a.start.begin(), a.start.end()));
        CHECK(a.start.front() == 0);
        CHECK(a.start.back() == static_cast<int>(a.value.size()));
        for (int i = 0; i < 203; ++i) {
            std::vector<int> const row = columns_of(a, i);
            CHECK(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>{}) == row.end());
            CHECK((row.empty() || (row.front() >= 0 && row.back() < 150)));
        }
        csr_matrix const again = make_matrix(how, 203, 150, 16, 5);
        CHECK(again.column == a.column);
        CHECK(again.value == a.value);
        CHECK(make_matrix(how, 203, 150, 16, 6).value != a.value);
    }
}

TEST_CASE("a pattern is what its name says")
{
    csr_matrix const banded = make_matrix(pattern::banded, 100, 200, 10, 1);
    csr_matrix const blocked = make_matrix(pattern::blocked, 96, 80, 24, 1);
    for (int i = 0; i < 100; ++i)
        for (int const j : columns_of(banded, i))
            CHECK((j - 2 * i >= -5 && j - 2 * i < 5));
    for (int i = 0; i < 96; ++i) {
        std::vector<int> const row = columns_of(blocked, i);
        CHECK(row == columns_of(blocked, i / 8 * 8));
        CHECK(row.size() % 8 == 0);
        for (std::size_t e = 0; e < row.size(); ++e)
            CHECK(row[e] == row[e / 8 * 8] + static_cast<int>(e % 8));
    }
    // The tenth of all rows that has most entries has a tenth of them, or most.
    auto const share_of_the_longest = [](csr_matrix const& a) {
        std::vector<int> counts(a.start.size());
        std::adjacent_difference(a.start.begin(), a.start.end(), counts.begin());
        std::sort(counts.begin(), counts.end(), std::greater<>{});
        auto const tenth = static_cast<std::ptrdiff_t>(a.rows / 10);
        return std::accumulate(counts.begin(), counts.begin() + tenth, 0.0) / a.start.back();
    };
    CHECK(share_of_the_longest(make_matrix(pattern::uniform, 1000, 1000, 16, 1)) < 0.12);
    CHECK(share_of_the_longest(make_matrix(pattern::power_law, 1000, 1000, 16, 1)) > 0.5);
}

TEST_CASE("compressing adds up what stands at one place, and loses nothing")
{
    attune::random_engine engine{3};
    coordinates<3> list{{5, 4, 6}, {}};
    coordinates<2> flat{{5, 4}, {}};
    std::map<std::array<std::size_t, 3>, double> sums;
    std::map<std::pair<std::size_t, std::size_t>, double> flat_sums;
    for (int e = 0; e < 80; ++e) {
        auto const i = static_cast<std::size_t>(attune::uniform_below(engine, 5));
        auto const j = static_cast<std::size_t>(attune::uniform_below(engine, 4));
        auto const k = static_cast<std::size_t>(attune::uniform_below(engine, 6));
        float const v = static_cast<float>(e % 7 + 1);
        int const at[] = {static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
        list.entries.push_back({{at[0], at[1], at[2]}, v});
        flat.entries.push_back({{at[0], at[1]}, v});
        sums[{i, j, k}] += static_cast<double>(v);
        flat_sums[{i, j}] += static_cast<double>(v);
    }
    std::map<std::array<std::size_t, 3>, double> got;
    for_each_entry(to_csf(list), [&](std::size_t i, std::size_t j, std::size_t k, double v) {
        CHECK(got.emplace(std::array{i, j, k}, v).second);
    });
    CHECK((got == sums));
    std::map<std::pair<std::size_t, std::size_t>, double> flat_got;
    for_each_entry(to_csr(flat), [&](std::size_t i, std::size_t j, double v) {
        CHECK(flat_got.emplace(std::pair{i, j}, v).second);
    });
    CHECK((flat_got == flat_sums));
}

TEST_CASE("a tensor that is made has slices of fibres of entries, all in order")
{
    csf_tensor const b = make_tensor({20, 15, 30}, 800, 2);
    REQUIRE(b.slice_start.size() == 21);
    REQUIRE(b.fibre_start.size() == b.j_of.size() + 1);
    REQUIRE(b.i_of.size() == b.j_of.size());
    CHECK(b.slice_start.back() == static_cast<int>(b.j_of.size()));
    CHECK(b.fibre_start.back() == static_cast<int>(b.value.size()));
    for (std::size_t i = 0; i < 20; ++i)
        for (int f = b.slice_start[i]; f < b.slice_start[i + 1]; ++f)
            CHECK(b.i_of[static_cast<std::size_t>(f)] == static_cast<int>(i));
    std::vector<std::array<std::size_t, 3>> places;
    for_each_entry(b, [&](std::size_t i, std::size_t j, std::size_t k, double) {
        places.push_back({i, j, k});
        CHECK((i < 20 && j < 15 && k < 30));
    });
    CHECK(std::adjacent_find(places.begin(), places.end(), std::greater_equal<>{}) == places.end());
}
