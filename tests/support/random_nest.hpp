// tests/support/random_nest.hpp - tensor programs drawn at random: shapes, types, statements.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "nest_examples.hpp"
#include "random_statements.hpp"

namespace support {

/// A program and the values of its inputs.
struct random_nest {
    attune::nest_description nest;
    std::vector<std::int64_t> inputs;
};

/// Draws products, convolutions, rows of statements, reductions, element-wise programs and chains.
/// Each statement has at most some thousand iterations.
class nest_generator : statement_generator {
public:
    using statement_generator::statement_generator;

    random_nest make()
    {
        draw_types();
        using program = void (nest_generator::*)();
        static constexpr program programs[] = {
            &nest_generator::product,          &nest_generator::product,
            &nest_generator::convolution,      &nest_generator::rows,
            &nest_generator::single_reduction, &nest_generator::elements,
            &nest_generator::stencil};
        (this->*programs[below(7)])();
        for (attune::nest_array& array : b_.out.arrays)
            array.is_constant =
                array.role == attune::nest_role::read && !array.has_row_stride && one_in(3);
        if (one_in(3)) rename(any(std::vector<std::string>{"t", "t", "c", "f"}));
        return {std::move(b_.out), std::move(inputs_)};
    }

private:
    /// Gives arrays and inputs names that locals of a text have, too: t0, t1, ...
    void rename(std::string const& stem)
    {
        std::size_t const count = b_.out.arrays.size() + b_.out.inputs.size();
        std::vector<std::size_t> numbers(std::max<std::size_t>(count, b_.out.nodes.size()));
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        shuffle(numbers);
        for (attune::nest_array& array : b_.out.arrays) {
            array.name = stem + std::to_string(numbers.back());
            numbers.pop_back();
        }
        for (attune::nest_input& input : b_.out.inputs) {
            input.name = stem + std::to_string(numbers.back());
            numbers.pop_back();
        }
    }

    // ---- programs

    void product()
    {
        axes spatial;
        std::int64_t room = 12000;
        std::int64_t const dimensions = 1 + below(3);
        std::int64_t const square = one_in(6) ? size(9) : -1; // all axes of one extent
        auto const add = [&](axes& to, std::string name, std::int64_t most) {
            std::int64_t const n =
                square >= 0 ? square : size(std::clamp<std::int64_t>(room, 1, most));
            room /= std::max<std::int64_t>(n, 1);
            to.push_back(axis(std::move(name), n));
        };
        for (std::int64_t d = 0; d < dimensions; ++d)
            add(spatial, std::string(1, "ijl"[d]), 70);
        axes reduced;
        add(reduced, "k", 70);
        if (one_in(4)) add(reduced, "r", 9);
        shuffle(spatial);
        std::uint32_t value = attune::no_index;
        std::int64_t const operands = 1 + below(3);
        for (std::int64_t o = 0; o < operands; ++o) {
            axes along = some_of(spatial);
            axes const sums = one_in(4) ? some_of(reduced) : reduced;
            along.insert(along.end(), sums.begin(), sums.end());
            std::uint32_t one = read_along(along);
            if (one_in(10)) one = activation(one);
            nest_op const code = one_in(5) ? nest_op::add : nest_op::multiply;
            value = o == 0 ? one : op(code, value, one);
        }
        reduce_and_dress(spatial, reduced, value);
    }

    void convolution()
    {
        axes spatial;
        axes reduced;
        std::vector<affine_index> x;
        std::vector<bool> padded;
        axes weights;
        std::int64_t const dimensions = 1 + below(2);
        if (one_in(4)) {
            spatial.push_back(axis("n", size(3)));
            x.push_back(b_.at(spatial.back()));
            padded.push_back(false);
        }
        for (std::int64_t d = 0; d < dimensions; ++d) {
            auto const at = axis(d == 0 ? "h" : "w", size(dimensions == 1 ? 40 : 13));
            auto const window = axis(d == 0 ? "kh" : "kw", 1 + below(4));
            bool const pads = one_in(2);
            std::int64_t const shift = pads ? below(3) : 0;
            x.push_back(b_.sum(at, 1 + below(3), window, 1 + below(2), -shift));
            padded.push_back(pads);
            spatial.push_back(at);
            reduced.push_back(window);
            weights.push_back(window);
        }
        if (one_in(3)) { // depthwise
            auto const channel = axis("c", size(20));
            spatial.push_back(channel);
            x.push_back(b_.at(channel));
            padded.push_back(false);
            weights.push_back(channel);
        } else {
            auto const channel = axis("c", size(8));
            auto const out = axis("o", size(20));
            reduced.push_back(channel);
            spatial.push_back(out);
            x.push_back(b_.at(channel));
            padded.push_back(false);
            weights.insert(weights.end(), {channel, out});
        }
        if (one_in(3)) shuffle(spatial);
        if (one_in(3)) shuffle(reduced);
        if (one_in(4)) { // another layout of the input
            std::vector<std::size_t> order(x.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            shuffle(order);
            auto const from = x;
            auto const from_padded = padded;
            for (std::size_t i = 0; i < order.size(); ++i) {
                x[i] = from[order[i]];
                padded[i] = from_padded[order[i]];
            }
        }
        std::uint32_t const image = read(x, padded);
        std::uint32_t const value =
            one_in(8) ? image : op(nest_op::multiply, image, read_along(weights));
        reduce_and_dress(spatial, reduced, value);
    }

    /// Softmax, norms: reductions over the last axis whose results are read with the row.
    void rows()
    {
        using enum attune::reduction;
        if (!is_real_number()) from_ = number_ = to_ = element_type::f32;
        axes outer{axis("i", size(20))};
        if (one_in(3)) outer.push_back(axis("l", size(5)));
        std::uint32_t j = axis("j", size(67));
        auto const next = [&] {
            if (one_in(4)) j = twin(j);
            if (one_in(8))
                for (std::uint32_t& a : outer)
                    a = twin(a);
        };
        auto const row = [&] {
            axes all = outer;
            all.push_back(j);
            return all;
        };
        auto const x_array = array("X", attune::nest_role::read, extents_of(row()), from_);
        auto const x = [&] { return element(x_array, row()); };
        std::int64_t const which = below(4);
        if (which == 0) { // softmax
            auto const top = state("top", outer, {j}, maximum, x(), between(), number_);
            next();
            auto const e =
                state("e", row(), {}, none,
                      op(nest_op::exponential, op(nest_op::subtract, x(), element(top, outer))),
                      between(), number_);
            next();
            auto const total =
                state("total", outer, {j}, sum, element(e, row()), between(), number_);
            next();
            state("Y", row(), {}, none,
                  op(nest_op::divide, element(e, row()), element(total, outer)),
                  attune::nest_role::written, to_);
        } else if (which == 1) { // layer norm, variance by a second pass
            double const n = static_cast<double>(std::max<std::int64_t>(steps(j), 1));
            auto const s = state("s", outer, {j}, sum, x(), between(), number_);
            next();
            auto const centered = [&] {
                return op(nest_op::subtract, x(),
                          op(nest_op::multiply, element(s, outer), number(1 / n)));
            };
            auto const c = centered();
            auto const v =
                state("v", outer, {j}, sum, op(nest_op::multiply, c, c), between(), number_);
            next();
            auto const scale =
                op(nest_op::square_root,
                   op(nest_op::add, op(nest_op::multiply, element(v, outer), number(1 / n)),
                      number(0.01)));
            auto const scaled = op(nest_op::divide, centered(), scale);
            state("Y", row(), {}, none,
                  op(nest_op::add, op(nest_op::multiply, scaled, read_along({j})), read_along({j})),
                  attune::nest_role::written, to_);
        } else if (which == 2) { // by the largest absolute value
            auto const top =
                state("top", outer, {j}, maximum, op(nest_op::absolute, x()), between(), number_);
            next();
            state("Y", row(), {}, none,
                  op(nest_op::divide, x(), op(nest_op::add, element(top, outer), number(0.5))),
                  attune::nest_role::written, to_);
        } else { // log of the sum of exponentials
            auto const s =
                state("s", outer, {j}, sum, op(nest_op::exponential, x()), between(), number_);
            next();
            state("Y", outer, {}, none,
                  op(nest_op::logarithm, op(nest_op::add, element(s, outer), number(0.5))),
                  attune::nest_role::written, to_);
        }
    }

    void single_reduction()
    {
        axes spatial;
        std::int64_t const dimensions = 1 + below(2);
        for (std::int64_t d = 0; d < dimensions; ++d)
            spatial.push_back(axis(d == 0 ? "i" : "j", size(20)));
        std::uint32_t const k = axis("k", size(67));
        axes all = spatial;
        all.push_back(k);
        std::uint32_t value = read_along(all);
        if (one_in(3)) value = op(nest_op::add, value, read_along(some_of(all)));
        if (one_in(3)) {
            // Sums of two numbers are exact in any type: the largest one is where it is.
            auto const made = array("C", attune::nest_role::written, extents_of(spatial),
                                    one_in(2) ? element_type::i32 : element_type::i64);
            b_.statement(made, spatial, {k}, attune::reduction::argument_of_maximum, value, false,
                         number_);
            return;
        }
        reduce_and_dress(spatial, {k}, value);
    }

    void elements()
    {
        axes spatial{axis("i", size(40)), axis("j", size(40))};
        if (one_in(3)) spatial.push_back(axis("l", size(9)));
        shuffle(spatial);
        std::uint32_t const value = dressed(read_along(spatial), spatial);
        bool const continues = one_in(5);
        state("C", spatial, {},
              continues ? (one_in(2) ? attune::reduction::sum : attune::reduction::maximum)
                        : attune::reduction::none,
              value, last_role(continues), to_);
    }

    /// A temporary that is read with an offset, padded or not; then a window over it.
    void stencil()
    {
        axes spatial{axis("i", size(20)), axis("j", size(24))};
        std::uint32_t const window = axis("w", 1 + below(3));
        bool const pads = one_in(2);
        // The temporary has as many elements as are read, or as the target.
        axes inner = spatial;
        if (!pads) {
            inner[1] = axis("jj", steps(spatial[1]) + steps(window));
        } else if (one_in(2)) {
            inner = {twin(spatial[0]), twin(spatial[1])};
        }
        auto const from = state("T", inner, {}, attune::reduction::none,
                                dressed(read_along(inner), inner), between(), between_type());
        affine_index along = b_.sum(spatial[1], 1, window, 1, pads ? -1 : 0);
        std::vector<affine_index> at{b_.at(spatial[0]), std::move(along)};
        reduce_and_dress(spatial, {window}, b_.read(from, std::move(at), pads, number_));
    }
};

} // namespace support
