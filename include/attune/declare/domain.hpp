// attune/declare/domain.hpp - the values that a parameter may take; values that a call gives, and figures of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A whole number, or the name of an input that supplies it.
template <class... Refs>
struct bound {
    std::int64_t value = 0;
    std::string_view input{}; ///< empty for a constant

    [[nodiscard]] constexpr bool is_known() const { return input.empty(); }
};

template <class T>
[[nodiscard]] constexpr auto as_bound(T const& x)
{
    if constexpr (std::integral<T>)
        return bound<>{static_cast<std::int64_t>(x), {}};
    else {
        constexpr bool is_bound = requires { x.as_bound(); };
        static_assert(is_bound, "attune: the end of a range is a whole number or an input");
        if constexpr (is_bound)
            return x.as_bound();
        else
            return bound<>{0, "reported"};
    }
}

template <class First, class...>
struct first_of {
    using type = First;
};

/// low, low + step, ...; or low, 2 low, ...; or the divisors of `high`. No value exceeds `high`.
template <parameter_kind Kind, class T, class... Refs>
struct range_domain {
    using value_type = T;
    static constexpr parameter_kind kind = Kind;
    progression steps{};
    std::int64_t low = 0;
    std::int64_t step = 1;
    bound<Refs...> high{};

    [[nodiscard]] constexpr bool may_contain(T value) const
    {
        std::int64_t const v = static_cast<std::int64_t>(value);
        if (v < low || (high.is_known() && v > high.value)) return false;
        if (steps == progression::linear)
            return (static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(low)) %
                       static_cast<std::uint64_t>(step) ==
                   0;
        if (steps == progression::divisors) return !high.is_known() || high.value % v == 0;
        std::int64_t power = low;
        while (power <= v / 2)
            power *= 2;
        return power == v;
    }
};

/// The listed values: ascending numbers of an ordinal, or the choices of a categorical.
template <parameter_kind Kind, class T, std::size_t N>
struct list_domain {
    using value_type = T;
    static constexpr parameter_kind kind = Kind;
    std::array<T, N> values{};

    [[nodiscard]] constexpr bool may_contain(T value) const
    {
        for (T const& v : values)
            if (v == value) return true;
        return false;
    }
};

/// A categorical whose texts are no macro.
template <parameter_role Role, std::size_t N>
struct text_domain : list_domain<parameter_kind::categorical, std::string_view, N> {
    static constexpr parameter_role role = Role;
};

/// Every number between `low` and `high`.
struct real_domain {
    using value_type = double;
    static constexpr parameter_kind kind = parameter_kind::real;
    double low = 0;
    double high = 0;

    [[nodiscard]] constexpr bool may_contain(double v) const { return low <= v && v <= high; }
};

struct boolean_domain {
    using value_type = bool;
    static constexpr parameter_kind kind = parameter_kind::boolean;
    [[nodiscard]] constexpr bool may_contain(bool) const { return true; }
};

/// Every order of 0 .. N - 1; value[i] is the item at place i.
template <std::size_t N>
struct permutation_domain {
    using value_type = std::array<int, N>;
    static constexpr parameter_kind kind = parameter_kind::permutation;
    order_distance metric = order_distance::spearman;

    [[nodiscard]] constexpr bool may_contain(value_type const& order) const
    {
        std::array<bool, N> seen{};
        for (int const item : order) {
            if (item < 0 || item >= static_cast<int>(N)) return false;
            if (seen[static_cast<std::size_t>(item)]) return false;
            seen[static_cast<std::size_t>(item)] = true;
        }
        return true;
    }
};

/// N values of one domain, independent of each other.
template <std::size_t N, class Element>
struct array_domain {
    using element_type = typename Element::value_type;
    using value_type = std::array<element_type, N>;
    static constexpr parameter_kind kind = Element::kind;
    Element element{};

    [[nodiscard]] constexpr bool may_contain(value_type const& values) const
    {
        for (element_type const& value : values)
            if (!element.may_contain(value)) return false;
        return true;
    }
};

/// Number of coordinates of a domain whose values are a group of the description; 0 for a domain
/// whose values are one coordinate.
template <class Domain>
inline constexpr std::size_t group_size = 0;
template <std::size_t N, class Element>
inline constexpr std::size_t group_size<array_domain<N, Element>> = N;
template <std::size_t N>
inline constexpr std::size_t group_size<permutation_domain<N>> =
    N > max_permutation_items ? N - 1 : 0;

/// Every way to write `extent` as an ordered product of N factors.
template <std::size_t N, class... Refs>
struct tile_domain {
    using value_type = std::array<int, N>;
    static constexpr parameter_kind kind = parameter_kind::tile;
    bound<Refs...> extent{};

    [[nodiscard]] constexpr bool may_contain(value_type const& factors) const
    {
        std::int64_t rest = extent.value;
        for (int const f : factors) {
            if (f < 1 || (extent.is_known() && rest % f != 0)) return false;
            rest /= f;
        }
        return !extent.is_known() || rest == 1;
    }
};

template <parameter_kind Kind, class T, class... Refs>
[[nodiscard]] constexpr range_domain<Kind, T, Refs...>
make_range(progression steps, T low, std::int64_t step, bound<Refs...> high)
{
    if (high.is_known() && high.value < static_cast<std::int64_t>(low))
        throw declaration_error("attune: this range is empty; its end is below its start");
    if (high.is_known() && static_cast<std::int64_t>(static_cast<T>(high.value)) != high.value)
        throw declaration_error(
            "attune: a range ends beyond the type of its start; give the start a wider type");
    if (step <= 0) throw declaration_error("attune: the step of a range must be positive");
    if (steps == progression::doubling && (low <= 0 || (low & (low - 1)) != 0))
        throw declaration_error("attune: powers_of_two must start at a power of two");
    return {steps, static_cast<std::int64_t>(low), step, high};
}

} // namespace detail

/// low, 2 low, 4 low, ... up to `high`, which may be an input.
template <std::integral T, class High>
[[nodiscard]] constexpr auto powers_of_two(T low, High const& high)
{
    return detail::make_range<parameter_kind::ordinal>(progression::doubling, low, 1,
                                                       detail::as_bound(high));
}

/// low, low + step, ... up to `high`, which may be an input.
template <std::integral T, class High>
[[nodiscard]] constexpr auto range(T low, High const& high, std::int64_t step = 1)
{
    return detail::make_range<parameter_kind::ordinal>(progression::linear, low, step,
                                                       detail::as_bound(high));
}

/// Every divisor of `extent`, which may be an input.
template <class Extent>
[[nodiscard]] constexpr auto divisors_of(Extent const& extent)
{
    return detail::make_range<parameter_kind::ordinal>(progression::divisors, 1, 1,
                                                       detail::as_bound(extent));
}

/// The values of an ordinal, in ascending order.
template <class... T>
[[nodiscard]] constexpr auto values(T... v)
{
    static_assert(sizeof...(T) > 0, "attune: values() is empty; a parameter needs a value");
    using reported = detail::list_domain<parameter_kind::ordinal, int, 1>; // one error, no cascade
    if constexpr (sizeof...(T) == 0)
        return reported{};
    else {
        using first = typename detail::first_of<T...>::type;
        constexpr bool one_type = detail::all({std::same_as<T, first>...});
        static_assert(one_type, "attune: values(...) mixes types; write values(1.0, 2.5)");
        constexpr bool numbers = std::is_arithmetic_v<first> && !std::same_as<first, bool>;
        static_assert(numbers || !one_type,
                      "attune: values(...) takes numbers; use categorical for text, bool and enum");
        if constexpr (one_type && numbers)
            return detail::list_domain<parameter_kind::ordinal, first, sizeof...(T)>{{{v...}}};
        else
            return reported{};
    }
}

namespace detail {

/// An input together with its value: the result of `n(4096)`.
template <fixed_string Name, class T>
struct input_binding {
    static constexpr std::string_view name = Name.view();
    T value{};
};

} // namespace detail

/// A problem size or device limit: `inline constexpr auto n = attune::input<"N", int>();`
template <fixed_string Name, class T>
struct input_parameter : detail::term {
    static_assert(std::is_arithmetic_v<T>, "attune: input<\"N\", T>: T is a number or bool");
    using value_type = T;
    using ref = detail::input_ref<Name>;
    static constexpr std::string_view name = Name.view();

    [[nodiscard]] constexpr auto as_expression() const
    {
        constexpr value_kind kind = detail::kind_of<T>();
        return expression<kind, 1, ref>{{{{op::input, static_cast<std::int64_t>(kind), 0, name}}}};
    }
    [[nodiscard]] constexpr detail::bound<ref> as_bound() const
    {
        static_assert(std::integral<T>, "attune: only a whole-number input can bound a range");
        return {0, name};
    }
    [[nodiscard]] constexpr detail::input_binding<Name, T> operator()(T value) const
    {
        return {value};
    }
};

template <fixed_string Name, class T>
[[nodiscard]] constexpr input_parameter<Name, T> input()
{
    return {};
}

namespace detail {

template <class T>
inline constexpr bool is_input = false;
template <fixed_string N, class T>
inline constexpr bool is_input<input_parameter<N, T>> = true;

} // namespace detail

/// A figure is an input with a reserved name. bind_inputs() sets it to the value of this machine,
/// unless the caller gives another. Like each input that a space reads, a figure is part of the
/// problem's key. A figure is constant on one machine, so that later runs find the records.
/// Example  space(tile_m, tile_k).where(8 * tile_m * tile_k <= attune::machine::l2_bytes / 2)
/// Example  build(pack, attune::machine::l2_bytes(1 << 20))   // as on another machine
namespace machine {

template <fixed_string Name>
using figure = input_parameter<Name, std::int64_t>;

/// The data cache of one core.
inline constexpr figure<"machine.l1_bytes"> l1_bytes{};
/// The second cache of one core, or of a few cores that share it.
inline constexpr figure<"machine.l2_bytes"> l2_bytes{};
/// The third cache that one core reaches, which the cores of its group share.
inline constexpr figure<"machine.l3_bytes"> l3_bytes{};
/// Hardware threads of the machine, also those that this process may not use.
inline constexpr figure<"machine.cores"> cores{};
/// Bytes of the widest vector.
inline constexpr figure<"machine.vector_bytes"> vector_bytes{};
/// Vector registers of one hardware thread.
inline constexpr figure<"machine.vector_registers"> vector_registers{};
/// Bytes of a page of memory, not of a huge page.
inline constexpr figure<"machine.page_bytes"> page_bytes{};
/// The most memory that this process can have: the installed memory, rounded down by a sixteenth at
/// most, or the limit of its control group. It is not the free memory, which differs from call to
/// call and would change keys and spaces; kernel.memory(...) reads the free memory.
inline constexpr figure<"machine.memory_bytes"> memory_bytes{};

} // namespace machine

} // namespace attune::inline ATTUNE_ABI
