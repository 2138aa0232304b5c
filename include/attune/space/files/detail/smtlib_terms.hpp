// attune/space/files/detail/smtlib_terms.hpp - operations of an expression as terms of SMT-LIB.
// SPDX-License-Identifier: MIT
// Source   The SMT-LIB Standard 2.6; theory Ints: a = b (div a b) + (mod a b), 0 <= (mod a b) < |b|
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct smt_term {
    std::string value;
    std::string defined = "true"; ///< condition under which `value` is correct
    double largest = 0;           ///< bound of the absolute value
    bool is_real = false;
    bool is_truth = false; ///< of sort Bool
};

[[nodiscard]] inline std::string smt_integer(std::int64_t v)
{
    std::string const digits = std::to_string(v);
    return v < 0 ? "(- " + digits.substr(1) + ')' : digits;
}

/// A double as an exact term: a whole number times or over a power of two.
[[nodiscard]] inline std::string smt_real(double v)
{
    if (!std::isfinite(v)) throw error("a real that is not finite cannot be written", "", "");
    if (v == 0) return "0.0";
    int exponent = 0;
    auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(v), &exponent), 53));
    exponent -= 53;
    for (; digits % 2 == 0 && exponent < 0; ++exponent)
        digits /= 2;
    std::string out = std::to_string(digits) + ".0";
    char const* const way = exponent < 0 ? "(/ " : "(* ";
    for (int rest = std::abs(exponent); rest > 0; rest -= 62)
        out = way + out + ' ' + std::to_string(std::int64_t{1} << std::min(rest, 62)) + ".0)";
    return v < 0 ? "(- " + out + ')' : out;
}

/// Returns true if the constant of a parameter is of sort Real.
[[nodiscard]] inline bool smt_is_real(parameter_description const& p) noexcept
{
    return p.traits().is_interval || !p.reals.empty();
}

[[nodiscard]] inline std::string smt_join(char const* word, std::vector<std::string> const& parts)
{
    if (parts.size() == 1) return parts.front();
    if (parts.empty()) return word == std::string("or") ? "false" : "true";
    std::string out = std::string("(") + word;
    for (std::string const& part : parts)
        out += ' ' + part;
    return out + ')';
}

[[nodiscard]] inline std::string smt_both(std::string const& a, std::string const& b)
{
    if (a == "true") return b;
    if (b == "true" || a == b) return a;
    return "(and " + a + ' ' + b + ')';
}

/// The condition that `otherwise` holds or `t` has a value.
[[nodiscard]] inline std::string smt_unless(std::string const& otherwise, smt_term const& t)
{
    return t.defined == "true" ? t.defined : "(or " + otherwise + ' ' + t.defined + ')';
}

[[nodiscard]] inline smt_term smt_number(number const& v)
{
    std::string text = v.is_real ? smt_real(v.real) : smt_integer(v.integer);
    return {std::move(text), "true", std::abs(v.as_real()), v.is_real, false};
}

[[nodiscard]] inline smt_term smt_truth(std::string value, std::string defined)
{
    return {std::move(value), std::move(defined), 1, false, true};
}

/// A term as a number; as a real number if `real`.
[[nodiscard]] inline std::string smt_value(smt_term const& t, bool real)
{
    if (t.is_truth) {
        return "(ite " + t.value + (real ? " 1.0 0.0)" : " 1 0)");
    }
    return real && !t.is_real ? "(to_real " + t.value + ')' : t.value;
}

/// Adds the condition that a whole number fits 64 bits, unless its bound shows that.
inline void smt_require_64_bits(smt_term& t)
{
    if (t.is_real || t.largest < 9.2e18) return;
    t.defined =
        smt_both(t.defined, "(<= (- 9223372036854775808) " + t.value + " 9223372036854775807)");
    t.largest = 9223372036854775808.0;
}

[[nodiscard]] inline smt_term smt_unary(op code, smt_term const& a)
{
    std::string const v = smt_value(a, a.is_real);
    std::string const minus = "(- " + v + ')';
    smt_term out{minus, a.defined, a.largest, a.is_real, false};
    if (code == op::absolute)
        out.value = "(ite (< " + v + (a.is_real ? " 0.0) " : " 0) ") + minus + ' ' + v + ')';
    smt_require_64_bits(out);
    return out;
}

[[nodiscard]] inline smt_term smt_select(std::string const& condition, std::string const& defined,
                                         smt_term const& a, smt_term const& b, bool real)
{
    real = real || a.is_real || b.is_real;
    std::string either = "true";
    if (a.defined != "true" || b.defined != "true")
        either = "(ite " + condition + ' ' + a.defined + ' ' + b.defined + ')';
    return {"(ite " + condition + ' ' + smt_value(a, real) + ' ' + smt_value(b, real) + ')',
            smt_both(defined, either), std::max(a.largest, b.largest), real, false};
}

[[nodiscard]] inline smt_term smt_comparison(op code, smt_term const& a, smt_term const& b)
{
    bool const real = a.is_real || b.is_real;
    std::string const sign{is_equality(code) ? "=" : rules_of(code).sign};
    std::string const test = '(' + sign + ' ' + smt_value(a, real) + ' ' + smt_value(b, real) + ')';
    return smt_truth(code == op::not_equal ? "(not " + test + ')' : test,
                     smt_both(a.defined, b.defined));
}

[[nodiscard]] inline std::string smt_pair(std::string_view word, std::string const& a,
                                          std::string const& b)
{
    return '(' + std::string(word) + ' ' + a + ' ' + b + ')';
}
[[nodiscard]] inline std::string smt_minus(std::string const& a) { return "(- " + a + ')'; }
[[nodiscard]] inline std::string smt_choose(std::string const& condition, std::string const& a,
                                            std::string const& b)
{
    return "(ite " + condition + ' ' + a + ' ' + b + ')';
}
[[nodiscard]] inline std::string smt_floor(std::string const& a)
{
    return "(to_real (to_int " + a + "))";
}
[[nodiscard]] inline std::string smt_ceiling(std::string const& a)
{
    return smt_minus(smt_floor(smt_minus(a)));
}
/// a - b * times
[[nodiscard]] inline std::string smt_rest(std::string const& a, std::string const& b,
                                          std::string const& times)
{
    return smt_pair("-", a, smt_pair("*", b, times));
}

/// The terms of a quotient or remainder. SMT-LIB's `div` leaves a remainder >= 0, so it rounds down
/// for b > 0. Other cases become b > 0 or a >= 0 by a change of both signs.
struct smt_division {
    op of{};
    std::string (*of_wholes)(std::string const& a, std::string const& b) = nullptr;
    std::string (*of_reals)(std::string const& a, std::string const& b) = nullptr;
};

inline constexpr enum_table<
    smt_division, op::select, op::integer, op::real, op::text, op::parameter, op::element,
    op::position, op::input, op::negate, op::logical_not, op::absolute, op::add, op::subtract,
    op::multiply, op::minimum, op::maximum, op::less, op::less_equal, op::greater,
    op::greater_equal, op::equal, op::not_equal, op::logical_and, op::logical_or, op::select>
    smt_divisions{{
        {op::divide,
         [](std::string const& a, std::string const& b) {
             return smt_choose(smt_pair(">=", a, "0"), smt_pair("div", a, b),
                               smt_minus(smt_pair("div", smt_minus(a), b)));
         },
         [](std::string const& a, std::string const& b) { return smt_pair("/", a, b); }},
        {op::modulo,
         [](std::string const& a, std::string const& b) {
             return smt_choose(smt_pair(">=", a, "0"), smt_pair("mod", a, b),
                               smt_minus(smt_pair("mod", smt_minus(a), b)));
         },
         [](std::string const& a, std::string const& b) {
             std::string const q = smt_pair("/", a, b);
             return smt_rest(a, b,
                             smt_choose(smt_pair(">=", q, "0.0"), smt_floor(q), smt_ceiling(q)));
         }},
        {op::floor_divide,
         [](std::string const& a, std::string const& b) {
             return smt_choose(smt_pair(">", b, "0"), smt_pair("div", a, b),
                               smt_pair("div", smt_minus(a), smt_minus(b)));
         },
         [](std::string const& a, std::string const& b) { return smt_floor(smt_pair("/", a, b)); }},
        {op::floor_modulo,
         [](std::string const& a, std::string const& b) {
             return smt_choose(smt_pair(">", b, "0"), smt_pair("mod", a, b),
                               smt_minus(smt_pair("mod", smt_minus(a), smt_minus(b))));
         },
         [](std::string const& a, std::string const& b) {
             return smt_rest(a, b, smt_floor(smt_pair("/", a, b)));
         }},
        {op::ceil_divide, // -floor(-a / b)
         [](std::string const& a, std::string const& b) {
             return smt_minus(smt_choose(smt_pair(">", b, "0"), smt_pair("div", smt_minus(a), b),
                                         smt_pair("div", a, smt_minus(b))));
         },
         [](std::string const& a, std::string const& b) {
             return smt_ceiling(smt_pair("/", a, b));
         }},
    }};

[[nodiscard]] consteval bool has_terms_of_divisions()
{
    for (smt_division const& row : smt_divisions)
        if ((row.of_wholes != nullptr) != is_division(row.of) ||
            (row.of_reals != nullptr) != is_division(row.of))
            return false;
    return true;
}
static_assert(has_terms_of_divisions(), "attune: a division needs its terms of SMT-LIB");

[[nodiscard]] inline smt_term smt_arithmetic(op code, smt_term const& a, smt_term const& b)
{
    smt_term out{"", smt_both(a.defined, b.defined), 0, a.is_real || b.is_real, false};
    std::string const x = smt_value(a, out.is_real);
    std::string const y = smt_value(b, out.is_real);
    auto const pair = [&](std::string_view word) { return smt_pair(word, x, y); };
    out.largest = std::max(a.largest, b.largest);
    if (is_division(code)) {
        out.defined = smt_both(out.defined, "(not (= " + y + (out.is_real ? " 0.0))" : " 0))"));
        smt_division const& terms = smt_divisions[code];
        out.value = (out.is_real ? terms.of_reals : terms.of_wholes)(x, y);
    } else if (rules_of(code).is_call) { // minimum or maximum
        out.value = "(ite " + pair(code == op::minimum ? "<" : ">") + ' ' + x + ' ' + y + ')';
    } else {
        out.value = pair(rules_of(code).sign);
        out.largest = code == op::multiply ? a.largest * b.largest : a.largest + b.largest;
    }
    smt_require_64_bits(out);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
