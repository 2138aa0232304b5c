// attune/declare/model/quantity.ipp - sums of products and their normal form.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/model/quantity.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The code does not expand a product of sums with more terms than this.
inline constexpr std::size_t max_expanded_terms = 256;

[[noreturn]] inline void refuse_cost(std::string const& what, std::string const& where)
{
    throw error(what, where, "use smaller sizes, or larger units");
}

/// The value of an operation on two constants.
[[nodiscard]] inline std::int64_t computed(op code, std::int64_t a, std::int64_t b)
{
    std::optional<number> const made = compute(rules_of(code), number::of(a), number::of(b));
    if (!made)
        refuse_cost(is_division(code) && b == 0 ? "a size of a model is divided by 0"
                                                : "a cost of a model exceeds 64 bits",
                    std::to_string(a) + " and " + std::to_string(b));
    return made->integer;
}

using factor_list = std::vector<std::shared_ptr<quantity_factor const>>;

[[nodiscard]] inline int compare(std::shared_ptr<quantity_factor const> const& a,
                                 std::shared_ptr<quantity_factor const> const& b)
{
    return a == b ? 0 : a->key.compare(b->key);
}
[[nodiscard]] inline int compare(factor_list const& a, factor_list const& b)
{
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (int const order = compare(a[i], b[i]); order != 0) return order;
    return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
}

/// The factors of both. A truth occurs once, because its square is itself.
[[nodiscard]] inline factor_list together(factor_list const& a, factor_list const& b)
{
    factor_list out;
    out.reserve(a.size() + b.size());
    auto const less = [](auto const& x, auto const& y) { return compare(x, y) < 0; };
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), less);
    auto const repeated = [](auto const& x, auto const& y) {
        return x->is_truth && compare(x, y) == 0;
    };
    out.erase(std::unique(out.begin(), out.end(), repeated), out.end());
    return out;
}

[[nodiscard]] inline std::string text_of_factors(quantity_term const& term)
{
    std::string out;
    std::uint64_t const bits = static_cast<std::uint64_t>(term.coefficient);
    std::uint64_t const size = term.coefficient < 0 ? 0 - bits : bits; // also of the least number
    if (size != 1 || term.factors.empty()) out = std::to_string(size);
    for (auto const& f : term.factors)
        out += (out.empty() ? "" : " * ") + f->key;
    return out;
}

/// "(a + b)" where an operation needs it.
[[nodiscard]] inline std::string operation_name(op code, std::span<model::quantity const> of)
{
    std::vector<lowered_operand> args;
    for (model::quantity const& q : of)
        args.push_back({no_index, q.name(), q.name_rank()});
    return text_of_operation(code, args);
}

} // namespace detail

namespace model {

ATTUNE_INLINE quantity quantity::constant_of(std::int64_t value)
{
    quantity out;
    if (value != 0) out.terms_.push_back({value, {}});
    return out;
}

ATTUNE_INLINE quantity quantity::of_unsigned(std::uint64_t value)
{
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        detail::refuse_cost("a size of a model exceeds 64 bits", std::to_string(value));
    return constant_of(static_cast<std::int64_t>(value));
}

ATTUNE_INLINE quantity quantity::of_factor(detail::quantity_factor made)
{
    quantity out;
    bool const divides = detail::is_division(made.code) && !made.operands.back().constant();
    made.is_total = !divides && std::all_of(made.operands.begin(), made.operands.end(),
                                            [](quantity const& q) { return q.is_total(); });
    out.is_truth_ = made.is_truth;
    if (made.key.empty()) {
        std::vector<quantity> plain = made.operands;
        for (quantity& operand : plain)
            operand.name_.clear();
        made.key = made.code == op::add ? '(' + plain.front().text() + ')'
                                        : '(' + detail::operation_name(made.code, plain) + ')';
    }
    out.terms_.push_back({1, {std::make_shared<detail::quantity_factor const>(std::move(made))}});
    return out;
}

ATTUNE_INLINE std::optional<std::int64_t> quantity::constant() const noexcept
{
    if (terms_.empty()) return 0;
    if (terms_.size() == 1 && terms_.front().factors.empty()) return terms_.front().coefficient;
    return {};
}

ATTUNE_INLINE bool quantity::is_natural() const noexcept
{
    return is_truth_ || std::all_of(terms_.begin(), terms_.end(), [](auto const& term) {
               return term.coefficient > 0 &&
                      std::all_of(term.factors.begin(), term.factors.end(),
                                  [](auto const& f) { return f->is_natural; });
           });
}

ATTUNE_INLINE bool quantity::is_positive() const noexcept
{
    return is_natural() && std::any_of(terms_.begin(), terms_.end(), [](auto const& term) {
               return term.coefficient > 0 &&
                      std::all_of(term.factors.begin(), term.factors.end(),
                                  [](auto const& f) { return f->is_positive; });
           });
}

ATTUNE_INLINE bool quantity::is_total() const noexcept
{
    return std::all_of(terms_.begin(), terms_.end(), [](auto const& term) {
        return std::all_of(term.factors.begin(), term.factors.end(),
                           [](auto const& f) { return f->is_total; });
    });
}

ATTUNE_INLINE std::string quantity::text() const
{
    if (terms_.empty()) return "0";
    std::string out;
    for (detail::quantity_term const& term : terms_) {
        if (out.empty())
            out = term.coefficient < 0 ? "-" : "";
        else
            out += term.coefficient < 0 ? " - " : " + ";
        out += detail::text_of_factors(term);
    }
    return out;
}

ATTUNE_INLINE std::string quantity::name() const { return name_.empty() ? text() : name_; }

ATTUNE_INLINE int quantity::name_rank() const noexcept
{
    if (has_name()) return name_rank_;
    if (terms_.size() > 1) return detail::rules_of(op::add).rank;
    if (terms_.empty()) return detail::leaf_rank;
    detail::quantity_term const& term = terms_.front();
    if (term.coefficient < 0) return detail::unary_rank;
    bool const is_one = term.factors.empty() || (term.coefficient == 1 && term.factors.size() == 1);
    return is_one ? detail::leaf_rank : detail::rules_of(op::multiply).rank;
}

ATTUNE_INLINE quantity quantity::called(std::string name) const
{
    quantity out = *this;
    out.name_ = std::move(name);
    out.name_rank_ = detail::leaf_rank;
    return out;
}

ATTUNE_INLINE bool quantity::is_same(quantity const& other) const
{
    return std::equal(terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(),
                      [](auto const& a, auto const& b) {
                          return a.coefficient == b.coefficient &&
                                 detail::compare(a.factors, b.factors) == 0;
                      });
}

ATTUNE_INLINE quantity quantity::as_extent() const
{
    if (terms_.size() <= 1 && is_natural()) return *this;
    detail::quantity_factor made{
        .code = op::add, .operands = {*this}, .is_natural = true, .is_positive = is_positive()};
    return of_factor(std::move(made));
}

ATTUNE_INLINE quantity quantity::as_truth() const { return is_truth_ ? *this : *this != 0; }

ATTUNE_INLINE quantity quantity::of_condition() const
{
    if (is_truth_) return *this;
    bool const is_leaf = terms_.size() == 1 && terms_.front().coefficient == 1 &&
                         terms_.front().factors.size() == 1 &&
                         detail::names_parameter(terms_.front().factors.front()->code);
    if (!is_leaf) return *this != 0;
    detail::quantity_factor leaf = *terms_.front().factors.front(); // a boolean parameter
    leaf.is_truth = true;
    return of_factor(std::move(leaf));
}

ATTUNE_INLINE quantity quantity::sum(quantity const& a, quantity const& b, std::int64_t sign)
{
    quantity out;
    auto x = a.terms_.begin();
    auto y = b.terms_.begin();
    while (x != a.terms_.end() || y != b.terms_.end()) {
        int const order = x == a.terms_.end()   ? 1
                          : y == b.terms_.end() ? -1
                                                : detail::compare(x->factors, y->factors);
        std::int64_t const first = order <= 0 ? x->coefficient : 0;
        std::int64_t const second =
            order >= 0 ? detail::computed(op::multiply, sign, y->coefficient) : 0;
        std::int64_t const total = detail::computed(op::add, first, second);
        if (total != 0) out.terms_.push_back({total, order <= 0 ? x->factors : y->factors});
        if (order <= 0) ++x;
        if (order >= 0) ++y;
    }
    return out;
}

ATTUNE_INLINE quantity quantity::product(quantity const& a, quantity const& b)
{
    auto const whole = [](quantity const& q) {
        if (q.terms_.size() <= 1) return q;
        detail::quantity_factor made{
            .code = op::add, .operands = {q}, .is_natural = q.is_natural()};
        made.operands.front().name_.clear();
        return of_factor(std::move(made));
    };
    if (a.terms_.size() * b.terms_.size() > detail::max_expanded_terms)
        return product(whole(a), whole(b));
    std::vector<detail::quantity_term> made;
    for (detail::quantity_term const& x : a.terms_)
        for (detail::quantity_term const& y : b.terms_)
            made.push_back({detail::computed(op::multiply, x.coefficient, y.coefficient),
                            detail::together(x.factors, y.factors)});
    std::sort(made.begin(), made.end(), [](auto const& x, auto const& y) {
        return detail::compare(x.factors, y.factors) < 0;
    });
    quantity out;
    for (detail::quantity_term& term : made) {
        if (out.terms_.empty() || detail::compare(out.terms_.back().factors, term.factors) != 0) {
            out.terms_.push_back(std::move(term));
            continue;
        }
        std::int64_t& total = out.terms_.back().coefficient;
        total = detail::computed(op::add, total, term.coefficient);
    }
    std::erase_if(out.terms_, [](auto const& term) { return term.coefficient == 0; });
    return out;
}

ATTUNE_INLINE quantity quantity::of_parameter(std::string name, bool is_positive)
{
    detail::quantity_factor leaf{
        .code = op::parameter, .text = name, .is_natural = true, .is_positive = is_positive};
    leaf.key = std::move(name);
    return of_factor(std::move(leaf));
}

ATTUNE_INLINE std::optional<quantity> quantity::divided(quantity const& a, quantity const& b)
{
    if (b.terms_.size() != 1) return {};
    detail::quantity_term const& by = b.terms_.front();
    std::int64_t const divisor = by.coefficient;
    quantity out;
    for (detail::quantity_term const& term : a.terms_) {
        // -1 divides every number except the least, whose quotient is beyond 64 bits.
        bool const is_divided = divisor == -1
                                    ? term.coefficient != std::numeric_limits<std::int64_t>::min()
                                    : term.coefficient % divisor == 0;
        if (!is_divided) return {};
        detail::factor_list left = term.factors;
        for (auto const& factor : by.factors) {
            auto const at = std::find_if(left.begin(), left.end(), [&](auto const& f) {
                return detail::compare(f, factor) == 0;
            });
            // A truth occurs once for all its powers, so it stays a factor.
            if (at == left.end() || factor->is_truth) return {};
            left.erase(at);
        }
        out.terms_.push_back({term.coefficient / divisor, std::move(left)});
    }
    std::sort(out.terms_.begin(), out.terms_.end(), [](auto const& x, auto const& y) {
        return detail::compare(x.factors, y.factors) < 0;
    });
    return out;
}

ATTUNE_INLINE quantity quantity::common(quantity const& a, quantity const& b)
{
    quantity out;
    auto x = a.terms_.begin();
    auto y = b.terms_.begin();
    while (x != a.terms_.end() && y != b.terms_.end()) {
        int const order = detail::compare(x->factors, y->factors);
        if (order == 0 && x->coefficient > 0 && y->coefficient > 0)
            out.terms_.push_back({std::min(x->coefficient, y->coefficient), x->factors});
        if (order <= 0) ++x;
        if (order >= 0) ++y;
    }
    return out;
}

ATTUNE_INLINE quantity quantity::unnamed(op code, quantity const& a, quantity const& b)
{
    if (code == op::add) return sum(a, b, 1);
    if (code == op::subtract) return sum(a, b, -1);
    if (code == op::multiply) return product(a, b);
    std::optional<std::int64_t> const x = a.constant();
    std::optional<std::int64_t> const y = b.constant();
    detail::operation_rules const& rules = detail::rules_of(code);
    bool const is_truth = detail::yields_truth(code);
    auto const truth = [](bool holds) {
        quantity out = constant_of(holds ? 1 : 0);
        out.is_truth_ = true;
        return out;
    };
    if (x && y && !is_truth) return constant_of(detail::computed(code, *x, *y));
    if (x && y && detail::is_comparison(code))
        return truth(detail::satisfies(rules.holds, number::of(*x), number::of(*y)));
    if (detail::is_chain(code)) {
        bool const decides = code == op::logical_or;
        if (x) return (*x != 0) == decides ? truth(decides) : b;
        if (y) return (*y != 0) == decides ? truth(decides) : a;
        if (a.is_same(b)) return a;
    }
    if (detail::is_division(code)) {
        if (y == 0) detail::refuse_cost("a size of a model is divided by 0", a.name());
        bool const is_exact =
            y && std::all_of(a.terms_.begin(), a.terms_.end(), [&](auto const& term) {
                return *y == -1 || term.coefficient % *y == 0;
            });
        if (is_exact && detail::is_remainder(code)) return {};
        if (is_exact) {
            quantity out = a;
            out.is_truth_ = a.is_truth_ && *y == 1;
            for (detail::quantity_term& term : out.terms_)
                term.coefficient = detail::computed(code, term.coefficient, *y);
            return out;
        }
    }
    bool const is_max = code == op::maximum;
    if (is_max || code == op::minimum) {
        if (sum(a, b, -1).is_natural()) return is_max ? a : b;
        if (sum(b, a, -1).is_natural()) return is_max ? b : a;
        // Terms that both have move outside, so that a tree keeps one sum: w + max(x, y).
        if (quantity const both = common(a, b); !both.terms_.empty())
            return sum(both, unnamed(code, sum(a, both, -1), sum(b, both, -1)), 1);
    }
    bool const is_natural = is_truth || (a.is_natural() && b.is_natural());
    return of_factor(
        {.code = code, .operands = {a, b}, .is_truth = is_truth, .is_natural = is_natural});
}

ATTUNE_INLINE quantity quantity::joined(op code, quantity const& a, quantity const& b)
{
    bool const of_truths = detail::is_chain(code);
    if (of_truths && !(a.is_truth() && b.is_truth()))
        throw error("&& and || of a model need conditions", a.name() + " and " + b.name(),
                    "write comparisons, such as x <= 8192");
    quantity out = unnamed(code, a, b);
    if ((a.has_name() || b.has_name()) && !out.constant()) {
        quantity const both[2] = {a, b};
        out.name_ = detail::operation_name(code, both);
        out.name_rank_ = detail::rules_of(code).rank;
    }
    return out;
}

ATTUNE_INLINE quantity quantity::negated(quantity const& a)
{
    if (!a.is_truth())
        throw error("! of a model needs a condition", a.name(),
                    "write a comparison, such as x <= 8192");
    quantity out = sum(constant_of(1), a, -1); // 1 - a, so that a * !a is 0
    out.is_truth_ = true;
    out.name_ = "!(" + a.name() + ')';
    out.name_rank_ = detail::unary_rank;
    return out;
}

ATTUNE_INLINE quantity quantity::chosen(quantity const& condition, quantity const& if_true,
                                        quantity const& if_false)
{
    if (!condition.is_truth())
        throw error("select of a model needs a condition first", condition.name(),
                    "write a comparison, such as x <= 8192");
    if (auto const known = condition.constant()) return *known != 0 ? if_true : if_false;
    if (if_true.is_same(if_false)) return if_true;
    detail::quantity_factor made{.code = op::select,
                                 .operands = {condition, if_true, if_false},
                                 .is_truth = if_true.is_truth() && if_false.is_truth(),
                                 .is_natural = if_true.is_natural() && if_false.is_natural()};
    return of_factor(std::move(made));
}

ATTUNE_INLINE quantity quantity::of_code(std::span<detail::instruction const> code)
{
    std::vector<quantity> stack;
    for (detail::instruction const& step : code) {
        std::size_t const taken = detail::rules_of(step.code).operands;
        if (step.code == op::integer) {
            stack.push_back(constant_of(step.integer));
        } else if (taken == 0) {
            detail::quantity_factor leaf{.code = step.code,
                                         .integer = step.integer,
                                         .real = step.real,
                                         .text = std::string(step.text),
                                         .is_natural = detail::names_parameter(step.code)};
            leaf.key = step.code == op::text   ? '"' + leaf.text + '"'
                       : step.code == op::real ? detail::text_of_real(step.real)
                                               : leaf.text;
            if (step.code == op::element) leaf.key += '[' + std::to_string(step.integer) + ']';
            if (step.code == op::position)
                leaf.key += ".position(" + std::to_string(step.integer) + ')';
            stack.push_back(of_factor(std::move(leaf)));
        } else {
            std::vector<quantity> const of(stack.end() - static_cast<std::ptrdiff_t>(taken),
                                           stack.end());
            stack.resize(stack.size() - taken);
            if (step.code == op::negate)
                stack.push_back(sum({}, of[0], -1));
            else if (step.code == op::logical_not)
                stack.push_back(negated(of[0].of_condition()));
            else if (taken == 1)
                stack.push_back(of_factor({.code = step.code, .operands = of, .is_natural = true}));
            else if (taken == 3)
                stack.push_back(chosen(of[0].of_condition(), of[1], of[2]));
            else if (detail::is_chain(step.code))
                stack.push_back(unnamed(step.code, of[0].as_truth(), of[1].of_condition()));
            else
                stack.push_back(unnamed(step.code, of[0], of[1]));
        }
    }
    return stack.back();
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI
