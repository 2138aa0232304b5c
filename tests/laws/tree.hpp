// tests/laws/tree.hpp - what holds for every space of discrete parameters, checked by brute force.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <iterator>
#include <unordered_set>
#include <utility>
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
            a.begin(), a.end(), b.begin(), b.end(),
            [](coordinate x, coordinate y) { return x.index < y.index; });
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
inline bool is_one_step(description const& space, point_set const& valid, attune::point const& a,
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

/// Changed parameters and summed squared distances from `a`, for each of `others`, ascending.
inline std::vector<std::pair<std::size_t, double>>
change_costs(description const& space, attune::point const& a,
             std::vector<attune::point> const& others)
{
    std::vector<std::pair<std::size_t, double>> out;
    for (attune::point const& b : others) {
        std::size_t changes = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            changes += a[i] != b[i] ? 1U : 0U;
        out.emplace_back(changes, attune::distance(space, a, b));
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// Whether two lists of costs are the same but for rounding, where ties may stand in any order.
inline bool same_costs(std::vector<std::pair<std::size_t, double>> const& a,
                       std::vector<std::pair<std::size_t, double>> const& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto const& x, auto const& y) {
        return x.first == y.first && std::abs(x.second - y.second) < 1e-9;
    });
}

/// How much is wrong with the neighbours of the valid configuration `p`: the steps must be those of
/// brute force; of a tree where there is none, the nearest other settings must follow.
template <class Chain>
std::size_t wrong_neighbours(Chain const& chain, std::vector<attune::point> const& valid,
                             point_set const& all, attune::point const& p)
{
    description const& space = chain.describe();
    std::vector<attune::point> const near = chain.neighbours(p);
    point_set const got(near.begin(), near.end());
    std::size_t wrong = got.size() != near.size() ? 1U : 0U;
    point_set expected;
    for (attune::point const& q : valid)
        if (is_one_step(space, all, p, q)) expected.insert(q);
    std::size_t explained = expected.size();
    for (attune::point const& q : expected)
        wrong += got.count(q) == 0 ? 1U : 0U;
    for (std::size_t t = 0; t < chain.tree_count(); ++t) {
        std::vector<bool> own(p.size(), false);
        for (std::uint32_t const i : chain.tree_at(t).parameters())
            own[i] = true;
        auto const within = [&](attune::point const& q) {
            for (std::size_t i = 0; i < p.size(); ++i)
                if (!own[i] && p[i] != q[i]) return false;
            return p != q;
        };
        if (std::any_of(expected.begin(), expected.end(), within)) continue;
        std::vector<attune::point> want;
        std::copy_if(valid.begin(), valid.end(), std::back_inserter(want), within);
        std::vector<attune::point> found;
        std::copy_if(near.begin(), near.end(), std::back_inserter(found), within);
        explained += found.size();
        auto costs = change_costs(space, p, want);
        costs.resize(std::min(costs.size(), attune::detail::most_nearest));
        wrong += same_costs(change_costs(space, p, found), costs) ? 0U : 1U;
        for (attune::point const& q : found)
            wrong += all.count(q) == 0 ? 1U : 0U;
    }
    return wrong + (explained != got.size() ? 1U : 0U);
}

/// Law: neighbours are the valid configurations one step away, each once, and of a tree without
/// such a step the nearest; stepping is symmetric, as it is for every kind but real.
template <class Chain>
void law_of_neighbours(Chain const& chain, std::vector<attune::point> const& valid)
{
    point_set const all(valid.begin(), valid.end());
    std::size_t wrong = 0;
    std::size_t const stride = 1 + valid.size() / 40;
    for (std::size_t i = 0; i < valid.size(); i += stride) {
        wrong += wrong_neighbours(chain, valid, all, valid[i]);
        for (attune::point const& p : chain.neighbours(valid[i])) {
            if (!is_one_step(chain.describe(), all, valid[i], p)) continue;
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
