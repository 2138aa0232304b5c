// tests/support/nest_interpreter.hpp - what a tensor program computes, one element after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>
#include <attune/measure/arrays/compare.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace support {

/// A number of a node: whole numbers and reals apart, so that 64 bits stay exact.
struct nest_number {
    std::int64_t whole = 0;
    double real = 0;
};

inline bool is_real(attune::element_type type)
{
    using enum attune::element_type;
    return type == f32 || type == f64 || type == f16 || type == bf16;
}

/// As a number of `type` holds it: rounded, or around at the ends.
inline nest_number nest_rounded(nest_number v, bool from_real, attune::element_type type)
{
    using enum attune::element_type;
    if (is_real(type)) {
        double const x = from_real ? v.real : static_cast<double>(v.whole);
        if (type == f32) return {0, static_cast<double>(static_cast<float>(x))};
        if (type == f16) return {0, static_cast<double>(attune::detail::half_bits(x))};
        if (type == bf16) return {0, static_cast<double>(attune::detail::brain_bits(x))};
        return {0, x};
    }
    std::int64_t const w = from_real ? static_cast<std::int64_t>(v.real) : v.whole;
    switch (type) {
    case i8:
        return {static_cast<std::int8_t>(w), 0};
    case u8:
        return {static_cast<std::uint8_t>(w), 0};
    case i16:
        return {static_cast<std::int16_t>(w), 0};
    case u16:
        return {static_cast<std::uint16_t>(w), 0};
    case i32:
        return {static_cast<std::int32_t>(w), 0};
    case u32:
        return {static_cast<std::uint32_t>(w), 0};
    default:
        return {w, 0};
    }
}

/// Runs a program on numbers. Arrays are vectors in C order (a row stride is the last extent).
class nest_interpreter {
public:
    nest_interpreter(attune::nest_description const& program, std::vector<std::int64_t> inputs)
        : p_(program)
        , inputs_(std::move(inputs))
        , arrays(program.arrays.size())
    {
        for (std::size_t a = 0; a < arrays.size(); ++a)
            arrays[a].resize(size_of(a));
    }

    std::int64_t extent(attune::nest_extent const& e) const
    {
        return e.input == attune::no_index ? e.constant : inputs_[e.input];
    }
    std::size_t size_of(std::size_t array) const
    {
        std::int64_t size = 1;
        for (attune::nest_extent const& e : p_.arrays[array].extents)
            size *= extent(e);
        return static_cast<std::size_t>(size);
    }

    void run()
    {
        at_.assign(p_.axes.size(), 0);
        for (attune::nest_statement const& s : p_.statements)
            spatial(s, 0);
    }

private:
    std::int64_t position(attune::nest_access const& access) const
    {
        attune::nest_array const& array = p_.arrays[access.array];
        std::int64_t out = 0;
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            std::int64_t index = access.at[d].offset;
            for (attune::affine_term const& t : access.at[d].terms)
                index += t.factor * at_[t.axis];
            if (index < 0 || index >= extent(array.extents[d])) return -1;
            out = out * extent(array.extents[d]) + index;
        }
        return out;
    }
    void spatial(attune::nest_statement const& s, std::uint32_t i)
    {
        using enum attune::reduction;
        if (i < s.spatial_count) {
            for (at_[s.axes[i]] = 0; at_[s.axes[i]] < extent(p_.axes[s.axes[i]].extent);
                 ++at_[s.axes[i]])
                spatial(s, i + 1);
            return;
        }
        attune::element_type const element = p_.arrays[s.target.array].element;
        nest_number& to = arrays[s.target.array][static_cast<std::size_t>(position(s.target))];
        if (s.combine == none) {
            to = nest_rounded(value(s.value), is_real(p_.nodes[s.value].type), element);
            return;
        }
        bool const real = is_real(s.accumulator);
        nest_number kept{};
        if (s.combine == product) kept = {1, 1};
        if (s.combine == maximum) kept = lowest(s.accumulator);
        if (s.combine == minimum) kept = highest(s.accumulator);
        if (s.continues) kept = nest_rounded(to, is_real(element), s.accumulator);
        best_ = 0;
        if (s.combine == argument_of_maximum) kept = lowest(s.accumulator);
        reduce(s, i, kept);
        if (s.combine == argument_of_maximum) kept = {best_, 0};
        to = nest_rounded(kept, real && s.combine != argument_of_maximum, element);
    }
    static nest_number lowest(attune::element_type type)
    {
        if (is_real(type)) return {0, -std::numeric_limits<double>::infinity()};
        if (type == attune::element_type::i32) return {std::numeric_limits<std::int32_t>::min(), 0};
        if (type == attune::element_type::i64) return {std::numeric_limits<std::int64_t>::min(), 0};
        return {0, 0};
    }
    static nest_number highest(attune::element_type type)
    {
        if (is_real(type)) return {0, std::numeric_limits<double>::infinity()};
        if (type == attune::element_type::i32) return {std::numeric_limits<std::int32_t>::max(), 0};
        if (type == attune::element_type::u32)
            return {std::numeric_limits<std::uint32_t>::max(), 0};
        return {std::numeric_limits<std::int64_t>::max(), 0};
    }
    void reduce(attune::nest_statement const& s, std::size_t i, nest_number& kept)
    {
        using enum attune::reduction;
        if (i < s.axes.size()) {
            for (at_[s.axes[i]] = 0; at_[s.axes[i]] < extent(p_.axes[s.axes[i]].extent);
                 ++at_[s.axes[i]])
                reduce(s, i + 1, kept);
            return;
        }
        bool const from_real = is_real(p_.nodes[s.value].type);
        nest_number const v = nest_rounded(value(s.value), from_real, s.accumulator);
        bool const real = is_real(s.accumulator);
        if (s.combine == argument_of_maximum) {
            if (real ? v.real > kept.real : v.whole > kept.whole) { // never for NaN
                kept = v;
                best_ = at_[s.axes.back()];
            }
            return;
        }
        if (s.combine == maximum || s.combine == minimum) {
            bool const less = real ? kept.real < v.real : kept.whole < v.whole;
            bool const more = real ? v.real < kept.real : v.whole < kept.whole;
            if (s.combine == maximum ? less : more) kept = v;
            return;
        }
        nest_number out;
        if (s.combine == product)
            out = {multiply_whole(kept.whole, v.whole), kept.real * v.real};
        else
            out = {add_whole(kept.whole, v.whole), kept.real + v.real};
        kept = nest_rounded(out, real, s.accumulator);
    }
    static std::int64_t add_whole(std::int64_t a, std::int64_t b)
    {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                         static_cast<std::uint64_t>(b));
    }
    static std::int64_t multiply_whole(std::int64_t a, std::int64_t b)
    {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) *
                                         static_cast<std::uint64_t>(b));
    }
    nest_number value(std::uint32_t n) const
    {
        using enum attune::nest_op;
        attune::nest_node const& node = p_.nodes[n];
        bool const real = is_real(node.type);
        auto const operand = [&](std::uint32_t m) {
            return nest_rounded(value(m), is_real(p_.nodes[m].type), node.type);
        };
        auto const of_real = [&](double v) { return nest_rounded({0, v}, true, node.type); };
        switch (node.code) {
        case literal:
            return of_real(node.literal);
        case access: {
            attune::nest_access const& a = p_.accesses[node.access];
            std::int64_t const at = position(a);
            if (at < 0) return {};
            return nest_rounded(arrays[a.array][static_cast<std::size_t>(at)],
                                is_real(p_.arrays[a.array].element), node.type);
        }
        case axis:
            return nest_rounded({at_[node.axis], 0}, false, node.type);
        case input:
            return nest_rounded({inputs_[node.input], 0}, false, node.type);
        case select:
            return truth(node.first) ? operand(node.second) : operand(node.third);
        default:
            break;
        }
        nest_number const a = operand(node.first);
        switch (node.code) {
        case convert:
            return a;
        case negate:
            return nest_rounded({add_whole(0, multiply_whole(a.whole, -1)), -a.real}, real,
                                node.type);
        case absolute:
            return real ? of_real(std::abs(a.real)) : nest_number{std::abs(a.whole), 0};
        case exponential:
            return of_real(std::exp(a.real));
        case logarithm:
            return of_real(std::log(a.real));
        case square_root:
            return of_real(std::sqrt(a.real));
        case hyperbolic_tangent:
            return of_real(std::tanh(a.real));
        case error_function:
            return of_real(std::erf(a.real));
        default:
            break;
        }
        nest_number const b = operand(node.second);
        switch (node.code) {
        case add_code:
            return nest_rounded({add_whole(a.whole, b.whole), a.real + b.real}, real, node.type);
        case subtract:
            return nest_rounded({add_whole(a.whole, multiply_whole(b.whole, -1)), a.real - b.real},
                                real, node.type);
        case multiply_code:
            return nest_rounded({multiply_whole(a.whole, b.whole), a.real * b.real}, real,
                                node.type);
        case divide:
            return real ? of_real(a.real / b.real)
                        : nest_number{b.whole == 0 ? 0 : a.whole / b.whole, 0};
        case minimum:
            return (real ? b.real < a.real : b.whole < a.whole) ? b : a;
        case maximum:
            return (real ? a.real < b.real : a.whole < b.whole) ? b : a;
        default:
            return {};
        }
    }
    bool truth(std::uint32_t n) const
    {
        attune::nest_node const& node = p_.nodes[n];
        bool const real = is_real(node.type);
        auto const operand = [&](std::uint32_t m) {
            return nest_rounded(value(m), is_real(p_.nodes[m].type), node.type);
        };
        nest_number const a = operand(node.first);
        nest_number const b = operand(node.second);
        bool const less = real ? a.real < b.real : a.whole < b.whole;
        bool const same = real ? a.real == b.real : a.whole == b.whole;
        if (node.code == attune::nest_op::less) return less;
        return node.code == attune::nest_op::equal ? same : less || same;
    }
    static constexpr auto add_code = attune::nest_op::add;
    static constexpr auto multiply_code = attune::nest_op::multiply;

    attune::nest_description const& p_;
    std::vector<std::int64_t> inputs_;
    std::vector<std::int64_t> at_;
    std::int64_t best_ = 0;

public:
    std::vector<std::vector<nest_number>> arrays;
};

} // namespace support
