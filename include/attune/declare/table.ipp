// attune/declare/table.ipp - reads and makes tables and texts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <numeric>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE void permutation_at(std::uint32_t rank, std::span<std::int64_t> out) noexcept
{
    std::uint32_t const items = static_cast<std::uint32_t>(out.size());
    ATTUNE_ASSERT(items <= max_permutation_items, "more orders than 32 bits can number");
    std::uint32_t orders = 1;
    for (std::uint32_t i = 2; i < items; ++i)
        orders *= i;
    std::int64_t rest[max_permutation_items] = {};
    for (std::uint32_t i = 0; i < items; ++i)
        rest[i] = i;
    for (std::uint32_t place = 0; place < items; ++place) {
        std::uint32_t const chosen = rank / orders;
        rank %= orders;
        out[place] = rest[chosen];
        for (std::uint32_t i = chosen; i + 1 < items - place; ++i)
            rest[i] = rest[i + 1];
        if (place + 1 < items) orders /= items - 1 - place > 0 ? items - 1 - place : 1;
    }
}

ATTUNE_INLINE std::uint32_t permutation_rank(std::span<std::int64_t const> order) noexcept
{
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::uint32_t smaller_behind = 0;
        for (std::size_t j = i + 1; j < order.size(); ++j)
            smaller_behind += order[j] < order[i] ? 1U : 0U;
        rank = rank * static_cast<std::uint32_t>(order.size() - i) + smaller_behind;
    }
    return rank;
}

} // namespace detail

ATTUNE_INLINE std::vector<std::int64_t> elements_at(parameter_description const& parameter,
                                                    std::uint32_t index)
{
    std::vector<std::int64_t> out(parameter.parts);
    if (parameter.traits().is_order)
        detail::permutation_at(index, out);
    else
        for (std::size_t i = 0; i < parameter.parts; ++i)
            out[i] = parameter.integers[std::size_t{index} * parameter.parts + i];
    return out;
}

namespace detail {

__extension__ typedef unsigned __int128 wide_product;

[[nodiscard]] inline std::uint64_t times_modulo(std::uint64_t a, std::uint64_t b,
                                                std::uint64_t modulus) noexcept
{
    return static_cast<std::uint64_t>(static_cast<wide_product>(a) * b % modulus);
}

/// Miller-Rabin; these seven bases are exact for 64-bit numbers.
/// @pre n is odd and > 2
[[nodiscard]] inline bool is_odd_prime(std::uint64_t n) noexcept
{
    int const twos = std::countr_zero(n - 1);
    for (std::uint64_t const given : {2U, 325U, 9375U, 28178U, 450775U, 9780504U, 1795265022U}) {
        std::uint64_t const base = given % n;
        if (base == 0) continue;
        std::uint64_t power = 1;
        std::uint64_t square = base;
        for (std::uint64_t left = (n - 1) >> twos; left > 0; left >>= 1) {
            if ((left & 1) != 0) power = times_modulo(power, square, n);
            square = times_modulo(square, square, n);
        }
        bool passes = power == 1;
        for (int i = 0; i < twos && !passes; ++i) {
            passes = power == n - 1;
            power = times_modulo(power, power, n);
        }
        if (!passes) return false;
    }
    return true;
}

/// Pollard's rho: a divisor that is neither 1 nor n. @pre n is odd and not prime
[[nodiscard]] inline std::uint64_t some_divisor(std::uint64_t n) noexcept
{
    for (std::uint64_t shift = 1;; ++shift) {
        auto const step = [&](std::uint64_t x) {
            return static_cast<std::uint64_t>(
                (static_cast<wide_product>(times_modulo(x, x, n)) + shift) % n);
        };
        std::uint64_t slow = 2 % n;
        std::uint64_t fast = slow;
        std::uint64_t common = 1;
        while (common == 1) {
            slow = step(slow);
            fast = step(step(fast));
            common = std::gcd(slow > fast ? slow - fast : fast - slow, n);
        }
        if (common != n) return common;
    }
}

/// Appends the primes of `n`, with repetitions, in no order.
inline void split(std::uint64_t n, std::vector<std::int64_t>& to)
{
    if (n == 1) return;
    if (is_odd_prime(n)) {
        to.push_back(static_cast<std::int64_t>(n));
        return;
    }
    std::uint64_t const one = some_divisor(n);
    split(one, to);
    split(n / one, to);
}

ATTUNE_INLINE std::vector<prime_power> prime_factors(std::int64_t extent)
{
    std::vector<std::int64_t> primes;
    auto rest = static_cast<std::uint64_t>(extent);
    // Trial division is the fastest method for small primes.
    for (std::uint64_t d = 2; d < 256 && d <= rest / d; d += d == 2 ? 1 : 2)
        for (; rest % d == 0; rest /= d)
            primes.push_back(static_cast<std::int64_t>(d));
    if (rest > 1 && rest < 256 * 256) // no divisor below 256: a prime
        primes.push_back(static_cast<std::int64_t>(rest));
    else
        detail::split(rest, primes);
    std::sort(primes.begin(), primes.end());
    std::vector<prime_power> out;
    for (std::int64_t const prime : primes)
        if (!out.empty() && out.back().prime == prime)
            ++out.back().exponent;
        else
            out.push_back({prime, 1});
    return out;
}

ATTUNE_INLINE double factorisation_count(std::int64_t extent, std::uint32_t parts)
{
    double count = 1;
    for (prime_power const& one : prime_factors(extent)) {
        double ways = 1;
        for (int i = 1; i <= one.exponent; ++i)
            ways = ways * (parts - 1.0 + i) / i;
        count *= ways;
    }
    return count;
}

ATTUNE_INLINE std::vector<std::int64_t> divisors(std::int64_t extent)
{
    std::vector<std::int64_t> out{1};
    for (prime_power const& one : prime_factors(extent)) {
        std::size_t const before = out.size();
        std::int64_t power = 1;
        for (int i = 0; i < one.exponent; ++i) {
            power *= one.prime;
            for (std::size_t k = 0; k < before; ++k)
                out.push_back(out[k] * power);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> factor_table(std::int64_t extent, std::uint32_t parts)
{
    std::vector<std::int64_t> const factors = divisors(extent);
    std::vector<std::int64_t> table;
    std::vector<std::int64_t> row(parts, 1);
    auto const fill = [&](auto const& self, std::uint32_t place, std::int64_t rest) -> void {
        if (place + 1 == parts) {
            row[place] = rest;
            table.insert(table.end(), row.begin(), row.end());
            return;
        }
        for (std::int64_t const d : factors) {
            if (d > rest) break;
            if (rest % d != 0) continue;
            row[place] = d;
            self(self, place + 1, rest / d);
        }
    };
    fill(fill, 0, extent);
    return table;
}

/// A literal, the name of an input, or an operation with its operands: "(17 N 2)".
[[nodiscard]] inline std::string text_of_bound(description const& space, std::uint32_t node)
{
    expression_node const& n = space.nodes[node];
    if (n.code == op::integer) return std::to_string(n.integer);
    if (n.code == op::real) return text_of_real(n.real);
    if (n.code == op::input) return space.inputs[n.subject].name;
    std::string out = '(' + std::to_string(static_cast<int>(n.code));
    for (std::uint32_t const operand : {n.first, n.second, n.third})
        if (operand != no_index) out += ' ' + text_of_bound(space, operand);
    return out + ')';
}

ATTUNE_INLINE std::string schema_text(description const& space)
{
    std::string out;
    auto const field = [&out](std::string const& text) { out += text + ';'; };
    auto const shape = [&field](parameter_kind kind, value_kind type, scale on,
                                std::uint32_t parts) {
        field(std::to_string(static_cast<int>(kind)) + ' ' +
              std::to_string(static_cast<int>(type)) + ' ' + std::to_string(static_cast<int>(on)) +
              ' ' + std::to_string(parts));
    };
    for (named_value const& one : named_values(space)) {
        field(std::string(one.name));
        if (one.is_long_order()) {
            // The form of a short permutation: how coordinates write an order has no effect.
            shape(parameter_kind::permutation, value_kind::list, scale::linear, one.group->parts());
            out += '\n';
            continue;
        }
        if (one.is_array()) field("array " + std::to_string(one.count));
        parameter_description const& p = space.parameters[one.first]; // elements are alike
        shape(p.kind, p.type, p.on, p.parts);
        if (p.traits().is_interval) field(text_of_real(p.low) + ' ' + text_of_real(p.high));
        if (p.rule.bound_node != no_index) {
            field(std::to_string(static_cast<int>(p.rule.steps)) + ' ' +
                  std::to_string(p.rule.first) + ' ' + std::to_string(p.rule.step) + ' ' +
                  text_of_bound(space, p.rule.bound_node));
        } else {
            for (auto const v : p.integers)
                field(std::to_string(v));
            for (auto const v : p.reals)
                field(text_of_real(v));
            for (auto const& v : p.labels)
                field(std::to_string(v.size()) + ' ' + v); // a label may hold any character
        }
        if (p.role != parameter_role::macro) field(std::to_string(static_cast<int>(p.role)));
        if (p.is_conditional()) field("active_if " + p.active.text);
        for (std::uint32_t i = one.first + 1; i < one.first + one.count; ++i)
            if (std::string const& own = space.parameters[i].active.text; own != p.active.text)
                field("active_if[" + std::to_string(i - one.first) + "] " + own);
        out += '\n';
    }
    for (constraint_description const& c : space.constraints)
        if (c.settles == no_index) out += c.text + '\n';
    return out;
}

ATTUNE_INLINE std::string text_of_real(double v)
{
    std::array<char, 32> buffer{};
    auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr;
    std::string out(buffer.data(), end);
    if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
    return out;
}

ATTUNE_INLINE std::string text_of_number(number const& v)
{
    return v.is_real ? text_of_real(v.real) : std::to_string(v.integer);
}

ATTUNE_INLINE std::vector<std::pair<std::string, std::string>>
texts_of_inputs(description const& space)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (input_description const& input : space.inputs)
        if (input.value) out.emplace_back(input.name, text_of_number(*input.value));
    return out;
}

ATTUNE_INLINE std::string without_spaces(std::string_view text)
{
    std::string out;
    for (char const c : text)
        if (c != ' ' && c != '\t' && c != '\n') out += c;
    return out;
}

ATTUNE_INLINE std::optional<double> parse_real(std::string_view text)
{
    double v = 0;
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), v);
    bool const suffix = end + 1 == text.data() + text.size() && (*end == 'f' || *end == 'F');
    if (status != std::errc{} || (end != text.data() + text.size() && !suffix)) return {};
    return v;
}

ATTUNE_INLINE std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}')
        text = text.substr(1, text.size() - 2);
    std::vector<std::int64_t> out;
    char const* at = text.data();
    char const* const end = at + text.size();
    for (;;) {
        std::int64_t v = 0;
        auto const [behind, status] = std::from_chars(at, end, v);
        if (status != std::errc{}) return {};
        out.push_back(v);
        at = behind;
        while (at != end && (*at == 'u' || *at == 'U' || *at == 'l' || *at == 'L'))
            ++at;
        if (at == end) return out;
        if (*at++ != ',') return {};
    }
}

} // namespace detail

ATTUNE_INLINE std::string text_of(parameter_description const& parameter, coordinate at)
{
    if (!parameter.traits().is_interval && at.index >= parameter.value_count())
        return "(no value " + std::to_string(at.index) + ')';
    return detail::rules_of(parameter.kind).text(parameter, at);
}

ATTUNE_INLINE std::optional<coordinate> coordinate_of(parameter_description const& parameter,
                                                      std::string_view text)
{
    return detail::rules_of(parameter.kind).parse(parameter, text);
}

ATTUNE_INLINE std::string text_of(description const& space, point const& at)
{
    std::string out;
    for (detail::named_value const& v : detail::named_values(space)) {
        if (!out.empty()) out += ' ';
        // Flags follow the compiler's own: "FLAGS=-mfma" would hide its -O3.
        bool const is_added = space.parameters[v.first].role == parameter_role::flags;
        out += v.name;
        out += is_added ? "+=" : "=";
        if (v.first + v.count > at.size())
            out += "(no value)";
        else if (at.size() == space.parameters.size() && !detail::is_active(space, v, at))
            out += detail::inactive_text;
        else
            out += detail::text_at(space, v, at);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
