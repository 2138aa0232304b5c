// attune/declare/model/quantity.hpp - a whole number that depends on parameters, made at run time.
// SPDX-License-Identifier: MIT
//
// A sum of products, kept in one normal form: like terms are merged and constants folded while a
// network is built, so that equal costs are equal objects and the cost of fifty layers is as few
// terms as its parameters need. Typed expressions (declare/expression) are trees in a type, where a
// size used twice is written twice; the shapes of a network would grow with each layer.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/kinds.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct quantity_factor;

/// `coefficient` times its factors, which ascend by their texts; a power is a repeated factor.
struct quantity_term {
    std::int64_t coefficient = 0;
    std::vector<std::shared_ptr<quantity_factor const>> factors;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::model {

/// A whole number or a truth (0 or 1) over parameters and inputs. Parameters and typed expressions
/// convert to it; operators are those of typed expressions.
///
/// Sizes are not negative: max() and the costs of a network rely on it for parameters, and
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
    quantity(T const& typed) // NOLINT: a parameter stands for its value
        : quantity(lifted(typed))
    {
    }

    /// The value of a parameter of a description that is made at run time.
    /// @param is_positive  all its values are 1 or more
    [[nodiscard]] static quantity of_parameter(std::string name, bool is_positive = false);

    /// The number, where no parameter decides about it.
    [[nodiscard]] std::optional<std::int64_t> constant() const noexcept;
    /// Whether it is a truth: a comparison, a boolean parameter, or several joined.
    [[nodiscard]] bool is_truth() const noexcept { return is_truth_; }
    /// Whether it is 0 or more wherever parameters are; an input may be negative.
    [[nodiscard]] bool is_natural() const noexcept;
    /// Whether it is 1 or more there, as far as its form says.
    [[nodiscard]] bool is_positive() const noexcept;
    /// Whether it has a value wherever parameters are: nothing is divided by what may be 0.
    [[nodiscard]] bool is_total() const noexcept;
    /// The formula in its normal form. Equal formulas have equal texts.
    [[nodiscard]] std::string text() const;
    /// What constraints and explanations call it; text() unless called() gave a name.
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
    /// Of truths.
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

    /// a / b where b is one product that divides each term of a: 12 * N * T / (4 * N) is 3 * T;
    /// else nothing. Extents of tensors are at least 1, so that N is taken to be not 0.
    [[nodiscard]] friend std::optional<quantity> exact_quotient(quantity const& a,
                                                                quantity const& b)
    {
        return divided(a, b);
    }

    /// Whether both have one normal form, whatever they are called.
    [[nodiscard]] bool is_same(quantity const& other) const;
    /// The same number as one factor, which an extent of a tensor is: at least 1 wherever the
    /// configuration is valid.
    [[nodiscard]] quantity as_extent() const;
    /// Itself if it is a truth, else whether it is not 0.
    [[nodiscard]] quantity as_truth() const;

private:
    [[nodiscard]] static quantity constant_of(std::int64_t value);
    [[nodiscard]] static quantity of_unsigned(std::uint64_t value);
    /// A formula whose type says boolean: a parameter in it is a truth.
    [[nodiscard]] quantity of_condition() const;
    [[nodiscard]] static quantity of_code(std::span<detail::instruction const> code);
    [[nodiscard]] static quantity of_factor(detail::quantity_factor made);
    [[nodiscard]] static quantity joined(op code, quantity const& a, quantity const& b);
    [[nodiscard]] static quantity negated(quantity const& a);
    [[nodiscard]] static quantity chosen(quantity const& condition, quantity const& if_true,
                                         quantity const& if_false);
    [[nodiscard]] static quantity sum(quantity const& a, quantity const& b, std::int64_t sign);
    /// The terms that both have, each as often as both have it.
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
        static_assert(is_whole,
                      "attune: a size or a cost of a model is a whole number; compare a text or a "
                      "real parameter, and choose by the comparison");
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

/// A parameter, an input, a literal of a comparison, or an operation that no sum of products is.
/// `add` with one operand is that operand as one factor.
struct quantity_factor {
    op code{};
    std::int64_t integer = 0; ///< of a literal; of a part of a list its place
    double real = 0;          ///< of a literal
    std::string text{};       ///< the literal, or the name that a leaf reads
    std::vector<model::quantity> operands{};
    bool is_truth = false;
    bool is_natural = false;
    bool is_positive = false;
    bool is_total = true; ///< no division in it that may be by 0
    std::string key{};    ///< the formula as text
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/quantity.ipp>
#endif
