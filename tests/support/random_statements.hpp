// tests/support/random_statements.hpp - extents, arrays, values and statements drawn at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nest_examples.hpp"

namespace support {

/// Adds drawn parts to a program. Results are continuous functions of the numbers that are rounded,
/// so that another order of summation changes them little.
class statement_generator {
public:
    explicit statement_generator(std::uint64_t seed)
        : draw_(seed)
        , b_("random")
    {
    }

protected:
    using axes = std::vector<std::uint32_t>;

    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(
            attune::uniform_below(draw_, static_cast<std::uint64_t>(bound)));
    }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    template <class T>
    T const& any(std::vector<T> const& of)
    {
        return of[static_cast<std::size_t>(below(static_cast<std::int64_t>(of.size())))];
    }
    template <class T>
    void shuffle(std::vector<T>& all)
    {
        for (std::size_t i = all.size(); i > 1; --i)
            std::swap(all[i - 1],
                      all[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }

    // ---- types and extents

    /// Elements that are read, numbers in between, elements that are written.
    void draw_types()
    {
        using enum element_type;
        struct choice {
            element_type from, number, to;
        };
        static std::vector<choice> const all{
            {f32, f32, f32}, {f32, f32, f32}, {f32, f32, f32},   {f64, f64, f64},  {f32, f64, f32},
            {f16, f32, f16}, {f16, f32, f32}, {bf16, f32, bf16}, {bf16, f32, f32}, {i8, i32, i32},
            {u8, i32, i32},  {i8, i32, i8},   {i16, i32, i16},   {u16, i32, i64},  {i32, i32, i32},
            {i64, i64, i64}, {u32, u32, u32}, {u8, i32, u8},
        };
        choice const& one = any(all);
        from_ = one.from;
        number_ = one.number;
        to_ = one.to;
    }
    [[nodiscard]] bool is_real_number() const
    {
        return number_ == element_type::f32 || number_ == element_type::f64;
    }
    /// An extent of at most `most`; seldom 0.
    std::int64_t size(std::int64_t most)
    {
        static std::vector<std::int64_t> const usual{1,  2,  3,  4,  5,  7,  8,  9,  13, 16,
                                                     17, 19, 24, 31, 32, 33, 37, 64, 65, 67};
        if (one_in(60)) return 0;
        std::vector<std::int64_t> allowed;
        for (std::int64_t const n : usual)
            if (n <= most) allowed.push_back(n);
        return any(allowed);
    }
    std::int64_t value_of(attune::nest_extent const& e) const
    {
        return e.input == attune::no_index ? e.constant : inputs_[e.input];
    }
    std::int64_t steps(std::uint32_t axis) const { return value_of(b_.out.axes[axis].extent); }
    /// An extent as a constant or, where inputs are drawn, as an input.
    attune::nest_extent extent(std::int64_t value)
    {
        if (!one_in(5)) return {value, attune::no_index};
        b_.out.inputs.push_back({"N" + std::to_string(inputs_.size()),
                                 one_in(2) ? element_type::i64 : element_type::i32});
        inputs_.push_back(value);
        return {0, static_cast<std::uint32_t>(inputs_.size() - 1)};
    }
    std::uint32_t axis(std::string name, std::int64_t steps_of)
    {
        b_.out.axes.push_back({std::move(name), extent(steps_of)});
        return static_cast<std::uint32_t>(b_.out.axes.size() - 1);
    }
    /// Another axis of the same extent.
    std::uint32_t twin(std::uint32_t of)
    {
        b_.out.axes.push_back({b_.out.axes[of].name + "x", b_.out.axes[of].extent});
        return static_cast<std::uint32_t>(b_.out.axes.size() - 1);
    }

    // ---- arrays and values

    std::uint32_t array(std::string name, attune::nest_role role,
                        std::vector<attune::nest_extent> extents, element_type type)
    {
        auto const made = b_.array(std::move(name), role, std::move(extents), type);
        bool const is_argument = role != attune::nest_role::temporary;
        b_.out.arrays[made].has_row_stride =
            is_argument && b_.out.arrays[made].extents.size() == 2 && one_in(4);
        return made;
    }
    std::uint32_t number(double value) { return b_.number(value, number_); }
    std::uint32_t op(nest_op code, std::uint32_t x, std::uint32_t y = attune::no_index)
    {
        return b_.op(code, x, y, number_);
    }
    /// A new array, read at the given indices; large enough, unless padded.
    std::uint32_t read(std::vector<affine_index> at, std::vector<bool> const& padded)
    {
        std::vector<attune::nest_extent> extents;
        bool is_padded = false;
        for (std::size_t d = 0; d < at.size(); ++d) {
            affine_index& index = at[d];
            std::sort(index.terms.begin(), index.terms.end(),
                      [](auto const& x, auto const& y) { return x.axis < y.axis; });
            std::int64_t low = index.offset;
            std::int64_t high = index.offset;
            for (attune::affine_term const& term : index.terms) {
                std::int64_t const last =
                    term.factor * std::max<std::int64_t>(steps(term.axis) - 1, 0);
                low += std::min<std::int64_t>(last, 0);
                high += std::max<std::int64_t>(last, 0);
            }
            bool const is_plain =
                index.terms.size() == 1 && index.terms.front().factor == 1 && index.offset == 0;
            if (padded[d]) {
                is_padded = true;
                extents.push_back(extent(std::max<std::int64_t>(1, high - below(3))));
            } else if (is_plain && !one_in(6)) {
                extents.push_back(b_.out.axes[index.terms.front().axis].extent);
            } else {
                index.offset -= low;
                extents.push_back(extent(high - low + 1 + below(2)));
            }
        }
        auto const made = array("A" + std::to_string(b_.out.arrays.size()), attune::nest_role::read,
                                std::move(extents), from_);
        return b_.read(made, std::move(at), is_padded, number_);
    }
    /// A new array with one dimension for each axis, in any order; strided, shifted or backwards
    /// now and then.
    std::uint32_t read_along(axes along)
    {
        shuffle(along);
        std::vector<affine_index> at;
        for (std::uint32_t const a : along) {
            affine_index index{{{a, 1}}, 0};
            if (one_in(8)) index.terms.front().factor = one_in(2) ? 2 : 3;
            if (one_in(10)) index.offset = below(3);
            if (one_in(14)) index.terms.front().factor = -1;
            at.push_back(std::move(index));
        }
        if (at.empty() || one_in(20)) at.push_back({{}, below(2)}); // one row of several
        return read(at, std::vector<bool>(at.size(), false));
    }
    axes some_of(axes const& all)
    {
        axes out;
        for (std::uint32_t const a : all)
            if (!one_in(3)) out.push_back(a);
        return out;
    }
    std::uint32_t scalar_input()
    {
        b_.out.inputs.push_back({"s" + std::to_string(inputs_.size()),
                                 any(std::vector{element_type::i32, number_, element_type::f32})});
        if (!is_real_number()) b_.out.inputs.back().type = element_type::i32;
        inputs_.push_back(below(7) - 3);
        attune::nest_node node{.code = nest_op::input, .type = number_};
        node.input = static_cast<std::uint32_t>(inputs_.size() - 1);
        return b_.node(node);
    }

    /// A function of one number that does not jump.
    std::uint32_t activation(std::uint32_t x)
    {
        if (!is_real_number()) {
            std::int64_t const which = below(5);
            if (which == 0) return op(nest_op::maximum, x, number(0));
            if (which == 1)
                return op(nest_op::divide, x, number(static_cast<double>(2 + below(5))));
            if (which == 2)
                return op(nest_op::minimum, op(nest_op::maximum, x, number(3)), number(100));
            if (which == 3) return op(nest_op::negate, x);
            return op(nest_op::multiply, x, number(static_cast<double>(below(300))));
        }
        auto const times = [&](std::uint32_t a, std::uint32_t c) {
            return op(nest_op::multiply, a, c);
        };
        auto const plus = [&](std::uint32_t a, std::uint32_t c) { return op(nest_op::add, a, c); };
        auto const bounded = [&](std::uint32_t a) { return op(nest_op::minimum, a, number(4)); };
        std::int64_t const which = below(10);
        if (which == 0) return op(nest_op::maximum, x, number(0));
        if (which == 1) // gelu by tanh
            return times(times(x, number(0.5)),
                         plus(number(1),
                              op(nest_op::hyperbolic_tangent,
                                 times(number(0.7978845608),
                                       plus(x, times(number(0.044715), times(x, times(x, x))))))));
        if (which == 2) // gelu by erf
            return times(times(x, number(0.5)), plus(number(1), op(nest_op::error_function,
                                                                   times(x, number(0.70710678)))));
        if (which == 3) // sigmoid
            return op(nest_op::divide, number(1),
                      plus(number(1), op(nest_op::exponential, bounded(op(nest_op::negate, x)))));
        if (which == 4)
            return op(nest_op::square_root, plus(op(nest_op::absolute, x), number(0.25)));
        if (which == 5) return op(nest_op::logarithm, plus(op(nest_op::absolute, x), number(1)));
        if (which == 6) return op(nest_op::exponential, bounded(x));
        if (which == 7) return op(nest_op::divide, x, plus(op(nest_op::absolute, x), number(1)));
        if (which == 8) return plus(times(x, number(-1.5)), number(0.375));
        return op(nest_op::hyperbolic_tangent, x);
    }
    /// A truth about axes or about numbers of an argument: never about rounded ones.
    std::uint32_t truth(axes const& spatial)
    {
        nest_op const code = any(std::vector{nest_op::less, nest_op::less_equal, nest_op::equal});
        auto const axis_number = [&](std::uint32_t a) {
            attune::nest_node node{.code = nest_op::axis, .type = element_type::i32};
            node.axis = a;
            return b_.node(node);
        };
        if (!spatial.empty() && one_in(2))
            return b_.op(code, axis_number(any(spatial)),
                         one_in(2) ? axis_number(any(spatial))
                                   : b_.number(static_cast<double>(below(9)), element_type::i32),
                         element_type::i32);
        return op(code, read_along(some_of(spatial)), number(0));
    }
    std::uint32_t select(std::uint32_t of, std::uint32_t a, std::uint32_t c)
    {
        attune::nest_node node{.code = nest_op::select, .type = number_};
        node.first = of;
        node.second = a;
        node.third = c;
        return b_.node(node);
    }
    /// min(1 / |x|, 4), which is 4 for both zeros.
    std::uint32_t of_signless_zero(std::uint32_t x)
    {
        return op(nest_op::minimum, op(nest_op::divide, number(1), op(nest_op::absolute, x)),
                  number(4));
    }
    /// A quotient of whole numbers whose divisor may be 0: alone, twice, and where it is chosen.
    std::uint32_t quotient(std::uint32_t x, axes const& spatial)
    {
        std::uint32_t const by = read_along(some_of(spatial));
        std::uint32_t out = op(nest_op::divide, x, by);
        if (one_in(2)) out = op(nest_op::add, out, op(nest_op::multiply, out, out));
        if (one_in(3)) return out;
        return select(b_.op(nest_op::equal, by, number(0), number_), number(5), out);
    }
    /// Something that is done to each element: a bias, a residual, a mask, an activation.
    std::uint32_t dressed(std::uint32_t x, axes const& spatial)
    {
        for (std::int64_t n = 1 + below(3); n > 0; --n) {
            std::int64_t const which = below(8);
            if (which < 2)
                x = op(nest_op::add, x, read_along(some_of(spatial)));
            else if (which == 2)
                x = op(nest_op::subtract, read_along(spatial), x);
            else if (which == 3)
                x = op(nest_op::multiply, x, scalar_input());
            else if (which == 4)
                x = select(truth(spatial), x, one_in(2) ? number(2) : op(nest_op::negate, x));
            else if (which == 5)
                x = is_real_number() ? of_signless_zero(x) : quotient(x, spatial);
            else
                x = activation(x);
        }
        return x;
    }

    // ---- statements

    attune::nest_role last_role(bool continues)
    {
        return continues ? attune::nest_role::updated : attune::nest_role::written;
    }
    std::vector<attune::nest_extent> extents_of(axes const& spatial)
    {
        std::vector<attune::nest_extent> out;
        for (std::uint32_t const a : spatial)
            out.push_back(b_.of(a));
        return out;
    }
    /// @return  the array
    std::uint32_t state(std::string name, axes const& spatial, axes const& reduced,
                        attune::reduction combine, std::uint32_t value, attune::nest_role role,
                        element_type type)
    {
        auto const made = array(std::move(name), role, extents_of(spatial), type);
        bool const continues = role == attune::nest_role::updated;
        b_.statement(made, spatial, reduced, combine, value, continues, number_);
        return made;
    }
    std::uint32_t element(std::uint32_t from, axes const& spatial)
    {
        std::vector<affine_index> at;
        for (std::uint32_t const a : spatial)
            at.push_back(b_.at(a));
        return b_.read(from, std::move(at), false, number_);
    }
    /// What is between two statements: a temporary, of the type of the numbers or of elements.
    attune::nest_role between()
    {
        return one_in(4) ? attune::nest_role::written : attune::nest_role::temporary;
    }
    element_type between_type() { return one_in(3) ? to_ : number_; }

    attune::reduction combination(std::uint32_t& value)
    {
        using enum attune::reduction;
        std::int64_t const which = below(8);
        if (which == 0) {
            // Near 1, or odd: products of zeros say nothing.
            value = is_real_number()
                        ? op(nest_op::add, number(1), op(nest_op::multiply, value, number(0.0625)))
                        : op(nest_op::add, op(nest_op::multiply, value, number(2)), number(1));
            return product;
        }
        return which == 1 ? maximum : which == 2 ? minimum : sum;
    }
    /// Takes, for an axis, another one of these with its extent.
    void exchange(axes& spatial, axes const& reduced)
    {
        axes others = spatial;
        others.insert(others.end(), reduced.begin(), reduced.end());
        shuffle(others);
        for (std::size_t s = 0; s < spatial.size(); ++s)
            for (std::uint32_t const other : others)
                if (b_.of(other) == b_.of(spatial[s]) &&
                    std::find(spatial.begin(), spatial.begin() + static_cast<std::ptrdiff_t>(s),
                              other) == spatial.begin() + static_cast<std::ptrdiff_t>(s)) {
                    spatial[s] = other;
                    break;
                }
    }
    /// A reduction, and up to two statements that read its result element by element.
    void reduce_and_dress(axes spatial, axes const& reduced, std::uint32_t value)
    {
        attune::reduction const combine = combination(value);
        std::int64_t const more = below(5) < 2 ? 1 + below(2) : 0;
        bool const continues = more == 0 && one_in(4);
        std::uint32_t last =
            state("C", spatial, reduced, combine, value,
                  more > 0 ? between() : last_role(continues), more > 0 ? between_type() : to_);
        for (std::int64_t m = 0; m < more; ++m) {
            if (one_in(4))
                for (std::uint32_t& a : spatial)
                    a = twin(a);
            else if (one_in(2))
                exchange(spatial, reduced);
            bool const is_end = m + 1 == more;
            last = state("D" + std::to_string(m), spatial, {}, attune::reduction::none,
                         dressed(element(last, spatial), spatial),
                         is_end ? attune::nest_role::written : between(),
                         is_end ? to_ : between_type());
        }
    }

    attune::random_engine draw_;
    nest_builder b_;
    std::vector<std::int64_t> inputs_;
    element_type from_{};
    element_type number_{};
    element_type to_{};
};

} // namespace support
