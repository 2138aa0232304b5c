// tests/space/space_oracle.hpp - the first thing that a chain of trees gets wrong, by brute force.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/query/configurations.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../laws/tree.hpp"
#include "space_generator.hpp"

namespace attune_tests {

/// A description for people: one line per parameter with its values, one per constraint.
inline std::string to_text(description const& space)
{
    std::string out;
    for (parameter_description const& p : space.parameters) {
        out += p.name + " in {";
        for (std::uint32_t v = 0; v < p.value_count(); ++v)
            out += (v == 0 ? "" : ", ") + attune::text_of(p, coordinate{v, 0});
        out += "}\n";
    }
    for (attune::constraint_description const& c : space.constraints) {
        if (c.test) {
            out += "predicate of";
            for (std::uint32_t const i : c.scope)
                out += ' ' + space.parameters[i].name;
        } else {
            out += attune::write_expression(space, c.root);
        }
        out += '\n';
    }
    return out;
}

/// Calls `visit(space, valid)` for `count` random spaces that have valid configurations.
template <class Visit>
void for_valid_spaces(std::uint64_t seed, int count, Visit const& visit)
{
    space_generator generator(seed);
    for (int tried = 0; tried < count;) {
        description const space = generator.draw();
        std::vector<attune::point> const valid = valid_settings(space);
        if (valid.empty()) continue;
        CAPTURE(tried);
        ++tried;
        visit(space, valid);
    }
}

namespace oracle {

/// Counts, numbers and membership of every combination.
inline std::string membership(attune::chain_of_trees const& chain,
                              std::vector<attune::point> const& valid)
{
    description const& space = chain.describe();
    if (!chain.size() || *chain.size() != valid.size()) return "size";
    std::string wrong;
    for_each_setting(space, [&](attune::point const& p) {
        bool const expected = all_hold(space, p);
        if (chain.contains(p) != expected) wrong = "contains";
        if (chain.index_of(p).has_value() != expected) wrong = "index_of";
        if (chain.violations(p).empty() != expected) wrong = "violations";
    });
    if (!wrong.empty()) return wrong;
    point_set seen;
    for (std::uint64_t i = 0; i < valid.size(); ++i) {
        attune::point const p = chain.at(i);
        seen.insert(p);
        auto const index = chain.index_of(p);
        if (!index || chain.at(*index) != p) return "index_of is not the inverse of at";
    }
    return seen == point_set(valid.begin(), valid.end()) ? "" : "at";
}

inline std::string steps(attune::chain_of_trees const& chain,
                         std::vector<attune::point> const& valid)
{
    point_set const all(valid.begin(), valid.end());
    std::size_t const stride = 1 + valid.size() / 12;
    for (std::size_t i = 0; i < valid.size(); i += stride)
        if (wrong_neighbours(chain, valid, all, valid[i]) > 0) return "neighbours";
    return "";
}

inline std::string counts(attune::chain_of_trees const& chain,
                          std::vector<attune::point> const& valid)
{
    attune::marginals const counted(chain);
    for (std::uint32_t p = 0; p < chain.describe().parameters.size(); ++p) {
        std::vector<std::uint64_t> expected(chain.describe().parameters[p].value_count(), 0);
        for (attune::point const& v : valid)
            ++expected[v[p].index];
        for (std::uint32_t v = 0; v < expected.size(); ++v)
            if (counted.configurations(p, v) != attune::leaf_count{expected[v]}) return "marginals";
    }
    return "";
}

} // namespace oracle

/// The first thing that `make(space)`, a chain of trees, gets wrong; empty when all is right.
template <class Make>
std::string disagreement(description const& space, Make const& make)
{
    std::vector<attune::point> const valid = valid_settings(space);
    std::optional<attune::chain_of_trees> chain;
    try {
        chain.emplace(make(space));
    } catch (attune::error const& e) {
        bool const says_empty =
            std::string(e.what()).find("the space is empty") != std::string::npos;
        return valid.empty() && says_empty ? "" : "refused: " + std::string(e.what());
    }
    if (valid.empty()) return "accepted, though nothing is valid";
    for (auto const check : {oracle::membership, oracle::steps, oracle::counts})
        if (std::string const wrong = check(*chain, valid); !wrong.empty()) return wrong;
    return "";
}

} // namespace attune_tests
