// attune/declare/expression/evaluate.hpp - the value of an expression at one configuration, checked.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

using maybe_number = std::optional<number>;

inline maybe_number truth(bool v) { return number::of(std::int64_t{v}); }

/// Integer arithmetic in 64 bits; nothing when the exact result does not fit or does not exist.
inline maybe_number integer_arithmetic(op code, std::int64_t a, std::int64_t b)
{
    std::int64_t out = 0;
    switch (code) {
    case op::add:
        return __builtin_add_overflow(a, b, &out) ? maybe_number{} : number::of(out);
    case op::subtract:
        return __builtin_sub_overflow(a, b, &out) ? maybe_number{} : number::of(out);
    case op::multiply:
        return __builtin_mul_overflow(a, b, &out) ? maybe_number{} : number::of(out);
    case op::minimum:
        return number::of(a < b ? a : b);
    case op::maximum:
        return number::of(a > b ? a : b);
    default:
        break;
    }
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return {};
    std::int64_t const quotient = a / b;
    std::int64_t const remainder = a % b;
    bool const inexact = remainder != 0;
    bool const opposite_signs = (a < 0) != (b < 0);
    switch (code) {
    case op::divide:
        return number::of(quotient);
    case op::modulo:
        return number::of(remainder);
    case op::floor_divide:
        return number::of(quotient - (inexact && opposite_signs ? 1 : 0));
    case op::floor_modulo:
        return number::of(remainder + (inexact && opposite_signs ? b : 0));
    case op::ceil_divide:
        return number::of(quotient + (inexact && !opposite_signs ? 1 : 0));
    default:
        return {};
    }
}

/// What is left of a after as many whole b as fit, exactly, with the sign of b.
inline double floor_remainder(double a, double b)
{
    double const rest = __builtin_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Arithmetic in doubles. The floor_ forms are those of Python: the remainder is exact, and the
/// quotient is the whole number that goes with it, also where a / b is rounded up to the next one.
inline maybe_number real_arithmetic(op code, double a, double b)
{
    auto const floor_of = [](double v) { return __builtin_floor(v); };
    switch (code) {
    case op::add:
        return number::of(a + b);
    case op::subtract:
        return number::of(a - b);
    case op::multiply:
        return number::of(a * b);
    case op::minimum:
        return number::of(a < b ? a : b);
    case op::maximum:
        return number::of(a > b ? a : b);
    default:
        break;
    }
    if (b == 0) return {};
    switch (code) {
    case op::divide:
        return number::of(a / b);
    case op::modulo:
        return number::of(__builtin_fmod(a, b));
    case op::floor_divide:
        return number::of(__builtin_rint((a - floor_remainder(a, b)) / b));
    case op::floor_modulo:
        return number::of(floor_remainder(a, b));
    case op::ceil_divide:
        return number::of(-floor_of(-(a / b)));
    default:
        return {};
    }
}

inline maybe_number comparison(op code, number const& a, number const& b)
{
    bool const reals = a.is_real || b.is_real;
    bool const less = reals ? a.as_real() < b.as_real() : a.integer < b.integer;
    bool const more = reals ? a.as_real() > b.as_real() : a.integer > b.integer;
    bool const same = reals ? a.as_real() == b.as_real() : a.integer == b.integer;
    switch (code) {
    case op::less:
        return truth(less);
    case op::less_equal:
        return truth(less || same);
    case op::greater:
        return truth(more);
    case op::greater_equal:
        return truth(more || same);
    case op::equal:
        return truth(same);
    case op::not_equal:
        return truth(!same);
    default:
        return {};
    }
}

} // namespace detail

/// Reads expressions of one description. Holds nothing but a reference: make one where needed.
class evaluator {
public:
    /// @param space  bound description; must outlive this object
    explicit evaluator(description const& space) noexcept
        : space_(space)
    {
    }

    /// The value of `node` where parameter i stands at `at[i]`; nothing when it has none.
    /// `&&`, `||` and `select` evaluate only what C++ would. Cost: one visit per node reached.
    [[nodiscard]] std::optional<number> value(std::uint32_t node,
                                              std::span<coordinate const> at) const
    {
        expression_node const& n = space_.nodes[node];
        switch (n.code) {
        case op::integer:
            return number::of(n.integer);
        case op::real:
            return number::of(n.real);
        case op::text:
            return {};
        case op::parameter:
            return number_at(space_.parameters[n.subject], at[n.subject]);
        case op::element:
            return number::of(elements(n, at)[static_cast<std::size_t>(n.integer)]);
        case op::position: {
            std::vector<std::int64_t> const order = elements(n, at);
            for (std::size_t i = 0; i < order.size(); ++i)
                if (order[i] == n.integer) return number::of(static_cast<std::int64_t>(i));
            return {};
        }
        case op::input:
            return space_.inputs[n.subject].value;
        default:
            return operation(n, at);
        }
    }

    /// True when the constraint has a value at `at` and that value is not zero.
    [[nodiscard]] bool holds(constraint_description const& constraint,
                             std::span<coordinate const> at) const
    {
        if (constraint.test) {
            std::vector<coordinate> arguments;
            arguments.reserve(constraint.scope.size());
            for (std::uint32_t const i : constraint.scope)
                arguments.push_back(at[i]);
            return constraint.test(space_, arguments);
        }
        std::optional<number> const v = value(constraint.root, at);
        return v && v->as_real() != 0;
    }

private:
    [[nodiscard]] std::vector<std::int64_t> elements(expression_node const& n,
                                                     std::span<coordinate const> at) const
    {
        return elements_at(space_.parameters[n.subject], at[n.subject].index);
    }

    [[nodiscard]] std::optional<number> operation(expression_node const& n,
                                                  std::span<coordinate const> at) const
    {
        if (n.code == op::equal || n.code == op::not_equal)
            if (std::optional<bool> const same = same_text(n, at))
                return detail::truth(*same == (n.code == op::equal));

        std::optional<number> const a = value(n.first, at);
        if (!a) return {};
        bool const a_true = a->as_real() != 0;
        switch (n.code) {
        case op::logical_not:
            return detail::truth(!a_true);
        case op::negate:
        case op::absolute: {
            if (n.code == op::absolute && a->as_real() >= 0) return a;
            return a->is_real ? number::of(-a->real)
                              : detail::integer_arithmetic(op::subtract, 0, a->integer);
        }
        case op::logical_and:
            if (!a_true) return detail::truth(false);
            break;
        case op::logical_or:
            if (a_true) return detail::truth(true);
            break;
        case op::select: {
            std::optional<number> const chosen = value(a_true ? n.second : n.third, at);
            return chosen && n.real != 0 ? number::of(chosen->as_real()) : chosen;
        }
        default:
            break;
        }

        std::optional<number> const b = value(n.second, at);
        if (!b) return {};
        if (n.code == op::logical_and || n.code == op::logical_or)
            return detail::truth(b->as_real() != 0);
        if (n.code >= op::less && n.code <= op::not_equal)
            return detail::comparison(n.code, *a, *b);
        if (a->is_real || b->is_real)
            return detail::real_arithmetic(n.code, a->as_real(), b->as_real());
        return detail::integer_arithmetic(n.code, a->integer, b->integer);
    }

    /// The text a node stands for, if it stands for one.
    [[nodiscard]] std::optional<std::string_view> text(std::uint32_t node,
                                                       std::span<coordinate const> at) const
    {
        expression_node const& n = space_.nodes[node];
        if (n.code == op::text) return space_.texts[n.text];
        if (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text)
            return space_.parameters[n.subject].labels[at[n.subject].index];
        return {};
    }
    [[nodiscard]] std::optional<bool> same_text(expression_node const& n,
                                                std::span<coordinate const> at) const
    {
        std::optional<std::string_view> const a = text(n.first, at);
        std::optional<std::string_view> const b = text(n.second, at);
        if (!a || !b) return {};
        return *a == *b;
    }

    description const& space_;
};

} // namespace attune::inline ATTUNE_ABI
