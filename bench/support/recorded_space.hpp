// bench/support/recorded_space.hpp - the space of a recorded file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "recorded.hpp"

namespace bench {

namespace detail {

/// True, true, 1 and 1.0 are the same value where only numbers and truth values stand.
[[nodiscard]] inline double numeric_value(std::string const& text)
{
    if (text == "true" || text == "True") return 1;
    if (text == "false" || text == "False") return 0;
    return number_of(text);
}

/// An ordinal of numbers, or a category of anything else. The list holds each value once.
[[nodiscard]] inline attune::parameter_description
parameter_of(std::string const& name, std::vector<std::string> const& values)
{
    attune::parameter_description p;
    p.name = name;
    bool const numeric = std::none_of(values.begin(), values.end(), [](std::string const& v) {
        return std::isnan(numeric_value(v));
    });
    if (!numeric) {
        p.kind = attune::parameter_kind::categorical;
        p.type = attune::value_kind::text;
        p.labels = values;
        return p;
    }
    p.kind = attune::parameter_kind::ordinal;
    for (std::string const& v : values)
        p.reals.push_back(numeric_value(v));
    std::sort(p.reals.begin(), p.reals.end());
    bool const whole = std::all_of(p.reals.begin(), p.reals.end(), [](double v) {
        return v == std::floor(v) && std::abs(v) < 1e15;
    });
    p.type = whole ? attune::value_kind::integer : attune::value_kind::real;
    if (whole) {
        for (double const v : p.reals)
            p.integers.push_back(static_cast<std::int64_t>(v));
        p.reals.clear();
    }
    return p;
}

/// The same value, whatever way it is written.
[[nodiscard]] inline std::string canonical(std::string const& text)
{
    double const v = numeric_value(text);
    return std::isnan(v) ? text : std::to_string(v);
}

[[nodiscard]] inline std::uint32_t level_of(attune::parameter_description const& p,
                                            std::string const& text)
{
    auto const in = [](auto const& table, auto const& value) {
        auto const found = std::find(table.begin(), table.end(), value);
        return found == table.end() ? attune::no_index
                                    : static_cast<std::uint32_t>(found - table.begin());
    };
    if (!p.labels.empty()) return in(p.labels, text);
    double const v = numeric_value(text);
    return p.integers.empty() ? in(p.reals, v) : in(p.integers, static_cast<std::int64_t>(v));
}

using point_set = std::unordered_set<attune::point, attune::point_hash>;

/// Adds the condition that a configuration was recorded.
inline void only_recorded(attune::description& space, std::shared_ptr<point_set const> known)
{
    attune::constraint_description recorded;
    recorded.text = "the configuration was recorded";
    for (std::uint32_t i = 0; i < space.parameters.size(); ++i)
        recorded.scope.push_back(i);
    recorded.test = [known](attune::description const&, std::span<attune::coordinate const> at) {
        return known->contains(attune::point(at.begin(), at.end()));
    };
    space.constraints.push_back(std::move(recorded));
}

} // namespace detail

inline recording make_recording(recorded_file const& from, std::vector<std::string>& notes)
{
    if (from.rows.empty()) throw std::runtime_error(from.name + ": no rows");
    attune::description space;
    for (std::size_t c = 0; c < from.parameters.size(); ++c) {
        std::vector<std::string> values;
        std::unordered_set<std::string> taken;
        auto const offer = [&](std::string const& v) {
            if (taken.insert(detail::canonical(v)).second) values.push_back(v);
        };
        if (!from.values.empty())
            for (std::string const& v : from.values[c])
                offer(v);
        for (recorded_row const& row : from.rows)
            offer(row.values[c]);
        space.parameters.push_back(detail::parameter_of(from.parameters[c], values));
    }

    std::unordered_map<attune::point, attune::outcome, attune::point_hash> outcomes;
    double best = std::numeric_limits<double>::infinity();
    std::size_t failures = 0;
    auto known = std::make_shared<detail::point_set>();
    for (recorded_row const& row : from.rows) {
        attune::point p;
        for (std::size_t c = 0; c < row.values.size(); ++c)
            p.push_back({detail::level_of(space.parameters[c], row.values[c]), 0});
        if (!known->insert(p).second) {
            notes.push_back(from.name + ": a configuration stands there twice; the first counts");
            continue;
        }
        if (row.time_ms > 0) {
            best = std::min(best, row.time_ms);
            outcomes.emplace(std::move(p), attune::measurement::exact(row.time_ms));
        } else {
            ++failures;
            bool const compile = row.status == "compile";
            outcomes.emplace(std::move(p),
                             attune::failure{compile ? attune::failure_stage::compile
                                                     : attune::failure_stage::launch,
                                             row.status});
        }
    }
    if (failures == outcomes.size()) throw std::runtime_error(from.name + ": no row worked");

    for (std::string const& text : from.constraints) {
        attune::description const before = space;
        try {
            space.constraints.push_back(attune::parse_constraint(space, text));
        } catch (attune::error const& e) {
            space = before;
            notes.push_back(from.name + ": constraint not used: " + text + ": " + e.what());
        }
    }
    attune::leaf_count const rows = known->size();
    auto const all_inside = [&](attune::chain_of_trees const& chain) {
        return std::all_of(known->begin(), known->end(), [&](attune::point const& p) {
            return chain.contains(p);
        });
    };
    std::optional<attune::chain_of_trees> chain;
    try {
        chain.emplace(space);
        if (!all_inside(*chain)) {
            notes.push_back(from.name + ": rows break the constraints, which are left out");
            space.constraints.clear();
            chain.reset();
        }
    } catch (attune::error const& e) {
        notes.push_back(from.name + ": the constraints are left out: " + e.what());
        space.constraints.clear();
    }
    if (!chain || chain->size() != rows) {
        detail::only_recorded(space, known);
        chain.emplace(space);
    }
    return {from.name, std::move(*chain), std::move(outcomes), best, failures};
}

} // namespace bench
