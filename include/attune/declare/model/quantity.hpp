// attune/declare/model/quantity.hpp - a whole number that depends on parameters, made at run time.
// SPDX-License-Identifier: MIT
//
// A quantity is a sum of products in one normal form: each operation merges like terms and folds
// constants. Equal costs are equal objects, and the cost of fifty layers has only as many terms as
// its parameters need. A typed expression (declare/expression) would repeat a size at each use, and
// grow with each layer.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/kinds.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct quantity_factor;

/// `coefficient` times its factors, ascending by their texts; a power repeats its factor.
struct quantity_term {
    std::int64_t coefficient = 0;
    std::vector<std::shared_ptr<quantity_factor const>> factors;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::model {

/// A whole number or a truth (0 or 1) over parameters and inputs. Parameters and typed expressions
/// convert to a quantity, which has the same operators.
///
/// Sizes are not negative: max() and the costs of a network assume this of parameters, and
/// network::space() refuses a parameter with a negative value.
/// Errors   attune::error: a constant beyond 64 bits, or a division by the constant 0
class quantity {
public:
    /// 0.
    quantity() = default;
    template <std::integral T>
    quantity(T value) // NOLINT: {64, 3, 3} is a list of quantities
        : quantity(std::unsigned_integral<T> ? of_unsigned(static_cast<std::uint64_t>(value))
                                             : constant_of(static_cast<std::int64_t>(value)))
    {
    }
    template <symbolic T>
    quantity(T const& typed) // NOLINT: a parameter converts to its value
        : quantity(lifted(typed))
    {
    }

    /// The value of a parameter of a description made at run time.
    /// @param is_positive  true: all its values are 1 or more
    [[nodiscard]] static quantity of_parameter(std::string name, bool is_positive = false);

    /// The number, if no parameter or input changes it.
    [[nodiscard]] std::optional<std::int64_t> constant() const noexcept;
    /// Returns true for a truth: a comparison, a boolean parameter, or several joined.
    [[nodiscard]] bool is_truth() const noexcept { return is_truth_; }
    /// Returns true if the form shows a value >= 0 for all parameters; an input may be negative.
    [[nodiscard]] bool is_natural() const noexcept;
    /// Returns true if the form shows a value >= 1 for all parameters.
    [[nodiscard]] bool is_positive() const noexcept;
    /// Returns true if there is a value for all values of parameters: no divisor may be 0.
    [[nodiscard]] bool is_total() const noexcept;
    /// The formula in its normal form. Equal formulas have equal texts.
    [[nodiscard]] std::string text() const;
    /// The name in constraints and explanations; text() unless called() gave another.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool has_name() const noexcept { return !name_.empty(); }
    /// Precedence of name() in C++: detail::operation_rules::rank.
    [[nodiscard]] int name_rank() const noexcept;
    /// The same quantity under a name: "weights of vgg16".
    [[nodiscard]] quantity called(std::string name) const;

    [[nodiscard]] std::vector<detail::quantity_term> const& terms() const noexcept
    {
        return terms_;
    }

    [[nodiscard]] friend quantity operator+(quantity const& a, quantity const& b)
    {
        return joined(op::add, a, b);
    }
    [[nodiscard]] friend quantity operator-(quantity const& a, quantity const& b)
    {
        return joined(op::subtract, a, b);
    }
    [[nodiscard]] friend quantity operator*(quantity const& a, quantity const& b)
    {
        return joined(op::multiply, a, b);
    }
    [[nodiscard]] friend quantity operator/(quantity const& a, quantity const& b)
    {
        return joined(op::divide, a, b);
    }
    [[nodiscard]] friend quantity operator%(quantity const& a, quantity const& b)
    {
        return joined(op::modulo, a, b);
    }
    [[nodiscard]] friend quantity ceil_div(quantity const& a, quantity const& b)
    {
        return joined(op::ceil_divide, a, b);
    }
    [[nodiscard]] friend quantity min(quantity const& a, quantity const& b)
    {
        return joined(op::minimum, a, b);
    }
    [[nodiscard]] friend quantity max(quantity const& a, quantity const& b)
    {
        return joined(op::maximum, a, b);
    }
    [[nodiscard]] friend quantity operator<(quantity const& a, quantity const& b)
    {
        return joined(op::less, a, b);
    }
    [[nodiscard]] friend quantity operator<=(quantity const& a, quantity const& b)
    {
        return joined(op::less_equal, a, b);
    }
    [[nodiscard]] friend quantity operator>(quantity const& a, quantity const& b)
    {
        return joined(op::greater, a, b);
    }
    [[nodiscard]] friend quantity operator>=(quantity const& a, quantity const& b)
    {
        return joined(op::greater_equal, a, b);
    }
    [[nodiscard]] friend quantity operator==(quantity const& a, quantity const& b)
    {
        return joined(op::equal, a, b);
    }
    [[nodiscard]] friend quantity operator!=(quantity const& a, quantity const& b)
    {
        return joined(op::not_equal, a, b);
    }
    /// The conjunction of two truths.
    [[nodiscard]] friend quantity operator&&(quantity const& a, quantity const& b)
    {
        return joined(op::logical_and, a, b);
    }
    [[nodiscard]] friend quantity operator||(quantity const& a, quantity const& b)
    {
        return joined(op::logical_or, a, b);
    }
    [[nodiscard]] friend quantity operator!(quantity const& a) { return negated(a); }
    /// `if_true` where `condition` holds, else `if_false`.
    [[nodiscard]] friend quantity select(quantity const& condition, quantity const& if_true,
                                         quantity const& if_false)
    {
        return chosen(condition, if_true, if_false);
    }

    quantity& operator+=(quantity const& more) { return *this = *this + more; }

    /// a / b: 12 * N * T / (4 * N) is 3 * T. Nothing unless b is one product that divides each term
    /// of a. N counts as not 0, because extents of tensors are at least 1.
    [[nodiscard]] friend std::optional<quantity> exact_quotient(quantity const& a,
                                                                quantity const& b)
    {
        return divided(a, b);
    }

    /// Returns true if both have the same normal form; names may differ.
    [[nodiscard]] bool is_same(quantity const& other) const;
    /// The same number as one factor that is at least 1 in each valid configuration, as an extent
    /// of a tensor is.
    [[nodiscard]] quantity as_extent() const;
    /// The quantity itself if it is a truth, else the truth that it is not 0.
    [[nodiscard]] quantity as_truth() const;

private:
    [[nodiscard]] static quantity constant_of(std::int64_t value);
    [[nodiscard]] static quantity of_unsigned(std::uint64_t value);
    /// The quantity of a formula whose type is boolean: a parameter in it is a truth.
    [[nodiscard]] quantity of_condition() const;
    [[nodiscard]] static quantity of_code(std::span<detail::instruction const> code);
    [[nodiscard]] static quantity of_factor(detail::quantity_factor made);
    [[nodiscard]] static quantity joined(op code, quantity const& a, quantity const& b);
    [[nodiscard]] static quantity negated(quantity const& a);
    [[nodiscard]] static quantity chosen(quantity const& condition, quantity const& if_true,
                                         quantity const& if_false);
    [[nodiscard]] static quantity sum(quantity const& a, quantity const& b, std::int64_t sign);
    /// The terms that `a` and `b` have in common.
    [[nodiscard]] static quantity common(quantity const& a, quantity const& b);
    [[nodiscard]] static quantity product(quantity const& a, quantity const& b);
    [[nodiscard]] static std::optional<quantity> divided(quantity const& a, quantity const& b);
    [[nodiscard]] static quantity unnamed(op code, quantity const& a, quantity const& b);

    template <class T>
    [[nodiscard]] static quantity lifted(T const& typed)
    {
        auto const formula = detail::lift(typed);
        constexpr value_kind kind = decltype(formula)::yields;
        constexpr bool is_whole = kind == value_kind::integer || kind == value_kind::boolean;
        static_assert(is_whole, "attune: a size or a cost of a model is a whole number; compare a "
                                "text or a real parameter, and choose by the comparison");
        if constexpr (kind == value_kind::boolean)
            return of_code(formula.code).of_condition();
        else if constexpr (is_whole)
            return of_code(formula.code);
        else
            return quantity{};
    }

    std::vector<detail::quantity_term> terms_; // ascending by factors; no coefficient is 0
    std::string name_;
    int name_rank_ = 0; // precedence of the last operation in the name
    bool is_truth_ = false;
};

} // namespace attune::inline ATTUNE_ABI::model

namespace attune::inline ATTUNE_ABI::detail {

/// A parameter, an input, a literal of a comparison, or an operation that is no sum of products.
/// `add` with one operand is that operand as one factor.
struct quantity_factor {
    op code{};
    std::int64_t integer = 0; ///< value of a literal; place of a part of a list
    double real = 0;          ///< value of a literal
    std::string text{};       ///< the literal, or the name that a leaf reads
    std::vector<model::quantity> operands{};
    bool is_truth = false;
    bool is_natural = false;
    bool is_positive = false;
    bool is_total = true; ///< it has no division by a quantity that may be 0
    std::string key{};    ///< the formula as text
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/quantity.ipp>
#endif
