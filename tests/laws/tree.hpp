// tests/laws/tree.hpp - what holds for every space of discrete parameters, checked by brute force.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/evaluate.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <unordered_set>
#include <vector>

#include "../space/space_writer.hpp"

namespace attune_tests {

using point_set = std::unordered_set<attune::point, attune::point_hash>;

/// Every valid configuration, by trying all.
inline std::vector<attune::point> valid_settings(description const& space)
{
    std::vector<attune::point> out;
    for_each_setting(space, [&](attune::point const& p) {
        if (all_hold(space, p)) out.push_back(p);
    });
    return out;
}

/// Law: the count is that of brute force, and membership is what the constraints say.
template <class Chain>
void law_of_membership(Chain const& chain, std::vector<attune::point> const& valid)
{
    REQUIRE(chain.size().has_value());
    CHECK(*chain.size() == valid.size());
    CHECK(chain.log2_size() == doctest::Approx(std::log2(static_cast<double>(valid.size()))));
    std::size_t wrong = 0;
    for_each_setting(chain.describe(), [&](attune::point const& p) {
        bool const expected = all_hold(chain.describe(), p);
        wrong += chain.contains(p) != expected ? 1U : 0U;
        wrong += chain.index_of(p).has_value() != expected ? 1U : 0U;
        wrong += chain.violations(p).empty() != expected ? 1U : 0U;
    });
    CHECK(wrong == 0);
}

/// Law: at() goes through every valid configuration once, and index_of() is its inverse.
template <class Chain>
void law_of_numbering(Chain const& chain, std::vector<attune::point> const& valid)
{
    point_set seen;
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < valid.size(); ++i) {
        attune::point const p = chain.at(i);
        seen.insert(p);
        auto const index = chain.index_of(p);
        REQUIRE(index.has_value());
        wrong += chain.at(*index) != p ? 1U : 0U;
    }
    CHECK(wrong == 0);
    CHECK(seen == point_set(valid.begin(), valid.end()));
}

/// Law: samples are valid and uniform: chi-square at six standard deviations, fixed seed.
template <class Chain>
void law_of_sampling(Chain const& chain, std::vector<attune::point> const& valid)
{
    constexpr std::size_t per_cell = 20;
    attune::random_engine engine(17);
    std::vector<std::size_t> drawn(valid.size(), 0);
    std::vector<attune::point> sorted = valid; // brute force counts up: already in this order
    auto const before = [](attune::point const& a, attune::point const& b) {
        return std::lexicographical_compare(
            a.begin(), a.end(), b.begin(), b.end(), [](coordinate x, coordinate y) {
                return x.index < y.index;
            });
    };
    std::size_t outside = 0;
    for (std::size_t i = 0; i < per_cell * valid.size(); ++i) {
        attune::point const p = chain.sample(engine);
        auto const at = std::lower_bound(sorted.begin(), sorted.end(), p, before);
        if (at == sorted.end() || *at != p)
            ++outside;
        else
            ++drawn[static_cast<std::size_t>(at - sorted.begin())];
    }
    CHECK(outside == 0);
    double chi_square = 0;
    for (std::size_t const n : drawn) {
        double const off = static_cast<double>(n) - per_cell;
        chi_square += off * off / per_cell;
    }
    double const freedom = static_cast<double>(valid.size()) - 1;
    CHECK(chi_square <= freedom + 6 * std::sqrt(2 * freedom) + 1e-9);
}

/// Whether `b` is one step from `a`, by the words of the definition and brute force.
inline bool is_one_step(description const& space,
                        point_set const& valid,
                        attune::point const& a,
                        attune::point const& b)
{
    std::vector<std::size_t> differs;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) differs.push_back(i);
    if (differs.size() != 1) return false;
    std::size_t const d = differs.front();
    parameter_description const& parameter = space.parameters[d];
    switch (parameter.kind) {
    case parameter_kind::integer:
    case parameter_kind::ordinal: {
        attune::point between = a;
        auto const [low, high] = std::minmax(a[d].index, b[d].index);
        for (between[d].index = low + 1; between[d].index < high; ++between[d].index)
            if (valid.count(between) > 0) return false;
        return true;
    }
    case parameter_kind::permutation: {
        auto const x = attune::elements_at(parameter, a[d].index);
        auto const y = attune::elements_at(parameter, b[d].index);
        std::size_t places = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            places += x[i] != y[i] ? 1U : 0U;
        return places == 2;
    }
    case parameter_kind::tile: {
        auto const x = attune::elements_at(parameter, a[d].index);
        auto const y = attune::elements_at(parameter, b[d].index);
        std::size_t places = 0;
        std::int64_t larger = 1;
        for (std::size_t i = 0; i < x.size(); ++i) {
            places += x[i] != y[i] ? 1U : 0U;
            if (x[i] > y[i]) larger = x[i] % y[i] == 0 ? x[i] / y[i] : 1;
        }
        bool prime = larger > 1;
        for (std::int64_t f = 2; f < larger; ++f)
            prime = prime && larger % f != 0;
        return places == 2 && prime;
    }
    default:
        return true;
    }
}

/// Law: neighbours are the valid configurations one step away, each once; and the relation is
/// symmetric, as the definition is for every kind but real.
template <class Chain>
void law_of_neighbours(Chain const& chain, std::vector<attune::point> const& valid)
{
    point_set const all(valid.begin(), valid.end());
    std::size_t wrong = 0;
    std::size_t const stride = 1 + valid.size() / 40;
    for (std::size_t i = 0; i < valid.size(); i += stride) {
        std::vector<attune::point> const near = chain.neighbours(valid[i]);
        point_set const got(near.begin(), near.end());
        wrong += got.size() != near.size() ? 1U : 0U;
        point_set expected;
        for (attune::point const& p : valid)
            if (is_one_step(chain.describe(), all, valid[i], p)) expected.insert(p);
        wrong += got != expected ? 1U : 0U;
        for (attune::point const& p : near) {
            std::vector<attune::point> const back = chain.neighbours(p);
            wrong += std::find(back.begin(), back.end(), valid[i]) == back.end() ? 1U : 0U;
        }
    }
    CHECK(wrong == 0);
}

/// All laws for one space that has at least one valid configuration and no real parameter.
template <class Chain>
void tree_laws(Chain const& chain)
{
    std::vector<attune::point> const valid = valid_settings(chain.describe());
    REQUIRE(!valid.empty());
    law_of_membership(chain, valid);
    law_of_numbering(chain, valid);
    if (valid.size() <= 200) law_of_sampling(chain, valid);
    law_of_neighbours(chain, valid);
}

} // namespace attune_tests
