// tests/support/random_graph.hpp - programs of one to five statements that pass arrays to each other, drawn at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "random_nest.hpp"
#include "random_statements.hpp"

namespace support {

/// Draws products (also batched, of transposed and of strided operands), rows, element-wise
/// statements with broadcasts, and windows. Each reads arrays of earlier ones.
class graph_generator : statement_generator {
public:
    /// @param least, most  of rows, columns and depths  @param has_inputs  some extents are inputs
    graph_generator(std::uint64_t seed, std::int64_t least, std::int64_t most, bool has_inputs)
        : statement_generator(seed)
        , least_(least)
        , most_(most)
        , has_inputs_(has_inputs)
    {
        b_.out.name = "graph";
    }

    random_nest make()
    {
        from_ = number_ = to_ = one_in(6) ? element_type::f64 : element_type::f32;
        axes along;
        if (one_in(3)) along.push_back(new_axis("b", 1 + below(5)));
        along.push_back(new_axis("i", extent_in_range()));
        along.push_back(new_axis("j", extent_in_range()));
        std::int64_t const count = 1 + below(5);
        std::vector<value> known;
        for (std::int64_t s = 0; s < count; ++s) {
            // Mostly the latest array, so that programs are deep; at first an argument.
            value const from = known.empty() ? argument(along)
                               : one_in(3)   ? any(known)
                                             : known.back();
            known.push_back(statement(from, known));
        }
        std::vector<bool> is_read(b_.out.arrays.size(), false);
        for (attune::nest_access const& access : b_.out.accesses)
            is_read[access.array] = true;
        for (attune::nest_statement const& of : b_.out.statements)
            if (!is_read[of.target.array] || one_in(8))
                b_.out.arrays[of.target.array].role = attune::nest_role::written;
        return {std::move(b_.out), std::move(inputs_)};
    }

private:
    /// An array, and its dimensions in order.
    struct value {
        std::uint32_t array = attune::no_index;
        axes along;
    };

    std::int64_t extent_in_range()
    {
        static std::vector<std::int64_t> const usual{1,   2,   3,   5,   7,   8,   13,  16,  17,
                                                     24,  31,  32,  33,  48,  61,  64,  67,  96,
                                                     100, 127, 128, 129, 160, 192, 200, 255, 256};
        std::vector<std::int64_t> allowed;
        for (std::int64_t const n : usual)
            if (n >= least_ && n <= most_) allowed.push_back(n);
        return least_ <= 1 && one_in(60) ? 0 : any(allowed);
    }
    std::uint32_t new_axis(std::string name, std::int64_t steps_of)
    {
        attune::nest_extent const of =
            has_inputs_ ? extent(steps_of) : attune::nest_extent{steps_of, attune::no_index};
        b_.out.axes.push_back({name + std::to_string(b_.out.axes.size()), of});
        return static_cast<std::uint32_t>(b_.out.axes.size() - 1);
    }
    value argument(axes const& along)
    {
        return {b_.array("X" + std::to_string(b_.out.arrays.size()), attune::nest_role::read,
                         extents_of(along), from_),
                along};
    }
    /// The elements of an array at axes of the same extents.
    std::uint32_t at(value const& of) { return element(of.array, of.along); }
    value made(axes along, axes const& reduced, attune::reduction combine, std::uint32_t number_of)
    {
        std::uint32_t const array =
            state("T" + std::to_string(b_.out.arrays.size()), along, reduced, combine, number_of,
                  attune::nest_role::temporary, number_);
        return {array, std::move(along)};
    }

    value statement(value const& from, std::vector<value> const& known)
    {
        if (from.along.size() < 2) return elements(from, known);
        switch (below(8)) {
        case 0:
        case 1:
        case 2:
            return product(from);
        case 3:
        case 4:
            return rows(from);
        case 5:
            return window(from);
        default:
            return elements(from, known);
        }
    }

    /// Reduces the last axis, or the one before it, with a matrix that is drawn in any layout.
    value product(value const& from)
    {
        axes spatial = from.along;
        bool const is_transposed = one_in(4);
        auto const which = spatial.end() - (is_transposed ? 2 : 1);
        std::uint32_t const depth = *which;
        spatial.erase(which);
        std::uint32_t const column = new_axis("n", extent_in_range());
        axes of_weights{depth, column};
        if (from.along.size() > 2 && one_in(2)) of_weights.push_back(from.along.front());
        spatial.push_back(column);
        std::uint32_t const weights = one_in(3) ? read_along(of_weights) : at(argument(of_weights));
        return made(spatial, {depth}, attune::reduction::sum,
                    op(nest_op::multiply, at(from), weights));
    }

    value rows(value const& from)
    {
        axes spatial = from.along;
        std::uint32_t const last = spatial.back();
        spatial.pop_back();
        std::uint32_t number_of = at(from);
        std::int64_t const which = below(3);
        if (which == 1) number_of = op(nest_op::multiply, number_of, number_of);
        return made(spatial, {last},
                    which == 0 ? attune::reduction::maximum : attune::reduction::sum, number_of);
    }

    value window(value const& from)
    {
        axes spatial = from.along;
        std::size_t const d = spatial.size() - 1 - static_cast<std::size_t>(below(2));
        std::uint32_t const reach = new_axis("w", 1 + below(3));
        bool const is_max = one_in(2);
        std::vector<affine_index> index;
        for (std::uint32_t const a : from.along)
            index.push_back(b_.at(a));
        index[d] = b_.sum(spatial[d], 1, reach, 1, -1);
        std::uint32_t value_of_window = b_.read(from.array, std::move(index), true, number_);
        if (!is_max && one_in(2))
            value_of_window = op(nest_op::multiply, value_of_window, at(argument({reach})));
        return made(spatial, {reach}, is_max ? attune::reduction::maximum : attune::reduction::sum,
                    value_of_window);
    }

    /// Combines an array with one whose axes it has, or with an argument, and goes on from there.
    value elements(value const& from, std::vector<value> const& known)
    {
        std::uint32_t number_of = at(from);
        std::vector<value> fitting;
        for (value const& other : known)
            if (other.array != from.array &&
                std::all_of(other.along.begin(), other.along.end(), [&](std::uint32_t a) {
                    return std::find(from.along.begin(), from.along.end(), a) != from.along.end();
                }))
                fitting.push_back(other);
        if (!fitting.empty() && !one_in(4)) {
            value const other = any(fitting);
            nest_op const code =
                any(std::vector{nest_op::add, nest_op::subtract, nest_op::multiply});
            number_of = op(code, number_of, at(other));
        } else if (one_in(2)) {
            number_of = op(nest_op::add, number_of, at(argument({from.along.back()})));
        }
        if (one_in(2)) number_of = activation(number_of);
        return made(from.along, {}, attune::reduction::none, number_of);
    }

    std::int64_t least_;
    std::int64_t most_;
    bool has_inputs_;
};

} // namespace support
